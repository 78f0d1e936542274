"""Does the pull-back agree with the function it claims to pull back? And does its own pull-back, and so on."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .backward import grad
from .core import Tensor, no_grad


def gradcheck(
    f: Callable[..., Any], inputs: Any, order: int = 1, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-4
) -> bool:
    """Whether the gradients of `f` equal central differences; True, or an AssertionError that says where they do not.

    `inputs` is one tensor or a sequence; the floating-point ones must be float64, and each is checked. `order=2` also
    checks the gradient of the gradient, along random directions. `f` returns one tensor or a sequence of them.
    """
    xs = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    live = [i for i, x in enumerate(xs) if isinstance(x, Tensor) and x.dtype.kind == "f"]
    if not live:
        raise ValueError("gradcheck needs a floating-point tensor among its inputs, but there is none")
    for i in live:
        if xs[i].dtype != np.float64:
            raise TypeError(
                f"gradcheck compares differences of 1e-6, which needs float64, but input {i} is {xs[i].dtype}"
            )
    points = [xs[i].data for i in live]

    def of_live(*tensors: Tensor) -> Any:
        given = list(xs)
        for i, t in zip(live, tensors):
            given[i] = t
        return _projected(f(*given))

    _check(of_live, points, live, eps, atol, rtol)
    if order > 1:
        _check_directions(of_live, points, live, order, eps, atol, rtol)
    return True


def _check(
    f: Callable[..., Tensor], points: Sequence[np.ndarray], names: Sequence[int], eps: float, atol: float, rtol: float
) -> None:
    leaves = [_leaf(p) for p in points]
    exact = [g.data for g in _grads(f(*leaves), leaves)]
    for place, (point, g) in enumerate(zip(points, exact)):
        numeric = np.empty_like(point)
        for at in np.ndindex(point.shape):
            numeric[at] = (_value(f, points, place, at, eps) - _value(f, points, place, at, -eps)) / (2 * eps)
        wrong = ~(np.abs(g - numeric) <= atol + rtol * np.abs(numeric))
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise AssertionError(
                f"the gradient of input {names[place]} (shape {point.shape}) is wrong in {int(wrong.sum())} of "
                f"{wrong.size} places: "
                f"at {at} it is {g[at]:.6g}, but differences give {numeric[at]:.6g}"
            )


def _check_directions(
    f: Callable[..., Tensor],
    points: Sequence[np.ndarray],
    names: Sequence[int],
    order: int,
    eps: float,
    atol: float,
    rtol: float,
) -> None:
    """The next order: check the map x -> (a fixed random mixture of f's gradients at x), along directions by input."""
    rng = np.random.default_rng(order)

    def pull(*tensors: Tensor) -> Tensor:
        leaves = [t if t.node is not None else _leaf(t.data) for t in tensors]
        return _projected(_grads(f(*leaves), leaves, create_graph=True))

    leaves = [_leaf(p) for p in points]
    gs = [g.data for g in _grads(pull(*leaves), leaves)]
    for place, (point, g) in enumerate(zip(points, gs)):
        for _ in range(3):
            v = rng.standard_normal(point.shape)
            exact = float((g * v).sum())
            up, down = (
                pull(*[Tensor(p + s * eps * v if i == place else p) for i, p in enumerate(points)]).item()
                for s in (1, -1)
            )
            numeric = (up - down) / (2 * eps)
            if not abs(exact - numeric) <= atol + rtol * abs(numeric):
                raise AssertionError(
                    f"the gradient of the gradient is wrong for input {names[place]} (shape {point.shape}): along a "
                    f"random direction it is {exact:.6g}, but differences give {numeric:.6g}"
                )
    if order > 2:
        _check_directions(pull, points, names, order - 1, eps, atol, rtol)


def _projected(out: Any) -> Tensor:
    """One number from all outputs: a fixed random functional, under which every element counts."""
    rng = np.random.default_rng(7)
    total: Any = Tensor(np.zeros(()))
    for t in [out] if isinstance(out, Tensor) else out:
        total = total + (t * rng.standard_normal(t.shape)).sum()
    return total


def _leaf(point: np.ndarray) -> Tensor:
    leaf = Tensor(point)
    leaf.requires_grad = True
    return leaf


def _grads(y: Tensor, leaves: list[Tensor], create_graph: bool = False) -> list[Tensor]:
    return grad(y, leaves, create_graph=create_graph)


def _value(f: Callable[..., Tensor], points: Sequence[np.ndarray], place: int, at: tuple, step: float) -> float:
    moved = [p.copy() if i == place else p for i, p in enumerate(points)]
    moved[place][at] += step
    with no_grad():
        return f(*[Tensor(p) for p in moved]).item()
