"""Wrong answers to the exercises of chapter 4, as learners give them, and right ones written in another way."""

import graphlib
import math
from collections import Counter

import numpy as np
from answers import Answers

ANSWERS = Answers()
wrong, right = ANSWERS.wrong, ANSWERS.right

right("04.read")(24.0)
wrong("04.read", "one of two messages")(4 * 3 - 6)
wrong("04.read", "the other of two messages")(6 * 3 - 6)
wrong("04.read", "the sign of the difference")(36)
wrong("04.read", "one way only")(30)
wrong("04.read", "the value, not the slope")(21)
wrong("04.read")(23)

right("04.kept")(3_000_000.0)
wrong("04.kept", "kept twice")(5_000_000)
wrong("04.kept", "one for each operation")(4_000_000)
wrong("04.kept", "numbers, not bytes")(750_000)
wrong("04.kept", "the last product is forgotten")(2_000_000)
wrong("04.kept", "the inputs are counted")(3_251_000)
wrong("04.kept")(6_000_000)


@right("04.rule")
def matmul_rule(a, b):
    if len({a[-1], b[-2]}) > 1:
        raise ValueError("inner")
    names = [*dict.fromkeys(size for size in a + b if isinstance(size, str))]
    c, d = (tuple(100 + names.index(n) if n in names else n for n in shape[:-2]) for shape in (a, b))
    batch = np.broadcast_shapes(c, d)
    return (*(names[n - 100] if n >= 100 else n for n in batch), a[-2], b[-1])


@right("04.rule")
def matmul_rule(a, b):
    (*c, n, inner), (*d, other, m) = a, b
    c, d = [1] * (len(d) - len(c)) + c, [1] * (len(c) - len(d)) + d
    if inner != other or any(p != q and 1 not in (p, q) for p, q in zip(c, d)):
        raise ValueError
    return (*(q if p == 1 else p for p, q in zip(c, d)), n, m)


def stretched(
    a, b, fits=lambda p, q: p == q or 1 in (p, q), inner=lambda p, q: p == q, last=lambda a, b: (a[-2], b[-1])
):
    c, d = a[:-2], b[:-2]
    n = max(len(c), len(d))
    c, d = (1,) * (n - len(c)) + c, (1,) * (n - len(d)) + d
    if not inner(a[-1], b[-2]) or not all(map(fits, c, d)):
        raise ValueError(f"{a} and {b} do not fit")
    return tuple(q if p == 1 else p for p, q in zip(c, d)) + last(a, b)


def rule_with(**how):
    return lambda a, b: stretched(a, b, **how)


@wrong("04.rule", "the batch of the longer one")
def matmul_rule(a, b):
    if a[-1] != b[-2]:
        raise ValueError("inner sizes")
    batch = b[:-2] if len(b) > len(a) else a[:-2]
    return batch + (a[-2], b[-1])


@wrong("04.rule", "batches have to be equal")
def matmul_rule(a, b):
    c, d = a[:-2], b[:-2]
    if a[-1] != b[-2] or (c and d and c != d):
        raise ValueError("they do not fit")
    return (*(c or d), a[-2], b[-1])


wrong("04.rule", "the inner sizes are not compared")(rule_with(inner=lambda p, q: True))
wrong("04.rule", "an inner size of 1 fits all")(rule_with(inner=lambda p, q: p == q or 1 in (p, q)))
wrong("04.rule", "the batch is lost")(lambda a, b: stretched(a, b)[-2:])
wrong("04.rule")(lambda a, b: stretched((1,) * len(b[:-2]) + a[-2:] if len(a) == len(b) else a, b))
wrong("04.rule")(rule_with(last=lambda a, b: (b[-1], a[-2])))
wrong("04.rule")(lambda a, b: stretched(a, (*b[:-2], b[-1], b[-2])))


@right("04.bind")
def bind(named, real):
    pairs = {(declared, size) for name in named for declared, size in zip(named[name], real[name], strict=True)}
    found = {declared: size for declared, size in pairs if isinstance(declared, str)}
    if any(found.get(declared, declared) != size for declared, size in pairs):
        raise ValueError("they do not agree")
    return found


def bound(named, real, same=lambda known, size: known == size, axes=True, numbers=True, fresh=False, first=False):
    found, known = {}, {}
    for name, shape in named.items():
        known = {} if fresh else known
        if axes and len(shape) != len(real[name]):
            raise ValueError("axes")
        for declared, size in zip(shape, real[name]):
            if isinstance(declared, str):
                if not same(known.get(declared, size), size):
                    raise ValueError("names")
                known.setdefault(declared, size)
                found[declared] = known[declared] if first else size
            elif numbers and declared != size:
                raise ValueError("numbers")
    return found


def bind_with(**how):
    return lambda named, real: bound(named, real, **how)


right("04.bind")(bind_with())
wrong("04.bind", "the last size wins")(bind_with(same=lambda known, size: True))
wrong("04.bind", "each array by itself")(bind_with(fresh=True))
wrong("04.bind", "the number of axes is not compared")(bind_with(axes=False))
wrong("04.bind", "numbers are not compared")(bind_with(numbers=False))
wrong("04.bind")(bind_with(same=lambda known, size: known == size or size == 1, first=True))
wrong("04.bind")(bind_with(same=lambda known, size: True, first=True))


@wrong("04.bind")
def bind(named, real):
    return bound({name: shape[:1] for name, shape in named.items()}, {name: shape[:1] for name, shape in real.items()})


@right("04.order")
def order(needs):
    try:
        return list(graphlib.TopologicalSorter(needs).static_order())
    except graphlib.CycleError:
        raise ValueError("a circle") from None


@right("04.order")
def order(needs):
    done, found = set(), []
    for start in needs:
        stack = [(start, iter(needs[start]))]
        on_the_way = {start}
        while stack and start not in done:
            name, rest = stack[-1]
            part = next((p for p in rest if p not in done), None)
            if part in on_the_way:
                raise ValueError(f"{part} needs itself")
            if part is not None:
                stack.append((part, iter(needs[part])))
                on_the_way.add(part)
            else:
                stack.pop()
                on_the_way.discard(name)
                done.add(name)
                found.append(name)
    return found


def sorted_out(needs):
    try:
        return list(graphlib.TopologicalSorter(needs).static_order())
    except graphlib.CycleError:
        raise ValueError("a circle") from None


wrong("04.order", "as they were given")(lambda needs: list(needs))
wrong("04.order", "turned round")(lambda needs: sorted_out(needs)[::-1])
wrong("04.order")(lambda needs: sorted(needs))
wrong("04.order")(lambda needs: sorted_out(needs)[:1000])
wrong("04.order")(lambda needs: [name for name in sorted_out(needs) if needs[name] or len(needs) < 2])


@wrong("04.order", "a circle is not noticed")
def order(needs):
    left, found = dict(needs), {}
    while True:
        ready = [name for name, of in left.items() if all(part in found for part in of)]
        if not ready:
            return list(found)
        for name in ready:
            found[name] = left.pop(name)


@wrong("04.order", "once for each use")
def order(needs):
    found = []
    for name in sorted_out(needs):
        found += dict.fromkeys(needs[name])
        found.append(name)
    return found


@wrong("04.order", "fewest needs first")
def order(needs):
    names = sorted_out(needs)
    return sorted(sorted(names), key=lambda name: len(needs[name]))


@wrong("04.order", "by recursion")
def order(needs):
    found, begun = {}, set()

    def visit(name):
        if name in begun and name not in found:
            raise ValueError("a circle")
        if name not in begun:
            begun.add(name)
            for part in needs[name]:
                visit(part)
            found[name] = True

    for name in needs:
        visit(name)
    return list(found)


GAPS = {"matmul": "{} @ {}", "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}"}


def spelled(rows, named, turned=False):
    texts, found = {}, []
    for place, (what, of, _) in enumerate(rows):
        parts = [texts[i] for i in (reversed(of) if turned else of)]
        text = what
        if of:
            text = "(" + GAPS[what].format(*parts) + ")" if what in GAPS else f"np.{what}({parts[0]})"
        if named(place, of):
            found.append(f"v{place} = {text}")
        texts[place] = f"v{place}" if named(place, of) else text
    return [*found, texts[len(rows) - 1]]


def uses(rows):
    return Counter(i for row in rows for i in row[1])


right("04.lines")(lambda rows: spelled(rows, lambda place, of: len(of) > 0 and uses(rows)[place] >= 2))
wrong("04.lines", "everything is written out")(lambda rows: spelled(rows, lambda place, of: False))
wrong("04.lines", "a name for every operation")(
    lambda rows: spelled(rows, lambda place, of: bool(of) and place + 1 < len(rows))
)
wrong("04.lines", "inputs get another name")(lambda rows: spelled(rows, lambda place, of: uses(rows)[place] > 1))
wrong("04.lines", "twice in one operation counts once")(
    lambda rows: spelled(rows, lambda place, of: of and Counter(i for row in rows for i in set(row[1]))[place] > 1)
)
wrong("04.lines", "operands exchanged")(
    lambda rows: spelled(rows, lambda place, of: of and uses(rows)[place] > 1, turned=True)
)
wrong("04.lines")(lambda rows: spelled(rows, lambda place, of: of and uses(rows)[place] == 1))
wrong("04.lines")(
    lambda rows: spelled(rows, lambda place, of: of and (uses(rows)[place] > 1 or place == len(rows) - 1))
)


@right("04.peak")
def peak(rows):
    most = 0
    for now, (_, of, _) in enumerate(rows):
        later = {i for row in rows[now:] for i in row[1]}
        there = {i for i in range(now) if rows[i][1] and i in later} | ({now} if of else set())
        most = max(most, sum(math.prod(rows[i][2]) for i in there))
    return most


def most_alive(rows, counts=lambda of: bool(of), size=math.prod, later=0, result=True, forever=False):
    most = 0
    for now, (_, of, _) in enumerate(rows):
        wanted = range(len(rows)) if forever else {i for row in rows[now + later :] for i in row[1]}
        there = {i for i in range(now) if counts(rows[i][1]) and i in wanted} | (
            {now} if counts(of) and result else set()
        )
        most = max(most, sum(size(rows[i][2]) for i in there))
    return most


def peak_with(**how):
    return lambda rows: most_alive(rows, **how)


wrong("04.peak", "nothing is ever dropped")(peak_with(forever=True))
wrong("04.peak", "dropped before they are used")(peak_with(later=1))
wrong("04.peak", "the largest array")(lambda rows: max([0, *(math.prod(shape) for _, of, shape in rows if of)]))
wrong("04.peak", "sizes are added")(peak_with(size=sum))
wrong("04.peak")(peak_with(result=False))
wrong("04.peak")(peak_with(size=lambda shape: 4 * math.prod(shape) if len(shape) > 1 else math.prod(shape)))


@wrong("04.peak", "inputs are counted")
def peak(rows):
    last = {i: place for place, (_, of, _) in enumerate(rows) for i in of}
    alive, most = set(), 0
    for place, (_, _, _) in enumerate(rows):
        alive.add(place)
        most = max(most, sum(math.prod(rows[i][2]) for i in alive))
        alive = {i for i in alive if last.get(i, 0) > place}
    return most


@wrong("04.peak", "dropped after their first use")
def peak(rows):
    first = {}
    for place, (_, of, _) in enumerate(rows):
        for i in of:
            first.setdefault(i, place)
    alive, most = set(), 0
    for place, (_, of, _) in enumerate(rows):
        alive |= {place} if of else set()
        most = max(most, sum(math.prod(rows[i][2]) for i in alive))
        alive = {i for i in alive if first.get(i, 0) > place}
    return most


@wrong("04.peak")
def peak(rows):
    return sum(math.prod(rows[i][2]) for i in rows[-1][1] if rows[i][1]) + math.prod(rows[-1][2])
