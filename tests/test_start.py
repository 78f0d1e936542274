"""start.py on other systems and on bad days: platforms and failures are injected, nothing is installed."""

import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "start.py"
OLD = sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin/python"))
SENTENCES = {"DISK": "The disk is full", "VENV": "apt install python3", "NETWORK": "The network failed"}


def load(folder):
    shutil.copy(SOURCE, folder / "start.py")
    spec = importlib.util.spec_from_file_location("start_under_test", folder / "start.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def start(tmp_path, monkeypatch):
    """start.py in a project of its own, without uv."""
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    return load(tmp_path)


@pytest.fixture
def steps(start, monkeypatch):
    """The steps of an installation, recorded; making the environment puts a Python there."""
    taken = []

    def step(command):
        taken.append(command)
        if "venv" in command:
            start.PYTHON.parent.mkdir(parents=True, exist_ok=True)
            start.PYTHON.touch()

    monkeypatch.setattr(start, "step", step)
    monkeypatch.setattr(subprocess, "call", lambda command: 0)
    return taken


def notebook(root, name, text="{}"):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_it_is_short_and_needs_only_the_standard_library():
    text = SOURCE.read_text()
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in imports if isinstance(node, ast.ImportFrom)}
    assert len(text.splitlines()) < 120
    assert names <= sys.stdlib_module_names


def test_an_old_python_is_refused_in_one_sentence(monkeypatch, tmp_path):
    ast.parse(SOURCE.read_text(), feature_version=(3, 4))
    monkeypatch.setattr(sys, "version_info", (3, 8, 18))
    with pytest.raises(SystemExit, match=r"needs Python 3\.11 or newer, and this is 3\.8"):
        load(tmp_path)


@pytest.mark.parametrize("python", OLD, ids=lambda path: path.parts[-3])
def test_real_pythons_read_the_file(python):
    version = subprocess.run([python, "-c", "import sys; print(sys.version_info[:2])"], capture_output=True, text=True)
    done = subprocess.run([python, SOURCE, "--help"], capture_output=True, text=True)
    if ast.literal_eval(version.stdout) < (3, 11):
        assert done.returncode == 1
        assert done.stderr.startswith("ddl needs Python 3.11 or newer")
        assert len(done.stderr.splitlines()) == 1
    else:
        assert done.returncode == 0


def test_an_installation_is_made_once(start, steps):
    start.install("course")
    assert [command[1:3] for command in steps] == [["-m", "venv"], ["-m", "pip"]]
    assert steps[1][0] == str(start.PYTHON)
    assert steps[1][-2:] == ["-e", ".[course]"]
    start.install("course")
    assert len(steps) == 2
    start.install("test")
    assert steps[2][-1] == ".[test]"
    start.install("test")
    start.install("course")
    assert len(steps) == 3


def test_a_new_pyproject_installs_again_into_the_same_environment(start, steps):
    start.install("test")
    (start.ROOT / "pyproject.toml").write_text("[project]\nversion = '2'\n")
    start.install("course")
    assert [command[2] for command in steps] == ["venv", "pip", "pip"]


def test_a_moved_folder_installs_again(start, steps, tmp_path, monkeypatch):
    start.install("course")
    moved = tmp_path.with_name(tmp_path.name + "-moved")
    tmp_path.rename(moved)
    monkeypatch.setattr(start, "ROOT", moved)
    monkeypatch.setattr(start, "PYTHON", moved / start.PYTHON.relative_to(tmp_path))
    start.install("course")
    assert len(steps) == 3


def test_an_environment_left_half_made_is_made_anew(start, steps, monkeypatch):
    start.install("course")
    (start.ROOT / ".venv" / "ddl-installed").unlink()
    monkeypatch.setattr(subprocess, "call", lambda command: 1)  # no pip in it
    start.install("course")
    assert [command[2] for command in steps] == ["venv", "pip", "venv", "pip"]
    assert "--clear" in steps[2]


def test_a_failed_step_leaves_no_stamp(start, steps, monkeypatch):
    def fail(command):
        raise subprocess.CalledProcessError(1, "pip", "")

    monkeypatch.setattr(start, "step", fail)
    with pytest.raises(SystemExit):
        start.main(["install"])
    assert not (start.ROOT / ".venv" / "ddl-installed").exists()


def test_uv_is_used_where_it_is_installed(start, steps, monkeypatch):
    monkeypatch.setattr(shutil, "which", {"uv": "/somewhere/uv"}.get)
    start.install("test")
    assert [command[:2] for command in steps] == [["/somewhere/uv", "venv"], ["/somewhere/uv", "pip"]]
    assert steps[0][steps[0].index("--python") + 1] == sys.executable
    assert steps[1][steps[1].index("--python") + 1] == str(start.PYTHON)


@pytest.mark.parametrize("platform", ["win32", "darwin", "linux"])
def test_each_platform_has_its_python(platform, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", platform)
    expected = "Scripts/python.exe" if platform == "win32" else "bin/python"
    assert load(tmp_path).PYTHON == tmp_path / ".venv" / expected


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "DISK"),
        ("error: failed to copy file: No space left on device (os error 28)", "DISK"),
        ("OSError: [WinError 112] There is not enough space on the disk", "DISK"),
        (
            "The virtual environment was not created successfully because ensurepip is not\navailable.  On Debian",
            "VENV",
        ),
        ("/usr/bin/python3: No module named venv", "VENV"),
        ("NewConnectionError('...: Failed to establish a new connection: [Errno -3] Temporary failure", "NETWORK"),
        ("Caused by: dns error: failed to lookup address information: Name or service not known", "NETWORK"),
        ("socket.gaierror: [Errno 11001] getaddrinfo failed", "NETWORK"),
        ("ReadTimeoutError: HTTPSConnectionPool(host='...', port=443): Read timed out.", "NETWORK"),
        ("error: metadata-generation-failed", None),
    ],
)
def test_a_failed_installation_says_in_one_sentence_what_is_wrong(start, monkeypatch, capsys, output, sentence):
    real, fails = subprocess.Popen, [sys.executable, "-c", f"import sys; print({output!r}); sys.exit(1)"]
    monkeypatch.setattr(subprocess, "Popen", lambda command, **how: real(fails, **how))
    with pytest.raises(SystemExit) as stopped:
        start.main(["install"])
    assert output.splitlines()[0] in capsys.readouterr().out
    assert SENTENCES.get(sentence, "The lines above say why") in stopped.value.code
    assert "\n" not in stopped.value.code


def test_a_full_disk_while_copying_is_said_too(start, steps, monkeypatch):
    def full(source, target):
        raise OSError(28, "No space left on device")

    notebook(start.ROOT, "notebooks/01.ipynb")
    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(SystemExit, match="The disk is full"):
        start.main(["lab"])


def test_output_is_shown_while_a_step_runs(start, monkeypatch):
    seen = start.ROOT / "seen"
    monkeypatch.setattr(start, "print", lambda line: seen.touch(), raising=False)
    waits = "import os, sys, time; print('one', flush=True); end = time.monotonic() + 30\n"
    waits += f"while time.monotonic() < end and not os.path.exists({str(seen)!r}): time.sleep(0.01)\n"
    start.step([sys.executable, "-c", waits + f"sys.exit(not os.path.exists({str(seen)!r}))"])


def test_interrupting_the_installation_needs_no_traceback(start, monkeypatch):
    def interrupted(extra):
        raise KeyboardInterrupt

    monkeypatch.setattr(start, "install", interrupted)
    with pytest.raises(SystemExit, match="Stopped"):
        start.main(["lab"])


def test_learners_get_copies_that_are_never_overwritten(start):
    work = start.ROOT / "work"
    notebook(start.ROOT, "notebooks/01_a.ipynb", "ours")
    start.fill(work)
    assert [path.name for path in work.iterdir()] == ["notebooks"]
    (work / "notebooks" / "01_a.ipynb").write_text("an answer")
    notebook(start.ROOT, "notebooks/02_b.ipynb", "ours too")
    notebook(start.ROOT, "exercises/01_a.ipynb", "a task")
    start.fill(work)
    found = {path.relative_to(work).as_posix(): path.read_text() for path in work.rglob("*") if path.is_file()}
    assert found == {
        "notebooks/01_a.ipynb": "an answer",
        "notebooks/02_b.ipynb": "ours too",
        "exercises/01_a.ipynb": "a task",
    }


@pytest.mark.parametrize("user", [0, 1000, None])
def test_lab_opens_the_first_notebook_of_the_copies(start, steps, monkeypatch, user):
    ran = []
    monkeypatch.setattr(start, "run", lambda command, cwd, env: ran.append(command) or 7)
    monkeypatch.delattr(os, "geteuid", raising=False)  # Windows has none
    if user is not None:
        monkeypatch.setattr(os, "geteuid", lambda: user, raising=False)
    notebook(start.ROOT, "notebooks/02_b.ipynb")
    notebook(start.ROOT, "notebooks/01_a.ipynb")
    assert start.main(["lab", "--", "--no-browser", "--port=9999"]) == 7
    (command,) = ran
    assert command[:3] == [str(start.PYTHON), "-m", "jupyterlab"]
    assert "--LabApp.default_url=/lab/tree/notebooks/01_a.ipynb" in command
    assert f"--ServerApp.root_dir={start.ROOT / 'work'}" in command
    assert command[-2:] == ["--no-browser", "--port=9999"]
    assert ("--allow-root" in command) == (user == 0)


LOOK = """
import json, jupyterlab, pathlib, sys
from jupyterlab_server.settings_utils import get_settings
schemas = pathlib.Path(sys.prefix, "share/jupyter/lab/schemas")
found, _ = get_settings("", str(schemas), sys.argv[1], "@jupyterlab/apputils-extension:notification")
asked = {name: kind["default"] for name, kind in found["schema"]["properties"].items()} | found["settings"]
print(json.dumps({name: asked[name] for name in ("fetchNews", "checkForUpdates")}))
"""


def test_nothing_pops_up_at_the_first_start_of_lab_and_own_settings_hold(start, steps, monkeypatch, tmp_path):
    """JupyterLab itself is asked what it would do under the environment that `lab` gives it."""
    pytest.importorskip("jupyterlab_server", reason="JupyterLab is not installed")
    environments = []
    monkeypatch.setattr(start, "run", lambda command, cwd, env: environments.append(env))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "/some/where")
    notebook(start.ROOT, "notebooks/01_a.ipynb")
    shutil.copytree(SOURCE.parent / "course" / "labconfig", start.ROOT / "course" / "labconfig")
    start.main(["lab"])
    (env,) = environments
    assert env["JUPYTER_CONFIG_PATH"].split(os.pathsep) == [str(start.ROOT / "course"), "/some/where"]
    settings = tmp_path / "settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    settings.parent.mkdir(parents=True)

    def looked(env):
        done = subprocess.run(
            [sys.executable, "-c", LOOK, settings.parents[2]], env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert looked(env) == {"fetchNews": "false", "checkForUpdates": False}
    assert looked({**env, "JUPYTER_CONFIG_PATH": "/some/where"})["fetchNews"] == "none", "what asks, without us"
    settings.write_text('{"fetchNews": "true"}')
    assert looked(env)["fetchNews"] == "true"


def test_the_test_command_runs_tests_then_notebooks_and_quick_less(start, steps, monkeypatch):
    ran = []
    status = {"tests": 0, "notebooks": 0}

    def run(command, cwd, env=None):
        ran.append(command)
        return status["tests" if "tests" in command else "notebooks"]

    monkeypatch.setattr(start, "run", run)
    assert start.main(["test", "--", "-x"]) == 0
    assert start.main(["test", "--quick"]) == 0
    tests, notebooks, quick = ran
    assert tests[1:3] == notebooks[1:3] == quick[1:3] == ["-m", "pytest"]
    assert {"tests", "-x"} <= set(tests)
    assert {"notebooks", "solutions", "--nbval", "-x"} <= set(notebooks)
    assert "notebooks" not in quick
    assert quick[quick.index("-m", 2) + 1] == "not slow and not browser"
    assert steps[-1][-1] == ".[test]"
    for failed in status:
        status.update({"tests": 0, "notebooks": 0} | {failed: 1})
        assert start.main(["test"]) == 1
    status.update(tests=2, notebooks=0)  # interrupted
    ran.clear()
    assert start.main(["test"]) == 2
    assert len(ran) == 1
    status.update(tests=0, notebooks=5)  # pytest's "no tests": right where a learner asked for some, else a fault
    assert start.main(["test", "--", "-k", "scalar"]) == 0
    assert start.main(["test"]) == 5


def test_a_command_keeps_its_exit_status(start):
    assert start.run([sys.executable, "-c", "raise SystemExit(3)"], start.ROOT) == 3
