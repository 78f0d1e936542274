"""What becomes of an op that cannot run: a number on the wrong device is moved, anything else is said in a sentence."""

from collections.abc import Sequence
from typing import Any

from .arrays import Spec, described, device_of, is_array, to_device
from .core import Tensor
from .sizes import named
from .spec import like


def numbers_moved(inputs: Sequence[Any]) -> list[Any] | None:
    """The inputs with each 0-d array on the CPU brought to the GPU, where all others are; None if that is not the case.

    A number belongs to no device, in an array or out of one; its gradient goes back to where it came from.
    """
    data = [x.data if isinstance(x, Tensor) else x for x in inputs]
    stray = [is_array(x) and device_of(x) == "cpu" and not x.ndim for x in data]
    others = {device_of(x) for x, s in zip(data, stray) if is_array(x) and not s}
    if not any(stray) or others != {"gpu"}:
        return None
    move = lambda x: x.to("gpu") if isinstance(x, Tensor) else to_device(x, "gpu")
    return [move(x) if s else x for x, s in zip(inputs, stray)]


def shapes_alone(data: Sequence[Any], params: dict[str, Any]) -> list[Any] | None:
    """The inputs as shapes, where a setting names a size: of a table's rows up to T no values are known.

    None where no setting does, or all inputs are shapes already.
    """
    if not _names_a_size(tuple(params.values())) or not any(is_array(x) and device_of(x) != "spec" for x in data):
        return None
    return [like(x) if is_array(x) else x for x in data]


def _names_a_size(x: Any) -> bool:
    if isinstance(x, slice):
        x = (x.start, x.stop, x.step)
    return any(map(_names_a_size, x)) if isinstance(x, tuple) else named(x)


def explain(op: Any, error: Exception, data: Sequence[Any], params: dict[str, Any]) -> None:
    """Note on the error which op raised it, on what; an error of mixed devices becomes one that says so.

    Of a product whose sizes differ numpy and CuPy speak to their makers. The shape rules say it in a sentence, and the
    error takes that for its own. What is no array and no number is refused.
    """
    names = [f"{op.inputs[0]}[{i}]" for i in range(len(data))] if op.variadic else op.inputs
    what = ", ".join(f"{n}: {described(x)}" for n, x in zip(names, data))
    places = {n: device_of(x) for n, x in zip(names, data) if is_array(x)}
    if {"cpu", "gpu"} <= set(places.values()):
        where = ", ".join(f"{n} on {place}" for n, place in places.items())
        raise TypeError(
            f"{op.name} was given {where}; move them to one device with .to('gpu') or .to('cpu') (in {op.name}({what}))"
        ) from error
    for n, x in zip(op.inputs, data) if isinstance(error, TypeError) and not op.variadic else ():
        known = is_array(x) or named(x) or isinstance(x, (bool, int, float, Tensor))
        if not known and not (x is None and op.__signature__.parameters[n].default is None):
            given = "None" if x is None else f"{x!r}, a {type(x).__name__},"
            raise TypeError(f"{op.name} takes tensors, arrays and numbers, but {given} was given as {n}") from None
    said = _fault_of_shapes(op, data, params) if type(error) is ValueError else ""
    if said.startswith(("matmul", f"{op.name} ")):
        error.args = (said,)
    error.add_note(f"in {op.name}({what})")


def _fault_of_shapes(op: Any, data: Sequence[Any], params: dict[str, Any]) -> str:
    """What the shape rules have against these inputs."""
    try:
        op.run(*[Spec(x.shape, x.dtype) if is_array(x) else x for x in data], **params)
    except Exception as error:
        return str(error)
    return ""
