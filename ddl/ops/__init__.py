"""The table of ops. Rules and definitions are written in these names and in the array vocabulary."""

from .contraction import linear, matmul
from .elementwise import (
    abs,
    add,
    clip,
    cos,
    div,
    eq,
    exp,
    ge,
    gt,
    le,
    log,
    lt,
    maximum,
    minimum,
    mul,
    ne,
    neg,
    pow,
    power,
    relu,
    sigmoid,
    sign,
    sin,
    softplus,
    sqrt,
    sub,
    tanh,
    where,
)
from .methods import Methods
from .reductions import argmax, argmin, cumsum, max, mean, min, spread, sum
from .selection import add_rows, embedding, getitem, pick, put, setitem
from .shaping import astype, broadcast_to, causal, concatenate, move, permute, reshape, rows, swapaxes, tril, triu

__all__ = [name for name in dir() if not name.startswith("_")]
