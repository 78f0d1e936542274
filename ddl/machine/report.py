"""What computes here: the processor, the GPU if there is one, which ops have kernels on it, what could be installed."""

import os
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from ..arrays import module_for
from ..graph.table import OPS
from ..nn.summary import in_bytes

TF32 = 7  # CuPy's number of the compute type
OPTIONAL = {
    "cupy": "runs everything on an NVIDIA GPU (pip install cupy-cuda12x or cupy-cuda13x, after the CUDA version)",
    "ml_dtypes": "gives CuPy bfloat16, in which a GPU multiplies matrices several times faster than in float32",
    "tqdm": "shows a bar while a model trains; nothing gets faster",
}


@dataclass(frozen=True)
class DeviceReport:
    """What `device_report` found; printed it is words.

    `gpu` is the name of the GPU, or None with the reason in `without`. `free` and `total` are bytes of its memory.
    `kernels` names the ops, and the optimizers' updates, that have kernels of their own on it. `packages` gives each
    optional package's version, or None.
    """

    gpu: str | None
    without: str = ""
    free: int = 0
    total: int = 0
    software: str = ""
    tf32: bool = False
    kernels: tuple[str, ...] = ()
    packages: dict[str, str | None] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    __repr__ = __str__


def device_report() -> DeviceReport:
    """What is in use here and what would be faster; it works without a GPU, and says why there is none."""
    packages = {name: _version(name) for name in OPTIONAL}
    try:
        cupy = module_for("gpu")
    except RuntimeError as error:
        return DeviceReport(None, without=str(error.__cause__), packages=packages)
    free, total = cupy.cuda.runtime.memGetInfo()
    return DeviceReport(
        gpu=_text(cupy.cuda.runtime.getDeviceProperties(cupy.cuda.runtime.getDevice())["name"]),
        free=free + cupy.get_default_memory_pool().free_bytes(),  # what the pool holds back is free for arrays
        total=total,
        software=f"CuPy {cupy.__version__}, CUDA {_dotted(cupy.cuda.runtime.runtimeGetVersion())}",
        tf32=_tf32(cupy),
        kernels=(
            *sorted(name for name, op in OPS.items() if "cupy" in {**op.kernels, **op.joint_kernels}),
            "Adam.step",
        ),
        packages=packages,
    )


def _lines(found: DeviceReport) -> Any:
    yield f"CPU: {os.cpu_count()} cores, numpy {np.__version__}."
    if found.gpu is None:
        yield f"GPU: none can be used ({found.without}); everything runs on the CPU."
    else:
        yield f"GPU: {found.gpu}, {in_bytes(found.free)} of {in_bytes(found.total)} free; {found.software}."
        yield f"Kernels of its own there: {', '.join(found.kernels)}. All other ops run as CuPy's functions."
        if found.tf32:
            yield "Products of float32 matrices: tf32 is on, so factors keep 10 bits after the leading one."
        else:
            yield "Products of float32 matrices: tf32 is off, so factors keep their 23 bits after the leading one."
    for name, what in OPTIONAL.items():
        there = found.packages[name]
        yield f"{name} {there}: {what.split(' (')[0]}." if there else f"{name} is not installed; it {what}."


def _tf32(cupy: Any) -> bool:
    linear_algebra = getattr(getattr(cupy, "_core", None), "_routines_linalg", None)
    return linear_algebra is not None and linear_algebra.get_compute_type(np.float32) == TF32


def _version(package: str) -> str | None:
    for name in (package, *(f"{package}-cuda{n}x" for n in (13, 12))):
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return None


def _dotted(number: int) -> str:
    """CUDA's own way to write 13.0 is 13000."""
    return f"{number // 1000}.{number % 1000 // 10}"


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)
