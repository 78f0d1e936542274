"""A real JupyterLab in a headless Chromium, driven through its application object, never through its menus."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

CELL_SECONDS = 400
VIEW = {"width": 1100, "height": 1500}
FLAGS = ["--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},  # so that cells out of sight are drawn too
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


def chromium():
    """The browser to drive, or None."""
    names = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
    return next((path for path in map(shutil.which, names) if path), None)


def is_loopback(url):
    parts = urlsplit(url)
    return parts.scheme in ("data", "blob", "about") or parts.hostname in ("127.0.0.1", "localhost", "::1")


@dataclass
class Visit:
    """What one notebook showed, and what went wrong while it did."""

    notebook: dict = field(default_factory=dict)
    seen: dict = field(default_factory=dict)
    console: list = field(default_factory=list)
    abroad: list = field(default_factory=list)

    def faults(self):
        """Everything that a learner should not meet, as sentences; a good visit has none."""
        found = [f"the console says: {text}" for text in self.console]
        found += [f"a request left the machine: {url}" for url in self.abroad]
        pictures = 0
        for number, cell in enumerate(self.notebook["cells"]):
            if cell["cell_type"] == "code" and cell["source"] and not cell["execution_count"]:
                found.append(f"cell {number} was not run")
            for out in cell.get("outputs", []):
                pictures += "image/png" in out.get("data", {})
                if out["output_type"] == "error" and "raises-exception" not in cell["metadata"].get("tags", []):
                    found.append(f"cell {number} raises {out['ename']}: {out['evalue']}")
        shown = self.seen["images"] + self.seen["widgets"]  # a live view stands where its picture would
        if shown < pictures:
            found.append(f"{shown} of {pictures} pictures are shown")
        if self.seen["broken"]:
            found.append(f"{self.seen['broken']} formulas could not be set")
        if "Error displaying widget" in self.seen["text"]:
            found.append("a widget could not be displayed")
        return found


class Lab:
    """One server and one browser, for all notebooks that lie in `root`."""

    def __init__(self, root, url, token, browser):
        self.root, self.url, self.token, self.browser = root, url, token, browser

    @contextmanager
    def opened(self, name, kernel=True):
        """A notebook of `root`, open in a page of its own: the page, and the visit that notes what goes wrong.

        `kernel=False` is for one whose kernel this machine has not: no other is chosen.
        """
        visit = Visit()
        context = self.browser.new_context(viewport=VIEW)
        context.add_init_script(path=Path(__file__).with_name("drive.js"))
        context.on("request", lambda request: is_loopback(request.url) or visit.abroad.append(request.url))
        context.route(lambda url: not is_loopback(url), lambda route: route.abort())
        page = context.new_page()
        page.on("websocket", lambda socket: is_loopback(socket.url) or visit.abroad.append(socket.url))
        page.on("pageerror", lambda error: visit.console.append(str(error)))
        page.on("console", lambda said: said.type == "error" and visit.console.append(said.text))
        try:
            page.goto(f"{self.url}/lab/tree/{name}?reset&token={self.token}")
            page.wait_for_function("path => window.drive.opened(path)", arg=name, timeout=60_000)
            if kernel:
                page.wait_for_function("drive.idle()", timeout=60_000)
            else:
                page.get_by_role("button", name="No Kernel", exact=True).click()
            page.evaluate("drive.widen()")
            yield page, visit
            page.evaluate("drive.panel().sessionContext.shutdown()")
        finally:
            context.close()

    def visit(self, name, run=True, shots=None):
        """Open a notebook of `root`, run all its cells if asked to, and look at it."""
        with self.opened(name) as (page, visit):
            if run:
                self.run(page)
            page.wait_for_timeout(500)  # the last outputs are drawn, the last formulas set
            visit.notebook, visit.seen = page.evaluate("drive.notebook()"), page.evaluate("drive.seen()")
            if shots:
                photograph(page, shots, Path(name).stem)
        return visit

    def run(self, page):
        """Run all cells and wait for the last, as long as none takes more than CELL_SECONDS."""
        page.evaluate("drive.clear()")
        page.evaluate("drive.run()")
        while not page.evaluate("drive.done()"):
            more = "before => drive.done() || drive.counted() > before"
            page.wait_for_function(more, arg=page.evaluate("drive.counted()"), timeout=CELL_SECONDS * 1000)
        page.wait_for_function("drive.idle()", timeout=CELL_SECONDS * 1000)


def photograph(page, folder, stem):
    """The whole notebook as pictures `stem-1.png`, `stem-2.png`, ..., each one screen further down."""
    folder.mkdir(parents=True, exist_ok=True)
    step = page.evaluate("drive.panel().node.querySelector('.jp-WindowedPanel-outer').clientHeight")
    for number, top in enumerate(range(0, page.evaluate("drive.height()"), step), 1):
        page.evaluate("top => drive.scroll(top)", top)
        page.wait_for_timeout(100)
        page.screenshot(path=folder / f"{stem}-{number}.png")


def isolated(home):
    """An environment in which Jupyter finds nobody's settings and keeps its own in `home`."""
    settings = home / "settings"
    for name, values in SETTINGS.items():
        path = settings / "@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(values))
    places = {"JUPYTERLAB_SETTINGS_DIR": settings, "JUPYTERLAB_WORKSPACES_DIR": home / "workspaces"}
    places |= {f"JUPYTER_{kind}_DIR": home / kind.lower() for kind in ("CONFIG", "DATA", "RUNTIME")}
    return {**os.environ, "IPYTHONDIR": str(home / "ipython"), **{name: str(path) for name, path in places.items()}}


def await_server(url, server, log):
    end = time.monotonic() + 60
    while time.monotonic() < end and server.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/api", timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not come up:\n{log.read_text()}")


@contextmanager
def open_browser(executable):
    """A headless Chromium; Playwright runs but once in a thread."""
    from playwright.sync_api import sync_playwright

    flags = FLAGS + (["--no-sandbox"] if getattr(os, "geteuid", int)() == 0 else [])
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=executable, args=flags)


@contextmanager
def open_lab(root, home, browser):
    """A running `Lab` over the folder `root`, on a free port of loopback, with its settings in `home`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url, token, log = f"http://127.0.0.1:{port}", secrets.token_hex(16), home / "server.log"
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "ServerApp.root_dir": root,
        "ServerApp.contents_manager_class": "ddl.course.contents.Contents",
        "IdentityProvider.token": token,
        "LabApp.expose_app_in_browser": True,
        "LabApp.extension_manager": "readonly",
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [f"--{name}={value}" for name, value in options.items()]
    with log.open("w") as out:
        server = subprocess.Popen(command, env=isolated(home), cwd=root, stdout=out, stderr=subprocess.STDOUT)
    try:
        await_server(url, server, log)
        yield Lab(root, url, token, browser)
    finally:
        server.terminate()
        server.wait(30)
