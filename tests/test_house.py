"""The laws of the house that can be read from the tree: floors, sizes, what an import costs, what no file may name."""

import ast
import graphlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FLOORS = (
    set("arrays matrices checks spec shape_rules sizes assumptions sums random files memory progress".split())
    | {"figures", "text"},
    {"core", "backward", "rule", "faults", "define", "watch"},
    {"ops", "creation", "gradcheck"},
    {"fused", "graph", "data"},
    {"nn", "optim"},
    {"models", "train", "checkpoint", "metrics", "machine", "parallel"},
    {"widgets", "course"},
)
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
NEEDED = {"ddl", "numpy", "safetensors"}
HEAVY = set("IPython anywidget cupy ipywidgets matplotlib numba onnx onnxruntime pandas scipy torch traitlets".split())
FOREIGN = re.compile(
    r"/(?:home/\w+|Users/\w+|root|work)/|pypi\.org|pythonhosted\.org|registry\.npmjs|deb\.debian|[Ii]ssue \d"
)


def package():
    """Every module of ddl by its dotted name, as source."""
    files = sorted((ROOT / "ddl").rglob("*.py"))
    return {".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text("utf-8") for path in files}


def walk(node):
    """All nodes below this one, but for what only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)):
            yield child
            yield from walk(child)


def imported(module, node):
    """The dotted names that an import in this module may bind, relative ones resolved."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    parts = module.split(".")[: -node.level] if node.level else []
    base = ".".join(parts + ([node.module] if node.module else []))
    return [f"{base}.{alias.name}" for alias in node.names]


def room(name):
    """`ops` for ddl.ops.elementwise, the empty string for the front door."""
    first = (name.split(".") + [""])[1]
    return "" if first == "__init__" else first


def faults(modules):
    """What breaks the law of the floors: unknown rooms, imports that go up, rooms of a floor in a circle."""
    found, edges = [], {}
    rooms = {room(name) for name in modules}
    for module, source in modules.items():
        here = room(module)
        if here in ("", "scalar"):
            level = len(FLOORS) if here == "" else -1
        elif here in FLOOR:
            level = FLOOR[here]
        else:
            found.append(f"{module} is in a room without a floor")
            continue
        for node in walk(ast.parse(source)):
            for name in imported(module, node):
                there = room(name) if name.split(".")[0] == "ddl" else here
                if there == here:
                    continue
                if there not in rooms or there == "":
                    found.append(f"{module}:{node.lineno} imports {name} through the front door")
                elif there != "scalar" and FLOOR.get(there, 99) > level:
                    found.append(f"{module}:{node.lineno} imports {name}, which is above it")
                edges.setdefault(here, set()).add(there)
    try:
        graphlib.TopologicalSorter(edges).prepare()
    except graphlib.CycleError as error:
        found.append(f"rooms import each other: {' -> '.join(error.args[1])}")
    return found


def test_imports_go_down_the_floors():
    assert faults(package()) == []


def circle(modules):
    """Files of one room that import each other, as a type checker or as a function that runs later sees them too."""
    edges = {}
    for module, source in modules.items():
        for node in ast.walk(ast.parse(source)):
            for name in imported(module, node):
                names = (name, name.rpartition(".")[0])
                found = next((n for n in (f"{a}{b}" for a in names for b in ("", ".__init__")) if n in modules), None)
                if found not in (None, module) and room(found) == room(module):
                    edges.setdefault(module, set()).add(found)
    try:
        graphlib.TopologicalSorter(edges).prepare()
    except graphlib.CycleError as error:
        return " -> ".join(error.args[1])


def test_files_of_a_room_import_each_other_in_no_circle():
    assert circle(package()) is None
    later = "def f():\n    from . import drawing\n"
    assert circle({"ddl.graph.drawing": "from .painter import paint", "ddl.graph.painter": later})


@pytest.mark.parametrize(
    ("module", "source", "fault"),
    [
        ("ddl.core", "from .nn import Linear", "above"),
        ("ddl.ops.bad", "def f():\n    from ..fused import gelu", "above"),
        ("ddl.ops.bad", "from .. import nn", "above"),
        ("ddl.arrays", "import ddl.core", "above"),
        ("ddl.scalar", "from . import arrays", "above"),
        ("ddl.data.bad", "import ddl", "front door"),
        ("ddl.nn.bad", "from ddl import Tensor", "front door"),
        ("ddl.kitchen", "import math", "without a floor"),
        ("ddl.optim", "from .nn import Module\n", "rooms import each other"),
    ],
)
def test_the_checker_finds_a_planted_fault(module, source, fault):
    rooms = ["arrays", "core", "ops.__init__", "fused.__init__", "nn.__init__", "optim", "scalar", "data.__init__"]
    clean = {"ddl.__init__": "from .core import Tensor"} | {f"ddl.{name}": "import math" for name in rooms}
    clean["ddl.ops.methods"] = "from ..core import Tensor\nfrom . import shaping"
    clean["ddl.nn.linear"] = "from .. import ops, optim\nfrom ..core import Tensor"
    clean["ddl.core"] = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .ops import Methods"
    assert faults(clean) == []
    assert any(fault in found for found in faults(clean | {module: source}))


def test_what_a_whole_number_is_is_said_in_one_place():
    """In `checks`; graph.words asks how to write one."""
    assert {name for name, source in package().items() if "(int, np.integer)" in source} == {"ddl.graph.words"}


def test_no_file_is_long():
    lines = {name: source.count("\n") for name, source in package().items()}
    assert {name: n for name, n in lines.items() if n > 300} == {}


def test_the_package_itself_needs_numpy_and_safetensors_only():
    known = NEEDED | set(sys.stdlib_module_names)
    extra = {
        (module, name)
        for module, source in package().items()
        if room(module) not in ("widgets", "course")
        for node in ast.parse(source).body
        for name in imported(module, node)
        if name.split(".")[0] not in known
    }
    assert extra == set()


def test_importing_ddl_pulls_in_nothing_heavy():
    names = "import json, sys, ddl; print(json.dumps(sorted({m.split('.')[0] for m in sys.modules})))"
    loaded = set(json.loads(subprocess.check_output([sys.executable, "-c", names], cwd=ROOT, text=True)))
    assert {"ddl", "numpy"} <= loaded
    assert loaded & HEAVY == set()


def test_no_file_names_a_machine_or_a_registry():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git clone, so nothing says which files are the project's")
    found = []
    for name in filter(None, listed.stdout.split("\0")):
        path = ROOT / name
        data = path.read_bytes() if path.is_file() else b""
        if b"\0" not in data:
            lines = enumerate(data.decode("utf-8").splitlines(), 1)
            found += [f"{name}:{n}: {hit.group()}" for n, line in lines if (hit := FOREIGN.search(line))]
    assert found == []


@pytest.mark.parametrize(
    "bad",
    [
        "see {}home/ann/x",
        "{}Users/ann/x",
        "open('{}root/x')",
        "https:{}{}pypi" + ".org{}simple",
        "as issue" + " 3 asks",
    ],
)
def test_the_pattern_for_foreign_names_finds_one(bad):
    assert FOREIGN.search(bad.replace("{}", "/"))


def test_the_readme_is_true():
    """Its example runs, the names and rooms that it lists exist and are all, and so are its chapters."""
    readme = (ROOT / "README.md").read_text("utf-8")
    example = re.search(r"```python\n(.*?)```", readme, re.DOTALL)[1]
    done = subprocess.run([sys.executable, "-c", example], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    names = set(re.findall(r"`(ddl\.[\w.]+\w)", readme))
    assert "ddl.nn.functional.cross_entropy" in names
    check = f"import ddl, functools\nfor name in {sorted(names)}: functools.reduce(getattr, name.split('.')[1:], ddl)"
    done = subprocess.run([sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rooms = {room(name) for name in package()} - {""}
    assert rooms == {name for name in rooms if re.search(rf"\b{name}(\.py|/)`", readme)}
    chapters = re.findall(r"^\| (\d\d) \|", readme, re.MULTILINE)
    assert chapters == sorted(path.name[:2] for path in (ROOT / "notebooks").glob("*.ipynb"))
