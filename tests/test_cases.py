"""Every row of the table: gradients to second order, shapes without values, dtypes, memory layouts, and PyTorch."""

import inspect
import warnings

import numpy as np
import pytest
from cases import CASES
from cases.table import PAIRS

import ddl
from ddl import fused, ops
from ddl.define import Op
from ddl.nn import functional

# Ops without a second-order check, and why. Printed, so that the list is seen.
NO_GRADIENT = {
    "eq ne lt le gt ge isnan isinf isfinite any all": "booleans",
    "logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor bitwise_not": "booleans",
    "sign floor ceil round floor_divide": "flat wherever they have a slope",
    "argmax argmin argsort nonzero one_hot": "integers",
    "causal waves alibi": "depend on shapes only",
    "detach": "constants from there on",
}
NO_CASE = {"move": "moves between devices: test_devices.py"}
# Shape classes that no case of an op or function holds of which PyTorch is asked, and why.
# "non-contiguous" is asked of every case below.
NO_SUCH_SHAPE = {
    "0-d": {
        "swapaxes tril triu causal diagonal put_diagonal softmax log_softmax layer_norm": "takes an axis or two",
        "matmul linear scaled_dot_product_attention rope waves alibi cross_entropy_rows": "takes vectors or matrices",
        "windows add_windows conv conv_transpose max_pool": "takes samples, channels and an axis or two",
        "conv1d conv2d conv_transpose1d conv_transpose2d fold unfold interpolate dropout2d": "the same",
        "max_pool1d max_pool2d avg_pool1d avg_pool2d": "the same",
        "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_max_pool1d adaptive_max_pool2d": "the same",
        "batch_norm group_norm": "takes samples and channels",
        "rms_norm glu swiglu normalize cosine_similarity pairwise_distance triplet_margin_loss": "takes an axis or two",
        "attention_weights": "takes matrices",
    },
    "0-size": {"cross_entropy_rows": "the mean of nothing is NaN: test_nn_losses.py"},
}
# Ops that PyTorch is not asked about, and why.
NO_COUNTERPART = {"dropout dropout2d": "drawn by a generator of our own"}

ids = [c.id for c in CASES]
every_case = pytest.mark.parametrize("case", CASES, ids=ids)
smooth = pytest.mark.parametrize("case", [c for c in CASES if c.order], ids=[c.id for c in CASES if c.order])


def names(table):
    return {name for text in table for name in text.split()}


def leaf(x):
    t = ddl.Tensor(x)
    t.requires_grad = t.dtype.kind == "f"
    return t


def run(case, inputs, order=None):
    """(result, gradients of the float inputs along a fixed random direction), all as arrays."""
    xs = [leaf(x) for x in inputs]
    out = case.f(*xs)
    if not (case.order if order is None else order):
        return out.data, []
    live = [x for x in xs if x.requires_grad]
    direction = np.random.default_rng(3).standard_normal(out.shape).astype(out.dtype)
    return out.data, [g.data for g in ddl.grad(out, live, ddl.Tensor(direction))]


@smooth
def test_gradients_of_both_orders(case):
    assert ddl.gradcheck(case.f, [ddl.Tensor(x) for x in case.inputs()], order=case.order)


@every_case
def test_a_spec_has_the_shape_and_dtype_that_arrays_give(case):
    for dtype in (np.float64, np.float32):
        inputs = case.inputs(dtype)
        xs = [leaf(ddl.Spec(x.shape, x.dtype)) for x in inputs]
        if not case.on_spec:
            with pytest.raises(TypeError, match="value"):
                case.f(*xs)
            continue
        out, gradients = run(case, inputs)
        got = case.f(*xs)
        assert (got.shape, got.dtype) == (out.shape, out.dtype)
        live = [x for x in xs if x.requires_grad]
        back = ddl.grad(got, live, ddl.Tensor(ddl.Spec(got.shape, got.dtype))) if case.order else []
        assert [(g.shape, g.dtype) for g in back] == [(g.shape, g.dtype) for g in gradients]


@every_case
def test_float32_stays_float32(case):
    out, gradients = run(case, case.inputs(np.float32))
    exact, exact_gradients = run(case, case.inputs())
    assert all(g.dtype == np.float32 for g in gradients)
    if case.keeps_dtype and exact.dtype.kind == "f":
        assert out.dtype == np.float32
    np.testing.assert_allclose(out, exact, rtol=2e-5, atol=2e-6)
    for g, e in zip(gradients, exact_gradients):
        np.testing.assert_allclose(g, e, rtol=1e-4, atol=2e-5)


@every_case
def test_the_memory_layout_changes_nothing(case):
    def spread_out(x):
        """The same values, with gaps in memory, backwards, and the axes in Fortran's order."""
        if not x.ndim:
            return x.copy()
        wide = np.zeros([2 * n for n in x.shape[::-1]], x.dtype).T[tuple(slice(None, None, -2) for _ in x.shape)]
        wide[...] = x
        return wide

    inputs = case.inputs()
    before = [x.copy() for x in inputs]
    out, gradients = run(case, inputs)
    for x, b in zip(inputs, before):
        np.testing.assert_array_equal(x, b, err_msg="an input was changed")
    got, got_gradients = run(case, [spread_out(x) for x in inputs])
    np.testing.assert_allclose(got, out, rtol=1e-12, atol=1e-13)
    for g, e in zip(got_gradients, gradients):
        np.testing.assert_allclose(g, e, rtol=1e-12, atol=1e-13)


@pytest.mark.torch
@pytest.mark.parametrize("case", [c for c in CASES if c.torch], ids=[c.id for c in CASES if c.torch])
def test_pytorch_agrees(case):
    import torch

    inputs = case.inputs()
    out, gradients = run(case, inputs)
    theirs = [torch.tensor(x, requires_grad=x.dtype.kind == "f" and case.order > 0) for x in inputs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = case.torch(torch, *theirs)
    assert out.shape == tuple(result.shape)
    np.testing.assert_allclose(out, result.detach().numpy(), rtol=1e-12, atol=1e-12)
    if not case.order:
        return
    direction = np.random.default_rng(3).standard_normal(out.shape).astype(out.dtype)
    result.backward(torch.tensor(direction))
    for g, t in zip(gradients, [t for t in theirs if t.requires_grad]):
        expected = np.zeros(t.shape) if t.grad is None else t.grad.numpy()
        np.testing.assert_allclose(g, expected, rtol=1e-10, atol=1e-10)


def all_ops():
    return {v.name for room in (ops, fused) for v in vars(room).values() if isinstance(v, Op)}


def all_functions():
    return {name for name, f in vars(functional).items() if inspect.isfunction(f) and name[0] != "_"}


def test_every_op_and_every_function_is_in_the_table():
    covered, differentiated = {c.op for c in CASES}, {c.op for c in CASES if c.order > 1}
    print("\nwithout a case:", *(f"{n} ({why})" for n, why in NO_CASE.items()))
    print("without a gradient:", *(f"{n} ({why})" for n, why in NO_GRADIENT.items()))
    assert (all_ops() | all_functions()) - covered == names(NO_CASE)
    assert covered - all_ops() - all_functions() == set()
    assert covered - differentiated == names(NO_GRADIENT)
    smooth = {v.name for room in (ops, fused) for v in vars(room).values() if isinstance(v, Op) and v.smooth}
    assert smooth & names(NO_GRADIENT) == set(), "an op that claims a gradient is not checked"


def test_the_table_holds_every_shape_class():
    asked = [c for c in CASES if c.torch or c.op in names(NO_COUNTERPART)]
    classes = {}
    for c in asked:
        for x in c.inputs():
            classes.setdefault(c.op, set()).add("0-d" if x.ndim == 0 else "0-size" if x.size == 0 else "ordinary")
        if len(c.makers) == 2 and len(sizes := [x.shape for x in c.inputs()]) == 2:
            a, b = sizes
            wide = np.broadcast_shapes(a, b) if c.op in BROADCASTS else None
            classes[c.op] |= {side for side, s in (("left", a), ("right", b)) if wide is not None and s != wide}
    for kind, lacking in NO_SUCH_SHAPE.items():
        print(f"without a case of {kind}:", *(f"{n} ({why})" for n, why in lacking.items()))
        assert {op for op, found in classes.items() if kind not in found} == names(lacking), kind
    assert all("ordinary" in found for found in classes.values())
    assert {op for op in BROADCASTS if not {"left", "right"} <= classes[op]} == set()


def test_what_broadcasts_is_tried_at_every_pair_of_shapes():
    tried = {c.id for c in CASES}
    assert {f"{op}-{pair}" for op in (*BROADCASTS, "where") for pair in PAIRS} <= tried


BROADCASTS = set(
    "add sub mul div floor_divide remainder pow maximum minimum eq ne lt le gt ge "
    "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor".split()
)


def test_pytorch_is_asked_about_every_op_it_has():
    print("\nwithout a counterpart:", *(f"{n} ({why})" for n, why in NO_COUNTERPART.items()))
    assert {c.op for c in CASES} - {c.op for c in CASES if c.torch} == names(NO_COUNTERPART)
