"""graph.to_onnx: onnxruntime gives the numbers that ddl gives, and onnx's own checker finds no fault."""

import functools
import re

import numpy as np
import onnx
import onnxruntime
import pytest
from cases import CASES

import ddl
from ddl import nn

onnxruntime.set_default_logger_severity(4)

# Ops that are refused, and why. Printed, so that the list is seen.
ONNX_HAS_NOT = {"dropout": "zeros by a generator of our own, which no model in evaluation has"}
# ONNX's operators that onnxruntime cannot run on a CPU in this dtype; the checker takes them.
NO_KERNEL = {(kind, "float64") for kind in ("Conv", "ConvTranspose", "Col2Im", "Erf")}
TOLERANCE = {"float32": {"rtol": 1e-5, "atol": 2e-6}, "float64": {"rtol": 1e-12, "atol": 1e-12}}
DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])


def names(table):
    return {name for text in table for name in text.split()}


def checked(graph):
    model = graph.to_onnx()
    onnx.checker.check_model(model, full_check=True)
    return model


def run(model, *inputs):
    """The results of a model on arrays, of which it takes those it has a use for."""
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    taken = {x.name for x in session.get_inputs()}
    return session.run(None, {name: x for k, x in enumerate(inputs) if (name := f"input {k}") in taken})


def agree(got, expected):
    for x, y in zip(got, expected, strict=True):
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        np.testing.assert_allclose(x, y, **TOLERANCE.get(y.dtype.name, {}))


@functools.cache
def outcome(case, dtype):
    """Nothing, or the op that is refused, or the operator without a kernel."""
    inputs = case.inputs(dtype)
    ddl.manual_seed(0)
    graph = ddl.trace(case.f, *inputs)
    try:
        model = checked(graph)
        agree(run(model, *inputs), [graph.nodes[i].value for i in graph.outputs])
    except NotImplementedError as error:
        return re.match(r"to_onnx met (\w+)( .*)?, which ONNX has not; \w+", str(error))[1]
    except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented as error:
        return str(error).split("implementation for ")[1].split("(")[0], dtype
    return None


@DTYPES
@pytest.mark.parametrize("case", CASES, ids=[c.id for c in CASES])
def test_a_model_has_the_numbers_of_ddl_or_is_refused(case, dtype):
    found = outcome(case, dtype)
    assert found is None or found in names(ONNX_HAS_NOT) | NO_KERNEL


def test_what_is_refused_is_all_that_is_listed():
    print("\nONNX has not:", *(f"{ops} ({why})" for ops, why in ONNX_HAS_NOT.items()))
    print("onnxruntime cannot run:", *(f"{kind} of {dtype}" for kind, dtype in NO_KERNEL))
    found = {outcome(case, dtype) for case in CASES for dtype in ("float32", "float64")}
    assert found == names(ONNX_HAS_NOT) | NO_KERNEL | {None}


def test_a_network_takes_any_batch():
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.LayerNorm(4), nn.Linear(4, 2), nn.Softmax())
    written = checked(ddl.trace(model, ddl.Spec(("B", 3))))
    assert [d.dim_param for d in written.graph.input[0].type.tensor_type.shape.dim] == ["B", ""]
    assert {x.name for x in written.graph.initializer} == {name for name, _ in model.named_parameters()}
    for n in (1, 5):
        x = np.random.default_rng(n).standard_normal((n, 3)).astype(np.float32)
        agree(run(written, x), [model(x).numpy()])


def test_a_refusal_names_the_op_and_the_layer_and_says_what_to_do():
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
    with pytest.raises(NotImplementedError, match=r"dropout in '1', which ONNX has not; .*model\.eval\(\)"):
        ddl.trace(model, ddl.ones(1, 2)).to_onnx()
    assert run(ddl.trace(model.eval(), ddl.ones(1, 2)).to_onnx(), np.ones((1, 2), np.float32))[0].shape == (1, 2)


def test_parameters_without_values_are_refused():
    with ddl.shapes_only():
        model = nn.Linear(2, 2)
    with pytest.raises(ValueError, match=r"parameter 'weight' only its shape is known; .*shapes_only"):
        ddl.trace(model, ddl.Spec(("B", 2))).to_onnx()


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(ImportError, match="pip install onnx"):
        ddl.trace(ddl.exp, ddl.ones(2)).to_onnx()


def test_a_path_gets_the_model(tmp_path):
    graph = ddl.trace(ddl.exp, ddl.ones(2))
    model = graph.to_onnx(tmp_path / "exp.onnx")
    assert onnx.load(tmp_path / "exp.onnx") == model
