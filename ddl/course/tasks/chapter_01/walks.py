"""The walk back over a graph, and its two classic bugs."""

from ...task import Mistake, Task, itself, once


class Number:
    """A number of a graph: what it was made of, with the slope along each arrow, and when."""

    def __init__(self, data, parents=(), slopes=()):
        self.data, self.parents, self.slopes, self.grad = data, parents, slopes, 0.0
        self.birth = 1 + max((parent.birth for parent in parents), default=0)


def add(a, b):
    return Number(a.data + b.data, (a, b), (1.0, 1.0))


def multiply(a, b):
    return Number(a.data * b.data, (a, b), (b.data, a.data))


def everything(result):
    """All numbers that a result was made of, itself too, oldest first."""
    found, waiting = {}, [result]
    while waiting:
        number = waiting.pop()
        if id(number) not in found:
            found[id(number)] = number
            waiting.extend(number.parents)
    return sorted(found.values(), key=lambda number: number.birth)


def backward(result):
    result.grad = 1.0
    for number in reversed(everything(result)):
        for parent, slope in zip(number.parents, number.slopes):
            parent.grad += slope * number.grad


def newest_first(result):
    return everything(result)[::-1]


def small_graphs():
    """Programs by what is special about them: each makes a graph of three numbers and returns its result."""
    return {
        "a number alone": (lambda a, b, c: a,),
        "every number used once": (lambda a, b, c: add(multiply(a, b), c),),
        "a number used twice in one product": (lambda a, b, c: add(multiply(a, a), multiply(b, c)),),
        "a number used far apart": (lambda a, b, c: multiply(add(multiply(a, b), a), c),),
        "a number with a short path and a long one": (lambda a, b, c: multiply(add(a, multiply(a, b)), c),),
        "different numbers of one value": (lambda a, b, c: multiply(add(a, b), add(b, a)),),
        "b = a + a, again and again": (lambda a, b, c: doubled(a, 12),),
    }


def doubled(a, times):
    for _ in range(times):
        a = add(a, a)
    return a


def chain(a, step, length):
    for _ in range(length):
        a = add(a, step)
    return a


def gradients(answer, program):
    inputs = [Number(x) for x in (2.0, -3.0, 0.5)]
    answer(program(*inputs))
    return [number.grad for number in inputs]


def visits(answer, program):
    """The births in the order in which an answer goes through the numbers, and whether each comes once."""
    result = program(*(Number(x) for x in (2.0, -3.0, 0.5)))
    order = list(answer(result))
    place = {id(number): at for at, number in enumerate(order)}
    late = sum(place.get(id(p), -1) <= place[id(n)] for n in order for p in n.parents)
    return {"numbers": len(order), "different numbers": len(place), "parents that come too early": late}


def overwritten(result):
    result.grad = 1.0
    for number in reversed(everything(result)):
        for parent, slope in zip(number.parents, number.slopes):
            parent.grad = slope * number.grad


def slopes_alone(result):
    result.grad = 1.0
    for number in reversed(everything(result)):
        for parent, slope in zip(number.parents, number.slopes):
            parent.grad += slope


def oldest_first(result):
    result.grad = 1.0
    for number in everything(result):
        for parent, slope in zip(number.parents, number.slopes):
            parent.grad += slope * number.grad


def every_path(result):
    return [result, *(number for parent in result.parents for number in every_path(parent))]


def by_level(result):
    found, level = [result], [result]
    while level:
        level = [p for number in level for p in number.parents if p not in found]
        found += dict.fromkeys(level)
    return found


TASKS = [
    Task(
        "01.read",
        "Read the gradients off the graph",
        "gradients",
        {"x": -2.0, "y": 2.0},
        once,
        (
            "z = x·y + x has two paths from x and one from y. Multiply along each path, add over the paths.",
            "The path through the product has the slope y = −3; the path straight into the sum has the slope 1.",
            "The gradient of x is y + 1, and that of y is x.",
        ),
        (
            Mistake(
                "only the product's path", "x goes into the sum directly as well: add both.", {"x": -3.0, "y": 2.0}
            ),
            Mistake("only the direct path", "x goes through the product as well: add both.", {"x": 1.0, "y": 2.0}),
            Mistake("x and y exchanged", "The slope in x is made of y, and that in y of x.", {"x": 2.0, "y": -2.0}),
        ),
        itself,
    ),
    Task(
        "01.paths",
        "How many visits",
        "visits",
        2**31 - 1,
        once,
        (
            "Count for small depths first: with no doubling there is one visit, with one doubling three.",
            "One more doubling: the result is visited once, and all that was visited before is visited twice.",
            "1, 3, 7, 15, ...: two to the power of the depth plus one, less one. The depth is 30.",
        ),
        (
            Mistake("only the paths", "Each path visits every number on its way, not only its end.", 2**30),
            Mistake("one visit for each number", "That is the good walk; this one goes along every path anew.", 31),
            Mistake("one power too many", "The visits at depth d are 1 + 2 + 4 + ... + 2 to the d.", 2**32 - 1),
        ),
        itself,
    ),
    Task(
        "01.backward",
        "Find the bug: a walk back that forgets",
        "backward",
        backward,
        small_graphs,
        (
            "Run it on a·a + b·c. Which gradient is wrong, and what is special about its number?",
            "A number that is used twice gets two messages. What happens to the first when the second comes?",
            "Gradients add up over paths: += in the place of =.",
        ),
        (
            Mistake(
                "the gradient overwrites", "A number that is used twice has to add up what comes: +=.", overwritten
            ),
            Mistake(
                "the arriving gradient is left out",
                "Along a path slopes multiply: what is sent is the slope times the gradient that arrived.",
                slopes_alone,
            ),
            Mistake(
                "oldest first",
                "A number may send only when all has arrived: begin with the result and go back.",
                oldest_first,
            ),
        ),
        gradients,
        level=2,
    ),
    Task(
        "01.order",
        "Each number once, newest first",
        "newest_first",
        newest_first,
        lambda: small_graphs() | {"a chain of 5,000": (lambda a, b, c: chain(a, c, 5000),)},
        (
            "Collect first, and sort afterwards: by `birth`, the largest first.",
            "Keep a list of numbers that wait and a set of those seen; take one, put its parents on the list.",
            "Numbers may be compared by `id(number)`. A loop with a list instead of recursion stands long chains too.",
        ),
        (
            Mistake(
                "along every path", "A number that is used twice comes twice: remember which were seen.", every_path
            ),
            Mistake(
                "level by level",
                "A number can be near the result on one path and far on another; it has to wait for the longest.",
                by_level,
            ),
            Mistake("oldest first", "The walk begins at the result: turn the order round.", everything),
        ),
        visits,
        level=2,
    ),
]
