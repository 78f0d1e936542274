"""One file starts everything: `python3 start.py lab` opens the course, `python3 start.py test` runs its tests."""

import sys

if sys.version_info < (3, 11):  # so this file keeps to a syntax that the Pythons it refuses can parse
    sys.exit("ddl needs Python 3.11 or newer, and this is %d.%d: run start.py with a newer one." % sys.version_info[:2])

import argparse
import hashlib
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent
PYTHON = ROOT / (".venv/Scripts/python.exe" if sys.platform == "win32" else ".venv/bin/python")

DISK = "The disk is full: free about 2 GB and run the same command again."
VENV = "Python's venv module is missing: on Debian or Ubuntu run `sudo apt install python%d.%d-venv`, then this again."
NETWORK = "The network failed: check the connection or the proxy and run the same command again."
OTHER = "%s The lines above say why; if in doubt, delete the folder .venv and run the same command again."
SIGNS = {  # what pip, uv, venv and the system say, and what it means
    r"no space left|errno 28\b|os error (28|112)\b|not enough space|quota exceeded": DISK,
    r"ensurepip is not\s+available|no module named '?(venv|ensurepip)": VENV % sys.version_info[:2],
    r"newconnection|name resolution|getaddrinfo|dns error|sending request|timed out|unreachable|proxyerror": NETWORK,
}


def step(command):
    """Run one step of the installation and show what it prints while it does."""
    lines, both = [], {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, cwd=ROOT, text=True, errors="replace", **both) as child:
        for line in child.stdout:
            print("  " + line.rstrip())
            lines.append(line)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, " ".join(command), "".join(lines))


def install(extra):
    """Make .venv and install ddl[extra] into it, unless that was done for this very pyproject.toml."""
    stamp, uv, python = ROOT / ".venv" / "ddl-installed", shutil.which("uv"), str(PYTHON)
    project = (ROOT / "pyproject.toml").read_bytes() + str(ROOT).encode()
    contained = ["course", "test"] if extra == "test" else ["course"]
    marks = [hashlib.sha256(project + name.encode()).hexdigest() for name in contained]
    if PYTHON.exists() and stamp.exists() and marks[-1] in stamp.read_text():
        return
    if not PYTHON.exists() or not (uv or subprocess.call([python, "-c", "import pip"]) == 0):
        print("Making the environment .venv with Python %d.%d" % sys.version_info[:2])
        seeded = [uv, "venv", "--seed", "--clear", "--python", sys.executable]
        step((seeded if uv else [sys.executable, "-m", "venv", "--clear"]) + [".venv"])
    print("Installing ddl[%s] with %s: some minutes the first time" % (extra, "uv" if uv else "pip"))
    pip = [uv, "pip", "install", "--python", python] if uv else [python, "-m", "pip", "install"]
    step(pip + ["-e", ".[%s]" % extra])
    stamp.write_text("\n".join(marks))


def fill(work):
    """Copy what a learner opens into the ignored folder work; a file that is already there stays as it is."""
    for source in sorted(ROOT.glob("notebooks/*.ipynb")) + sorted(ROOT.glob("exercises/*.ipynb")):
        target = work / source.relative_to(ROOT)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(shutil.copyfile(source, str(target) + ".part"), target)  # a copy is whole or absent
            print("Your copy: work/%s/%s" % (target.parent.name, target.name))


def run(command, cwd, env=None):
    """Hand the terminal to a command until it ends, and return its exit status."""
    child = subprocess.Popen(command, cwd=cwd, env=env)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:  # the command got it too, and JupyterLab asks before it stops
            pass


def lab(more):
    fill(ROOT / "work")
    first = min(ROOT.glob("work/notebooks/*.ipynb")).name
    where = ["--ServerApp.root_dir=" + str(ROOT / "work"), "--LabApp.default_url=/lab/tree/notebooks/" + first]
    root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # a container's only user
    print("Opening JupyterLab; Ctrl-C here stops it")
    path = [str(ROOT / "course"), os.environ.get("JUPYTER_CONFIG_PATH")]  # its labconfig: no pop-up at the first start
    settings = dict(os.environ, JUPYTER_CONFIG_PATH=os.pathsep.join(filter(None, path)))
    return run([str(PYTHON), "-m", "jupyterlab"] + where + root + more, ROOT / "work", settings)


def test(more, quick):
    side = "-n logical --maxprocesses 4 --dist loadfile".split()  # files side by side, with a thread each
    nbval = "--nbval --nbval-current-env --nbval-cell-timeout 400 --nbval-sanitize-with tests/nbval.cfg".split()
    pytest, env = [str(PYTHON), "-m", "pytest"] + side, dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    status = run(pytest + ["tests"] + (["-m", "not slow and not browser"] if quick else []) + more, ROOT, env)
    later = 0 if quick or status == 2 else run(pytest + ["notebooks", "solutions"] + nbval + more, ROOT, env)
    return status or (0 if more and later == 5 else later)  # 5: what follows -- left no notebook over


def main(argv):
    sys.stdout.reconfigure(line_buffering=True, errors="replace")
    mine, more = (argv[: argv.index("--")], argv[argv.index("--") + 1 :]) if "--" in argv else (argv, [])
    parser = argparse.ArgumentParser(description=__doc__, epilog="What follows -- goes to JupyterLab or pytest.")
    parser.add_argument("command", choices=["lab", "test", "install"], help="install only makes the environment")
    parser.add_argument("--quick", action="store_true", help="test: leave out notebooks, browser and slow tests")
    asked = parser.parse_args(mine)
    try:
        install("course" if asked.command == "lab" else "test")
        return lab(more) if asked.command == "lab" else test(more, asked.quick) if asked.command == "test" else 0
    except (OSError, subprocess.CalledProcessError) as error:
        seen = "%s %s" % (error, getattr(error, "output", ""))
        sys.exit(next((words for sign, words in SIGNS.items() if re.search(sign, seen, re.IGNORECASE)), OTHER % error))
    except KeyboardInterrupt:
        sys.exit("Stopped; the same command starts again where it was.")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
