"""The table: a row per call of an op drives the checks of gradients, shapes, dtypes, kernels, devices and PyTorch."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import ddl
from ddl import fused, ops
from ddl.nn import functional as F


@dataclass(frozen=True)
class Case:
    """A call f(*inputs); the inputs are drawn by `makers`, floats are float64, and each is differentiated.

    `torch` is the same call given (torch, *inputs). `order` says how many times f is differentiated (0: no gradient),
    `on_spec` whether its shape can be known without values, `keeps_dtype` whether float32 stays float32.
    """

    op: str
    name: str
    f: Callable[..., Any]
    makers: tuple[Callable[[np.random.Generator], np.ndarray], ...]
    torch: Callable[..., Any] | None = None
    order: int = 2
    on_spec: bool = True
    keeps_dtype: bool = True

    @property
    def id(self) -> str:
        return f"{self.op}-{self.name}"

    def inputs(self, dtype: Any = np.float64) -> list[np.ndarray]:
        rng = np.random.default_rng(zlib.crc32(self.id.encode()))
        arrays = [make(rng) for make in self.makers]
        return [x.astype(dtype) if x.dtype.kind == "f" else x for x in arrays]


CASES: list[Case] = []


def case(op, name, f, *makers, **options):
    CASES.append(Case(op, str(name), f, makers, **options))


def same(op, name, f, *makers, **options):
    """A case whose text means the same in PyTorch."""
    case(op, name, f, *makers, torch=lambda t, *xs: f(*xs), **options)


# ---- inputs
def N(*shape):
    return lambda rng: np.asarray(rng.standard_normal(shape))


def P(*shape):
    """Positive, far from 0."""
    return lambda rng: np.asarray(rng.uniform(0.5, 2.0, shape))


def D(*shape, shift=0.0):
    """Distinct, 0.1 apart and nowhere near 0: no step of gradcheck crosses a kink."""
    return lambda rng: np.asarray((rng.permutation(int(np.prod(shape))) - 5.35) * 0.1 + shift).reshape(shape)


def Z(n, *shape):
    return lambda rng: np.asarray(rng.integers(0, n, shape))


def B(*shape):
    return lambda rng: np.asarray(rng.random(shape) < 0.6)


def fixed(values):
    return lambda rng: np.array(values)


SHAPES = {"0-d": (), "0-size": (0, 3), "ordinary": (2, 3), "one": (1,), "deep": (2, 1, 3)}
PAIRS = {
    "ordinary": ((2, 3), (2, 3)), "left": ((3,), (2, 3)), "right": ((2, 3), (3,)), "both": ((2, 1), (1, 3)),
    "0-d": ((), ()), "0-d left": ((), (2, 3)), "0-d right": ((2, 3), ()), "ones": ((1, 1), (2, 1, 3)),
    "0-size": ((0, 3), (3,)), "0-size of one": ((2, 1), (2, 0)), "0-size and 0-d": ((), (0, 3)),
}  # fmt: skip


def torch_of(name):
    return lambda t, *xs: getattr(t, name)(*xs)


# ---- elementwise
# fmt: off
for name, shape in SHAPES.items():
    for op in ("exp", "tanh", "sigmoid", "sin", "cos"):
        case(op, name, getattr(ddl, op), N(*shape), torch=torch_of(op))
    for op in ("log", "sqrt"):
        case(op, name, getattr(ddl, op), P(*shape), torch=torch_of(op))
    same("neg", name, lambda x: -x, N(*shape))
    same("abs", name, abs, D(*shape))
    case("relu", name, ddl.relu, D(*shape), torch=torch_of("relu"))
    case("erf", name, fused.erf, N(*shape), torch=torch_of("erf"))
    case("softplus", name, ops.softplus, N(*shape), torch=lambda t, x: t.nn.functional.softplus(x, threshold=1e9))
    case("gelu", name, F.gelu, N(*shape), torch=lambda t, x: t.nn.functional.gelu(x))
    case("gelu_tanh", name, lambda x: F.gelu(x, "tanh"), N(*shape),
         torch=lambda t, x: t.nn.functional.gelu(x, approximate="tanh"))
    case("sign", name, ops.sign, D(*shape), torch=torch_of("sign"), order=0)
    same("power", name, lambda x: x**2, N(*shape))
    for low, high in ((-0.3, 0.2), (None, 0.0), (0.0, None)):
        same("clip", f"{low} {high} {name}", lambda x, low=low, high=high: x.clip(low, high), D(*shape))
for exponent in (0, 1, 2, 3, 0.5, -1, 2.5, -2):
    same("power", exponent, lambda x, e=exponent: x**e, P(2, 3))
    if exponent == int(exponent):
        same("power", f"{exponent} of negatives", lambda x, e=exponent: x**e, D(2, 3))
for name, (a, b) in PAIRS.items():
    same("add", name, lambda x, y: x + y, N(*a), N(*b))
    same("sub", name, lambda x, y: x - y, N(*a), N(*b))
    same("mul", name, lambda x, y: x * y, N(*a), N(*b))
    same("div", name, lambda x, y: x / y, N(*a), P(*b))
    same("pow", name, lambda x, y: x**y, P(*a), N(*b))
    for op in ("maximum", "minimum"):
        case(op, name, getattr(ddl, op), D(*a), D(*b, shift=0.05), torch=torch_of(op))
    case("where", name, ddl.where, B(*np.broadcast_shapes(a, b)), N(*a), N(*b), torch=torch_of("where"))
    for op in ("eq", "ne", "lt", "le", "gt", "ge"):
        same(op, name, lambda x, y, s=f"__{op}__": getattr(x, s)(y), Z(3, *a), Z(3, *b), order=0)
same("pow", "of a number", lambda x: 2.0**x, N(2, 3))
case("where", "mask of a row", ddl.where, B(3), N(2, 1), N(1, 3), torch=torch_of("where"))
case("where", "numbers", lambda c, x: ddl.where(c, x, 0.0) + ddl.where(c, 1.5, x), B(2, 3), N(2, 3),
     torch=lambda t, c, x: t.where(c, x, 0.0) + t.where(c, 1.5, x))
same("where", "masked_fill", lambda x, c: x.masked_fill(c, -2), N(2, 3), B(3))

# ---- reductions
for keep in (False, True):
    for axis in (None, 0, 1, -1, (0, 2), (-1, 0), (0, 1, 2)):
        dims = (0, 1, 2) if axis is None else axis
        for op, torch in {"sum": "sum", "mean": "mean", "max": "amax", "min": "amin"}.items():
            case(op, f"{axis} {keep}", lambda x, op=op, a=axis, k=keep: getattr(x, op)(axis=a, keepdims=k), D(2, 3, 2),
                 torch=lambda t, x, n=torch, d=dims, k=keep: getattr(t, n)(x, dim=d, keepdim=k))
    for axis, op in ((a, op) for a in (0, 1, -1) for op in ("argmax", "argmin")):
        same(op, f"{axis} {keep}", lambda x, op=op, a=axis, k=keep: getattr(x, op)(a, k), D(2, 3, 2), order=0)
    for op in ("var", "std"):
        same("mean", f"{op} {keep}", lambda x, op=op, k=keep: getattr(x, op)(dim=(0, -1), keepdim=k), N(2, 3, 2))
for op in ("sum", "mean", "max", "min", "argmax", "argmin"):
    order = 0 if "arg" in op else 2
    same(op, "all", lambda x, op=op: getattr(x, op)(), D(2, 3), order=order)
    same(op, "0-d", lambda x, op=op: getattr(x, op)(), D(), order=order)
    torch = {"max": "amax", "min": "amin"}.get(op, op)
    case(op, "0-size", lambda x, op=op: getattr(x, op)(1), D(0, 3), order=order,
         torch=lambda t, x, n=torch: getattr(x, n)(1))
same("sum", "0-size folded", lambda x: x.sum(dim=0), N(0, 3))
same("sum", "0-size to 0-d", lambda x: x.sum(), N(2, 0))
same("mean", "var over n", lambda x: x.var(correction=0), N(2, 3))
for axis, shape in ((0, (2, 3)), (1, (2, 3)), (-1, (2, 3, 2)), (1, (2, 0)), (0, (0, 3))):
    same("cumsum", f"{axis} {shape}", lambda x, a=axis: x.cumsum(a), N(*shape))

# ---- shapes
for name, shape, f in (
    ("sizes", (2, 3), lambda x: x.reshape(3, 2)), ("tuple", (2, 3), lambda x: x.reshape((6,))),
    ("rest", (2, 3, 2), lambda x: x.reshape(2, -1)), ("0-d", (), lambda x: x.reshape(1, 1)),
    ("to 0-d", (1, 1), lambda x: x.reshape(())), ("0-size", (0, 3), lambda x: x.reshape(3, 0)),
    ("view", (2, 3), lambda x: x.view(-1)), ("flatten", (2, 3, 2), lambda x: x.flatten(1)),
    ("flatten 0-d", (), lambda x: x.flatten()), ("flatten 0-size", (0, 3), lambda x: x.flatten()),
    ("unsqueeze", (2, 3), lambda x: x.unsqueeze(1)), ("unsqueeze last", (2, 3), lambda x: x.unsqueeze(-1)),
    ("squeeze", (1, 3, 1), lambda x: x.squeeze()), ("squeeze last", (1, 3, 1), lambda x: x.squeeze(-1)),
    ("squeeze none", (1, 3), lambda x: x.squeeze(1)),
):
    same("reshape", name, f, N(*shape))
for name, shape, to in (("ones", (2, 1), (4, 2, 3)), ("0-d", (), (2, 3)), ("0-size", (1, 3), (0, 3)),
                        ("same", (2,), (2,)), ("of 0-size", (0, 3), (2, 0, 3))):
    same("broadcast_to", name, lambda x, to=to: x.broadcast_to(to), N(*shape))
same("broadcast_to", "expand", lambda x: x.expand(2, -1, 3), N(2, 1))
for a, b, shape in ((0, 1, (2, 3)), (-1, -2, (2, 3, 4)), (0, -1, (2, 3, 4)), (1, 0, (0, 3)), (-1, -1, (2, 3))):
    same("swapaxes", f"{a} {b} {shape}", lambda x, a=a, b=b: x.transpose(a, b), N(*shape))
same("swapaxes", "mT", lambda x: x.mT @ x, N(2, 3, 2))
for dims, shape in (((1, 0), (2, 3)), ((2, 0, 1), (2, 3, 4)), ((-1, 0, -2), (2, 3, 4)), ((), ()), ((1, 0), (0, 3))):
    same("permute", f"{dims} {shape}", lambda x, d=dims: x.permute(d), N(*shape))
same("permute", "T", lambda x: x.T, N(2, 3))
for axis, shapes in ((0, ((2, 3), (1, 3), (0, 3))), (1, ((2, 1), (2, 3))), (-1, ((2, 2, 1), (2, 2, 2))),
                     (0, ((0,), (0,)))):
    case("concatenate", f"{axis} {shapes}", lambda *xs, a=axis: ddl.cat(xs, a), *(N(*s) for s in shapes),
         torch=lambda t, *xs, a=axis: t.cat(xs, a))
case("concatenate", "one thrice", lambda x: ddl.cat([x, x * x, x]), N(3), torch=lambda t, x: t.cat([x, x * x, x]))
for dim, shape in ((0, (2, 3)), (1, (2, 3)), (-1, (2, 3)), (0, ())):
    case("concatenate", f"stack {dim} {shape}", lambda *xs, d=dim: ddl.stack(xs, d), N(*shape), N(*shape),
         torch=lambda t, *xs, d=dim: t.stack(xs, d))
for k in (-1, 0, 1):
    for shape in ((3, 3), (2, 2, 4), (3, 2), (0, 2)):
        same("tril", f"{k} {shape}", lambda x, k=k: x.tril(k), N(*shape))
        same("triu", f"{k} {shape}", lambda x, k=k: x.triu(k), N(*shape))
for shape in ((3, 3), (2, 3), (2, 3, 4), (0, 2)):
    case("causal", shape, ops.causal, N(*shape), order=0, torch=lambda t, x: t.ones(x.shape[-2:]).tril().bool())
for name, shape in SHAPES.items():
    case("astype", name, lambda x: ops.astype(x, dtype=np.dtype(np.float64)), N(*shape), keeps_dtype=False,
         torch=lambda t, x: x.double())

# ---- products
for a, b in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((4, 2, 3), (3, 2)), ((2, 3), (4, 3, 2)),
             ((2, 1, 2, 3), (3, 3, 2)), ((4, 2, 3), (3,)), ((3,), (4, 3, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 3)),
             ((3, 0, 2), (2, 2)), ((0,), (0,)), ((1, 1), (1, 1))):
    same("matmul", f"{a} {b}", lambda x, y: x @ y, N(*a), N(*b))
for shape in ((3,), (2, 3), (2, 2, 3), (0, 3)):
    case("linear", shape, F.linear, N(*shape), N(4, 3), N(4), torch=lambda t, *xs: t.nn.functional.linear(*xs))
    case("linear", f"{shape} no bias", F.linear, N(*shape), N(4, 3), torch=lambda t, *xs: t.nn.functional.linear(*xs))

# ---- selection
for name, index in {
    "integer": 1, "negative": -1, "slice": slice(1, 3), "step": slice(None, None, 2),
    "negative step": slice(None, None, -1),
    "empty slice": slice(2, 2), "ellipsis": (..., 1), "None": (None, 1), "None last": (..., None), "to 0-d": (1, 2, 0),
    "column": (slice(None), 1), "nothing": (), "list": [2, 0, 2], "list and slice": (slice(1, None), [0, 0, 2]),
    "mixed": (0, None, slice(None, None, -2), ..., 1), "lists in a list": ([[0, 1], [1, 1]],),
    "mask in a list": [True, False, True, True],
}.items():
    steps = any(isinstance(i, slice) and (i.step or 1) < 0 for i in (index if isinstance(index, tuple) else (index,)))
    case("getitem", name, lambda x, i=index: x[i], N(4, 3, 2),
         torch=None if steps else lambda t, x, i=index: x[i])
same("getitem", "ids", lambda x, i: x[i], N(4, 3), Z(4, 2, 3))
same("getitem", "ids that repeat", lambda x, i: x[i], N(4), fixed([1, 1, 1, 0, -1, -1]))
same("getitem", "ids on two axes", lambda x, i, j: x[i, j], N(4, 3), Z(4, 2, 1), Z(3, 2))
same("getitem", "ids apart", lambda x, i, j: x[i, :, j], N(4, 3, 2), Z(4, 5), Z(2, 5))
same("getitem", "no ids", lambda x, i: x[i], N(4, 3), Z(4, 0))
same("getitem", "of 0-size", lambda x: x[:, 1:], N(0, 3))
same("getitem", "of 0-d", lambda x: x[None, ...], N())
same("getitem", "mask", lambda x, c: x[c], N(4, 3), B(4, 3), on_spec=False)
same("getitem", "mask of rows", lambda x, c: x[c], N(4, 3), B(4), on_spec=False)
same("getitem", "mask and slice", lambda x, c: x[1:, c], N(4, 3), B(3), on_spec=False)
case("getitem", "split", lambda x: ddl.cat(x.split(2, dim=1)[::-1], 1), N(2, 5),
     torch=lambda t, x: t.cat(x.split(2, dim=1)[::-1], 1))
case("getitem", "split sizes", lambda x: ddl.cat(x.split([3, 0, 2], dim=-1)[::-1], 1), N(2, 5),
     torch=lambda t, x: t.cat(x.split([3, 0, 2], dim=-1)[::-1], 1))
case("getitem", "iteration", lambda x: ddl.stack([row * 2 for row in x]), N(2, 3), torch=lambda t, x: x * 2)
case("setitem", "slice", lambda g: ops.setitem(g, index=(slice(None, None, -2), 1), shape=(4, 3)), N(2))
case("setitem", "list", lambda g: ops.setitem(g, index=[1, 1, 0], shape=(4,)), N(3))
case("setitem", "0-d", lambda g: ops.setitem(g, index=(1, 2), shape=(2, 3)), N())
case("setitem", "0-size", lambda g: ops.setitem(g, index=slice(1, 1), shape=(4, 3)), N(0, 3))
for name, shape in {"0-d": (), "0-size": (0,), "ordinary": (2, 3), "many": (9,)}.items():
    case("embedding", name, lambda w, i: F.embedding(i, w), N(4, 2), Z(4, *shape),
         torch=lambda t, w, i: t.nn.functional.embedding(i, w))
    case("add_rows", name, lambda g, i: ops.add_rows(g, i, n=4), N(*shape, 2), Z(4, *shape),
         torch=lambda t, g, i: t.zeros(4, 2, dtype=g.dtype).index_add(0, i.reshape(-1), g.reshape(-1, 2)))
for name, shape in {"0-d": (), "0-size": (0,), "ordinary": (2,), "deep": (2, 3)}.items():
    case("pick", name, ops.pick, N(*shape, 4), Z(4, *shape), torch=lambda t, x, i: x.gather(-1, i[..., None])[..., 0])
    case("put", name, lambda g, i: ops.put(g, i, n=4), N(*shape), Z(4, *shape),
         torch=lambda t, g, i: t.nn.functional.one_hot(i, 4) * g[..., None])

# ---- fused
for axis, shape in ((0, (4, 5)), (1, (4, 5)), (-1, (4, 5)), (0, (2, 4, 3, 2)), (1, (2, 4, 3, 2)), (-1, (2, 4, 3, 2)),
                    (-1, (2, 0, 3)), (0, (1,))):
    same("softmax", f"{axis} {shape}", lambda x, a=axis: x.softmax(dim=a), N(*shape))
    same("log_softmax", f"{axis} {shape}", lambda x, a=axis: x.log_softmax(dim=a), N(*shape))
for name, shape in {"ordinary": (4, 5), "deep": (2, 5, 3), "one row": (1, 5), "many": (70, 5)}.items():
    for options in ({}, {"label_smoothing": 0.1}, {"ignore_index": 2}, {"reduction": "none"},
                    {"ignore_index": 1, "label_smoothing": 0.3, "reduction": "sum"}):
        classes = Z(5, shape[0], *shape[2:])
        case("cross_entropy_rows", f"{name} {options}", lambda x, i, o=options: F.cross_entropy(x, i, **o),
             N(*shape), classes, torch=lambda t, x, i, o=options: t.nn.functional.cross_entropy(x, i, **o),
             order=1 if name == "many" else 2)
for name, shape in {"ordinary": (3, 4), "deep": (2, 3, 4), "row": (4,), "0-size": (0, 4), "one": (2, 1)}.items():
    c = shape[-1]
    torch = lambda t, x, *wb, c=c: t.nn.functional.layer_norm(x, (c,), *wb)
    case("layer_norm", name, lambda x, w, b, c=c: F.layer_norm(x, c, w, b), N(*shape), P(c), N(c), torch=torch)
    case("layer_norm", f"{name} no bias", lambda x, w, c=c: F.layer_norm(x, c, w), N(*shape), P(c), torch=torch)
    case("layer_norm", f"{name} bare", lambda x, c=c: F.layer_norm(x, c), N(*shape), torch=torch)
case("layer_norm", "two axes", lambda x, w, b: F.layer_norm(x, (3, 2), w, b, eps=0.1), N(2, 3, 2), P(3, 2), N(3, 2),
     torch=lambda t, x, w, b: t.nn.functional.layer_norm(x, (3, 2), w, b, 0.1))
SDPA = F.scaled_dot_product_attention
CAUSAL = {"is_causal": True}
for name, q, k, v, options in (
    ("plain", (3, 2), (4, 2), (4, 3), {}),
    ("heads", (2, 2, 3, 2), (2, 2, 3, 2), (2, 2, 3, 2), {}),
    ("scaled", (3, 2), (3, 2), (3, 2), {"scale": 0.3}),
    ("causal", (3, 2), (3, 2), (3, 2), CAUSAL),
    ("causal heads", (2, 2, 3, 2), (2, 2, 3, 2), (2, 2, 3, 1), CAUSAL),
    ("causal, fewer keys", (3, 2), (2, 2), (2, 2), CAUSAL),
    ("causal, more keys", (2, 2), (3, 2), (3, 2), CAUSAL),
    ("one query", (1, 2), (1, 2), (1, 2), CAUSAL),
    ("keys shared by heads", (2, 3, 2), (3, 2), (3, 2), CAUSAL),
    ("0-size", (0, 3, 2), (0, 3, 2), (0, 3, 2), {}),
    ("0-size causal", (0, 3, 2), (0, 3, 2), (0, 3, 2), CAUSAL),
):
    case("scaled_dot_product_attention", name, lambda *xs, o=options: SDPA(*xs, **o), N(*q), N(*k), N(*v),
         torch=lambda t, *xs, o=options: t.nn.functional.scaled_dot_product_attention(*xs, **o))
for name, mask in {
    "bool mask": fixed([[True, False, True, True], [True] * 4, [False, True, False, False]]),
    "float mask": N(3, 4), "mask of keys": B(1, 4), "mask of heads": N(2, 1, 3, 4),
}.items():
    case("scaled_dot_product_attention", name, SDPA, N(2, 2, 3, 2), N(2, 2, 4, 2), N(2, 2, 4, 2), mask,
         torch=lambda t, *xs: t.nn.functional.scaled_dot_product_attention(*xs))
case("scaled_dot_product_attention", "mask and causal", lambda *xs: SDPA(*xs, is_causal=True), *[N(3, 2)] * 3,
     fixed([[True, True, True], [True, False, True], [False, True, False]]))
for name, shape in SHAPES.items():
    case("dropout", name, lambda x: fused.dropout(x, p=0.4, seed=11), N(*shape))
# fmt: on
