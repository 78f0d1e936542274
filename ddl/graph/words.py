"""What is written about boxes, in pictures and in words: short, and plain text whatever a user called a thing."""

import unicodedata
from typing import Any

import numpy as np

from ..arrays import is_array, to_device
from .data import Node
from .folding import Folded, Scope

MOVES = {"reshape", "swapaxes", "permute", "getitem", "broadcast_to", "clone", "astype", "move"}  # they compute nothing
SIGNS = {"add": "+", "sub": "−", "mul": "×", "div": "÷", "matmul": "@", "sum": "Σ", "sqrt": "√", "neg": "−"}
JOINERS = "\u200c\u200d"  # they shape letters of some scripts, and do no harm


def plain(text: Any) -> str:
    """Text on one line, without the characters that steer a terminal, a page or the direction of writing."""
    signs = (" " if c.isspace() else "\ufffd" if unicodedata.category(c)[0] == "C" else c for c in str(text))
    return "".join(c if sign == "\ufffd" and c in JOINERS else sign for c, sign in zip(str(text), signs))


def cells(text: str) -> int:
    """How many letters of a monospaced font are as wide as this text."""
    marks = sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in text)
    return len(text) - marks + sum(unicodedata.east_asian_width(c) in "WF" for c in text)


def shortened(text: Any, room: int = 36) -> str:
    """Plain text in at most `room` cells: of a longer one the middle is left out."""
    text = plain(text)
    if cells(text) <= room:
        return text
    head, tail = 0, len(text)
    while cells(text[: head + 1]) <= room // 2:
        head += 1
    while cells(text[tail - 1 :]) < room - room // 2:
        tail -= 1
    return f"{text[:head]}…{text[tail:]}"


def number(x: Any) -> str:
    """A number in four digits, whole ones below a million in all of theirs."""
    if isinstance(x, (bool, np.bool_)):
        return str(bool(x))
    if isinstance(x, (int, np.integer)) and abs(x) < 1e6:
        return str(int(x))
    return f"{x + 0.0:.4g}"  # adding 0.0 turns -0 into 0


def shape(node: Node, dtype: bool = False) -> str:
    """[B, T, 4], with a dtype in front where it is asked for or says something."""
    said = f"[{', '.join(map(str, node.shape))}]"
    if dtype:
        return f"{node.dtype.name}{said}"
    kind = "" if node.dtype.kind == "f" and node.dtype.itemsize > 2 else node.dtype.name
    return f"{kind}{said}" if node.shape else f"{kind} number".strip()


def numeral(node: Node) -> bool:
    """Whether it is a plain number, of which nobody needs the shape."""
    return node.shape == () and node.dtype == np.float64


def array(x: Any) -> np.ndarray | None:
    """A value or a gradient of a node as numpy's array, None where there is none."""
    if x is None or getattr(x, "device", None) == "spec":
        return None
    return np.asarray(to_device(x, "cpu") if is_array(x) else getattr(x, "data", x))


def values(x: Any, most: int = 8) -> str:
    """The numbers themselves where there are few, or else what range they are in."""
    x = array(x)
    if x.size <= most:
        return _listed(x.tolist())
    finite = x[np.isfinite(x)] if x.dtype.kind == "f" else x
    odd = [f"{count} {name}" for name, count in _odd(x).items() if count]
    about = (
        [f"from {number(finite.min())} to {number(finite.max())}, mean {number(finite.mean())}"] if finite.size else []
    )
    return ", ".join(about + odd)


def _odd(x: np.ndarray) -> dict[str, int]:
    if x.dtype.kind != "f":
        return {}
    return {"nan": np.isnan(x).sum(), "inf": np.isposinf(x).sum(), "-inf": np.isneginf(x).sum()}


def _listed(x: Any) -> str:
    return f"[{', '.join(map(_listed, x))}]" if isinstance(x, list) else number(x)


def settings(node: Node) -> str:
    """The settings of an op that say more than the shape of its result does."""
    said = {k: v for k, v in node.settings.items() if v is not None and v is not False and k not in ("shape", "dtype")}
    if node.op == "getitem":
        return _index(said.get("index"))
    return ", ".join(f"{name}={setting(x)}" for name, x in said.items())


def setting(x: Any) -> str:
    if is_array(x) and np.ndim(x):
        return f"{x.dtype.name}[{', '.join(map(str, x.shape))}]"
    if isinstance(x, (tuple, list)):
        return f"({', '.join(map(setting, x))})"
    return number(x) if isinstance(x, (int, float, np.number)) else plain(x)


def _index(index: Any) -> str:
    return f"[{', '.join(map(_place, index if isinstance(index, tuple) else (index,)))}]"


def _place(x: Any) -> str:
    if isinstance(x, slice):
        ends = ["" if end is None else str(end) for end in (x.start, x.stop, x.step)]
        return ":".join(ends if x.step is not None else ends[:2])
    return "..." if x is Ellipsis else "None" if x is None else setting(x)


def below(path: str, frame: str) -> str:
    """The path as it is called inside a frame that bears its beginning; a place in a list keeps the list's name."""
    rest = path[len(frame) + 1 :] if frame and path.startswith(f"{frame}.") else path
    return f"{frame.rpartition('.')[2]}.{rest}" if rest != path and rest[:1].isdigit() else rest


def title(box: Scope | Node, frame: str = "") -> str:
    """What a box is called; the frame around it is the path of its scope."""
    if isinstance(box, Scope):
        part = f" ({box.part} of {box.parts})" if box.parts > 1 else ""
        return below(box.path, frame) + part
    named = box.name.strip()
    if box.kind != "op":
        return below(named, frame) or ("number" if numeral(box) else box.kind)
    op = f"{SIGNS[box.op]} {box.op}" if box.op in SIGNS and not numeral(box) else box.op
    if named:
        return f"{named} ({op})"
    layer = below(box.scope, frame) if box.scope != frame else ""
    return f"{layer}: {op}" if layer else op


def told(folded: Folded, box: Scope | Node, frame: str = "") -> tuple[list[str], list[str]]:
    """Title, ops, parameters, shapes and settings of a box, line by line: as short as a box needs it, and in full."""
    if isinstance(box, Scope):
        names, count = ops(box), box.parameters
        counted = [f"{count:,} parameter{'s' if count != 1 else ''}"] if count else []
        shapes = " → ".join(", ".join(map(shape, nodes)) or "nothing" for nodes in ends(folded, box))
        short, rest = [_fewer(names)], [*counted, shapes]
        full = [", ".join(names)]
    else:
        short, full = [], []
        literal = box.kind == "constant" and box.shape == () and box.name
        rest = [] if numeral(box) or literal else [shape(box)]
        rest += [settings(box)] if settings(box) else []
    return (
        [shortened(text) for text in (title(box, frame), *short, *rest)],
        [plain(text) for text in (title(box), *full, *rest)],
    )


def _fewer(names: list[str], room: int = 36) -> str:
    """As many names as there is room for, but one at least."""
    n = len(names)
    while n > 1 and cells(", ".join(names[:n])) > room:
        n -= 1
    return ", ".join([*names[:n], "…"] if n < len(names) else names)


def ops(scope: Scope) -> list[str]:
    """The ops inside by their names, in the order of the run, without those that only move numbers."""
    names = list(dict.fromkeys(node.op for node in scope.nodes() if node.op))
    return [name for name in names if name not in MOVES] or names


def ends(folded: Folded, scope: Scope) -> tuple[list[Node], list[Node]]:
    """What a closed scope takes, parameters left out, and what it gives."""
    inside = {node.id for node in scope.nodes()}
    nodes, edges = folded.graph.nodes, folded.graph.edges
    taken = {e.start for e in edges if e.end in inside and e.start not in inside}
    given = {e.start for e in edges if e.start in inside and e.end not in inside}
    given |= inside & set(folded.graph.outputs)
    return [nodes[i] for i in sorted(taken) if nodes[i].kind != "parameter"], [nodes[i] for i in sorted(given)]


def gives(folded: Folded, box: Scope | Node) -> bool:
    """Whether a result of the whole is in this box."""
    return any(node.id in folded.graph.outputs for node in (box.nodes() if isinstance(box, Scope) else (box,)))
