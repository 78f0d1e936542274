"""Scalar: exact gradients, in any order of use, at any length, and freed without the collector."""

import gc
import math
import random
import weakref

import pytest

from ddl.scalar import Scalar


def slope_by_nudging(f, xs, i, h=1e-6):
    """Central difference of f in its i-th number."""
    up, down = [list(xs) for _ in range(2)]
    up[i] += h
    down[i] -= h
    return (f(*map(Scalar, up)).data - f(*map(Scalar, down)).data) / (2 * h)


CASES = {
    "add": (lambda x, y: x + y, (2.0, -3.0)),
    "sub": (lambda x, y: x - y, (2.0, -3.0)),
    "mul": (lambda x, y: x * y, (2.0, -3.0)),
    "div": (lambda x, y: x / y, (2.0, -3.0)),
    "pow": (lambda x, y: x**y, (2.0, -1.5)),
    "square": (lambda x: x**2, (-3.0,)),
    "cube root": (lambda x: x ** (1 / 3), (2.0,)),
    "power of a number": (lambda x: 2**x, (1.5,)),
    "neg": (lambda x: -x, (2.0,)),
    "abs": (lambda x: abs(x) + x.abs(), (-2.0,)),
    "numbers on the right": (lambda x: ((x + 2) * 3 - 1) / 4, (2.0,)),
    "numbers on the left": (lambda x: 2 + 3 * x - (1 - x) + 5 / x, (2.0,)),
    "exp": (lambda x: x.exp(), (-1.2,)),
    "log": (lambda x: x.log(), (0.3,)),
    "sqrt": (lambda x: x.sqrt(), (0.3,)),
    "tanh": (lambda x: x.tanh(), (0.7,)),
    "sigmoid": (lambda x: x.sigmoid(), (-0.7,)),
    "sigmoid above": (lambda x: x.sigmoid(), (0.7,)),
    "relu on": (lambda x: x.relu(), (0.7,)),
    "relu off": (lambda x: x.relu(), (-0.7,)),
    "max": (lambda x, y: x.max(y), (0.7, -1.0)),
    "max of a number": (lambda x: x.max(3), (0.7,)),
    "sum": (lambda x, y, z: Scalar.sum([x, y, x, z * 2]), (1.0, 2.0, 3.0)),
    "dot": (lambda x, y, z: Scalar.dot([x, y], [z, x], z), (1.0, 2.0, 3.0)),
    "dot with numbers": (lambda x, y: Scalar.dot([x, y], [3, 4.0]), (1.0, 2.0)),
    "shared": (lambda x, y: (x * y + x) * (x * y).tanh() / (y + 5), (0.4, -0.9)),
}


@pytest.mark.parametrize("name", CASES)
def test_gradient_equals_the_nudged_slope(name):
    f, xs = CASES[name]
    inputs = [Scalar(x) for x in xs]
    f(*inputs).backward()
    for i, x in enumerate(inputs):
        assert x.grad == pytest.approx(slope_by_nudging(f, xs, i), abs=1e-7, rel=1e-7)


@pytest.mark.torch
def test_random_programs_equal_torch():
    torch = pytest.importorskip("torch")
    rng = random.Random(0)
    unary = ("exp", "tanh", "sigmoid", "relu", "abs")
    for _ in range(200):
        data = [rng.uniform(-1, 1) for _ in range(3)]
        ours = [Scalar(x) for x in data]
        theirs = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in data]
        pool, other = list(ours), list(theirs)
        for _ in range(12):
            i, j, kind = rng.randrange(len(pool)), rng.randrange(len(pool)), rng.choice("+-*/um")
            if kind == "u":
                name = rng.choice(unary)
                new = getattr(pool[i].tanh(), name)(), getattr(other[i].tanh(), name)()
            elif kind == "m":
                new = pool[i].max(pool[j]), torch.maximum(other[i], other[j])
            else:
                new = [
                    {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}.get(
                        kind, lambda a, b: a / (b * b + 1)
                    )(p[i], p[j])
                    for p in (pool, other)
                ]
            pool.append(new[0])
            other.append(new[1])
        pool[-1].backward()
        other[-1].backward()
        assert pool[-1].data == pytest.approx(other[-1].item(), rel=1e-12)
        for x, t in zip(ours, theirs):
            assert x.grad == pytest.approx(0.0 if t.grad is None else t.grad.item(), rel=1e-9, abs=1e-12)


def test_a_number_used_twice_is_two_parents():
    x = Scalar(3.0)
    y = x * x
    y.backward()
    assert y.parents == (x, x)
    assert x.grad == 6.0


def test_shared_nodes_are_visited_once():
    visits = []

    class Leaf(Scalar):
        __slots__ = ()
        parents = property(lambda self: visits.append(self) or (), lambda self, parents: None)

    a = x = Leaf(1.0)
    for _ in range(25):
        x = x + x
    x.backward()
    assert a.grad == 2.0**25
    assert len(visits) <= 2  # one visit a path would be 33 million


def test_a_node_sends_only_after_all_has_arrived():
    a = Scalar(2.0)
    b = a * 3
    c = b.tanh()
    d = b + c  # b is reached before c, which feeds it too
    e = d * b
    e.backward()
    t = math.tanh(6)
    assert a.grad == pytest.approx(3 * ((1 + 1 - t * t) * 6 + 6 + t))


def test_backward_adds():
    x = Scalar(2.0)
    y = (x * x).exp() * x
    y.backward()
    once = {node: node.grad for node in y._history()}
    y.backward()
    assert {node: node.grad for node in y._history()} == {node: 2 * g for node, g in once.items()}
    x.grad = 0.0
    z = x * 5
    z.backward()
    assert x.grad == 5.0


def test_a_graph_made_on_a_used_result_goes_on_from_it():
    x = Scalar(3.0)
    y = x * x
    y.backward()
    (y * 2).backward()
    assert x.grad == 6.0 + 12.0


def test_long_chains_need_no_recursion_and_free_without_the_collector():
    gc.collect()
    gc.disable()
    try:
        x = Scalar(0.0)
        y = x
        for _ in range(100_000):
            y = y + 1e-5
        y.backward()
        assert y.data == pytest.approx(1.0)
        assert x.grad == 1.0
        assert repr(y) == "Scalar(1.0, grad=1.0)"
        assert len(y.graph()["nodes"]) == 200_001
        alive = len(gc.get_objects())
        del y
        assert alive - len(gc.get_objects()) >= 200_000
    finally:
        gc.enable()


def test_a_graph_has_no_reference_cycle():
    class Watched(Scalar):
        __slots__ = ("__weakref__",)

    gc.disable()
    try:
        x = Watched(2.0)
        y = Scalar.dot([x, x], [x, 3], x) * x.tanh()
        y.backward()
        gone = weakref.ref(x)
        del x
        assert gone() is not None
        del y
        assert gone() is None
    finally:
        gc.enable()


def test_slopes_where_none_exists_are_the_documented_ones():
    def slope(f, *xs):
        xs = [Scalar(x) for x in xs]
        f(*xs).backward()
        return [x.grad for x in xs]

    assert slope(lambda x: x.relu(), 0.0) == [0.0]
    assert slope(abs, 0.0) == [0.0]
    assert slope(lambda x, y: x.max(y), 2.0, 2.0) == [0.5, 0.5]
    assert slope(lambda x: x.sqrt(), 0.0) == [math.inf]
    assert slope(lambda x: x**0, 0.0) == [0.0]
    assert slope(lambda x: x**1, 0.0) == [1.0]
    assert slope(lambda x: x**2, 0.0) == [0.0]
    assert slope(lambda x: x**0.5, 0.0) == [math.inf]
    assert slope(lambda x, p: x**p, 0.0, 2.0) == [0.0, 0.0]
    assert slope(lambda x: x**3, -2.0) == [12.0]
    assert slope(lambda x: x**-1, -2.0) == [-0.25]
    in_x, in_p = slope(lambda x, p: x**p, -2.0, 2.0)
    assert in_x == -4.0
    assert math.isnan(in_p)


@pytest.mark.torch
@pytest.mark.parametrize("x", [0.0, -2.0, 3.0])
@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0])
def test_power_has_torch_slopes(x, p):
    torch = pytest.importorskip("torch")
    a, b = Scalar(x), Scalar(p)
    (a**b).backward()
    ta, tb = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (x, p))
    (ta**tb).backward()
    assert [a.grad, b.grad] == pytest.approx([ta.grad.item(), tb.grad.item()], nan_ok=True)


def test_steep_sigmoids_do_not_overflow():
    for x in (-1e4, 1e4):
        s = Scalar(x)
        y = s.sigmoid()
        y.backward()
        assert (y.data, s.grad) == (float(x > 0), 0.0)


def test_nan_passes_through():
    assert math.isnan(Scalar(math.nan).relu().data)
    assert math.isnan(Scalar(math.nan).max(1.0).data)
    assert math.isnan(Scalar(1.0).max(math.nan).data)
