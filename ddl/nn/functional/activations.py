"""Functions of each element, softmax, and gates; each takes tensors, arrays and lists."""

from typing import Any

from ... import fused, ops
from ...checks import above
from ...core import Tensor
from ...ops.methods import either_name
from .inputs import as_reals, as_tensor


def relu(input: Any) -> Tensor:
    """max(0, x); its slope at 0 is 0."""
    return ops.relu(as_tensor(input))


def relu6(input: Any) -> Tensor:
    """x kept between 0 and 6."""
    return hardtanh(input, 0.0, 6.0)


def leaky_relu(input: Any, negative_slope: float = 0.01) -> Tensor:
    """x above 0, negative_slope x elsewhere, at 0 included."""
    x = as_tensor(input)
    return ops.where(x > 0, x, x * negative_slope)


def elu(input: Any, alpha: float = 1.0) -> Tensor:
    """x above 0, alpha (exp(x) - 1) elsewhere, at 0 included (Clevert, Unterthiner and Hochreiter 2015)."""
    x = as_tensor(input)
    return ops.where(x > 0, x, ops.expm1(x.clip(max=0.0)) * alpha)  # clipped: 0 times an overflow is NaN in backward


def gelu(input: Any, approximate: str = "none") -> Tensor:
    """x Phi(x), exactly ("none") or by GPT-2's formula ("tanh")."""
    if approximate not in ("none", "tanh"):
        raise ValueError(f"gelu with approximate={approximate!r} was asked for, but the forms are 'none' and 'tanh'")
    x = as_tensor(input)
    return fused.gelu(x) if approximate == "none" else fused.gelu_tanh(x)


def silu(input: Any) -> Tensor:
    """x sigmoid(x), also called swish."""
    x = as_tensor(input)
    return x * ops.sigmoid(x)


def sigmoid(input: Any) -> Tensor:
    """1 / (1 + exp(-x))."""
    return ops.sigmoid(as_tensor(input))


def hardsigmoid(input: Any) -> Tensor:
    """x / 6 + 1 / 2, kept between 0 and 1."""
    return hardtanh(as_tensor(input) / 6.0 + 0.5, 0.0, 1.0)


def logsigmoid(input: Any) -> Tensor:
    """log(sigmoid(x)), finite for every x."""
    return -ops.softplus(-as_reals(input))


def tanh(input: Any) -> Tensor:
    return ops.tanh(as_tensor(input))


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """x kept between min_val and max_val; its slope is 1 between them, and 0 elsewhere, on them too."""
    above("hardtanh", min_val, max_val=max_val)
    x = as_tensor(input)
    return ops.where(x <= min_val, min_val, ops.where(x >= max_val, max_val, x))


def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta x)) / beta, finite for every x; x itself where beta x is above `threshold`."""
    above("softplus", 0, beta=beta)
    x = as_tensor(input)
    scaled = x if beta == 1 else x * beta
    soft = ops.softplus(scaled)
    return ops.where(scaled > threshold, x, soft if beta == 1 else soft / beta)


@either_name
def softmax(input: Any, dim: int = -1) -> Tensor:
    """Probabilities along one axis: exp(x) over its own sum."""
    return fused.softmax(as_tensor(input), axis=dim)


@either_name
def log_softmax(input: Any, dim: int = -1) -> Tensor:
    """log(softmax(x)), finite where a probability is 0."""
    return fused.log_softmax(as_tensor(input), axis=dim)


@either_name
def glu(input: Any, dim: int = -1) -> Tensor:
    """a sigmoid(b), where a and b are the two halves of one axis (Dauphin, Fan, Auli and Grangier 2016)."""
    a, b = _halves("glu", input, dim)
    return a * ops.sigmoid(b)


@either_name
def swiglu(input: Any, dim: int = -1) -> Tensor:
    """silu(a) b, where a and b are the two halves of one axis: unlike in glu, the first half is the gate."""
    a, b = _halves("swiglu", input, dim)
    return silu(a) * b


def _halves(function: str, input: Any, dim: int) -> tuple[Tensor, ...]:
    x = as_tensor(input)
    if not -x.ndim <= dim < x.ndim or x.shape[dim] % 2:
        raise ValueError(f"{function} halves an axis of even size, but axis {dim} of the shape {x.shape} was given")
    return x.split(x.shape[dim] // 2, dim=dim) if x.shape[dim] else (x, x)
