"""The table: what writes each op of ddl in ONNX's operators."""

from collections.abc import Callable
from typing import Any

ROWS: dict[str, Callable[..., Any]] = {}


def row(*names: str) -> Callable[[Any], Any]:
    """Let f(w, out, *inputs, **settings) write these ops and return a Value; `out` tells the result's shape and dtype.

    It may return NotImplemented for what ONNX's operator has not: then the op's own definition is written.
    """

    def put(f: Any) -> Any:
        ROWS.update(dict.fromkeys(names, f))
        return f

    return put
