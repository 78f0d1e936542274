"""What metrics take: predictions and targets that belong together, and one sample or more."""

from typing import Any

import numpy as np

from ..arrays import device_of, is_array, module_of
from ..core import Tensor


def arrays(metric: str, input: Any, target: Any) -> tuple[Any, Any]:
    """Both as arrays of numbers on one device, with samples in them."""
    x, y = (a if is_array(a) else np.asarray(a) for a in map(_values, (input, target)))
    if device_of(x) != device_of(y):
        raise TypeError(
            f"{metric} was given predictions on {device_of(x)} and targets on {device_of(y)}; move one with .to(..)"
        )
    for what, a in (("predictions", x), ("targets", y)):
        if a.dtype.kind not in "biuf":
            raise TypeError(f"{metric} takes numbers, but {what} of dtype {a.dtype} were given")
    if not y.size:
        raise ValueError(f"{metric} was given no samples; give one or more")
    return x, y


def _values(x: Any) -> Any:
    return x.data if isinstance(x, Tensor) else x


def classes(metric: str, input: Any, target: Any) -> tuple[Any, Any]:
    """Predicted and right classes as two rows of integers; scores, with one axis more, predict their largest."""
    x, y = arrays(metric, input, target)
    if x.ndim == y.ndim + 1 and x.shape[:-1] == y.shape:
        x, y = scores(metric, x, y)
        x = x.argmax(axis=-1)
    return _integers(metric, x, y)


def scores(metric: str, input: Any, target: Any) -> tuple[Any, Any]:
    """Scores (N, C) and the N classes that are right."""
    x, y = arrays(metric, input, target)
    if x.ndim != y.ndim + 1 or x.shape[:-1] != y.shape:
        raise ValueError(f"{metric} takes scores (.., C) and classes (..), but {x.shape} and {y.shape} were given")
    if bool(module_of(x).isnan(x).any()):
        raise ValueError(f"{metric} was given scores that are NaN, which have no order; look for where they come from")
    n = x.shape[-1]
    if n < 2:
        raise ValueError(f"{metric} was given scores of {n} classes; for yes or no give classes, as (p > 0.5)[..., 0]")
    if int(y.max()) >= n:
        raise ValueError(f"{metric} was given scores of {n} classes and class {int(y.max())}; classes count from 0")
    return x.reshape(-1, n), _integers(metric, y, y)[1]


def _integers(metric: str, x: Any, y: Any) -> tuple[Any, Any]:
    if x.shape != y.shape:
        raise ValueError(f"{metric} was given predictions of shape {x.shape} and targets of shape {y.shape}")
    for what, a in (("predictions", x), ("targets", y)):
        if a.dtype.kind == "f":
            raise TypeError(
                f"{metric} takes integer classes, but {what} of dtype {a.dtype} were given; "
                "make classes of probabilities with p > 0.5, or give scores (.., C)"
            )
        if int(a.min()) < 0:
            raise ValueError(f"{metric} was given class {int(a.min())} among the {what}; classes count from 0")
    return tuple(a.reshape(-1).astype(np.int64) for a in (x, y))  # type: ignore[return-value]
