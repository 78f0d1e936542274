"""Positions and grouped attention."""

import math

import numpy as np

from ddl import fused
from ddl.nn import functional as F

from .table import N, case, fixed


def waves_of(t, x, offset=0, base=10000.0):
    places = t.arange(offset, offset + x.shape[-2], dtype=x.dtype)
    pairs = t.arange(x.shape[-1] // 2, dtype=x.dtype)
    angles = places[:, None] * t.exp(pairs * (-2 * math.log(base) / max(1, x.shape[-1])))
    return t.stack([angles.cos(), angles.sin()])


def turned(t, x, offset=0, base=10000.0, interleaved=False, turn=1):
    """Each pair times the matrix that turns it."""
    pairs = x.unflatten(-1, (-1, 2)) if interleaved else x.unflatten(-1, (2, -1)).transpose(-1, -2)
    cos, sin = waves_of(t, x, offset, base)
    matrix = t.stack([cos, -turn * sin, turn * sin, cos], -1).unflatten(-1, (2, 2))  # (T, D / 2, 2, 2)
    product = (matrix @ pairs[..., None])[..., 0]
    return (product if interleaved else product.transpose(-1, -2)).flatten(-2)


# fmt: off
SHAPES = {"ordinary": (5, 6), "one pair": (3, 2), "one place": (1, 4), "heads": (2, 3, 4, 6), "0-size": (0, 4),
          "no batch": (0, 3, 4)}
for name, shape in SHAPES.items():
    case("waves", name, lambda x: fused.waves(x), N(*shape), torch=waves_of, order=0)
    for interleaved in (False, True):
        case("rope", f"{name}{' interleaved' * interleaved}", lambda x, i=interleaved: fused.rope(x, interleaved=i),
             N(*shape), torch=lambda t, x, i=interleaved: turned(t, x, interleaved=i))
for options in ({"offset": 7}, {"base": 100.0}, {"turn": -1}, {"offset": 300, "base": 5e5}):
    for interleaved in (False, True):
        both = {**options, "interleaved": interleaved}
        case("rope", both, lambda x, o=both: fused.rope(x, **o), N(2, 3, 4),
             torch=lambda t, x, o=both: turned(t, x, **o))
case("waves", "offset, base", lambda x: fused.waves(x, offset=9, base=50.0), N(2, 5, 4), order=0,
     torch=lambda t, x: waves_of(t, x, 9, 50.0))


def penalties(t, q, k, *, slopes):
    T, S = q.shape[-2], k.shape[-2]
    apart = (t.arange(S - T, S)[:, None] - t.arange(S)).abs()
    return -t.tensor(slopes, dtype=q.dtype)[:, None, None] * apart


for name, q, k, slopes in (("ordinary", (5, 2), (5, 2), (0.5, 0.25)),
                           ("cached", (2, 3, 1, 2), (2, 3, 6, 2), (0.3, 1.0, 2)),
                           ("one head", (3, 1), (4, 1), (0.1,)), ("0-size", (0, 2), (0, 2), (0.5,)),
                           ("no queries", (0, 2), (3, 2), (0.5, 1.0))):
    case("alibi", name, lambda *xs, s=slopes: fused.alibi(*xs, slopes=s), N(*q), N(*k), order=0,
         torch=lambda t, *xs, s=slopes: penalties(t, *xs, slopes=s))

for name, q, k, options, masks in (
    ("grouped", (2, 4, 3, 2), (2, 2, 3, 2), {}, ()), ("one key head", (1, 3, 2, 2), (1, 1, 4, 2), {}, ()),
    ("grouped causal", (2, 4, 3, 2), (2, 2, 3, 2), {"is_causal": True}, ()),
    ("grouped causal, fewer keys", (1, 4, 4, 2), (1, 2, 3, 2), {"is_causal": True}, ()),
    ("grouped scaled", (2, 4, 3, 2), (2, 2, 3, 2), {"scale": 0.3}, ()),
    ("grouped masked", (2, 4, 3, 2), (2, 2, 4, 2), {}, (N(1, 4, 3, 4),)),
    ("grouped, keys kept", (2, 4, 3, 2), (2, 2, 4, 2), {}, (fixed([[[[True, False, True, True]]]]),)),
    ("grouped without a batch", (6, 3, 2), (3, 4, 2), {}, ()), ("grouped 0-size", (0, 4, 3, 2), (0, 2, 3, 2), {}, ()),
):
    case("scaled_dot_product_attention", name,
         lambda *xs, o=options: F.scaled_dot_product_attention(*xs, **o, enable_gqa=True), N(*q), N(*k), N(*k), *masks,
         torch=lambda t, *xs, o=options: t.nn.functional.scaled_dot_product_attention(*xs, **o, enable_gqa=True))


def attended(t, q, k, *mask):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    for m in mask:
        scores = scores.masked_fill(~m, -t.inf) if m.dtype == t.bool else scores + m
    return scores.softmax(-1)


for name, q, k, *masks in (("ordinary", (3, 2), (4, 2)), ("heads", (2, 2, 3, 2), (2, 2, 3, 2)),
                           ("0-size", (0, 2), (3, 2)),
                           ("masked", (2, 3, 2), (2, 3, 2), fixed(np.tri(3, dtype=bool))),
                           ("float mask", (2, 3, 2), (2, 4, 2), N(3, 4))):
    case("attention_weights", name, F.attention_weights, N(*q), N(*k), *masks,
         torch=attended)
# fmt: on
