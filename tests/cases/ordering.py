"""Order of size, and where entries are not zero."""

import ddl

from .table import B, D, N, Z, case, fixed, same

# fmt: off
for down in (False, True):
    for dim, shape in ((-1, (2, 5)), (0, (4, 3)), (1, (2, 3, 2)), (-1, (0, 3)), (1, (2, 0)), (0, ())):
        same("argsort", f"{dim} {shape} {down}", lambda x, d=dim, o=down: x.argsort(d, o), D(*shape), order=0)
        same("gather", f"sort {dim} {shape} {down}", lambda x, d=dim, o=down: x.sort(d, o).values, D(*shape))
    same("argsort", f"ties {down}", lambda x, o=down: x.argsort(dim=-1, descending=o, stable=True),
         fixed([2.0, 1.0, 2.0, 2.0, 1.0]), order=0)
    same("argsort", f"NaN {down}", lambda x, o=down: x.argsort(descending=o), fixed([1.0, float("nan"), -1.0]), order=0)
    same("argsort", f"integers {down}", lambda x, o=down: x.sort(descending=o, stable=True)[1], Z(4, 9), order=0)
    for k, dim, shape in ((2, -1, (3, 4)), (3, 0, (3, 2)), (0, 1, (2, 3)), (1, 0, ())):
        name = f"topk {k} {dim} {shape} {down}"
        same("gather", name, lambda x, k=k, d=dim, o=down: x.topk(k, d, largest=o)[0], D(*shape))
        same("argsort", name, lambda x, k=k, d=dim, o=down: x.topk(k, d, largest=o).indices, D(*shape), order=0)
for name, make in {"ordinary": Z(2, 3, 4), "booleans": B(2, 3), "0-d": fixed(2), "0-d of zero": fixed(0),
                   "0-size": Z(2, 0, 3), "floats": N(2, 2)}.items():
    same("nonzero", name, lambda x: x.nonzero(), make, order=0, on_spec=False)
case("nonzero", "as a tuple", lambda x: ddl.stack(x.nonzero(as_tuple=True)), Z(2, 3, 4), order=0, on_spec=False,
     torch=lambda t, x: t.stack(x.nonzero(as_tuple=True)))
# fmt: on
