"""What has no place in an ONNX graph, and what to do instead."""

from typing import Any, NoReturn

INSTEAD = {"dropout": "its zeros are drawn anew each time: trace the model after model.eval()"}
NUMBERS = "trace with numbers for its sizes"
TENSORS = "trace with tensors"


def refuse(node: Any, scope: str, what: str = "", instead: str = "") -> NoReturn:
    """Say that ONNX has not this op, or not with the setting that `what` names."""
    instead = instead or INSTEAD.get(node.op, "compute it outside the graph, or write it in ops that ONNX has")
    raise NotImplementedError(f"to_onnx met {node.op}{what}{_within(scope)}, which ONNX has not; {instead}")


def _within(scope: str) -> str:
    return f" in {scope!r}" if scope else ""


def no_values(node: Any) -> NoReturn:
    if not node.name:
        raise ValueError(
            f"to_onnx writes values, but those of a constant of shape {node.shape} were not known while tracing, such "
            "as how many targets a mean counts, or entries a window; trace with tensors, or give a loss reduction='sum'"
        )
    raise ValueError(
        f"to_onnx writes values, but of the {node.kind} {node.name!r} only its shape {tuple(node.shape)} is known; "
        "give values={name: array}, such as model.state_dict(), or trace with values, and with numbers for sizes"
    )


def no_origin(size: str) -> NoReturn:
    raise ValueError(
        f"to_onnx needs the size {size}, but no input has an axis of just that size; give the trace one that has, "
        "or a number for it"
    )


def unknown_number(scope: str) -> NoReturn:
    raise ValueError(
        f"to_onnx met a number{_within(scope)} that the trace could not know, for want of sizes or values; "
        "trace with numbers for the sizes, or with tensors"
    )
