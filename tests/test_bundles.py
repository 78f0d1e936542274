"""The widgets' JavaScript: its own tests pass, and the bundles that ship are those of the source, and small."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ROOT / "ddl" / "widgets" / "bundle"
SOURCE = ROOT / "ddl" / "widgets" / "source"
LARGEST = 120_000  # bytes, since every widget in a notebook sends its own


@pytest.fixture
def node():
    if not (found := shutil.which("node")) or not (ROOT / "node_modules" / "esbuild").exists():
        pytest.skip("node, or what `npm ci` installs, is not there")

    def run(*command):
        done = subprocess.run([found, *map(str, command)], cwd=ROOT, capture_output=True, text=True)
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
