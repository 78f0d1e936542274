"""Ops that move values."""

import numpy as np

import ddl
from ddl import ops

from .table import SHAPES, N, case, same

# fmt: off
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
# fmt: on
