"""The one browser, and the one JupyterLab in it, that all browser tests share."""

import importlib.util

import pytest
from browser.lab import chromium, open_browser, open_lab


@pytest.fixture(scope="session")
def browser():
    executable = chromium()
    if not importlib.util.find_spec("playwright"):
        pytest.skip("playwright is not installed")
    if not executable:
        pytest.skip("no Chromium was found")
    with open_browser(executable) as opened:
        yield opened


@pytest.fixture(scope="session")
def lab(browser, tmp_path_factory):
    if not importlib.util.find_spec("jupyterlab"):
        pytest.skip("JupyterLab is not installed")
    with open_lab(tmp_path_factory.mktemp("lab"), tmp_path_factory.mktemp("home"), browser) as opened:
        yield opened
