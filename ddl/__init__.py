"""ddl, Didactic Deep Learning: a small autograd-and-layers library and the course that builds it."""

from numpy import bool_ as bool
from numpy import float32, float64, int32, int64

from . import checkpoint, data, models, nn, optim, text, train
from .backward import grad
from .checkpoint import load, save
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
from .gradcheck import gradcheck
from .nn import shapes_only
from .ops import (
    abs,
    broadcast_to,
    clip,
    cos,
    exp,
    linear,
    log,
    matmul,
    maximum,
    minimum,
    pow,
    relu,
    sigmoid,
    sign,
    sin,
    sqrt,
    tanh,
    where,
)
from .random import manual_seed
from .scalar import Scalar
from .spec import Spec

concatenate = cat

__version__ = "0.1.0"
