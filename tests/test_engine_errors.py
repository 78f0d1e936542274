"""An error says in one sentence what was wrong, and in a note which op was at work on which shapes."""

import re

import numpy as np
import pytest
from fake_cupy import installed

import ddl
from ddl import ops
from ddl.define import Op
from ddl.nn import functional as F


def T(*shape, dtype=np.float64):
    return ddl.tensor(np.zeros(shape), dtype=dtype, requires_grad=np.dtype(dtype).kind == "f")


def I(*shape):
    return T(*shape, dtype=np.int64)


def B(*shape):
    return T(*shape, dtype=bool)


ERRORS = {
    "add": (lambda: T(2, 3) + T(4), "(2,3) (4,)", "in add(x: float64[2, 3], y: float64[4])"),
    "div": (lambda: T(2, 3) / T(2), "(2,3) (2,)", "in div(x: float64[2, 3], y: float64[2])"),
    "pow": (lambda: T(2) ** T(3), "(2,) (3,)", "in pow(x: float64[2], y: float64[3])"),
    "maximum": (lambda: ddl.maximum(T(2), T(3)), "(2,) (3,)", "in maximum(x: float64[2], y: float64[3])"),
    "where": (lambda: ddl.where(T(2) > 0, T(3), 1.0), "(2,) (3,)", "in where(c: bool[2], x: float64[3], y: float)"),
    "matmul": (
        lambda: T(3, 4) @ T(5, 6), "matmul of (3, 4) and (5, 6): the inner sizes 4 and 5 differ",
        "in matmul(x: float64[3, 4], y: float64[5, 6])",
    ),
    "matmul of a vector": (
        lambda: T(3) @ T(2, 4), "matmul of (3,) and (2, 4): the inner sizes 3 and 2 differ", "in matmul(x: float64[3],",
    ),
    "matmul of 0-d": (
        lambda: T() @ T(3), "matmul needs at least one axis on either side, but () and (3,) were given",
        "in matmul(x: float64[], y: float64[3])",
    ),
    "linear": (
        lambda: F.linear(T(2, 3), T(4, 5)), "matmul of (2, 3) and (5, 4): the inner sizes 3 and 5 differ",
        "in linear(x: float64[2, 3], weight: float64[4, 5]",
    ),
    "sum": (lambda: T(2, 3).sum(dim=2), "axis 2 is out of bounds", "in sum(x: float64[2, 3])"),
    "mean": (lambda: T(2).mean(dim=(0, 0)), "duplicate", "in mean(x: float64[2])"),
    "max of nothing": (lambda: T(0).max(), "zero-size", "in max(x: float64[0])"),
    "argmax of nothing": (lambda: T(0).argmax(), "empty", "in argmax(x: float64[0])"),
    "reshape": (lambda: T(2, 3).reshape(4, 2), "size 6 into shape (4,2)", "in reshape(x: float64[2, 3])"),
    "permute": (lambda: T(2, 3).permute(0), "axes don't match", "in permute(x: float64[2, 3])"),
    "transpose": (lambda: T(2, 3).transpose(0, 2), "out of bounds", "in swapaxes(x: float64[2, 3])"),
    "broadcast_to": (lambda: T(2, 3).broadcast_to(2, 4), "(2,4)", "in broadcast_to(x: float64[2, 3])"),
    "concatenate": (
        lambda: ddl.cat([T(2), T(2, 4)]), "needs equal other sizes, but (2,) and (2, 4) were given",
        "in concatenate(xs[0]: float64[2], xs[1]: float64[2, 4])",
    ),
    "an index too large": (lambda: T(2, 3)[2], "index 2 is out of bounds", "in getitem(x: float64[2, 3])"),
    "too many indices": (lambda: T(2)[0, 0], "too many indices", "in getitem(x: float64[2])"),
    "an index of floats": (lambda: T(2)[ddl.tensor([0.0])], "integer", "in getitem(x: float64[2])"),
    "a float": (lambda: T(2)[1.5], "integers", "in getitem(x: float64[2])"),
    "a mask that does not fit": (lambda: T(2)[ddl.tensor([True] * 3)], "boolean", "in getitem(x: float64[2])"),
    "softmax": (lambda: F.softmax(T(2), dim=1), "axis 1 is out of bounds", "in softmax(x: float64[2])"),
    "attention": (
        lambda: F.scaled_dot_product_attention(T(2, 3), T(2, 4), T(2, 4)),
        "queries (.., T, D), keys (.., S, D) and values (.., S, E), but (2, 3), (2, 4) and (2, 4) were given",
        None,
    ),
    "grouped attention": (
        lambda: F.scaled_dot_product_attention(T(2, 3), T(2, 3), T(2, 3), enable_gqa=True),
        "queries (.., H, T, D), keys (.., H, S, D) and values (.., H, S, E), but (2, 3), (2, 3) and (2, 3) were given",
        None,
    ),
    "attention's mask": (
        lambda: F.scaled_dot_product_attention(T(2, 3), T(2, 3), T(2, 3), np.ones((5, 5), bool)),
        "an attn_mask that broadcasts to (2, 2), but (5, 5) was given", None,
    ),
    "ids": (lambda: F.embedding([5], T(3, 2)), "id 5 was", "in embedding(weight: float64[3, 2], i: int64[1])"),
    "split": (lambda: T(5).split([2, 2]), "[2, 2] was asked for, but axis 0 has 5 entries", None),
    "by place and by name": (lambda: T(5).flip(0, dims=(0,)), "dims both by place and by name", None),
    "two names": (lambda: T(5).sum(dim=0, axis=0), "both dim and axis", None),
    "another gradient": (lambda: T(2, 3).sum(dim=0).backward(np.ones(2)), "(3,) was given with shape (2,)", None),
    # shapes and axes
    "reshape to two rests": (lambda: T(2, 3).reshape(-1, -1), "one", "in reshape(x: float64[2, 3])"),
    "reshape to a size below 0": (lambda: T(6).reshape(-7, 3), "(-7, 3), but -7 is no size; only -1 stands", None),
    "reshape to no rest": (lambda: T(2, 3).view(4, -1), "reshape array of size 6", "in reshape(x: float64[2, 3])"),
    "flatten": (lambda: T(2, 3).flatten(1, 0), "axes 1 to 0, which are none", None),
    "unflatten": (lambda: T(6).unflatten(0, (4, 2)), "sizes (4, 2), but axis 0 has 6 entries", None),
    "squeeze": (lambda: T(2).squeeze(1), "squeeze of shape (2,): axis 1 is out of bounds", None),
    "unsqueeze": (lambda: T(2).unsqueeze(3), "unsqueeze of shape (2,): axis 3 is out of bounds", None),
    "permute twice": (lambda: T(2, 3).permute(0, 0), "repeated axis", "in permute(x: float64[2, 3])"),
    "swapaxes": (lambda: T(2, 3).swapaxes(0, 5), "axis 5 is out of bounds", "in swapaxes(x: float64[2, 3])"),
    "mT": (lambda: T(2).mT, "axis -2 is out of bounds", "in swapaxes(x: float64[2])"),
    "t": (lambda: T(2, 3, 4).t(), "at most 2 axes, but the shape is (2, 3, 4)", None),
    "moveaxis": (lambda: T(2, 3).moveaxis((0, 1), 0), "move axes (0, 1) to places 0", None),
    "flip": (lambda: T(2).flip(1), "flip of shape (2,): axis 1 is out of bounds", None),
    "flip twice": (lambda: T(2).flip(0, 0), "repeated axis", None),
    "roll": (lambda: T(2).roll(1, 1), "axis 1 is out of bounds", "in roll(x: float64[2])"),
    "roll of two": (lambda: T(2).roll((1, 2), 0), "shifts (1, 2) for axes 0", None),
    "expand": (lambda: T(2).expand(3), "(3,)", "in broadcast_to(x: float64[2])"),
    "expand to fewer": (lambda: T(2, 3).expand(3), "expand was asked for (3,) of shape (2, 3)", None),
    "expand of no axis": (lambda: T(2).expand(-1, 2), "expand was asked for (-1, 2) of shape (2,)", None),
    "repeat": (lambda: T(2, 3).repeat(2), "repeat was given (2,) for shape (2, 3)", None),
    "repeat_interleave": (lambda: T(2).repeat_interleave([1]), "1 numbers for an axis of 2 entries", None),
    "split into nothing": (lambda: T(5).split(0), "pieces of 0 was asked for, but axis 0 has 5 entries", None),
    "chunk": (lambda: T(5).chunk(0), "chunks to be a whole number of 1 or more, but 0 was given", None),
    "half a roll": (lambda: T(2).roll(1.5), "roll needs shifts to be a whole number, but 1.5 was given", None),
    "a roll along half": (lambda: T(2).roll(1, 0.5), "roll needs dims to be a whole number, but 0.5 was given", None),
    "pieces of a half": (lambda: T(5).split(1.5), "pieces of 1.5 was asked for, but axis 0 has 5 entries", None),
    "pieces of halves": (lambda: T(5).split([2.5, 2.5]), "[2.5, 2.5] was asked for, but axis 0 has 5", None),
    "half a copy": (lambda: T(2).repeat_interleave(1.5), "repeats to be a whole number of 0 or more, but 1.5", None),
    "less than no copy": (lambda: T(2).repeat_interleave(-1), "a whole number of 0 or more, but -1 was given", None),
    "such copies": (lambda: T(2).repeat_interleave([1, -1]), "a whole number of 0 or more, but -1 was given", None),
    "unbind": (lambda: T(5).unbind(1), "unbind of shape (5,): axis 1 is out of bounds", None),
    "cat of nothing": (lambda: ddl.cat([]), "at least one array", "in concatenate()"),
    "stack": (lambda: ddl.stack([T(2), T(3)]), "", "in concatenate(xs[0]: float64[1, 2], xs[1]: float64[1, 3])"),
    "tril": (lambda: T(2).tril(), "needs two axes, but the shape (2,) has 1", "in tril(x: float64[2])"),
    "triu": (lambda: T(2).triu(), "needs two axes, but the shape (2,) has 1", "in triu(x: float64[2])"),
    "causal": (lambda: ops.causal(T(2)), "needs two axes, but the shape (2,) has 1", "in causal(x: float64[2])"),
    "diagonal": (lambda: T(2, 2).diagonal(dim1=1), "cannot be the same", "in diagonal(x: float64[2, 2])"),
    "diag": (lambda: T(2, 2, 2).diag(), "a vector or a matrix, but the shape is (2, 2, 2)", None),
    "repeat of fewer than none": (lambda: T(2).repeat(-1), "repeat was given (-1,) for shape (2,)", None),
    "pad": (lambda: F.pad(T(2), (1,)), "two numbers for an axis, from the last on, but (1,)", None),
    "pad of an axis too many": (lambda: F.pad(T(2), (1, 1, 1, 1)), "(1, 1, 1, 1) was given for shape (2,)", None),
    "pad of no such mode": (lambda: F.pad(T(2), (1, 1), "mirror"), "mode 'mirror'", None),
    "pad with a mirrored value": (lambda: F.pad(T(2), (1, 1), "reflect", 1.0), "'reflect' with value 1.0", None),
    "pad by more than there is": (lambda: F.pad(T(2), (2, 0), "reflect"), "by (2, 0)", None),
    "pad by less than nothing": (lambda: F.pad(T(2), (-2, -1)), "take 2 and 1 entries from an axis of 2", None),
    # ids
    "gather": (
        lambda: T(2, 3).gather(0, I(2, 4)), "ids of shape (2, 4) were given for axis 0 of (2, 3)",
        "in gather(x: float64[2, 3], i: int64[2, 4])",
    ),
    "gather along no axis": (lambda: T(2).gather(1, I(2)), "axis 1 is out of bounds", "in gather(x: float64[2], i:"),
    "gather, ids": (lambda: T(2).gather(0, [2]), "id 2 was asked for, but the ids of an axis of 2", "in gather("),
    "gather, ids from the end": (lambda: T(2).gather(0, [-1]), "id -1 was asked for", "in gather("),
    "gather, ids of floats": (lambda: T(2).gather(0, T(2)), "ids must be integers, but float64", "in gather("),
    "scatter_add": (lambda: T(2, 3).scatter_add(0, I(2, 3), T(1, 3)), "(2, 3) but values of shape (1, 3)", None),
    "scatter_add, ids": (lambda: T(2).scatter_add(0, [5], T(1)), "id 5 was asked for", "in add_along("),
    "scatter": (lambda: T(2, 3).scatter(0, I(2, 3), T(1, 3)), "ids of shape (2, 3) but values of shape (1, 3)", None),
    "take, ids": (lambda: T(2).take([2]), "id 2 was asked for, but the ids of an axis of 2 entries are -2 to 1", None),
    "take": (lambda: T(2).take(I(2), 1), "take of shape (2,): axis 1 is out of bounds", None),
    "take_along_dim": (lambda: T(2, 3).take_along_dim(I(2), 0), "ids of shape (2,) for (2, 3)", None),
    "index_select": (lambda: T(2).index_select(0, I(2, 2)), "a list of ids, but ids of shape (2, 2)", None),
    "index_select, ids": (lambda: T(2).index_select(0, [2]), "id 2 was asked for", None),
    "index_add": (lambda: T(2, 3).index_add(0, [0], T(2, 3)), "ids of shape (1,) and a source of shape (2, 3)", None),
    "index_copy": (lambda: T(2, 3).index_copy(0, [0], T(2, 3)), "ids of shape (1,) and a source of shape (2, 3)", None),
    "index_put": (lambda: T(2, 3).index_put(0, T(2)), "(2,)", "in assign(x: float64[2, 3], v: float64[2])"),
    "ids of floats": (lambda: F.embedding(T(2), T(3, 2)), "ids must be integers, but float64", "in embedding("),
    "one_hot, ids": (lambda: F.one_hot([3], 3), "id 3 was asked for, but the ids of 3 classes are 0", "in one_hot("),
    "one_hot, ids of floats": (lambda: F.one_hot([0.5], 3), "ids must be integers, but float32", "in one_hot("),
    "one_hot of no classes": (lambda: F.one_hot([0], 0), "asked for 0 classes", None),
    "one_hot of nothing": (lambda: F.one_hot(I(0)), "no ids and no num_classes", None),
    "topk": (lambda: T(2).topk(3), "3 values, but axis -1 has 2 entries", None),
    "topk along no axis": (lambda: T(2).topk(1, 2), "topk of shape (2,): axis 2 is out of bounds", None),
    "argsort": (lambda: T(2).argsort(1), "axis 1 is out of bounds", "in argsort(x: float64[2])"),
    # products
    "mm": (lambda: T(2).mm(T(2, 2)), "mm needs 2 and 2 axes, but (2,) and (2, 2)", None),
    "bmm": (lambda: T(2, 2, 2).bmm(T(3, 2, 2)), "as many matrices on either side, but (2, 2, 2) and (3, 2, 2)", None),
    "mv": (lambda: T(2, 2).mv(T(2, 2)), "mv needs 2 and 1 axes, but (2, 2) and (2, 2)", None),
    "dot": (lambda: T(2).dot(T(2, 2)), "dot needs 1 and 1 axes, but (2,) and (2, 2)", None),
    "outer": (lambda: T(2).outer(T(2, 2)), "two vectors, but (2,) and (2, 2)", None),
    "einsum": (lambda: ddl.einsum("ij,jk", T(2, 3), T(4, 2)), "letter j is 3 long in operand 0 and 4 in", None),
    "einsum of a digit": (lambda: ddl.einsum("i1", T(2, 2)), "'i1' is not made of letters", None),
    "einsum of fewer": (lambda: ddl.einsum("i,j", T(2)), "its terms is 2 and 1 operands were given", None),
    "einsum of fewer axes": (lambda: ddl.einsum("ij", T(2)), "'ij' does not name the 1 axes of operand 0", None),
    "einsum to a new letter": (lambda: ddl.einsum("i->k", T(2)), "letter k of the result stands in no operand", None),
    "einsum to a letter twice": (lambda: ddl.einsum("i->ii", T(2)), "letter i stands twice in the result", None),
    "einsum under dots": (
        lambda: ddl.einsum("...i,...i", T(2, 3), T(4, 3)), "'...' is 2 long in operand 0 and 4 in operand 1", None,
    ),
    # dtypes
    "a condition": (lambda: T(2).masked_fill(T(2), 0.0), "float64, but it must be boolean", "in where(c: float64[2]"),
    "a minus of booleans": (lambda: -B(2), "negative", "in neg(x: bool[2])"),
    "a not of floats": (lambda: ~T(2), "", "in bitwise_not(x: float64[2])"),
    "a power of integers": (lambda: I(2) ** -1, "negative integer powers", "in power(x: int64[2])"),
    "clip": (lambda: T(2).clip(), "neither min nor max", None),
    "norm": (lambda: T(2).norm("nuc"), "norm 'nuc' was asked for", None),
    "integers by 0": (lambda: I(2) // 0, "integers were divided by 0, with //", "in floor_divide("),
    "the rest by values of 0": (lambda: I(2) % I(2), "integers were divided by 0, with %", "in remainder("),
    "by values of False": (lambda: 1 // B(2), "integers were divided by 0", "in floor_divide("),
    "a sum with nothing": (lambda: T() + None, "add takes tensors, arrays and numbers, but None was given as y", None),
    "a sum with a text": (lambda: "a" + T(), "add takes tensors, arrays and numbers, but 'a', a str, was given", None),
    "a root of a text": (lambda: ops.maximum("a", T()), "arrays and numbers, but 'a', a str, was given as x", None),
    "a sum with a Scalar": (lambda: T() + ddl.Scalar(1.0), "has a graph of its own; give its number: .data", None),
    "a Scalar's sum": (lambda: ddl.Scalar(1.0) + T(), "whose graph it cannot join; give its number: t.item()", None),
    "a choice of a Scalar": (lambda: ddl.where(B(), T(), ddl.Scalar(1.0)), "has a graph of its own", None),
    "a Scalar of a tensor": (lambda: ddl.Scalar(T()), "a Scalar was given a tensor", None),
    "a range of steps of 0": (lambda: ddl.arange(0, 5, 0), "arange from 0 to 5 was given step 0", None),
    "an integer of 71 bits": (lambda: ddl.tensor(2**70), "1180591620717411303424, which has more than 64 bits", None),
    "a tensor of nothing": (lambda: ddl.tensor([1, None]), "but a value of type NoneType was given", None),
    "a tensor of a text": (lambda: ddl.tensor(["a"]), "but values of dtype <U1 were given", None),
    # weights
    "linear, a bias": (
        lambda: F.linear(T(2, 3), T(4, 3), T(5)),
        "a bias (out,), but a weight of shape (4, 3) and a bias of shape (5,) was given", "in linear(",
    ),
    "linear, a vector": (
        lambda: F.linear(T(2, 3), T(3)), "linear takes a weight (out, in) and a bias (out,), but", "in linear(",
    ),
    "layer_norm, a weight": (
        lambda: F.layer_norm(T(2, 3), 3, T(2)), "layer_norm needs weight of shape (3,) for this input, but (2,)", None,
    ),
    "layer_norm, a bias": (lambda: F.layer_norm(T(2, 3), 3, T(3), T(1, 3)), "needs bias of shape (3,)", None),
    "rms_norm, a weight": (lambda: F.rms_norm(T(2, 3), 3, T(2)), "rms_norm needs weight of shape (3,)", None),
    "group_norm, a bias": (lambda: F.group_norm(T(2, 4), 2, None, T(2)), "needs bias of shape (4,) for this", None),
    "batch_norm, a moment": (lambda: F.batch_norm(T(2, 4), T(2), T(4)), "needs running_mean of shape (4,)", None),
    "what a yes counts": (
        lambda: F.binary_cross_entropy_with_logits(T(2, 3), T(2, 3), pos_weight=T(2)),
        "a weight of shape (2,) cannot weigh losses of shape (2, 3); reshape it", None,
    ),
    "an axis of True": (lambda: T(2).sum(True), "dim=True was given, but an axis is an integer", None),
    "an axis of one half": (lambda: T(2).sum(0.5), "integer", None),
}  # fmt: skip
for name in "sub mul floor_divide remainder minimum eq ne lt le gt ge logical_and logical_or logical_xor".split():
    call = lambda name=name: getattr(ddl, name)(T(2), T(3))
    ERRORS[name] = (call, "(2,) (3,)", f"in {name}(x: float64[2], y: float64[3])")
for name, symbol in {"bitwise_and": "__and__", "bitwise_or": "__or__", "bitwise_xor": "__xor__"}.items():
    call = lambda symbol=symbol: getattr(B(2), symbol)(B(3))
    ERRORS[name] = (call, "(2,) (3,)", f"in {name}(x: bool[2], y: bool[3])")
for name in "prod var std logsumexp norm max min argmax argmin any all cumsum".split():
    call = lambda name=name: getattr(T(2), name)(dim=1)
    ERRORS[f"{name} along no axis"] = (call, "axis 1 is out of bounds", f"in {name}(x: float64[2])")


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_names_the_op_and_the_shapes(name):
    call, sentence, note = ERRORS[name]
    with pytest.raises((ValueError, TypeError, IndexError, RuntimeError, ZeroDivisionError)) as error:
        call()
    assert sentence.replace(" ", "") in str(error.value).replace(" ", "")
    assert note is None or note in error.value.__notes__[-1]


@pytest.mark.parametrize("name", [n for n in ERRORS if "matmul" in ERRORS[n][1]])
@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_a_product_of_unequal_sizes_is_refused_in_a_sentence_as_the_type_it_was(name, device, monkeypatch):
    """The first line is a learner's on every module, and whoever catches ValueError still does."""
    with installed():
        there = lambda *shape: ddl.tensor(np.zeros(shape), device=device, requires_grad=True)
        monkeypatch.setitem(globals(), "T", there)
        with pytest.raises(ValueError) as error:
            ERRORS[name][0]()
    assert type(error.value) is ValueError
    assert str(error.value) == ERRORS[name][1]


@pytest.mark.parametrize(
    "name", [n for n in ERRORS if ERRORS[n][2] and not re.search(r"\b(mask|ids|power|values)\b", n)]
)
def test_shapes_alone_find_the_same_faults(name, monkeypatch):
    """The shape rules of Spec refuse what arrays refuse, before there is any data."""
    monkeypatch.setitem(globals(), "T", spec)
    with pytest.raises((ValueError, TypeError, IndexError, RuntimeError, ZeroDivisionError)):
        ERRORS[name][0]()


def spec(*shape, dtype=np.float64):
    t = ddl.Tensor(ddl.Spec(shape, dtype))
    t.requires_grad = t.dtype.kind == "f"
    return t


# Ops without a line above, and why.
REFUSE_NOTHING = {
    "exp expm1 log log1p sqrt rsqrt reciprocal square tanh sigmoid softplus relu sin cos": "take any number",
    "erf abs clip sign floor ceil round isnan isinf isfinite logical_not clone detach": "take any number",
    "astype move": "given what Tensor.to has read",
    "flip tile pad contract put_diagonal setitem": "given axes and shapes that a method or function above has checked",
    "pick put add_rows": "given ids that a function or layer has checked",
    "windows add_windows conv conv_transpose max_pool": "given what functions have checked: layer_cases/convolution.py",
    "nonzero": "refuses shapes alone: test_cases.py",
}


def test_every_op_is_in_this_table_or_refuses_nothing():
    print("\nwithout a line:", *(f"{names} ({why})" for names, why in REFUSE_NOTHING.items()))
    named = {re.match(r"in (\w+)\(", note)[1] for _, _, note in ERRORS.values() if note}
    exempt = {name for names in REFUSE_NOTHING for name in names.split()}
    every = {v.name for v in vars(ops).values() if isinstance(v, Op)}
    assert every - named == exempt


def test_an_error_in_a_pull_back_says_so():
    x = T(2, 3)
    y = x.sum(dim=0)
    y.node.params["axis"] = 7
    with pytest.raises((ValueError, IndexError)) as error:
        y.sum().backward()
    assert error.value.__notes__[-1] == "in the backward of sum, gradient float64[3]"
