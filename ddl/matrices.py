"""Products of matrices: as they are, or of factors rounded to fewer bits, their products summed in float32.

Every op and every rule multiplies by `product`, so that `rounding` says in one place how exactly that is done.
"""

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .arrays import FLOAT32, is_array, module_of
from .spec import Spec

KEPT = {"tf32": 10, "bfloat16": 7, "float16": 10}  # bits after the leading one; float32 has 23

product: Callable[[Any, Any], Any] = operator.matmul
in_use: str | None = None
kernels: dict[str, Callable[[Any, Any, str], Any]] = {}  # by array module; one may return NotImplemented to decline


@contextmanager
def rounding(form: str | None) -> Iterator[None]:
    """Inside, and in the whole process, factors in float32 are rounded to a form; None leaves them as they are."""
    global product, in_use
    before = product, in_use
    product = operator.matmul if form is None else lambda x, y: _rounded_product(x, y, form)
    in_use = form
    try:
        yield
    finally:
        product, in_use = before


def _rounded_product(x: Any, y: Any, form: str) -> Any:
    if not (type(x) is type(y) and is_array(x) and not isinstance(x, Spec) and x.dtype == y.dtype == FLOAT32):
        return x @ y  # other dtypes; shapes; tensors, whose op comes back here with arrays
    kernel = kernels.get(module_of(x).__name__)
    out = NotImplemented if kernel is None else kernel(x, y, form)
    return rounded(x, form) @ rounded(y, form) if out is NotImplemented else out


def rounded(x: Any, form: str) -> Any:
    """The nearest numbers that a form has, of two equally near the even one, as float32."""
    if form == "float16":
        with np.errstate(over="ignore"):  # what is too large for it becomes infinite
            return x.astype(np.float16).astype(np.float32)
    lost = 23 - KEPT[form]
    bits = x.view(np.uint32)
    bits = (bits + ((bits >> lost & 1) + (2 ** (lost - 1) - 1))) >> lost << lost
    return module_of(x).where(x == x, bits.view(np.float32), x)
