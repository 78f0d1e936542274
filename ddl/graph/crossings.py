"""Rows for the nodes of each column, so that few edges cross: sweeps of medians and exchanges of neighbours.

E. Gansner, E. Koutsofios, S. North and K.-P. Vo (1993), A technique for drawing directed graphs.
"""

import math
import random
from bisect import bisect_left, bisect_right, insort
from itertools import count, pairwise
from statistics import median

SWEEPS = 24
WORK = 400  # how many nodes all starts together may have: small graphs get more of them
LARGE = 1000  # from so many nodes on there is one start, and exchanges end before all is tried
WIDE = 100  # nodes of a column, from which on the same holds of exchanges: they grow with the square of it
HUGE = 4000  # and from so many on, which nobody can take in at once, what belongs together is laid together, no more


def crossings(columns, right):
    """How many pairs of links cross between neighbouring columns, of which each is a list of nodes from the top."""
    total = 0
    for before, after in pairwise(columns):
        place = {i: p for p, i in enumerate(after)}
        ends = []  # of the links from above, in order
        for i in before:
            rows = sorted(place[j] for j in right[i])
            total += sum(len(ends) - bisect_right(ends, row) for row in rows)
            for row in rows:
                insort(ends, row)
    return total


def untangle(columns, left, right):
    """The order with the fewest crossings that is found from a few starts; `left` and `right` are nodes' neighbours."""
    rng = random.Random(0)
    near = [a + b for a, b in zip(left, right)]
    if len(near) >= HUGE:
        return _walked(columns, right, rng)
    walks = [None, right, left, *[near] * (WORK // (len(near) + 1))]  # None: as they came, kept where none is better
    best, fewest = columns, math.inf
    for walk in walks if len(near) < LARGE else [right]:
        found = _improved(_walked(columns, walk, rng) if walk else [*map(list, columns)], left, right)
        if (crossed := crossings(found, right)) < fewest:
            best, fewest = found, crossed
        if not fewest:
            break
    return best


def _walked(columns, near, rng):
    """Nodes in the order in which a walk to neighbours finds them, so that what belongs together lies together."""
    seen = {}
    for first in (i for column in columns for i in column):
        stack = [first]
        while stack:
            i = stack.pop()
            if i not in seen:
                seen[i] = len(seen)
                stack += rng.sample(near[i], len(near[i]))
    return [sorted(column, key=seen.get) for column in columns]


def _improved(columns, left, right):
    """The best of all sweeps, which go to and fro: each puts a column in the order of its neighbours' medians."""
    place = {i: p for column in columns for p, i in enumerate(column)}
    best, fewest = columns, math.inf
    large = len(left) >= LARGE or max(map(len, columns), default=0) >= WIDE
    for sweep in range(SWEEPS // 4 if large else SWEEPS):
        turned = sweep % 4 < 2  # which way what is equal goes
        for _ in range(2) if large else count():
            if not sum(_exchange(column, place, left, right, not turned) for column in columns):
                break
        if (crossed := crossings(columns, right)) < fewest:
            best, fewest = [*map(list, columns)], crossed
        if not fewest:
            break
        order, near = (columns[1:], left) if sweep % 2 == 0 else (columns[-2::-1], right)
        for column in order:
            held = {i: median(place[j] for j in near[i]) for i in column if near[i]}
            moving = iter(sorted(held, key=lambda i: (held[i], -place[i] if turned else place[i])))
            column[:] = [next(moving) if i in held else i for i in column]
            place.update((i, p) for p, i in enumerate(column))
    return best


def _exchange(column, place, left, right, ties):
    """Exchange neighbours whose links then cross less, with `ties` also where that is as good; whether it helped."""
    ends = {i: [sorted(place[j] for j in near[i]) for near in (left, right)] for i in column}
    helped = False
    for p in range(len(column) - 1):
        i, j = column[p], column[p + 1]
        now = sum(bisect_left(b, x) for a, b in zip(ends[i], ends[j]) for x in a)
        then = sum(bisect_left(a, x) for a, b in zip(ends[i], ends[j]) for x in b) if now else 0
        if then < now or (ties and then == now > 0):
            column[p], column[p + 1] = j, i
            place[i], place[j] = p + 1, p
            helped |= then < now
    return helped
