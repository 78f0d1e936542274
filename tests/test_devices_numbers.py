"""A number belongs to no device: a 0-d array on the CPU stands beside a GPU's, and nothing larger does."""

import numpy as np
import pytest

import ddl
from ddl.nn import functional as F

BESIDE = {
    "add": lambda x, n: x + n,
    "on the left": lambda x, n: n * x,
    "division": lambda x, n: n / x,
    "power": lambda x, n: x**n,
    "maximum": lambda x, n: ddl.maximum(x, n),
    "where": lambda x, n: ddl.where(x > n, x, n),
    "masked_fill": lambda x, n: x.masked_fill(x > 2, n),
    "twice": lambda x, n: (x - n) * n,
}


@pytest.mark.parametrize("name", BESIDE)
def test_a_0d_tensor_stands_beside_a_gpus_and_its_gradient_comes_home(name, cupy):
    f, results = BESIDE[name], []
    for device in ("cpu", "gpu"):
        x = ddl.tensor(np.array([1.0, 3.0]), device=device, requires_grad=True)
        n = ddl.tensor(np.array(2.0), requires_grad=True)
        y = f(x, n)
        assert y.device == device
        y.sum().backward()
        assert x.grad.device == device
        results.append([y.tolist(), x.grad.tolist(), n.grad.tolist()])
        assert n.grad.device == "cpu"
        y = f(x, n)
        gx, gn = ddl.grad((y * y * y).sum(), [x, n], create_graph=True)
        seconds = ddl.grad((gx * gx).sum() + gn, [x, n])
        assert [g.device for g in (gx, gn, *seconds)] == [device, "cpu", device, "cpu"]
        results[-1] += [g.tolist() for g in (gx, gn, *seconds)]
    for there, here in zip(*reversed(results)):
        np.testing.assert_allclose(there, here, rtol=1e-12)


@pytest.mark.parametrize(
    "number", [np.array(2.0), np.array(2), np.float32(2), np.int64(2), 2, ddl.tensor(2.0)], ids=repr
)
def test_every_kind_of_number_passes(number, cupy):
    x = ddl.tensor([1.0, 3.0], device="gpu")
    for f in (lambda: x + number, lambda: number + x):
        assert (f().device, f().tolist()) == ("gpu", [3.0, 5.0])
    assert (x > number).tolist() == [False, True]
    with ddl.no_grad():
        x -= number
        assert x.tolist() == [-1.0, 1.0]
        x[0] = number
    assert x.tolist() == [2.0, 1.0]


def test_an_index_list_and_a_list_of_ids_pass(cupy):
    x = ddl.tensor([[1.0, 2.0], [3.0, 4.0]], device="gpu", requires_grad=True)
    assert x[[1, 0]].tolist() == [[3.0, 4.0], [1.0, 2.0]]
    assert F.embedding([1], x).tolist() == [[3.0, 4.0]]


LARGER = {
    "one axis": lambda x: x + ddl.tensor([1.0, 2.0]),
    "one element": lambda x: x + ddl.tensor([1.0]),
    "beside a number": lambda x: ddl.where(ddl.tensor([True, False]), x, ddl.tensor(1.0)),
    "numpy's": lambda x: np.ones(2) * x,
}


@pytest.mark.parametrize("name", LARGER)
def test_anything_with_an_axis_is_refused(name, cupy):
    with pytest.raises(TypeError, match=r"on cpu.*\.to\('gpu'\)|on gpu.*\.to\('gpu'\)"):
        LARGER[name](ddl.tensor([1.0, 2.0], device="gpu"))


@pytest.mark.parametrize(("here", "there"), [("cpu", "gpu"), ("gpu", "cpu")])
def test_writing_across_devices_is_refused_but_for_a_number(here, there, cupy):
    x = ddl.tensor([1.0, 2.0], device=here)
    sentence = f"values on {there} were to be written into a tensor on {here}; move them first with .to\\('{here}'\\)"
    with pytest.raises(TypeError, match=sentence):
        x[:] = ddl.tensor([3.0, 4.0], device=there)
    x[0] = ddl.tensor(5.0, device=there)
    assert x.tolist() == [5.0, 2.0]


def test_a_number_beside_a_fault_of_another_kind_leaves_that_fault(cupy):
    x = ddl.tensor([1.0, 2.0], device="gpu")
    with pytest.raises(ValueError, match="broadcast"):
        ddl.where(x > 0, ddl.tensor([1.0, 2.0, 3.0], device="gpu"), ddl.tensor(1.0))
