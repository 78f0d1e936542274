"""Places for graphs: columns follow the computation, and edges cross no more than they must."""

import itertools
import random
import re
import shutil
import subprocess
from functools import cache

import pytest

from ddl.graph.crossings import HUGE, _exchange, crossings, untangle
from ddl.graph.layout import columns_of, ordered, spread


def neighbours(n, links):
    left, right = [[] for _ in range(n)], [[] for _ in range(n)]
    for a, b in links:
        left[b].append(a)
        right[a].append(b)
    return left, right


def fewest_beside(column, near, fixed):
    """The fewest crossings of the links between a column, in any order, and a fixed one: a table over its subsets."""
    place = {i: p for p, i in enumerate(fixed)}
    above = {
        (i, j): sum(place[a] > place[b] for a in near[i] for b in near[j]) for i, j in itertools.permutations(column, 2)
    }

    @cache
    def fewest(rest):
        return min((sum(above[i, j] for j in rest - {i}) + fewest(rest - {i}) for i in rest), default=0)

    return fewest(frozenset(column))


def random_columns(seed, sizes):
    rng = random.Random(seed)
    columns, links, n = [], [], 0
    for size in sizes:
        columns.append(list(range(n, n + size)))
        n += size
    for before, after in itertools.pairwise(columns):
        links += [(i, j) for j in after for i in rng.sample(before, rng.randint(1, 2))]
    return columns, *neighbours(n, links)


@pytest.mark.parametrize("seed", range(20))
def test_columns_of_up_to_seven_cross_as_little_as_any_order(seed):
    rng = random.Random(seed)
    columns, left, right = random_columns(seed, [rng.randint(2, 7), rng.randint(2, 6), rng.randint(2, 7)])
    first, middle, last = columns
    fewest = min(
        fewest_beside(first, right, order) + fewest_beside(last, left, order)
        for order in itertools.permutations(middle)
    )
    found = untangle([*map(list, columns)], left, right)
    assert [sorted(column) for column in found] == columns
    assert crossings(found, right) == fewest


def test_crossings_are_counted():
    _, right = neighbours(6, [(0, 5), (1, 4), (2, 3), (0, 3)])
    assert crossings([[0, 1, 2], [3, 4, 5]], right) == 3
    assert crossings([[0, 1, 2], [5, 4, 3]], right) == 1  # 0 to 3 and 2 to 3 meet, and do not cross


def program(seed, n):
    """The edges of a random computation of n numbers, each made of one or two earlier ones."""
    rng = random.Random(seed)
    inputs = max(2, n // 5)
    made = {(rng.randrange(max(0, i - rng.choice([4, 8, n])), i), i) for i in range(inputs, n) for _ in range(2)}
    return sorted(made)


def graphviz_crossings(n, edges):
    lines = [*map(str, range(n)), *(f"{a} -> {b}" for a, b in edges)]
    done = subprocess.run(
        ["dot", "-v", "-Tplain"], input=f"digraph {{{';'.join(lines)}}}", capture_output=True, text=True
    )
    return int(re.findall(r"(\d+) crossings", done.stderr)[-1])


def laid_out(n, edges):
    """Each node's column, and for each edge its row in every column from its start to its end."""
    columns = columns_of(n, edges)
    rows = [{what: row for row, what in enumerate(column)} for column in ordered(columns, edges)]
    assert sorted(what for column in rows for what in column if what >= 0) == list(range(n))
    ways = []
    for e, (start, end) in enumerate(edges):
        between = [rows[column][~e] for column in range(columns[start] + 1, columns[end])]
        ways.append([rows[columns[start]][start], *between, rows[columns[end]][end]])
    return columns, ways


def laid_crossings(n, edges):
    """Crossings of a finished layout, from the rows alone: of nodes and of edges that pass."""
    columns, ways = laid_out(n, edges)
    links = {}
    for (start, _), way in zip(edges, ways):
        for k, pair in enumerate(itertools.pairwise(way)):
            links.setdefault(columns[start] + k, []).append(pair)
    return sum((a - c) * (b - d) < 0 for pairs in links.values() for (a, b), (c, d) in itertools.combinations(pairs, 2))


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
def test_random_programs_cross_about_as_little_as_in_graphviz():
    sizes = [10 + seed for seed in range(50)]
    ours = [laid_crossings(n, program(seed, n)) for seed, n in enumerate(sizes)]
    dots = [graphviz_crossings(n, program(seed, n)) for seed, n in enumerate(sizes)]
    print(f"\n{sum(ours)} crossings, where Graphviz has {sum(dots)}")
    assert sum(ours) <= 1.1 * sum(dots)


def test_columns_follow_the_computation():
    columns, ways = laid_out(4, [(0, 1), (1, 2), (0, 2), (3, 2)])
    assert columns == [0, 1, 2, 1]
    assert [len(way) for way in ways] == [2, 2, 3, 2]


def test_rows_are_spread_without_overlap_and_pulled_to_what_they_are_linked_with():
    ys = spread([[0, 1], [2]], [[(2, 0.0)], [(2, 10.0)], [(0, 0.0), (1, -10.0)]], [20.0, 20.0, 30.0], gap=5.0)
    assert ys == pytest.approx([10.0, 35.0, 17.5], abs=1e-3)


@pytest.mark.parametrize("seed", range(10))
def test_edges_run_to_the_right_and_are_short(seed):
    edges = program(seed, 30)
    columns, ways = laid_out(30, edges)
    assert min(columns) == 0
    assert all(columns[start] < columns[end] for start, end in edges)
    assert [len(way) for way in ways] == [columns[end] - columns[start] + 1 for start, end in edges]
    for i in range(30):  # no node alone could shorten them
        before = [columns[a] for a, b in edges if b == i]
        after = [columns[b] for a, b in edges if a == i]
        if len(after) > len(before):
            assert min(after) == columns[i] + 1
        elif len(before) > len(after):
            assert max(before) == columns[i] - 1


def test_long_edges_by_the_thousand_are_laid_out_without_trying_everything(monkeypatch):
    """A sum of 150 copies of one number: each edge jumps over all columns before its end."""
    edges = [(0, i) for i in range(1, 150) for _ in range(2 if i == 1 else 1)] + [(i, i + 1) for i in range(1, 149)]
    tried = []
    monkeypatch.setattr("ddl.graph.crossings._exchange", lambda *args: tried.append(args))
    columns = columns_of(150, edges)
    assert columns == [0, *range(1, 150)]
    rows = ordered(columns, edges)
    assert sorted(i for row in rows for i in row if i >= 0) == [*range(150)]
    assert sum(len(row) for row in rows) > HUGE
    assert tried == []


def test_what_is_alike_is_laid_out_once(monkeypatch):
    tried = []
    monkeypatch.setattr("ddl.graph.layout.untangle", lambda rows, left, right: tried.append(rows) or rows)
    edges = [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3), (3, 4)]  # of no other test
    first = ordered([0, 1, 1, 2, 3], edges)
    first[0].clear()  # and nobody who holds one changes the next
    assert ordered([0, 1, 1, 2, 3], edges) == [[0], [1, 2, ~4], [3], [4]]
    assert len(tried) == 1


def test_a_wide_column_is_exchanged_a_bounded_number_of_times(monkeypatch):
    """Half of 240 inputs feed nodes on the other side: as many crossings as there can be."""
    n, passes = 240, []
    exchange = _exchange
    monkeypatch.setattr("ddl.graph.crossings._exchange", lambda *args: passes.append(args) or exchange(*args))
    columns = [[*range(n)], [*range(n, 2 * n)]]
    rng = random.Random(0)
    left, right = neighbours(2 * n, [(rng.randrange(n), n + i) for i in range(n) for _ in range(2)])
    found = untangle([*map(list, columns)], left, right)
    assert [sorted(column) for column in found] == columns
    assert crossings(found, right) < crossings(columns, right) / 4
    assert len(passes) <= 4 * 6 * 2 * 2  # starts, sweeps, passes, columns
