"""Lists of operations: their order, the memory that they need."""

import math

from ...task import Malformed, Mistake, Task


def order(needs):
    found = in_order(needs)
    if len(found) < len(needs):
        raise ValueError("these need each other in a circle")
    return found


def in_order(needs):
    """The names that a circle does not keep from getting ready."""
    users = {name: [] for name in needs}
    for name, of in needs.items():
        for part in of:
            users[part].append(name)
    missing = {name: len(of) for name, of in needs.items()}
    ready, found = [name for name in needs if not missing[name]], []
    while ready:
        name = ready.pop()
        found.append(name)
        for user in users[name]:
            missing[user] -= 1
            if not missing[user]:
                ready.append(user)
    return found


def judged(answer, needs):
    """The names that came, sorted, and those that came before something they need; or that it was refused."""
    try:
        found = answer(needs)
    except ValueError:
        return {"refused": True, "names": [], "too early": []}
    if not isinstance(found, list):
        raise Malformed("a list of names was expected")
    seen, early = set(), []
    for name in found:
        early += [name] if not seen.issuperset(needs.get(name, ())) else []
        seen.add(name)
    return {"refused": False, "names": sorted(found), "too early": sorted(early)}


def graphs():
    chain = {f"v{i}": [f"v{i - 1}"] if i else [] for i in range(1500)}
    network = {"x": [], "w": [], "b": [], "xw": ["x", "w"], "z": ["xw", "b"], "h": ["z"], "loss": ["h"]}
    return {
        "one": ({"a": []},),
        "in order already": (network,),
        "the other way round": (dict(reversed(network.items())),),
        "one that needs another twice": ({"y": ["x", "x"], "x": []},),
        "a diamond": ({"d": ["b", "c"], "b": ["a"], "c": ["a"], "a": []},),
        "a long way and a short one": ({"y": ["c", "a"], "c": ["b"], "b": ["a"], "a": []},),
        "two that have nothing in common": ({"b": ["a"], "d": ["c"], "a": [], "c": []},),
        "a circle": ({"a": [], "b": ["a", "d"], "c": ["b"], "d": ["c"]},),
        "one that needs itself": ({"a": ["a"]},),
        "a chain of 1,500, from its end": (dict(reversed(chain.items())),),
    }


def depth_first(needs, circles=True, once=True):
    """By recursion: each name after what it needs."""
    found, open_ = [], set()

    def visit(name):
        if name in open_:
            if circles:
                raise ValueError("a circle")
            return
        if once and name in found:
            return
        open_.add(name)
        for part in needs[name]:
            visit(part)
        open_.discard(name)
        found.append(name)

    for name in needs:
        visit(name)
    return found


def twice(needs):
    return [part for name in order(needs) for part in dict.fromkeys((*needs[name], name))]


def peak(rows):
    return walked(rows)


def walked(rows, inputs=False, keep=False, early=False, first=False, size=math.prod, count=set):
    """The most that is alive at once, with one thing or another done otherwise."""
    last = {}
    for place, (_, of, _) in enumerate(rows):
        for i in of:
            last[i] = min(last.get(i, place), place) if first else place
    alive, most = set(), 0
    for place, (_, of, _) in enumerate(rows):
        if early:
            alive = {i for i in alive if last.get(i, -1) > place}
        if of or inputs:
            alive.add(place)
        most = max(most, sum(size(rows[i][2]) for i in alive))
        if not keep:
            alive = {i for i in alive if last.get(i, -1) > place}
    return most


def programs():
    """Rows by what is special about them."""

    def case(inputs, *operations):
        return ([(name, (), shape) for name, shape in inputs.items()] + [*operations],)

    return {
        "one operation": case({"x": (2, 3)}, ("exp", (0,), (2, 3))),
        "a chain of four": case({"x": (2, 3)}, *(("tanh", (i,), (2, 3)) for i in range(4))),
        "an array twice": case({"x": (4,)}, ("exp", (0,), (4,)), ("mul", (1, 1), (4,)), ("exp", (2,), (4,))),
        "one that waits for a sum": case(
            {"x": (2, 4), "w": (4, 10), "v": (10, 4)},
            ("exp", (0,), (2, 4)),
            ("matmul", (3, 1), (2, 10)),
            ("tanh", (4,), (2, 10)),
            ("matmul", (5, 2), (2, 4)),
            ("add", (3, 6), (2, 4)),
        ),
        "wide in the middle": case(
            {"x": (5, 2), "w": (2, 30), "v": (30, 1)},
            ("matmul", (0, 1), (5, 30)),
            ("tanh", (3,), (5, 30)),
            ("matmul", (4, 2), (5, 1)),
            ("exp", (5,), (5, 1)),
        ),
        "one that nobody uses": case(
            {"x": (10,)}, ("exp", (0,), (10,)), ("tanh", (0,), (10,)), ("exp", (2,), (10,)), ("exp", (3,), (10,))
        ),
        "down to one number": case({"x": (3, 3)}, ("exp", (0,), (3, 3)), ("mean", (1,), ())),
        "no operation": case({"x": (6,)}),
        "a sum of inputs": case({"x": (6,), "y": (6,)}, ("add", (0, 1), (6,))),
    }


TASKS = [
    Task(
        "04.order",
        "Put into order",
        "order",
        order,
        graphs,
        (
            "Which names can come first? Those that need nothing. Who is ready once they are there?",
            "Count for each name how many of its needs are missing, and note for each name who needs it. A name with "
            "none missing is ready; when it is taken, each of its users misses one less.",
            "When nobody is ready any more and names are left over, they need each other in a circle: ValueError. "
            "No recursion, so no chain is too long.",
        ),
        (
            Mistake(
                "as they were given",
                "They may be given in any order.",
                lambda needs: [*needs],
            ),
            Mistake(
                "turned round",
                "What is needed comes first, and what needs it after that.",
                lambda needs: order(needs)[::-1],
            ),
            Mistake("a circle is not noticed", "In a circle nothing can come first: raise a ValueError.", in_order),
            Mistake(
                "once for each use",
                "A name that is needed twice comes once.",
                twice,
            ),
            Mistake(
                "fewest needs first",
                "A name with one need may come long after one with two.",
                lambda needs: sorted(needs, key=lambda name: (len(needs[name]), name)) if order(needs) else [],
            ),
            Mistake(
                "by recursion",
                "A chain of 1,500 is deeper than Python's recursion goes: keep a list of what is ready.",
                depth_first,
            ),
        ),
        judged,
        level=2,
    ),
    Task(
        "04.peak",
        "The most that is alive at once",
        "peak",
        peak,
        programs,
        (
            "First find out for each row which operation is the last to use it.",
            "Then go down the list with a set of what is alive. An operation's result joins the set; measure; then "
            "whatever is not used by any later operation leaves it.",
            "The size of a row is math.prod of its shape. Rows whose `of` is empty never join. Rows that nobody uses "
            "leave at once.",
        ),
        (
            Mistake(
                "nothing is ever dropped",
                "That is what training needs. Here an array goes when its last user has run.",
                lambda rows: walked(rows, keep=True),
            ),
            Mistake(
                "inputs are counted",
                "Inputs and weights are somebody else's: count results alone.",
                lambda rows: walked(rows, inputs=True),
            ),
            Mistake(
                "dropped before they are used",
                "While an operation runs, its result and what it is made from are there at the same time.",
                lambda rows: walked(rows, early=True),
            ),
            Mistake(
                "dropped after their first use",
                "Another operation may still wait for it: only after the last use it may go.",
                lambda rows: walked(rows, first=True),
            ),
            Mistake(
                "the largest array",
                "Several are alive at once.",
                lambda rows: max((math.prod(shape) for _, of, shape in rows if of), default=0),
            ),
            Mistake(
                "sizes are added",
                "An array of shape (5, 30) has 150 numbers.",
                lambda rows: walked(rows, size=sum),
            ),
        ),
        level=3,
    ),
]
