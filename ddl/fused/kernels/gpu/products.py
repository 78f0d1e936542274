"""Products on CuPy of factors in tf32, bfloat16 or float16 with sums in float32: cuBLAS is asked itself.

CuPy's own product gives its factors' dtype, uses tf32 for single matrices only, and copies the transposed ones of a
stack.
"""

import functools
import math
from typing import Any

import numpy as np

from .... import matrices, sums
from ....ops import rows
from .laid import laid, lays

COMPUTE_FLOAT32, COMPUTE_TF32, ANY_ALGORITHM = 68, 77, 99  # cuBLAS's numbers
TYPES = {"float32": 0, "tf32": 0, "float16": 2, "bfloat16": 14}  # CUDA's, of the factors
STEP = 8  # cuBLAS multiplies matrices several times faster whose sides are multiples of it; 50257 is none
LARGE = 2**30  # multiplications from which filling up is worth its copies
SCALES = np.array([1, 0], np.float32)
ONE = SCALES.ctypes.data  # cuBLAS takes their addresses
ZERO = ONE + SCALES.itemsize
NEWEST = {"tf32": 80, "bfloat16": 80, "float16": 70}  # the first compute capability, ten times, that has a form


@functools.cache
def low(form: str) -> np.dtype:
    """The dtype of the factors; RuntimeError says why a form cannot be had here."""
    import cupy

    capability = int(cupy.cuda.Device().compute_capability)
    if capability < NEWEST[form]:
        raise RuntimeError(
            f"products in {form} were asked for, but this GPU, of compute capability {capability / 10}, has none; "
            f"they need {NEWEST[form] / 10} or more"
        )
    if form != "bfloat16":
        return np.dtype(np.float32 if form == "tf32" else np.float16)
    try:
        import ml_dtypes
    except ImportError:
        raise RuntimeError(
            "products in bfloat16 were asked for, but CuPy takes it from the package ml_dtypes, which is not "
            "installed; install it, or use 'tf32' or 'float16'"
        ) from None
    return np.dtype(ml_dtypes.bfloat16)


def turned(x: Any) -> bool:
    """Whether the matrices of a stack lie column after column."""
    return x.strides[-1] != x.itemsize == x.strides[-2]


def lowered(x: Any, form: str) -> Any:
    """The factor as cuBLAS takes it: in the form's dtype, row after row or column after column."""
    dtype = low(form)
    if turned(x):
        return lowered(x.swapaxes(-1, -2), form).swapaxes(-1, -2)
    if x.dtype == dtype and x.flags.c_contiguous:
        return x
    return laid(x, form, dtype) if lays(x) else x.astype(dtype, order="C")


def filled(x: Any, form: str) -> Any:
    """The same of a matrix, with zeros up to the next STEP rows and columns."""
    if turned(x):
        return filled(x.T, form).T
    m, k = (-(-n // STEP) * STEP for n in x.shape)
    if (m, k) == x.shape:
        return lowered(x, form)
    return laid(x if lays(x) else x.copy(order="C"), form, low(form), m, k)


@functools.cache
def cublas() -> Any:
    from cupy.cuda import cublas

    return cublas


def multiply(x: Any, y: Any, form: str, out: Any = None) -> Any:
    """x y of two lowered stacks of matrices, (.., m, k) (.., k, n) -> (.., m, n), in float32.

    cuBLAS thinks in columns: what it is told is y^T x^T.
    """
    import cupy

    *lead, m, k = x.shape
    n, kind = y.shape[-1], TYPES[form]
    if out is None:
        out = cupy.empty((*lead, m, n), np.float32)
    over_x, over_y = turned(x), turned(y)
    cublas().gemmStridedBatchedEx(
        cupy.cuda.get_cublas_handle(),
        int(over_y), int(over_x), n, m, k,
        ONE,
        y.data.ptr, kind, k if over_y else n, k * n,
        x.data.ptr, kind, m if over_x else k, m * k,
        ZERO,
        out.data.ptr, 0, n, m * n,
        math.prod(lead), COMPUTE_TF32 if form == "tf32" else COMPUTE_FLOAT32, ANY_ALGORITHM,
    )  # fmt: skip
    return out


def product(x: Any, y: Any, form: str) -> Any:
    """x @ y in float32 of factors rounded to a form; vectors and stacks that broadcast are left to the definition."""
    if x.ndim < 2 or y.ndim < 2 or not x.size or not y.size or x.shape[-1] != y.shape[-2]:
        return NotImplemented
    if y.ndim == 2 < x.ndim:
        return product(rows(x), y, form).reshape(*x.shape[:-1], y.shape[-1])
    if x.shape[:-2] != y.shape[:-2]:
        return NotImplemented
    (m, k), n = x.shape[-2:], y.shape[-1]
    if x.ndim == 2 and m * k * n >= LARGE and (m % STEP or k % STEP or n % STEP):
        return multiply(filled(x, form), filled(y, form), form)[:m, :n]
    return multiply(lowered(x, form), lowered(y, form), form)


@functools.lru_cache(16)
def ones(shape: tuple[int, ...]) -> Any:
    import cupy

    return cupy.ones(shape, np.float32)


def column_sums(x: Any) -> Any:
    """The sums of each matrix's columns, (.., m, n) -> (.., n): a row of ones times it; CuPy's own are slower."""
    if x.dtype != np.float32 or not x.flags.c_contiguous:
        return x.sum(axis=-2)
    *lead, m, n = x.shape
    return multiply(ones((*lead, 1, m)), x, "float32").reshape(*lead, n)


def many(x: Any) -> Any:
    return column_sums(x) if len(x) > sums.LONG else NotImplemented


matrices.kernels["cupy"] = product
sums.kernels["cupy"] = many
