"""environment.yml, which conda and Binder read, agrees with pyproject.toml; the Makefile has what a developer needs."""

import re
import tomllib
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")
specifiers = pytest.importorskip("packaging.specifiers")

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def faults(text):
    """What conda would do otherwise than start.py does, as sentences."""
    asked = yaml.safe_load(text)
    by_conda = [entry for entry in asked["dependencies"] if isinstance(entry, str)]
    by_pip = [entry["pip"] for entry in asked["dependencies"] if isinstance(entry, dict)]
    names = [re.match(r"[\w-]+", entry)[0] for entry in by_conda]
    found = [] if asked["name"] == PROJECT["name"] else [f"the environment is called {asked['name']}"]
    found += [] if sorted(names) == ["pip", "python"] else [f"conda brings {', '.join(names)}"]
    found += [] if by_pip == [["-e .[course]"]] else [f"pip is given {by_pip}"]
    python = next((entry for entry in by_conda if entry.startswith("python")), "python")
    version = re.fullmatch(r"python=(\d+\.\d+)", python)
    if not version or version[1] not in specifiers.SpecifierSet(PROJECT["requires-python"]):
        found.append(f"{python} where pyproject.toml requires {PROJECT['requires-python']}")
    return found


def test_environment_yml_brings_python_and_pip_brings_the_rest():
    text = (ROOT / "environment.yml").read_text("utf-8")
    assert faults(text) == []
    assert "course" in PROJECT["optional-dependencies"]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("  - pip\n", "  - pip\n  - numpy\n", "conda brings python, pip, numpy"),
        ("  - pip\n", "", "conda brings python"),
        ("-e .[course]", ".[course]", "pip is given [['.[course]']]"),
        ("-e .[course]", "-e .[course]\n      - jupyterlab", "pip is given [['-e .[course]', 'jupyterlab']]"),
        ("python=3.12", "python=3.10", "python=3.10 where pyproject.toml requires >=3.11"),
        ("python=3.12", "python", "python where pyproject.toml requires >=3.11"),
        ("name: ddl", "name: base", "the environment is called base"),
    ],
)
def test_a_planted_fault_is_found(old, new, fault):
    text = (ROOT / "environment.yml").read_text("utf-8")
    assert old in text
    assert fault in faults(text.replace(old, new))


def test_the_makefile_has_the_developers_targets():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^(\w+):(?! SHELL)", makefile, re.MULTILINE))
    assert {"notebooks", "widgets", "bench", "site"} <= targets
    assert set(re.search(r"^\.PHONY: (.*)", makefile, re.MULTILINE)[1].split()) == targets
