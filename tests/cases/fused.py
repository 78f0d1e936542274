"""Ops with a gradient written by hand."""

from ddl import fused
from ddl.nn import functional as F

from .table import SHAPES, B, N, P, Z, case, fixed, same

# fmt: off
for axis, shape in ((0, (4, 5)), (1, (4, 5)), (-1, (4, 5)), (0, (2, 4, 3, 2)), (1, (2, 4, 3, 2)), (-1, (2, 4, 3, 2)),
                    (-1, (2, 0, 3)), (1, (2, 0, 3)), (0, (1,))):
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
