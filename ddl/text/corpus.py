"""English that every Python carries: its language topics and the docstrings of its standard library."""

import ast
import hashlib
import json
import re
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SHORTEST = 200  # a document of a line or two teaches little
_TESTS = {"test", "tests", "idle_test"}
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Corpus:
    """Documents to train on, to choose settings by, and to judge by at the end; `sha256` names exactly this text."""

    train: tuple[str, ...]
    validation: tuple[str, ...]
    held_out: tuple[str, ...]
    sha256: str


@cache
def standard_library() -> Corpus:
    """About 2 million characters of English from the running Python, one document a topic or module.

    By a hash of the documents' names about a tenth is for validation and a tenth held out. Every paragraph stands in
    the corpus once, and none of these two tenths shares 13 words in a row with a training document. Python versions
    differ a little in their text.
    """
    documents = dict(_topics()) | dict(_modules())
    seen: set[str] = set()

    def is_new(paragraph: str) -> bool:
        known = len(seen)
        seen.add(" ".join(paragraph.split()))
        return len(seen) > known

    def is_foreign(paragraph: str) -> bool:
        return is_new(paragraph) and learned.isdisjoint(_runs(paragraph))

    parts: dict[str, list[str]] = {"train": [], "validation": [], "held_out": []}
    for name, text in documents.items():
        parts[_part(name)].append(text)
    train = _select(parts["train"], is_new)
    learned = {run for text in train for run in _runs(text)}
    validation, held_out = (_select(parts[name], is_foreign) for name in ("validation", "held_out"))
    sha256 = hashlib.sha256(json.dumps([train, validation, held_out]).encode()).hexdigest()
    return Corpus(train, validation, held_out, sha256)


def _library() -> Path:
    root = Path(sysconfig.get_path("stdlib"))
    if not (root / "pydoc_data" / "topics.py").is_file():
        raise FileNotFoundError(
            f"standard_library() reads the source of Python's own library, but {root} does not hold it; "
            f"use a Python that is installed with its library's source"
        )
    return root


def _topics() -> Iterator[tuple[str, str]]:
    """The language reference behind `help("if")`, as (name, text)."""
    tree = _parse(_library() / "pydoc_data" / "topics.py")
    (table,) = (node.value for node in tree.body if isinstance(node, ast.Assign))
    for name, text in sorted(ast.literal_eval(table).items()):
        yield f"topic {name}", text


def _modules() -> Iterator[tuple[str, str]]:
    """The docstrings of each module of the standard library, as (name, text)."""
    root = _library()
    for top in sorted(sys.stdlib_module_names):
        for path in [root / f"{top}.py", *sorted((root / top).rglob("*.py"))]:
            place = path.relative_to(root)
            if path.is_file() and not _TESTS & set(place.parts):
                name = ".".join(place.with_suffix("").parts)
                yield f"module {name}", "\n\n".join(_docstrings(_parse(path)))


def _parse(path: Path) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes in strings
        return ast.parse(path.read_bytes())


def _docstrings(node: ast.AST) -> Iterator[str]:
    """The docstrings in the statements of `node`, in the order of the source."""
    if isinstance(node, _DOCUMENTED):
        docstring = ast.get_docstring(node)
        if docstring:
            yield docstring
    for block in ("body", "handlers", "orelse", "finalbody"):
        for statement in getattr(node, block, ()):
            yield from _docstrings(statement)


def _part(name: str) -> str:
    digit = int(hashlib.sha256(name.encode()).hexdigest(), 16) % 10
    return {0: "validation", 1: "held_out"}.get(digit, "train")


def _select(texts: Iterable[str], wanted: Callable[[str], bool]) -> tuple[str, ...]:
    """`texts` with their wanted paragraphs only; what is then shorter than SHORTEST characters is left out."""
    kept = []
    for text in texts:
        lines = "\n".join(line.rstrip() for line in text.splitlines())
        paragraphs = re.split(r"\n{2,}", lines.strip("\n"))
        document = "\n\n".join(filter(wanted, paragraphs)) + "\n"
        if len(document) >= SHORTEST:
            kept.append(document)
    return tuple(kept)


def _runs(text: str, length: int = 13) -> Iterator[tuple[str, ...]]:
    """Every `length` words in a row."""
    words = text.split()
    return zip(*(words[i:] for i in range(length)))
