"""The graph: what is shared, repeated, freed, kept and accumulated, and what is refused."""

import gc
import sys
import time
import weakref
from contextlib import contextmanager

import numpy as np
import pytest
from cases.table import PAIRS

import ddl
from ddl.define import op


def leaf(values, dtype=np.float64):
    return ddl.tensor(np.asarray(values), dtype=dtype, requires_grad=True)


def test_a_node_that_is_used_twice_is_visited_once():
    a = leaf(1.0)
    b = a
    start = time.perf_counter()
    for _ in range(25):
        b = b + b
    b.backward()
    assert a.grad.item() == 2**25
    assert time.perf_counter() - start < 1  # one visit per path would take minutes


def test_x_times_x_has_two_parents():
    x = leaf([3.0, -2.0])
    (x * x).sum().backward()
    assert x.grad.tolist() == [6.0, -4.0]


@pytest.mark.parametrize("shape", [(), (1,), (2, 3)])
def test_many_uses_of_one_tensor_all_count(shape):
    x = leaf(np.full(shape, 2.0))
    (x + 3 * x + x * x + x / 2 + x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.full(shape, 1 + 3 + 4 + 0.5 + 1))


@pytest.mark.parametrize("shape", [(), (1,), (2, 3)])
def test_a_gradient_is_an_array_that_can_be_written_to(shape):
    x = leaf(np.full(shape, 2.0))
    for _ in range(2):
        (x * 3).sum().backward()
        ddl.optim.clip_grad_norm_([x], 1e-3)
        assert type(x.grad.data) is np.ndarray
    assert type(ddl.grad((x * x).sum(), x).data) is np.ndarray


# ---- long chains, and memory
CHAIN = 200_000


@contextmanager
def without_collector():
    """The garbage collector is off inside, and finds nothing to do at the end: no reference cycle was made."""
    gc.collect()
    gc.disable()
    try:
        yield
        assert gc.collect() == 0
    finally:
        gc.enable()


def chain(x, n=CHAIN):
    for _ in range(n):
        x = x + 1.0
    return x


def test_a_chain_of_200000_ops_runs_back_prints_and_frees():
    x = leaf(1.0)
    chain(x, 10).backward()  # what is cached once is in memory now
    with without_collector():
        before = sys.getallocatedblocks()
        y = chain(x)
        built = sys.getallocatedblocks()
        assert "made by add" in repr(y)
        y.backward()
        assert (y.item(), x.grad.item()) == (CHAIN + 1.0, 2.0)
        del y
        after = sys.getallocatedblocks()
    assert built - before > 2 * CHAIN  # the chain was really there
    assert after - before < 3_000  # Python keeps the blocks of 2,000 freed tuples at hand


def test_a_chain_of_200000_ops_is_freed_on_the_way_back():
    x = leaf(1.0)
    with without_collector():
        y = chain(x)
        y.backward(retain_graph=False)
        assert x.grad.item() == 1.0
        del y


def test_gradients_of_gradients_of_a_long_chain_free():
    x = leaf(1.0)
    with without_collector():
        y = x
        for _ in range(2_000):
            y = y * 1.0001 + x * x * 1e-4
        (g,) = ddl.grad(y, [x], create_graph=True)
        (h,) = ddl.grad(g * g, [x])
        assert h.item() > 0
        del y, g, h


def test_a_graph_is_freed_with_its_last_tensor():
    x = leaf(np.ones(3))
    with without_collector():
        h = ddl.exp(x)
        kept = weakref.ref(h.data)
        y = (h * 2).sum()
        del h
        assert kept() is not None  # exp's pull-back needs its result
        y.backward()
        del y
        assert kept() is None


def test_no_grad_and_detach_keep_nothing():
    x = leaf(np.ones(3))
    with ddl.no_grad():
        assert (x * 2).node is None
    assert (x * 2).requires_grad
    assert not (x * 2).detach().requires_grad
    assert x.detach().data is x.data

    @ddl.no_grad()
    def doubled(t):
        """Twice."""
        return t * 2

    @ddl.no_grad
    def tripled(t):
        return t * 3

    for quiet in (doubled, tripled):
        assert not quiet(x).requires_grad
        assert (x * 2).requires_grad
    assert (doubled.__name__, tripled.__name__) == ("doubled", "tripled")


@pytest.mark.torch
def test_one_entry_is_written_where_a_number_is():
    import torch

    for index, shape in ((0, (1,)), ((1, 2), (1, 1)), (0, (1, 3)), (slice(None), (1, 1, 2, 3)), (0, ()), (1, (3,))):
        sizes = (2,) if (index, shape) == (0, (1,)) else (2, 3)
        x, t = ddl.zeros(sizes), torch.zeros(sizes)
        values = np.arange(1.0, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
        x[index], t[index] = ddl.tensor(values), torch.tensor(values)
        assert x.tolist() == t.tolist()


def test_a_quiet_generator_records_nothing_and_its_caller_does():
    w, seen = ddl.ones(1, requires_grad=True), []

    @ddl.no_grad()
    def steps():
        try:
            while True:
                seen.append((yield w * 2))
        except ValueError:
            yield w * 3
        finally:
            seen.append("closed")
        return w * 4

    def all_of_them():
        seen.append((yield from steps()))

    made = all_of_them()
    quiet = [next(made), made.send("sent"), made.throw(ValueError())]
    assert (w * 2).requires_grad
    assert not any(y.requires_grad for y in quiet)
    with pytest.raises(StopIteration):
        next(made)
    assert seen[:2] == ["sent", "closed"]
    assert (seen[2].item(), seen[2].requires_grad) == (4, False)
    left = steps()
    next(left)
    left.close()
    assert seen[3:] == ["closed"]


def test_no_grad_ends_when_its_block_raises():
    with pytest.raises(ZeroDivisionError), ddl.no_grad():
        _ = 1 / 0
    assert (leaf(1.0) * 2).requires_grad


def test_add_keeps_nothing_and_mul_keeps_both():
    x, y = leaf([1.0]), leaf([2.0])
    assert (x + y).node.saved == ()
    assert len((x * y).node.saved) == 2


# ---- backward again
def test_a_second_backward_accumulates():
    x = leaf([2.0])
    y = (x * x).sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [8.0]
    (3 * x).sum().backward()
    assert x.grad.tolist() == [11.0]


def test_accumulating_leaves_the_first_gradient_as_it_was():
    x = leaf([2.0])
    (x * 1).sum().backward()
    first = x.grad
    (x * 1).sum().backward()
    assert (first.tolist(), x.grad.tolist()) == ([1.0], [2.0])


def test_backward_after_the_graph_was_freed_raises():
    x = leaf([2.0])
    y = (x * x).sum()
    y.backward(retain_graph=False)
    with pytest.raises(RuntimeError, match=r"backward through sum was asked a second time, but its graph was freed"):
        y.backward()


def test_backward_after_backward_step_raises():
    x = leaf([2.0])
    y = (x * x).sum()
    ddl.optim.SGD([x], lr=0.1).backward_step(y)
    with pytest.raises(RuntimeError, match="its graph was freed; run the forward pass again"):
        y.backward()
    with pytest.raises(RuntimeError, match="its graph was freed"):
        (y * 2).backward()


def test_a_missing_rule_raises_and_names_the_op():
    nameless = op()(lambda x: x * 1.0)
    half = op()(lambda x, y: x * y)
    half.vjp(x=lambda g, y: g * y)
    x, y = leaf([2.0]), leaf([3.0])
    nameless.name, half.name = "halve_twice", "half_ruled"
    with pytest.raises(NotImplementedError, match="gradient of halve_twice was asked for, but it has no rule"):
        nameless(x).backward()
    with pytest.raises(NotImplementedError, match="gradient of half_ruled with respect to y was asked for"):
        half(x, y).backward()
    half(x, y.detach()).backward()
    assert x.grad.tolist() == [3.0]


def test_an_input_that_does_not_matter_gets_zeros_from_grad():
    x, unused = leaf([2.0, 1.0]), leaf(np.ones((2, 3)))
    gx, gu = ddl.grad((x * x).sum(), [x, unused])
    assert gx.tolist() == [4.0, 2.0]
    assert gu.tolist() == np.zeros((2, 3)).tolist()


def test_grad_of_an_intermediate_and_of_several_outputs():
    x = leaf([2.0, 3.0])
    h = x * x
    a, b = h.sum(), (h * h).sum()
    gh, gx = ddl.grad([a, b], [h, x])
    assert gh.tolist() == [1 + 2 * 4.0, 1 + 2 * 9.0]
    np.testing.assert_allclose(gx.numpy(), gh.numpy() * 2 * x.numpy())
    assert x.grad is None
    seeded = ddl.grad([h, h * 2], x, [np.ones(2), np.ones(2)])
    assert seeded.tolist() == [2 * 2 * 3.0, 2 * 3 * 3.0]


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda x: (x * 2).backward(), r"needs a tensor of one element, but its shape is \(2,\)"),
        (lambda x: ddl.tensor([1.0]).backward(), "does not require a gradient"),
        (lambda x: (x * 2).backward(np.ones(3)), r"shape \(2,\) was given with shape \(3,\)"),
        (lambda x: ddl.grad(x.sum(), ddl.tensor([1.0])), "input 0, which does not require a gradient"),
        (lambda x: setattr(x, "grad", ddl.ones(3)), r"shape \(2,\) was given with shape \(3,\)"),
        (lambda x: setattr(x * 2, "grad", ddl.ones(2)), "leaf tensors"),
        (lambda x: setattr(x * 2, "requires_grad", False), "leaf tensors only"),
        (lambda x: ddl.tensor([1, 2], requires_grad=True), "only floating-point tensors can require"),
    ],
)
def test_what_cannot_be_asked_of_a_graph_is_refused_in_a_sentence(ask, sentence):
    with pytest.raises((RuntimeError, ValueError, TypeError), match=sentence) as error:
        ask(leaf([1.0, 2.0]))
    assert "\n" not in str(error.value)


def test_comparisons_and_argmax_are_constants_to_the_graph():
    x = leaf([1.0, 3.0])
    for t in (x > 2, x == 1.0, x.argmax(), ddl.sign(x)):
        assert not t.requires_grad
    (x * (x > 2)).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0]


# ---- broadcasting is undone at every node
@pytest.mark.parametrize("name", PAIRS)
def test_x_minus_its_mean_at_every_shape_pair(name):
    """d/dx sum(w (x - mean(x))) = w - mean(w), whatever the sides broadcast to."""
    a, b = PAIRS[name]
    rng = np.random.default_rng(1)
    x, w = leaf(rng.standard_normal(a)), leaf(rng.standard_normal(b))
    wide = np.broadcast_shapes(a, b)
    if not x.data.size:
        (w * (x - x.sum())).sum().backward()
        assert (x.grad.shape, w.grad.shape) == (a, b)
        return
    (w * (x - x.mean())).sum().backward()
    full_w = np.broadcast_to(w.numpy(), wide)
    summed = ddl.backward.sum_to(full_w, a)
    np.testing.assert_allclose(x.grad.numpy(), summed - full_w.sum() / x.data.size, atol=1e-12)
    np.testing.assert_allclose(
        w.grad.numpy(), ddl.backward.sum_to(np.broadcast_to(x.numpy() - x.numpy().mean(), wide), b), atol=1e-12
    )
    assert ddl.gradcheck(lambda x, w: w * (x - x.mean()), [x.detach(), w.detach()], order=2)


def test_the_mean_of_a_row_in_the_middle_of_a_graph():
    """The node under the broadcast is no leaf: its gradient must be summed before it is pulled further."""
    assert ddl.gradcheck(lambda x: ddl.tanh(x - ddl.exp(x.mean(axis=0))), [leaf(np.eye(3))], order=2)
