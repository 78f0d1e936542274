"""Places for a graph drawn from left to right: columns by distance from the inputs, rows with few crossings."""

import math
import random
from itertools import accumulate, pairwise
from statistics import fmean

SWEEPS, STARTS = 12, 8


def layered(heights, edges, gap=12.0, lane=14.0):
    """Columns and rows for nodes that come after their parents.

    `heights[i]` is node i's height and `edges` are pairs (from, to), repeated where an edge is. An edge that jumps
    over columns gets a lane of its own in each. Returns each node's column, each node's y of the middle, and for each
    edge the ys of its lanes, column by column.
    """
    columns = _columns(len(heights), edges)
    heights, columns, chains = list(heights), list(columns), []
    n = len(heights)
    for start, end in edges:
        lanes = range(len(heights), len(heights) + columns[end] - columns[start] - 1)
        columns += range(columns[start] + 1, columns[end])
        heights += [lane] * len(lanes)
        chains.append([start, *lanes, end])
    links = [link for chain in chains for link in pairwise(chain)]
    left, right = [[] for _ in heights], [[] for _ in heights]
    for a, b in links:
        left[b].append(a)
        right[a].append(b)
    rows = [[i for i, c in enumerate(columns) if c == column] for column in range(max(columns, default=0) + 1)]
    rows = _untangle(rows, left, right)
    y = _spread(rows, left, right, heights, gap)
    return columns[:n], y[:n], [[y[i] for i in chain[1:-1]] for chain in chains]


def _columns(n, edges):
    """Each node right of all its parents; inputs as near to their first use as they can be."""
    columns = [0] * n
    for start, end in sorted(edges, key=lambda edge: edge[1]):
        columns[end] = max(columns[end], columns[start] + 1)
    made = {end for _, end in edges}
    for i in range(n):
        uses = [columns[end] for start, end in edges if start == i]
        if i not in made and uses:
            columns[i] = min(uses) - 1
    return columns


def crossings(rows, right):
    """How many pairs of links cross between neighbouring columns."""
    total = 0
    for above, below in pairwise(rows):
        place = {i: p for p, i in enumerate(below)}
        ends = [p for i in above for p in sorted(place[j] for j in right[i])]
        total += sum(a > b for k, a in enumerate(ends) for b in ends[k + 1 :])
    return total


def _untangle(rows, left, right):
    """The order with the fewest crossings found by sweeps of mean neighbour and sifting, from a few starts."""
    rng = random.Random(0)
    best, fewest = rows, math.inf
    for _ in range(STARTS):
        rows = [*map(list, rows)]
        place = {i: p for row in rows for p, i in enumerate(row)}
        for sweep in range(SWEEPS):
            order, near = (rows[1:], left) if sweep % 2 == 0 else (rows[-2::-1], right)
            for row in order:
                row.sort(key=lambda i: fmean(place[j] for j in near[i]) if near[i] else place[i])
                place.update((i, p) for p, i in enumerate(row))
        while any(_sift(row, place, left, right) for row in rows):
            pass
        if (count := crossings(rows, right)) < fewest:
            best, fewest = [*map(list, rows)], count
        if not fewest:
            break
        for row in rows:
            rng.shuffle(row)
    return best


def _sift(row, place, left, right):
    """Move each node of a column to where its links cross least; whether that helped."""

    def crossed(a, b):
        return sum(place[i] > place[j] for near in (left, right) for i in near[a] for j in near[b])

    helped = False
    for node in list(row):
        others = [i for i in row if i != node]
        changes = [crossed(other, node) - crossed(node, other) for other in others]  # as the node steps down past each
        totals = list(accumulate(changes, initial=0))
        now = row.index(node)
        target = min(range(len(row)), key=lambda p: (totals[p], abs(p - now)))
        if totals[target] < totals[now]:
            row[:] = [*others[:target], node, *others[target:]]
            helped = True
    place.update((i, p) for p, i in enumerate(row))
    return helped


def _spread(rows, left, right, heights, gap):
    """ys that keep the order and the gaps and pull every node towards the mean of its neighbours."""
    y = [0.0] * len(heights)
    for row in rows:
        for i, at in zip(row, _settle([0.0] * len(row), [heights[i] + gap for i in row])):
            y[i] = at
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            near = [left[i] + right[i] for i in row]
            wanted = [fmean(y[j] for j in js) if js else y[i] for i, js in zip(row, near)]
            for i, at in zip(row, _settle(wanted, [heights[i] + gap for i in row])):
                y[i] = at
    top = min((y[i] - h / 2 for i, h in enumerate(heights)), default=0.0)
    return [at - top for at in y]


def _settle(wanted, sizes):
    """The places nearest to the wanted ones, in least squares, at which things of these sizes do not overlap."""
    offsets, blocks, at = [], [], 0.0
    for want, size in zip(wanted, sizes):
        offsets.append(at + size / 2)
        at += size
        blocks.append((want - offsets[-1], 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:  # they would overlap: they move as one
            (a, m), (b, n) = blocks[-2:]
            blocks[-2:] = [((a * m + b * n) / (m + n), m + n)]
    shifts = [shift for shift, n in blocks for _ in range(n)]
    return [offset + shift for offset, shift in zip(offsets, shifts)]
