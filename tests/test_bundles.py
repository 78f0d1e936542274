"""The widgets' JavaScript: its own tests pass, and the bundles that ship are those of the source, and small."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import ddl
from ddl import nn
from ddl.graph import of, trace
from ddl.graph.viewed import viewed

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ROOT / "ddl" / "widgets" / "bundle"
SOURCE = ROOT / "ddl" / "widgets" / "source"
LARGEST = 120_000  # bytes, since every widget in a notebook sends its own


@pytest.fixture
def node():
    if not (found := shutil.which("node")) or not (ROOT / "node_modules" / "esbuild").exists():
        pytest.skip("node, or what `npm ci` installs, is not there")

    def run(*command, **env):
        command, env = [found, *map(str, command)], {**os.environ, **env}
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stdout + done.stderr

    return run


def test_every_entry_has_a_small_bundle():
    bundles = {path.name: path.stat().st_size for path in SHIPPED.glob("*.js")}
    assert sorted(bundles) == sorted(path.name for path in SOURCE.glob("entries/*.js"))
    assert {name: size for name, size in bundles.items() if size > LARGEST} == {}


def test_the_bundles_are_those_of_the_source(node, tmp_path):
    node(SOURCE / "build.js", tmp_path)
    for path in SHIPPED.glob("*.js"):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), f"{path.name} is old: run `make bundles`"


def test_the_views_own_tests_pass(node, tmp_path):
    ddl.manual_seed(0)
    a = ddl.Scalar(2.0, "a")
    block, inner = nn.TransformerBlock(8, 2), nn.Linear(4, 4)
    graphs = {
        "numbers": of((a * a + a).tanh() * ddl.Scalar(float("nan"), "<b>")),
        "block": trace(lambda x: block(x).sum(), ddl.randn(1, 3, 8)),
        "twice": trace(lambda x: (inner(inner(x) * 2.0) + x).mean(), ddl.randn(2, 4)),
    }
    with nn.shapes_only():
        gpt = ddl.models.GPT2(ddl.models.GPT2Config(n_layer=2, n_embd=64, n_head=2, vocab_size=100, block_size=16))
        graphs["gpt"] = trace(gpt, ddl.Spec(("B", 8), "int64"))
    for name, graph in graphs.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(viewed(graph), allow_nan=False))
    node("--test", *sorted((ROOT / "tests" / "widgets").glob("*.test.js")), DDL_GRAPHS=str(tmp_path))
