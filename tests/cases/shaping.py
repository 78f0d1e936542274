"""Ops that move values."""

import numpy as np

import ddl
from ddl import ops

from .table import SHAPES, N, Z, case, same, torch_of

# fmt: off
for name, shape, f in (
    ("sizes", (2, 3), lambda x: x.reshape(3, 2)), ("tuple", (2, 3), lambda x: x.reshape((6,))),
    ("rest", (2, 3, 2), lambda x: x.reshape(2, -1)), ("0-d", (), lambda x: x.reshape(1, 1)),
    ("to 0-d", (1, 1), lambda x: x.reshape(())), ("0-size", (0, 3), lambda x: x.reshape(3, 0)),
    ("view", (2, 3), lambda x: x.view(-1)), ("flatten", (2, 3, 2), lambda x: x.flatten(1)),
    ("flatten 0-d", (), lambda x: x.flatten()), ("flatten 0-size", (0, 3), lambda x: x.flatten()),
    ("unsqueeze", (2, 3), lambda x: x.unsqueeze(1)), ("unsqueeze last", (2, 3), lambda x: x.unsqueeze(-1)),
    ("squeeze", (1, 3, 1), lambda x: x.squeeze()), ("squeeze last", (1, 3, 1), lambda x: x.squeeze(-1)),
    ("squeeze none", (1, 3), lambda x: x.squeeze(1)), ("squeeze two", (1, 3, 1), lambda x: x.squeeze((0, 2))),
    ("squeeze 0-d", (), lambda x: x.squeeze(0)), ("unsqueeze 0-d", (), lambda x: x.unsqueeze(0)),
    ("unflatten", (6, 2), lambda x: x.unflatten(0, (2, -1))),
    ("unflatten last", (2, 6), lambda x: x.unflatten(-1, (3, 2))),
    ("view of 0-size", (0, 3), lambda x: x.view(3, 0, 2)),
    ("flatten the middle", (2, 3, 2, 2), lambda x: x.flatten(1, 2)),
):
    same("reshape", name, f, N(*shape))
for name, shape, to in (("ones", (2, 1), (4, 2, 3)), ("0-d", (), (2, 3)), ("0-size", (1, 3), (0, 3)),
                        ("same", (2,), (2,)), ("of 0-size", (0, 3), (2, 0, 3))):
    same("broadcast_to", name, lambda x, to=to: x.broadcast_to(to), N(*shape))
same("broadcast_to", "expand", lambda x: x.expand(2, -1, 3), N(2, 1))
same("broadcast_to", "expand of 0-d", lambda x: x.expand(2, 3), N())
same("broadcast_to", "expand to 0-size", lambda x: x.expand((2, 0, 3)), N(1, 3))
for dim, shape in ((0, (2, 3)), (-1, (2, 3)), (None, (2, 3)), (1, (2, 0)), (None, ())):
    same("broadcast_to", f"repeat_interleave {dim} {shape}", lambda x, d=dim: x.repeat_interleave(3, dim=d), N(*shape))
case("getitem", "repeat_interleave, a number for each", lambda x: x.repeat_interleave([2, 0, 1], dim=1), N(2, 3),
     torch=lambda t, x: x.repeat_interleave(t.tensor([2, 0, 1]), dim=1))
for a, b, shape in ((0, 1, (2, 3)), (-1, -2, (2, 3, 4)), (0, -1, (2, 3, 4)), (1, 0, (0, 3)), (-1, -1, (2, 3))):
    same("swapaxes", f"{a} {b} {shape}", lambda x, a=a, b=b: x.transpose(a, b), N(*shape))
same("swapaxes", "methods", lambda x: x.swapaxes(0, 2) * 2 + x.swapdims(-1, 0), N(2, 3, 2))
same("swapaxes", "mT", lambda x: x.mT @ x, N(2, 3, 2))
for dims, shape in (((1, 0), (2, 3)), ((2, 0, 1), (2, 3, 4)), ((-1, 0, -2), (2, 3, 4)), ((), ()), ((1, 0), (0, 3))):
    same("permute", f"{dims} {shape}", lambda x, d=dims: x.permute(d), N(*shape))
same("permute", "T", lambda x: x.T, N(2, 3))
same("permute", "t", lambda x: x.t(), N(2, 3))
same("permute", "t of a vector", lambda x: x.t(), N(3))
same("permute", "sizes", lambda x: x.permute(2, 0, 1), N(2, 3, 4))
case("permute", "all reversed", lambda x: x.transpose(), N(2, 3, 4), torch=lambda t, x: x.permute(2, 1, 0))
for source, destination in ((0, -1), ((0, 1), (2, 0)), (-2, 0)):
    for name in ("moveaxis", "movedim"):
        same("permute", f"{name} {source} {destination}",
             lambda x, n=name, a=source, b=destination: getattr(x, n)(a, b), N(2, 3, 4))
for dims, shape in (((0,), (2, 3)), ((0, -1), (2, 3, 2)), ((1,), (2, 0)), ((), (2, 3)), ((), ())):
    same("flip", f"{dims} {shape}", lambda x, d=dims: x.flip(d), N(*shape))
same("flip", "sizes", lambda x: x.flip(1, 0), N(2, 3))
for shifts, dims, shape in ((1, 0, (3, 2)), (-2, 1, (2, 3)), ((1, -1), (0, 1), (2, 3)), (7, -1, (2, 3)),
                            (2, None, (2, 3)), ((1, 1), (1, 1), (2, 3)), (1, 0, (0, 3)), (1, None, ())):
    same("roll", f"{shifts} {dims} {shape}", lambda x, s=shifts, d=dims: x.roll(s, d), N(*shape))
for reps, shape in (((2, 3), (2, 2)), ((2, 1, 3), (2, 2)), ((0, 2), (2, 2)), ((2, 2), (0, 3)), ((), ()), ((3,), ()),
                    ((1, 1), (2, 2))):
    same("tile", f"repeat {reps} {shape}", lambda x, r=reps: x.repeat(r), N(*shape))
    same("tile", f"{reps} {shape}", lambda x, r=reps: x.tile(r), N(*shape))
for name, f in {
    "flip": lambda t, x: t.flip(x, dims=(0,)), "permute": lambda t, x: t.permute(x, dims=(1, 0)),
    "tile": lambda t, x: t.tile(x, dims=(2, 1)), "roll": lambda t, x: t.roll(x, shifts=(1, 2), dims=(0, 1)),
    "swapaxes": lambda t, x: t.swapaxes(x, axis0=0, axis1=1) + t.swapdims(x, dim0=0, dim1=1),
    "concatenate": lambda t, x: t.cat((x, x), dim=1) + t.concatenate((x, x), axis=1),
    "broadcast_to": lambda t, x: x.broadcast_to(size=(4, 2, 3)),
}.items():
    case(name, "by its names", lambda x, f=f: f(ddl, x), N(2, 3), torch=f)
case("concatenate", "stack, axis", lambda x: ddl.stack([x, x * x], axis=1), N(3),
     torch=lambda t, x: t.stack([x, x * x], 1))
same("tile", "fewer than axes", lambda x: x.tile(2), N(2, 3))
same("tile", "repeat, sizes", lambda x: x.repeat(2, 1, 2), N(2, 3))
for axis, shapes in ((0, ((2, 3), (1, 3), (0, 3))), (1, ((2, 1), (2, 3))), (-1, ((2, 2, 1), (2, 2, 2))),
                     (0, ((0,), (0,)))):
    case("concatenate", f"{axis} {shapes}", lambda *xs, a=axis: ddl.cat(xs, a), *(N(*s) for s in shapes),
         torch=lambda t, *xs, a=axis: t.cat(xs, a))
case("concatenate", "one thrice", lambda x: ddl.cat([x, x * x, x]), N(3), torch=lambda t, x: t.cat([x, x * x, x]))
case("concatenate", "dim", lambda x, y: ddl.concatenate([x, y], dim=-1), N(2, 1), N(2, 2),
     torch=lambda t, x, y: t.concatenate([x, y], dim=-1))
case("concatenate", "integers and floats", lambda x, i: ddl.cat([x, i]), N(3), Z(5, 2),
     torch=lambda t, x, i: t.cat([x, i]))
for dim, shape in ((0, (2, 3)), (1, (2, 3)), (-1, (2, 3)), (0, ()), (1, (2, 0))):
    case("concatenate", f"stack {dim} {shape}", lambda *xs, d=dim: ddl.stack(xs, d), N(*shape), N(*shape),
         torch=lambda t, *xs, d=dim: t.stack(xs, d))
for name, f in {
    "chunk": lambda x: x.chunk(2, 1), "chunk unevenly": lambda x: x.chunk(3, dim=-1),
    "chunk too often": lambda x: x.chunk(9), "split": lambda x: x.split(2, 1), "unbind": lambda x: x.unbind(1),
    "split sizes": lambda x: x.split([3, 0, 2], dim=-1), "unbind last": lambda x: x.unbind(-1)[::2],
}.items():
    pieces = lambda x, f=f: [p.reshape(-1) * k for k, p in enumerate(f(x))]
    case("concatenate", f"pieces of {name}", lambda x, p=pieces: ddl.cat(p(x)), N(3, 5),
         torch=lambda t, x, p=pieces: t.cat(p(x)))
for name, shape in SHAPES.items():
    case("clone", name, ddl.clone, N(*shape), torch=torch_of("clone"))
    case("detach", name, ops.detach, N(*shape), torch=lambda t, x: x.detach(), order=0)
    case("astype", name, lambda x: ops.astype(x, dtype=np.dtype(np.float64)), N(*shape), keeps_dtype=False,
         torch=lambda t, x: x.double())
# fmt: on
