"""Norms over groups, over the batch, by length; noise."""

import ddl
from ddl.nn import functional as F

from .table import N, P, case


def seeded(f):
    def call(*xs):
        ddl.manual_seed(5)
        return f(*xs)

    return call


# fmt: off
for name, shape, sizes in (("ordinary", (3, 4), (4,)), ("deep", (2, 3, 4), (4,)), ("two axes", (2, 3, 4), (3, 4)),
                           ("one", (2, 1), (1,)), ("0-size", (0, 4), (4,))):
    for options in ({}, {"eps": 0.1}):
        case("rms_norm", f"{name} {options}", lambda x, w, s=sizes, o=options: F.rms_norm(x, s, w, **o), N(*shape),
             P(*sizes), torch=lambda t, x, w, s=sizes, o=options: t.nn.functional.rms_norm(x, s, w, **o))
    case("rms_norm", f"{name} bare", lambda x, s=sizes: F.rms_norm(x, s), N(*shape),
         torch=lambda t, x, s=sizes: t.nn.functional.rms_norm(x, s))
for name, shape, groups in (("rows", (3, 6), 2), ("places", (2, 6, 3), 3), ("pictures", (2, 4, 2, 3), 2),
                            ("one group", (2, 4, 3), 1), ("a group a channel", (2, 3, 4), 3), ("0-size", (0, 4, 2), 2)):
    c = shape[1]
    case("group_norm", name, lambda x, w, b, g=groups: F.group_norm(x, g, w, b), N(*shape), P(c), N(c),
         torch=lambda t, x, w, b, g=groups: t.nn.functional.group_norm(x, g, w, b))
    case("group_norm", f"{name} bare", lambda x, g=groups: F.group_norm(x, g, eps=0.1), N(*shape),
         torch=lambda t, x, g=groups: t.nn.functional.group_norm(x, g, eps=0.1))


def of_running(t, x, mean, var, weight, bias):
    """PyTorch's own gives no gradient to running moments."""
    wide = (3, *(1,) * (x.ndim - 2))
    d = (x - mean.reshape(wide)) / t.sqrt(var.reshape(wide) + 1e-5)
    return d * weight.reshape(wide) + bias.reshape(wide)


def batch_norm(x, *rest):
    return F.batch_norm(x, None, None, *rest, training=True)


for name, shape in {"rows": (4, 3), "places": (2, 3, 4), "pictures": (2, 3, 2, 2), "one channel": (5, 1)}.items():
    c = shape[1]
    case("batch_norm", name, batch_norm, N(*shape), P(c), N(c),
         torch=lambda t, x, w, b: t.nn.functional.batch_norm(x, None, None, w, b, training=True))
    case("batch_norm", f"{name} bare", batch_norm, N(*shape),
         torch=lambda t, x: t.nn.functional.batch_norm(x, None, None, training=True))
for name, shape in {"rows": (4, 3), "one row": (1, 3), "pictures": (2, 3, 2, 2), "0-size": (0, 3)}.items():
    case("batch_norm", f"{name} in evaluation", F.batch_norm, N(*shape), N(3), P(3), P(3), N(3),
         torch=lambda t, x, *rest: of_running(t, x, *rest))
for name, shape in {"pictures": (2, 3, 2, 2), "0-size": (0, 3, 2, 2)}.items():
    case("dropout2d", name, seeded(lambda x: F.dropout2d(x, 0.4)), N(*shape))
# fmt: on
