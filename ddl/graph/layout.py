"""Places for a graph drawn from left to right: columns by distance from the inputs, rows with few crossings."""

from functools import lru_cache
from statistics import fmean

from .crossings import untangle

SWEEPS = 12
WORK = 300_000  # nodes that are looked at, at most, to make edges short: enough for some hundred nodes in a row


def ordered(columns, edges):
    """What stands in each column from the top: nodes by number, and ~e where edge e jumps over the column.

    `columns[i]` is node i's column and `edges` are pairs (from, to), repeated where an edge is, that run to the right.
    """
    return [[*row] for row in _ordered(tuple(columns), tuple(edges))]


@lru_cache(maxsize=256)  # a model's blocks are alike, and a page and its picture have the same places
def _ordered(given, edges):
    names, columns = [*range(len(given))], list(given)
    left, right = [[] for _ in names], [[] for _ in names]
    for e, (start, end) in enumerate(edges):
        last = start
        for column in range(columns[start] + 1, columns[end]):
            names.append(~e)
            columns.append(column)
            left.append([last])
            right.append([])
            right[last].append(len(names) - 1)
            last = len(names) - 1
        right[last].append(end)
        left[end].append(last)
    rows = [[] for _ in range(max(columns, default=-1) + 1)]
    for i, column in enumerate(columns):
        rows[column].append(i)
    return tuple(tuple(names[i] for i in row) for row in untangle(rows, left, right))


def columns_of(n, edges):
    """Each node right of all its parents, and the edges short: what is better off a column further on moves there.

    In a very large graph that ends before all is tried.
    """
    columns, ins, outs = [0] * n, [[] for _ in range(n)], [[] for _ in range(n)]
    for start, end in sorted(edges, key=lambda edge: edge[1]):
        columns[end] = max(columns[end], columns[start] + 1)
        ins[end].append(start)
        outs[start].append(end)
    moved, work = True, WORK
    while moved and work > 0:
        moved = False
        for step, ahead, behind in ((1, outs, ins), (-1, ins, outs)):
            for i in range(n):
                if work <= 0:
                    break
                group = _pushed(i, columns, ahead)
                work -= len(group)
                gain = sum((j not in group) for k in group for j in ahead[k])
                if gain > sum((j not in group) for k in group for j in behind[k]):
                    moved = True
                    for k in group:
                        columns[k] += step
    first = min(columns, default=0)
    return [column - first for column in columns]


def _pushed(node, columns, ahead):
    """All nodes that have to move when this one does: those in its way, and those in theirs."""
    group, stack = {node}, [node]
    while stack:
        i = stack.pop()
        for j in ahead[i]:
            if j not in group and abs(columns[j] - columns[i]) == 1:
                group.add(j)
                stack.append(j)
    return group


def spread(rows, near, heights, gap):
    """ys that keep the order in rows and the gaps and pull every node towards the mean of its neighbours.

    `near[i]` has a pair (j, shift) for each neighbour: node i would best be at j's y plus the shift.
    """
    y = [0.0] * len(heights)
    for row in rows:
        for i, at in zip(row, _settle([0.0] * len(row), [heights[i] + gap for i in row])):
            y[i] = at
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            wanted = [fmean(y[j] + shift for j, shift in near[i]) if near[i] else y[i] for i in row]
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
