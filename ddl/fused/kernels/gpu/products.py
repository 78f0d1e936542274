"""Products on CuPy of factors in tf32, bfloat16 or float16 with sums in float32: cuBLAS is asked itself.

CuPy's own product gives its factors' dtype, uses tf32 for single matrices only, and copies the transposed ones of a
stack.
"""

import functools
from typing import Any

import numpy as np

from .... import matrices
from ....ops import rows

COMPUTE_FLOAT32, COMPUTE_TF32, ANY_ALGORITHM = 68, 77, 99  # cuBLAS's numbers
TYPES = {"tf32": 0, "float16": 2, "bfloat16": 14}  # CUDA's, of the factors; 0 is float32
ONE, ZERO = np.array(1.0, np.float32), np.array(0.0, np.float32)
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
    return not x.flags.c_contiguous and x.swapaxes(-1, -2).flags.c_contiguous


def lowered(x: Any, form: str) -> Any:
    """The factor as cuBLAS takes it: in the form's dtype, row after row or column after column."""
    dtype = low(form)
    if turned(x):
        return x.astype(dtype, order="K", copy=False)
    return x.astype(dtype, order="C", copy=False)


def multiply(x: Any, y: Any, form: str, out: Any = None) -> Any:
    """x y of two lowered stacks of matrices, (.., m, k) (.., k, n) -> (.., m, n), in float32.

    cuBLAS thinks in columns: what it is told is y^T x^T.
    """
    import cupy
    from cupy.cuda import cublas

    (m, k), n, kind = x.shape[-2:], y.shape[-1], TYPES[form]
    out = cupy.empty((*x.shape[:-1], n), np.float32) if out is None else out
    over_x, over_y = turned(x), turned(y)
    count = x.size // (m * k)
    cublas.gemmStridedBatchedEx(
        cupy.cuda.get_cublas_handle(),
        int(over_y), int(over_x), n, m, k,
        ONE.ctypes.data,
        y.data.ptr, kind, k if over_y else n, k * n,
        x.data.ptr, kind, m if over_x else k, m * k,
        ZERO.ctypes.data,
        out.data.ptr, 0, n, m * n,
        count, COMPUTE_TF32 if form == "tf32" else COMPUTE_FLOAT32, ANY_ALGORITHM,
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
    return multiply(lowered(x, form), lowered(y, form), form)


matrices.kernels["cupy"] = product
