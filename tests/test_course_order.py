"""No chapter uses what a later one builds: where each part of the library is built, and what a lesson takes of it."""

import ast
import importlib
import types
from pathlib import Path

import pytest

import ddl

ROOT = Path(__file__).resolve().parents[1]
LESSONS = sorted((ROOT / "course").glob("[0-9][0-9]_*/lesson.py"))

# The chapter that builds what a module, or a name in it, holds; the longest that fits decides.
BUILT = {
    "ddl.scalar": 1,
    "ddl": 3,
    "ddl.nn": 5,
    "ddl.models.mlp": 5,
    "ddl.fused.softmax": 6,
    "ddl.nn.activations.Softmax": 6,
    "ddl.nn.activations.LogSoftmax": 6,
    "ddl.nn.losses": 6,
    **dict.fromkeys((f"ddl.nn.functional.{part}" for part in ("binary", "classification", "distance")), 6),
    **dict.fromkeys((f"ddl.nn.functional.{part}" for part in ("ranking", "regression")), 6),
    **dict.fromkeys(("ddl.optim", "ddl.train", "ddl.data", "ddl.metrics"), 6),
    **dict.fromkeys(("ddl.fused.layer_norm", "ddl.nn.normalization", "ddl.nn.functional.normalization"), 7),
    **dict.fromkeys((f"ddl.nn.{part}" for part in ("convolution", "pooling")), 8),
    **dict.fromkeys((f"ddl.nn.functional.{part}" for part in ("convolution", "pooling", "resizing")), 8),
    "ddl.models.cnn": 8,
    **dict.fromkeys(("ddl.text", "ddl.data.windows", "ddl.models.sampling"), 10),
    **dict.fromkeys(("ddl.nn.linear.Embedding", "ddl.nn.functional.linear.embedding", "ddl.nn.recurrent"), 10),
    **dict.fromkeys((f"ddl.{part}.attention" for part in ("nn", "fused", "nn.functional")), 11),
    "ddl.nn.positions": 12,
    "ddl.nn.transformer": 13,
    **dict.fromkeys(("ddl.models.gpt2", "ddl.checkpoint"), 14),
}
ALLOWED = ("ddl.widgets", "ddl.course", "ddl.graph", "ddl.spec", "ddl.random")  # instruments, from the first chapter on


def chapter_of(where):
    """The chapter that builds the thing of this dotted name; 0 for what every chapter may use."""
    if where.startswith(ALLOWED):
        return 0
    parts = where.split(".")
    return next(BUILT[name] for n in range(len(parts), 0, -1) if (name := ".".join(parts[:n])) in BUILT)


def home(thing):
    """The dotted name under which something of the library was defined, or None for what is not the library's."""
    if isinstance(thing, types.ModuleType):
        return None  # a room's door: what is taken through it counts
    where = getattr(thing, "__module__", None) or type(thing).__module__
    return f"{where}.{getattr(thing, '__name__', '')}" if where.startswith("ddl") else None


def bound(tree):
    """What the names that a lesson imports stand for."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {a.asname or a.name.split(".")[0]: ddl for a in node.names if a.name.split(".")[0] == "ddl"}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ddl":
            module = importlib.import_module(node.module)
            for alias in node.names:
                thing = getattr(module, alias.name, None) or importlib.import_module(f"{node.module}.{alias.name}")
                names[alias.asname or alias.name] = thing
    return names


def meant(node, names):
    """The library's thing that an expression such as `nn.init.zeros` names, or None."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        return getattr(meant(node.value, names), node.attr, None)
    return None


def taken(source):
    """The dotted homes of all that a lesson takes from the library, each with its line; methods of tensors as well."""
    tree = ast.parse(source)
    names = bound(tree)
    made = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Name, ast.Attribute)):
            continue
        thing = meant(node, names)
        if thing is None and isinstance(node, ast.Attribute) and node.attr not in made:
            thing = vars(ddl.Tensor).get(node.attr)  # of what the lesson computed: perhaps a tensor
            thing = thing if (home(thing) or "").startswith("ddl.fused") else None
        if thing is not None and home(thing):
            found.append((home(thing), node.lineno))
    return found


def faults(chapter, source):
    """What a lesson uses too early, as sentences."""
    return [
        f"line {line} uses {where}, which chapter {chapter_of(where):02} builds"
        for where, line in taken(source)
        if chapter_of(where) > chapter
    ]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.parent.name)
def test_a_chapter_uses_nothing_that_a_later_one_builds(path):
    print("free for every chapter:", ", ".join(ALLOWED))
    chapter = max(1, int(path.parent.name[:2]))  # chapter 00 looks at what the first one builds
    assert faults(chapter, path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("chapter", "source", "fault"),
    [
        (2, "import ddl\nddl.tensor([1.0])", "line 2 uses ddl.creation.tensor, which chapter 03 builds"),
        (3, "from ddl import nn\nnn.Linear(2, 3)", "line 2 uses ddl.nn.linear.Linear, which chapter 05 builds"),
        (5, "import ddl\nddl.nn.functional.cross_entropy", "chapter 06 builds"),
        (5, "import ddl.optim\nddl.optim.SGD", "uses ddl.optim.sgd.SGD"),
        (6, "from ddl.nn import functional as F\nF.layer_norm", "chapter 07 builds"),
        (5, "import ddl\ny = ddl.ones(3)\ny.softmax(0)", "line 3 uses ddl.fused.softmax"),
        (9, "from ddl.nn import Embedding\nEmbedding(2, 3)", "chapter 10 builds"),
        (10, "import ddl\nddl.nn.MultiHeadAttention", "chapter 11 builds"),
        (13, "from ddl.models import GPT2\nGPT2", "chapter 14 builds"),
    ],
)
def test_what_is_used_too_early_is_found(chapter, source, fault):
    assert any(fault in sentence for sentence in faults(chapter, source))
    assert faults(14, source) == []


def test_what_a_lesson_defines_itself_and_the_instruments_are_free():
    assert (
        faults(1, "import ddl\nfrom ddl.course import show\nshow\nddl.trace\nddl.Scalar(1.0)\nimport numpy\nnumpy.exp")
        == []
    )
    assert faults(5, "class A:\n    pass\ndef softmax(x):\n    pass\nA.softmax = softmax\nA().softmax()") == []
