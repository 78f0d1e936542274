"""The one JupyterLab that all browser tests share."""

import importlib.util

import pytest
from browser.lab import chromium, open_lab


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    executable = chromium()
    if not importlib.util.find_spec("playwright"):
        pytest.skip("playwright is not installed")
    if not importlib.util.find_spec("jupyterlab"):
        pytest.skip("JupyterLab is not installed")
    if not executable:
        pytest.skip("no Chromium was found")
    with open_lab(tmp_path_factory.mktemp("lab"), tmp_path_factory.mktemp("home"), executable) as opened:
        yield opened
