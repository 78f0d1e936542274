"""Graphs as ONNX models, which other runtimes load."""

import os
from collections.abc import Mapping
from typing import Any

from ...files import write_whole
from ..data import Graph
from ..given import named_in
from ..table import into
from .walk import given, needed, write
from .writer import IR, OPSET, Writer

LARGEST = 2**31 - 2**20  # bytes of weights, so that with all else a file stays under 2 GiB


def to_onnx(graph: Graph, path: str | os.PathLike[str] | None = None, values: Mapping[str, Any] | None = None) -> Any:
    """The graph as an onnx.ModelProto, also written to `path`, in folders made for it, where one
    is given; needs the package onnx.

    Parameters become initializers with their names, and sizes with a name become ONNX's symbolic ones. Inputs are
    called as in the graph, results "output 0" and so on; an input that reaches no result is left out. Ids and masks in
    an index, as in x[ids], are written as the values they had. Of parameters whose shape alone is known, `values` has
    the rest, by name. What the graph takes for granted is in the model's doc_string. What a maximum makes of NaN is
    left to the runtime. Raises NotImplementedError for an op that ONNX has not.
    """
    onnx = _package()
    for node in named_in(graph, values or {}):
        if (shape := tuple((values or {})[node.name].shape)) != node.shape:
            raise ValueError(f"to_onnx was given {node.name!r} of shape {shape}, but the graph has {node.shape}")
    w = Writer(onnx, all(graph.nodes[i].value is not None for i in graph.inputs), values or {})
    used = {node.id: node for node in needed(graph, into(graph))}
    held = {i: given(w, node) for i, node in used.items() if node.kind == "parameter"}  # first, to keep their names
    inputs = {i: w.input(used[i], f"input {k}") for k, i in enumerate(graph.inputs) if i in used}
    ends = [w.cast(x, graph.nodes[i].dtype) for i, x in zip(graph.outputs, write(w, graph, held | inputs))]
    results = [w.result(x, f"output {k}") for k, x in enumerate(ends)]
    body = onnx.helper.make_graph(w.nodes, "ddl", [*map(w.info, inputs.values())], results, w.initializers)
    granted = f"taken for granted: {', '.join(graph.assumptions)}" if graph.assumptions else ""
    opset = onnx.helper.make_opsetid("", OPSET)
    model = onnx.helper.make_model(body, opset_imports=[opset], ir_version=IR, producer_name="ddl", doc_string=granted)
    if path is not None:
        write_whole(path, _bytes(model))
    return model


def _bytes(model: Any) -> bytes:
    size = sum(len(x.raw_data) for x in model.graph.initializer)
    if size > LARGEST:
        raise ValueError(
            f"to_onnx was to write a model of {size / 2**30:.1f} GiB, but one file holds 2; call it without a path, "
            "and onnx.save_model(model, path, save_as_external_data=True), which puts the weights into a second file"
        )
    return model.SerializeToString()


def _package() -> Any:
    try:
        import onnx
        import onnx.numpy_helper
    except ImportError as error:
        raise ImportError(
            "to_onnx was asked for, but the package onnx is not installed; install it with pip install onnx"
        ) from error
    return onnx
