"""A stand-in for CuPy on the CPU: as strict as CuPy about what it takes, and without what CuPy lacks.

Its array is no subclass of numpy's. It refuses numpy's functions, numpy's arrays beside its own (scalars pass, as in
CuPy), and implicit conversion; reductions give 0-d arrays, never scalars; its flags know no `writeable`,
and a broadcast can be written to. The module has only functions that CuPy has.
"""

import sys
import time
import types
from contextlib import contextmanager

import numpy as np


class Flags:
    """Only what cupy.ndarray.flags has."""

    def __init__(self, flags):
        self.c_contiguous, self.f_contiguous, self.owndata = flags.c_contiguous, flags.f_contiguous, flags.owndata


def inner(x, where):
    """The numpy array within, or a number; anything else is refused."""
    if isinstance(x, ndarray):
        return x._array
    if isinstance(x, np.ndarray):
        raise TypeError(f"Unsupported type {type(x)} in {where}")  # CuPy's own words
    if isinstance(x, (list, tuple)):
        if any(isinstance(v, np.ndarray) for v in x):
            raise TypeError(f"Unsupported type {type(x)} of numpy arrays in {where}")
        return type(x)(inner(v, where) for v in x)
    return x


def outer(x):
    return ndarray(np.asarray(x)) if isinstance(x, (np.ndarray, np.generic)) else x


def index_of(index):
    parts = index if isinstance(index, tuple) else (index,)
    known = tuple(inner(p, "an index") for p in parts)
    return known if isinstance(index, tuple) else known[0]


class ndarray:
    __hash__ = None

    def __init__(self, array):
        assert type(array) is np.ndarray
        self._array = array

    shape = property(lambda self: self._array.shape)
    ndim = property(lambda self: self._array.ndim)
    dtype = property(lambda self: self._array.dtype)
    size = property(lambda self: self._array.size)
    nbytes = property(lambda self: self._array.nbytes)
    strides = property(lambda self: self._array.strides)
    itemsize = property(lambda self: self._array.itemsize)
    flags = property(lambda self: Flags(self._array.flags))
    base = property(lambda self: self._array.base)
    T = property(lambda self: outer(self._array.T))

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()` to do so explicitly.")

    def __array_ufunc__(self, ufunc, *_, **__):
        raise TypeError(f"np.{ufunc.__name__} was called on a device array")

    def __array_function__(self, f, *_, **__):
        raise TypeError(f"np.{f.__name__} was called on a device array")

    def get(self):
        return self._array.copy()

    def __getitem__(self, index):
        return outer(self._array[index_of(index)])

    def __setitem__(self, index, value):
        self._array[index_of(index)] = inner(value, "an assignment")

    def __len__(self):
        return len(self._array)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __bool__(self):
        return bool(self._array)

    def __float__(self):
        return float(self._array)

    def __int__(self):
        return int(self._array)

    def __index__(self):
        return self._array.__index__()

    def __repr__(self):
        return repr(self._array)


def method(name):
    def call(self, *args, **kwargs):
        args = [inner(a, name) for a in args]
        return outer(getattr(self._array, name)(*args, **{k: inner(v, name) for k, v in kwargs.items()}))

    return call


def operator(name):
    def call(self, other):
        if not isinstance(other, (ndarray, np.ndarray, np.generic, int, float, bool)):
            return NotImplemented
        return outer(getattr(self._array, name)(inner(other, name)))

    return call


def in_place(name):
    def call(self, other):
        other = inner(other, name)
        wide = np.broadcast_shapes(self.shape, np.shape(other))
        if wide != self.shape:
            raise ValueError(f"output of shape {self.shape} cannot take {wide}")
        result = getattr(self._array, f"__{name}__")(other)  # read all first: memory may be shared
        self._array[...] = result.astype(self.dtype, casting="same_kind")
        return self

    return call


METHODS = (
    "astype copy reshape ravel transpose swapaxes squeeze sum mean max min prod any all argmax argmin cumsum var std "
    "item tolist fill clip take dot diagonal view"
).split()
OPERATORS = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split()
for _name in METHODS:
    setattr(ndarray, _name, method(_name))
for _name in OPERATORS:
    setattr(ndarray, f"__{_name}__", operator(f"__{_name}__"))
    setattr(ndarray, f"__r{_name}__", operator(f"__r{_name}__"))
    setattr(ndarray, f"__i{_name}__", in_place(_name))
for _name in "eq ne lt le gt ge".split():
    setattr(ndarray, f"__{_name}__", operator(f"__{_name}__"))
for _name in "neg abs invert".split():
    setattr(ndarray, f"__{_name}__", method(f"__{_name}__"))

FUNCTIONS = (
    "add subtract multiply divide power negative exp expm1 log log1p sqrt tanh sin cos abs absolute sign floor ceil "
    "rint maximum minimum where equal not_equal less less_equal greater greater_equal isfinite isinf isnan clip "
    "logical_not logical_and logical_or logical_xor sum mean max min prod any all argmax argmin cumsum matmul dot vdot "
    "einsum concatenate stack broadcast_to roll take take_along_axis arange zeros ones empty full zeros_like ones_like "
    "empty_like full_like tri tril triu eye argsort sort argwhere unique bincount square reciprocal expand_dims "
    "moveaxis ascontiguousarray linspace"
).split()
NAMES = "float16 float32 float64 int8 int32 int64 uint8 uint16 uint32 uint64 bool_ dtype newaxis pi inf nan".split()


NUMBERS = [np.dtype(t) for t in "iIQfd"]  # what CUDA adds and compares atomically; no int64
ATOMIC = {
    "add": [*NUMBERS, np.dtype("e")],
    "subtract": [*NUMBERS, np.dtype("e")],
    "maximum": NUMBERS,
    "minimum": NUMBERS,
}


class Function:
    """One of CuPy's functions; `add` and `subtract` also have `at`, but no `reduceat`, `outer` or `reduce`."""

    def __init__(self, name):
        self.__name__ = name

    def __call__(self, *args, **kwargs):
        name = self.__name__
        if "out" in kwargs:
            out = kwargs.pop("out")
            out[...] = self(*args, **kwargs)
            return out
        args = [inner(a, f"cupy.{name}") for a in args]
        if name == "where" and not hasattr(args[0], "dtype"):
            raise AttributeError(f"{type(args[0]).__name__!r} object has no attribute 'astype'")
        if name == "cumsum" and not np.ndim(args[0]):
            raise np.exceptions.AxisError(kwargs.get("axis", 0), 0)
        made = getattr(np, name)(*args, **{k: inner(v, f"cupy.{name}") for k, v in kwargs.items()})
        if name == "broadcast_to":  # CuPy's is not read-only
            made = np.lib.stride_tricks.as_strided(made, made.shape, made.strides, writeable=True)
        return outer(made)

    def at(self, array, index, values):
        if self.__name__ not in ATOMIC:
            raise AttributeError(f"cupy.{self.__name__} has no at")
        if array.dtype not in ATOMIC[self.__name__]:
            raise TypeError(f"scatter of {self.__name__} does not support {array.dtype}")
        getattr(np, self.__name__).at(inner(array, "at"), index_of(index), inner(values, "at"))


class Event:
    """A moment on the device; as in CuPy, no time can be read from it until it was recorded and waited for."""

    waited = 0.0  # until when all was waited for

    def record(self):
        self.at = time.perf_counter()

    def synchronize(self):
        Event.waited = max(Event.waited, self.at)


def synchronize():
    Event.waited = time.perf_counter()


def elapsed(start, end):
    if max(start.at, end.at) > Event.waited:
        raise RuntimeError("cudaErrorNotReady: device not ready")
    return 1e3 * (end.at - start.at)


def module():
    cupy = types.ModuleType("cupy_stand_in")  # of another name: it cannot run the kernels for "cupy"
    cupy.ndarray = ndarray
    for name in FUNCTIONS:
        setattr(cupy, name, Function(name))
    for name in NAMES:
        setattr(cupy, name, getattr(np, name))
    cupy.asarray = cupy.array = lambda x, dtype=None: ndarray(
        np.array(x._array if isinstance(x, ndarray) else x, dtype)
    )
    cupy.asnumpy = lambda x: x.get()
    cupy.__version__ = "14.0.0"
    cupy.get_default_memory_pool = lambda: types.SimpleNamespace(free_bytes=lambda: 2**30)
    runtime = types.SimpleNamespace(
        getDeviceCount=lambda: 1,
        getDevice=lambda: 0,
        getDeviceProperties=lambda device: {"name": b"Stand-In 1"},
        memGetInfo=lambda: (3 * 2**30, 8 * 2**30),
        runtimeGetVersion=lambda: 13000,
        CUDARuntimeError=RuntimeError,
    )
    stream = types.SimpleNamespace(synchronize=synchronize)
    cupy.cuda = types.SimpleNamespace(
        runtime=runtime, Event=Event, get_elapsed_time=elapsed, get_current_stream=lambda: stream
    )
    return cupy


@contextmanager
def installed():
    """`import cupy` gives the stand-in, and ddl knows its arrays, until the block ends."""
    from ddl import arrays

    kept = sys.modules.get("cupy"), dict(arrays._MODULES)
    sys.modules["cupy"] = cupy = module()
    try:
        yield cupy
    finally:
        del sys.modules["cupy"]
        if kept[0] is not None:
            sys.modules["cupy"] = kept[0]
        arrays._MODULES.clear()
        arrays._MODULES.update(kept[1])
