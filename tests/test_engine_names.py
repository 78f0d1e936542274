"""The names that were asked for are there; their list is a file of its own, not derived from the package."""

import inspect
import re
from functools import reduce
from pathlib import Path

import pytest

import ddl

LINES = [
    line for line in (Path(__file__).with_name("required_names.txt")).read_text("utf-8").splitlines() if line[:1] != "#"
]


@pytest.mark.parametrize("line", LINES)
def test_a_required_name_is_there_with_its_arguments(line):
    path, arguments = re.fullmatch(r"([\w.]+)(?:\((.*)\))?", line).groups()
    found = reduce(lambda owner, name: vars(owner).get(name) or getattr(owner, name), path.split("."), ddl)
    if arguments is None:
        return
    assert callable(found)
    if arguments:
        parameters = set(inspect.signature(found).parameters)
        assert set(arguments.split(", ")) <= parameters, f"{path} takes {sorted(parameters)}"


def test_the_list_lost_no_line():
    assert len(LINES) == 395
    assert len(set(LINES)) == len(LINES)


@pytest.mark.parametrize("name", ddl._METHODS)
def test_a_function_of_a_tensor_is_its_method(name):
    assert getattr(ddl, name) is getattr(ddl.Tensor, name)


def test_the_functions_that_are_methods_are_in_order_and_named_once():
    assert sorted(set(ddl._METHODS)) == ddl._METHODS
