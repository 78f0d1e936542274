"""Indexing and einsum beside numpy, on random shapes, indices and equations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ddl
from ddl.ops import setitem

some = settings(max_examples=150, deadline=None, derandomize=True)


def values(shape):
    return np.array(np.arange(float(np.prod(shape))).reshape(shape) * 0.5 - 3)


# ---- indexing
@st.composite
def indices(draw):
    """A shape, and an index into it: integers, slices, lists, arrays and masks, None and Ellipsis, mixed."""
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=4)))
    ids_shape = draw(st.sampled_from([(), (3,), (2, 1), (2, 3), (0,)]))
    parts, axis = [], 0
    while axis < len(shape):
        n = shape[axis]
        kinds = ["slice", "stop"] + ["int", "ids", "list"] * (n > 0) + ["mask", "None"]
        kind = draw(st.sampled_from(kinds))
        if kind == "stop":
            break
        if kind == "None":
            parts.append(None)
            continue
        if kind == "slice":
            parts.append(draw(st.slices(n)))
        elif kind == "int":
            parts.append(draw(st.integers(-n, n - 1)))
        elif kind == "ids":
            parts.append(draw_ids(draw, n, ids_shape))
        elif kind == "list":
            parts.append(draw_ids(draw, n, ids_shape).tolist())
        else:
            parts.append(np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool))
        axis += 1
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), ...)
    return shape, parts[0] if len(parts) == 1 and draw(st.booleans()) else tuple(parts)


def draw_ids(draw, n, shape):
    size = int(np.prod(shape))
    return np.array(draw(st.lists(st.integers(-n, n - 1), min_size=size, max_size=size)), int).reshape(shape)


def as_tensors(index):
    """The same index with its arrays as tensors."""
    wrap = lambda p: ddl.tensor(p) if isinstance(p, np.ndarray) else p
    return tuple(map(wrap, index)) if isinstance(index, tuple) else wrap(index)


def numpys(x, index):
    """numpy's answer, or None where numpy refuses."""
    try:
        return x[index]
    except IndexError:
        return None


@some
@given(indices())
def test_what_is_read_is_what_numpy_reads(drawn):
    shape, index = drawn
    x = values(shape)
    expected = numpys(x, index)
    t = ddl.tensor(x, requires_grad=True)
    if expected is None:
        with pytest.raises(IndexError):
            t[as_tensors(index)]
        return
    for got in (t[index], t[as_tensors(index)]):
        assert got.shape == expected.shape
        np.testing.assert_array_equal(got.numpy(), expected)


@some
@given(indices())
def test_the_gradient_goes_where_numpy_adds_it(drawn):
    shape, index = drawn
    t = ddl.tensor(values(shape), requires_grad=True)
    if numpys(t.data, index) is None:
        return
    out = t[index]
    g = values(out.shape) + 0.25
    expected = np.zeros(shape)
    np.add.at(expected, index, g)
    for create_graph in (False, True):
        (got,) = ddl.grad(out, [t], ddl.tensor(g), create_graph=create_graph)
        np.testing.assert_array_equal(got.numpy(), expected)
    np.testing.assert_array_equal((out * ddl.tensor(g)).sum().item(), (expected * values(shape)).sum())
    np.testing.assert_array_equal(setitem(ddl.tensor(g), index=index, shape=shape).numpy(), expected)


@some
@given(indices(), st.booleans())
def test_what_is_written_is_what_numpy_writes(drawn, one_number):
    shape, index = drawn
    x = values(shape)
    if (there := numpys(x, index)) is None:
        return
    v = 7.5 if one_number else values(there.shape) + 0.25
    expected = x.copy()
    expected[index] = v
    t = ddl.tensor(x)
    t[as_tensors(index)] = v
    np.testing.assert_array_equal(t.numpy(), expected)
    np.testing.assert_array_equal(ddl.tensor(x).index_put(index, v).numpy(), expected)


# ---- einsum
@st.composite
def equations(draw):
    """An equation and the shapes of its operands; letters repeat within a term and stand in any number of terms."""
    sizes = {c: draw(st.integers(0, 3)) for c in "abcd"}
    letters = st.lists(st.sampled_from("abcd"), max_size=3).map("".join)
    terms = draw(st.lists(letters, min_size=1, max_size=3))
    dots = draw(st.booleans())
    under = tuple(draw(st.lists(st.integers(1, 3), max_size=2))) if dots else ()
    shapes = []
    for k, term in enumerate(terms):
        front = under[draw(st.integers(0, len(under))) :]
        front = tuple(1 if draw(st.booleans()) else n for n in front)
        shapes.append((*front, *(sizes[c] for c in term)))
        terms[k] = "..." * dots + term
    used = sorted(set("".join(terms)) - {"."})
    out = draw(st.permutations(used))[: draw(st.integers(0, len(used)))]
    result = "..." * dots + "".join(out)
    return ",".join(terms) + draw(st.sampled_from(["", f"->{result}"])), shapes


@some
@given(equations())
def test_einsum_is_numpys(drawn):
    equation, shapes = drawn
    xs = [values(s) * (k + 1) for k, s in enumerate(shapes)]
    expected = np.einsum(equation, *xs)
    got = ddl.einsum(equation, *map(ddl.tensor, xs))
    assert got.shape == expected.shape
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-12, atol=1e-9)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(equations())
def test_einsum_has_the_gradient_of_a_sum_of_products(drawn):
    """Along g, the gradient of an operand is what a change of one of its entries does: numpy's own, entry by entry."""
    equation, shapes = drawn
    xs = [values(s) * 0.5 for s in shapes]
    ts = [ddl.tensor(x, requires_grad=True) for x in xs]
    out = ddl.einsum(equation, *ts)
    g = values(out.shape) + 0.25
    for k, (x, got) in enumerate(zip(xs, ddl.grad(out, ts, ddl.tensor(g)))):
        expected = np.zeros(x.shape)
        for at in np.ndindex(x.shape):
            unit = np.zeros(x.shape)
            unit[at] = 1.0
            expected[at] = (np.einsum(equation, *xs[:k], unit, *xs[k + 1 :]) * g).sum()
        np.testing.assert_allclose(got.numpy(), expected, rtol=1e-10, atol=1e-9)
