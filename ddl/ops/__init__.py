"""The table of ops. Rules and definitions are written in these names and in the array vocabulary."""

from .arithmetic import (
    add,
    div,
    floor_divide,
    mul,
    neg,
    pow,
    power,
    reciprocal,
    remainder,
    square,
    sub,
)
from .comparisons import (
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    eq,
    ge,
    gt,
    isfinite,
    isinf,
    isnan,
    le,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    lt,
    ne,
    where,
)
from .contraction import contract, linear, matmul
from .convolution import Slide, add_windows, conv, conv_transpose, windows
from .diagonals import causal, diagonal, put_diagonal, tril, triu
from .elementwise import (
    abs,
    ceil,
    clip,
    cos,
    exp,
    expm1,
    floor,
    log,
    log1p,
    maximum,
    minimum,
    relu,
    round,
    rsqrt,
    sigmoid,
    sign,
    sin,
    softplus,
    sqrt,
    tanh,
)
from .equations import einsum
from .erf import erf
from .lookup import add_along, add_rows, embedding, gather, one_hot, pick, put
from .methods import Methods
from .ordering import argsort, nonzero
from .pooling import max_pool
from .reductions import (
    all,
    any,
    argmax,
    argmin,
    cumsum,
    logsumexp,
    max,
    mean,
    min,
    norm,
    prod,
    spread,
    std,
    sum,
    var,
)
from .selection import assign, getitem, setitem
from .shaping import (
    astype,
    broadcast_to,
    clone,
    concatenate,
    detach,
    flip,
    move,
    pad,
    permute,
    reshape,
    roll,
    rows,
    swapaxes,
    tile,
)

__all__ = [name for name in dir() if not name.startswith("_")]
