"""Adam's update on CuPy: gradient, means and parameter are read once and written once."""

import functools
from typing import Any


@functools.cache
def _update() -> Any:
    import cupy

    return cupy.ElementwiseKernel(
        "T g, T kept, T new1, T new2, T step, T root, T eps",
        "T p, T m, T v",
        """
        m += new1 * (g - m);
        v += new2 * (g * g - v);
        p = p * kept - step * m / (sqrt(v) * root + eps);
        """,
        "ddl_adam",
    )


def adam_at_once(
    p: Any, g: Any, m: Any, v: Any, *, step: float, decay: float, beta1: float, beta2: float, root: float, eps: float
) -> None:
    """`optim.adam.adam`, in place, in one kernel."""
    _update()(g, 1 - decay, 1 - beta1, 1 - beta2, step, root, eps, p, m, v)
