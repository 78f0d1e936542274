"""Linear, Embedding, Sequential."""

import numpy as np
from cases.table import N, Z

import ddl
from ddl import nn

from .table import bad_arguments, bad_inputs, row

# fmt: off
for name, shape in {"vector": (4,), "rows": (5, 4), "deep": (2, 3, 4)}.items():
    row(nn.Linear, name, lambda: nn.Linear(4, 3), N(*shape), torch=lambda t: t.nn.Linear(4, 3))
    row(nn.Linear, f"{name} no bias", lambda: nn.Linear(4, 3, bias=False), N(*shape),
        torch=lambda t: t.nn.Linear(4, 3, bias=False))
bad_arguments(nn.Linear, "no inputs", lambda: nn.Linear(0, 3), "in_features", "but 0 was")
bad_arguments(nn.Linear, "half an output", lambda: nn.Linear(2, 1.5), "out_features", "1.5")
bad_arguments(nn.Linear, "True", lambda: nn.Linear(True, 3), "in_features", "True")
bad_inputs(nn.Linear, "width", lambda: nn.Linear(3, 2)(ddl.ones(2, 4)), "3", "(2, 4)")
bad_inputs(nn.Linear, "0-d", lambda: nn.Linear(3, 2)(ddl.tensor(1.0)), "3", "()")

for name, shape in {"0-d": (), "few": (7,), "deep": (2, 3)}.items():
    row(nn.Embedding, name, lambda: nn.Embedding(5, 3), Z(5, *shape), torch=lambda t: t.nn.Embedding(5, 3))
bad_arguments(nn.Embedding, "negative rows", lambda: nn.Embedding(-1, 3), "num_embeddings", "-1")
bad_inputs(nn.Embedding, "id", lambda: nn.Embedding(3, 2)([3]), "id 3", "0 to 2")
bad_inputs(nn.Embedding, "negative id", lambda: nn.Embedding(3, 2)([0, -1]), "id -1", "0 to 2")
bad_inputs(nn.Embedding, "float id", lambda: nn.Embedding(3, 2)(ddl.ones(2)), "Embedding's ids", "float32")
bad_inputs(nn.Embedding, "float ids", lambda: nn.Embedding(3, 2)([0.5]), "integers", "float64")
bad_inputs(nn.Embedding, "bool id", lambda: nn.Embedding(3, 2)(np.array([True])), "integers", "bool")

row(nn.Sequential, "", lambda: nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2)), N(3, 4),
    torch=lambda t: t.nn.Sequential(t.nn.Linear(4, 5), t.nn.Tanh(), t.nn.Linear(5, 2)))
bad_arguments(nn.Sequential, "a function", lambda: nn.Sequential(nn.Linear(1, 1), abs), "place 1", "abs")
bad_inputs(nn.Sequential, "width", lambda: nn.Sequential(nn.Linear(3, 2))(ddl.ones(2, 4)), "3", "(2, 4)")
# fmt: on
