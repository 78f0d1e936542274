"""Saving and loading weights: safetensors, every dtype and layout, and a sentence for what is no such file."""

import ast
import json
import re
import struct
from pathlib import Path

import numpy as np
import pytest
from safetensors import numpy as theirs
from safetensors import safe_open

import ddl
from ddl.checkpoint import checkpoints, load_metadata, newest
from ddl.models import GPT2, GPT2Config

ROOT = Path(__file__).resolve().parents[1]
SMALL = GPT2Config(vocab_size=11, block_size=4, n_embd=8, n_layer=1, n_head=2)
ARRAYS = {
    "matrix": np.arange(6, dtype=np.float32).reshape(2, 3),
    "half": np.array([1.5, -2.0, 65504.0], np.float16),
    "double": np.array([np.pi, -0.0, 1e-320]),
    "int": np.array([[2**62, -1]]),
    "byte": np.arange(256, dtype=np.uint8),
    "yes or no": np.array([True, False]),
    "0-d": np.array(7.5, np.float32),
    "empty": np.zeros((0, 3), np.float32),
    "turned": np.arange(6.0).reshape(2, 3).T,
    "every second": np.arange(10, dtype=np.int32)[::2],
    "backwards": np.arange(4.0)[::-1],
    "broadcast": np.broadcast_to(np.float32([1, 2]), (3, 2)),
    "columns first": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "big-endian": np.arange(3, dtype=">f4"),
    "not finite": np.array([np.nan, np.inf, -np.inf], np.float32),
}


def same(a, b):
    native = a.astype(a.dtype.newbyteorder("="))
    return a.shape == b.shape and native.dtype == b.dtype and native.tobytes() == np.ascontiguousarray(b).tobytes()


def test_arrays_of_every_dtype_and_layout_come_back(tmp_path):
    ddl.save(ARRAYS, tmp_path / "a.safetensors")
    back = ddl.load(tmp_path / "a.safetensors")
    assert set(back) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert isinstance(back[name], ddl.Tensor)
        assert not back[name].requires_grad
        assert same(array, back[name].numpy()), name


def test_tensors_come_back_and_numbers_of_numpy_are_0d(tmp_path):
    x = ddl.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    ddl.save({"x": x, "turned": x.T, "made": x * 2, "n": np.float32(3)}, str(tmp_path / "a.safetensors"))
    back = ddl.load(str(tmp_path / "a.safetensors"))
    assert back["turned"].numpy().tolist() == [[1, 3], [2, 4]]
    assert back["made"].numpy().tolist() == [[2, 4], [6, 8]]
    assert (back["n"].shape, back["n"].item()) == ((), 3)


def test_a_module_comes_back_and_is_not_tied_to_the_file(tmp_path):
    ddl.manual_seed(1)
    model, other = GPT2(SMALL), GPT2(SMALL)
    ddl.save(model, tmp_path / "m.safetensors", {"note": "an ü", "losses": [1.5, 2]})
    other.load_state_dict(ddl.load(tmp_path / "m.safetensors"))
    before = {name: p.numpy().tobytes() for name, p in model.named_parameters()}
    assert {name: p.numpy().tobytes() for name, p in other.named_parameters()} == before
    assert load_metadata(tmp_path / "m.safetensors") == {"note": "an ü", "losses": [1.5, 2]}
    other.wte.weight.data += 1
    assert ddl.load(tmp_path / "m.safetensors")["wte.weight"].numpy().tobytes() == before["wte.weight"]


def test_the_safetensors_library_reads_ours_and_we_read_its(tmp_path):
    model = GPT2(SMALL)
    ddl.save(model, tmp_path / "ours.safetensors", {"n": 1})
    read = theirs.load_file(tmp_path / "ours.safetensors")
    assert {n: a.tobytes() for n, a in read.items()} == {n: p.numpy().tobytes() for n, p in model.named_parameters()}
    with safe_open(tmp_path / "ours.safetensors", "np") as file:
        assert json.loads(file.metadata()["ddl"]) == {"n": 1}
    theirs.save_file({"a": np.arange(3)}, tmp_path / "its.safetensors", {"format": "np"})
    assert ddl.load(tmp_path / "its.safetensors")["a"].numpy().tolist() == [0, 1, 2]
    assert load_metadata(tmp_path / "its.safetensors") == {}


def test_tied_weights_are_written_once(tmp_path):
    class Twice(ddl.nn.Module):
        def __init__(self):
            self.one = ddl.nn.Linear(100, 100)
            self.two = self.one
            self.weight = self.one.weight

    ddl.save(Twice(), tmp_path / "t.safetensors")
    assert sorted(ddl.load(tmp_path / "t.safetensors")) == ["one.bias", "weight"]
    assert (tmp_path / "t.safetensors").stat().st_size < 1.1 * 4 * 100 * 101
    gpt = GPT2(SMALL)
    ddl.save(gpt, tmp_path / "g.safetensors")
    loaded = ddl.load(tmp_path / "g.safetensors")
    assert sum(t.data.size for t in loaded.values()) == gpt.num_parameters()
    assert not any("head" in name for name in loaded)


def test_metadata_holds_numpys_numbers_and_refuses_other_things(tmp_path):
    path = tmp_path / "m.safetensors"
    ddl.save({"a": np.ones(1)}, path, {"i": np.int64(3), "f": np.float32(0.5), "big": 2**127})
    assert load_metadata(path) == {"i": 3, "f": 0.5, "big": 2**127}
    with pytest.raises(TypeError, match="metadata beside tensors is plain data, as JSON holds it, but set was given"):
        ddl.save({"a": np.ones(1)}, path, {"s": {1}})
    assert load_metadata(path)["i"] == 3


@pytest.mark.parametrize(
    ("state", "given"),
    [
        ({"a": [1.0, 2.0]}, "but list was given as 'a'"),
        ({"a": 3.0}, "but float was given as 'a'"),
        ({"a": np.array(["x"])}, "but <U1 ndarray was given as 'a'"),
        ({"a": np.array([None])}, "but object ndarray was given as 'a'"),
        ({"a": np.ones(2, complex)}, "but complex128 ndarray was given as 'a'"),
        ({3: np.ones(2)}, "but float64 ndarray was given as 3"),
        ({"a": ddl.Spec((2, 3))}, "but float32 Spec was given as 'a'"),
    ],
)
def test_what_cannot_be_saved_is_named(tmp_path, state, given):
    path = tmp_path / "a.safetensors"
    ddl.save(ARRAYS, path)
    before = path.read_bytes()
    with pytest.raises(TypeError, match=re.escape(f"save writes tensors and arrays of numbers by name, {given}")):
        ddl.save(state, path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("state", "given"),
    [
        (ddl.ones(2), "a tensor"),
        (ddl.nn.Parameter((2,)), "a tensor"),
        (np.ones(2), "ndarray"),
        ([ddl.ones(2)], "list"),
        ("a.safetensors", "str"),
        (None, "NoneType"),
    ],
)
def test_save_wants_names(tmp_path, state, given):
    with pytest.raises(TypeError) as caught:
        ddl.save(state, tmp_path / "a.safetensors")
    assert str(caught.value) == (
        f"save takes a module, or a dict of tensors by name, but {given} was given; "
        "write ddl.save({'name': tensor}, path)"
    )
    assert list(tmp_path.iterdir()) == []


def test_the_name_that_safetensors_keeps_for_itself_is_refused(tmp_path):
    with pytest.raises(ValueError, match="was to be saved as '__metadata__', a name that safetensors keeps for itself"):
        ddl.save({"a": np.ones(2), "__metadata__": np.ones(2)}, tmp_path / "a.safetensors")
    assert list(tmp_path.iterdir()) == []


def broken_files(tmp_path):
    ddl.save({"a": np.arange(30.0), "b": np.ones(3)}, tmp_path / "whole.safetensors", {"note": "x"})
    whole = (tmp_path / "whole.safetensors").read_bytes()
    yield "empty", b""
    yield from ((f"cut at {n}", whole[:n]) for n in (1, 7, 8, 20, 60, len(whole) // 2, len(whole) - 1))
    yield "longer", whole + b"\0"
    yield "text", b"These are not weights, but a letter.\n" * 10
    yield "huge header", struct.pack("<Q", 2**60) + whole[8:]


def test_every_broken_file_gets_one_sentence(tmp_path):
    for what, content in broken_files(tmp_path):
        path = tmp_path / "broken.safetensors"
        path.write_bytes(content)
        for read in (ddl.load, load_metadata):
            with pytest.raises(ValueError) as caught:
                read(path)
            said = str(caught.value)
            assert said.startswith(f"{path} was to be loaded, but it is not a whole safetensors file ("), what
            assert "\n" not in said


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.safetensors was to be loaded, but there is no such file"):
        ddl.load(tmp_path / "nothing.safetensors")
    with pytest.raises(FileNotFoundError, match="was to be loaded, but that is a folder; give one of its files"):
        ddl.load(tmp_path)


@pytest.mark.parametrize(("dtype", "size"), [("BF16", 2), ("F8_E4M3", 1), ("F8_E5M2", 1)])
def test_a_dtype_that_numpy_lacks_is_named(tmp_path, dtype, size):
    path = tmp_path / "foreign.safetensors"
    parts = {"fine": ("F32", [0, 8]), "layer.weight": (dtype, [8, 8 + 2 * size])}
    header = json.dumps({n: {"dtype": d, "shape": [2], "data_offsets": at} for n, (d, at) in parts.items()}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(8 + 2 * size))
    with pytest.raises(TypeError) as caught:
        ddl.load(path)
    assert str(caught.value) == (
        f"{path} was to be loaded, but layer.weight is {dtype}, which numpy does not have; "
        "convert it to float32 with the library that wrote it"
    )
    assert load_metadata(path) == {}


def test_metadata_that_ddl_did_not_write_are_refused_in_a_sentence(tmp_path):
    path = tmp_path / "broken.safetensors"
    for said in ('{"step": 3', "", "step 3"):
        theirs.save_file({"a": np.ones(2)}, path, {"ddl": said})
        for read in (ddl.load, load_metadata):
            with pytest.raises(ValueError) as caught:
                read(path)
            assert str(caught.value).startswith(
                f"{path} was to be loaded, but its metadata are not those that ddl.save writes ("
            )
            assert "\n" not in str(caught.value)


def test_metadata_are_read_without_the_tensors(tmp_path, monkeypatch):
    ddl.save(ARRAYS, tmp_path / "a.safetensors", {"n": 1})

    class NoTensors:
        def __init__(self, path, framework):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def metadata(self):
            return {"ddl": '{"n": 1}'}

    monkeypatch.setattr("safetensors.safe_open", NoTensors)
    assert load_metadata(tmp_path / "a.safetensors") == {"n": 1}


def test_checkpoints_are_ordered_by_their_step(tmp_path):
    names = ["step-9", "step-10", "step-2", "step-100"]
    for name in names:
        (tmp_path / f"{name}.safetensors").touch()
    assert newest(tmp_path).name == "step-100.safetensors"
    others = "step-1000.txt step-best.safetensors step-200.safetensors.bak step-².safetensors step--5.safetensors"
    for other in [*others.split(), "my-step-400.safetensors", ".step-300.safetensors.0123abcd.unfinished"]:
        (tmp_path / other).touch()
    (tmp_path / "step-500.safetensors").mkdir()
    assert list(checkpoints(tmp_path)) == [2, 9, 10, 100]
    (tmp_path / "step-100.safetensors").unlink()
    assert newest(tmp_path).name == "step-10.safetensors"
    assert newest(tmp_path / "step-500.safetensors") is None
    assert newest(tmp_path / "nowhere") is None


RUNS_CODE = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "torch"}
ARRAY_FILES = {"np.load", "np.save", "np.savez", "np.fromfile", "xp.load", "xp.save"}


def runs_code(source):
    """The lines that import a module whose files run code when read, or that use numpy's own files."""
    for node in ast.walk(ast.parse(source)):
        imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        imported += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        used = ast.unparse(node) if isinstance(node, ast.Attribute) else getattr(node, "arg", None)
        if RUNS_CODE & {name.split(".")[0] for name in imported} or used in ARRAY_FILES | {"allow_pickle"}:
            yield node.lineno


def test_nothing_in_the_package_reads_or_writes_a_format_that_runs_code():
    sources = {path: path.read_text("utf-8") for path in (ROOT / "ddl").rglob("*.py")}
    assert len(sources) > 40
    assert [f"{path.name}:{line}" for path, source in sources.items() for line in runs_code(source)] == []
    for planted in ("import pickle", "def f():\n    from pickle import loads", "import os, torch.serialization",
                    "np.load(path)", "f(allow_pickle=True)"):  # fmt: skip
        assert list(runs_code(planted)), planted


def test_pickling_a_tensor_says_what_to_do():
    import pickle

    with pytest.raises(TypeError, match=r"use ddl\.save and ddl\.load"):
        pickle.dumps({"x": ddl.ones(2)})
