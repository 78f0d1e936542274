"""What has no place in an ONNX graph, and what to do instead."""

from typing import Any, NoReturn

INSTEAD = {
    "dropout": "its zeros are drawn anew each time: trace the model after model.eval()",
}


def refuse(node: Any, scope: str, what: str = "") -> NoReturn:
    """Say that ONNX has not this op, or not with the setting that `what` names."""
    where = f" in {scope!r}" if scope else ""
    instead = INSTEAD.get(node.op, "compute it outside the graph, or write it in ops that ONNX has")
    raise NotImplementedError(f"to_onnx met {node.op}{what}{where}, which ONNX has not; {instead}")


def no_values(node: Any) -> NoReturn:
    raise ValueError(
        f"to_onnx writes values, but of the {node.kind} {node.name!r} only its shape is known; "
        "make the model outside shapes_only() and trace that"
    )
