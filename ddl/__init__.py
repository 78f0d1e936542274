"""ddl, Didactic Deep Learning: a small autograd-and-layers library and the course that builds it."""

import importlib
from typing import TYPE_CHECKING, Any

from numpy import bool_ as bool
from numpy import float32, float64, int32, int64

from . import fused
from .backward import grad
from .core import Tensor, no_grad
from .creation import (
    arange,
    cat,
    eye,
    full,
    linspace,
    ones,
    ones_like,
    rand,
    randint,
    randn,
    stack,
    tensor,
    zeros,
    zeros_like,
)
from .creation import cat as concatenate
from .gradcheck import gradcheck
from .ops import broadcast_to, einsum, linear, where
from .random import manual_seed
from .scalar import Scalar
from .spec import Spec

if TYPE_CHECKING:
    from . import checkpoint, course, data, graph, machine, metrics, models, nn, optim, text, train, widgets
    from .checkpoint import load, save
    from .graph import trace
    from .machine import LossScaler, device_report, mixed_precision, profile
    from .nn import shapes_only

__version__ = "0.1.0"

# Functions that are methods of their first argument: ddl.sum(x, dim=0) is x.sum(dim=0), as in PyTorch.
_METHODS = (
    "abs add all amax amin any argmax argmin argsort bmm ceil chunk clamp clip clone cos cumsum diag diagonal div "
    "dot eq erf exp expm1 flatten flip floor floor_divide gather ge gt index_add index_copy index_put index_select "
    "isfinite isinf isnan le log log1p log_softmax logical_and logical_not logical_or logical_xor logsumexp lt "
    "masked_fill masked_select matmul max maximum mean min minimum mm moveaxis movedim mul mv ne neg nonzero norm "
    "numel outer permute pow prod reciprocal relu remainder repeat_interleave reshape roll round rsqrt scatter "
    "scatter_add sigmoid sign sin softmax sort split sqrt square squeeze std sub sum swapaxes swapdims t take "
    "take_along_dim tanh tile topk transpose tril triu unbind unflatten unsqueeze var"
).split()
globals().update({name: getattr(Tensor, name) for name in _METHODS})

# Rooms, and names in them, that are opened when first asked for, so that `import ddl` costs little beside numpy.
_ROOMS = "checkpoint course data graph machine metrics models nn optim text train widgets".split()
_NAMES = {"load": "checkpoint", "save": "checkpoint", "shapes_only": "nn", "trace": "graph"} | dict.fromkeys(
    ("LossScaler", "device_report", "mixed_precision", "profile"), "machine"
)


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f".{name}", __name__)
    if name in _NAMES:
        return getattr(importlib.import_module(f".{_NAMES[name]}", __name__), name)
    raise AttributeError(f"module 'ddl' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS, *_NAMES})
