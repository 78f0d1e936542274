"""Layers that read step by step, and their cells."""

from cases.table import N

import ddl
from ddl import nn

from .table import bad_arguments, bad_inputs, row

KINDS = {nn.RNN: (nn.RNNCell, 1), nn.LSTM: (nn.LSTMCell, 2), nn.GRU: (nn.GRUCell, 1)}
LAYERS = {
    "": ((5, 2, 4), {}),
    "no batch": ((5, 4), {}),
    "one step": ((1, 2, 4), {"bias": False}),
    "batch first": ((2, 5, 4), {"batch_first": True}),
    "two layers": ((4, 2, 4), {"num_layers": 2}),
    "both ways": ((4, 2, 4), {"bidirectional": True}),
    "both ways in two layers": ((2, 3, 4), {"num_layers": 2, "bidirectional": True, "batch_first": True}),
    "both ways without a batch": ((3, 4), {"bidirectional": True, "bias": False}),
}


def from_a_state(states):
    """A call whose last inputs are the state: h, or h and c."""
    return lambda layer, x, *parts: layer(x, parts[0] if states == 1 else parts)


# fmt: off
for kind, (cell, states) in KINDS.items():
    name, cell_name = kind.__name__, cell.__name__
    for case, (shape, options) in LAYERS.items():
        n = options.get("num_layers", 1) * (2 if options.get("bidirectional") else 1)
        size = (n, 3) if len(shape) == 2 else (n, shape[0 if options.get("batch_first") else 1], 3)
        call = from_a_state(states)
        row(kind, case, lambda k=kind, o=options: k(4, 3, **o), N(*shape),
            torch=lambda t, k=name, o=options: getattr(t.nn, k)(4, 3, **o),
            still=("weight_hh_l0",) if case == "one step" else ())  # the state is 0
        row(kind, f"{case} from a state".strip(), lambda k=kind, o=options: k(4, 3, **o), N(*shape),
            *[N(*size)] * states, torch=lambda t, k=name, o=options: getattr(t.nn, k)(4, 3, **o), call=call,
            run=lambda torch, twin, *xs, call=call: call(twin, *xs))
    row(kind, "dropout", lambda k=kind: k(4, 3, 2, dropout=0.5), N(3, 2, 4), random=True,
        torch=lambda t, k=name: getattr(t.nn, k)(4, 3, 2, dropout=0.5))
    for case, shape, options in (("rows", (2, 4), {}), ("one row", (4,), {}), ("no bias", (2, 4), {"bias": False})):
        row(cell, case, lambda k=cell, o=options: k(4, 3, **o), N(*shape),
            torch=lambda t, k=cell_name, o=options: getattr(t.nn, k)(4, 3, **o), still=("weight_hh",))
        row(cell, f"{case} from a state", lambda k=cell, o=options: k(4, 3, **o), N(*shape),
            *[N(*shape[:-1], 3)] * states, torch=lambda t, k=cell_name, o=options: getattr(t.nn, k)(4, 3, **o),
            call=call, run=lambda torch, twin, *xs, call=call: call(twin, *xs))

    for layer in (kind, cell):
        bad_arguments(layer, "no inputs", lambda k=layer: k(0, 3), "input_size", "0")
        bad_arguments(layer, "a size below 0", lambda k=layer: k(4, -3), "hidden_size", "-3")
        bad_inputs(layer, "width", lambda k=layer: k(4, 3)(ddl.ones(2, 5)), "4", "(2, 5)")
        bad_inputs(layer, "rank", lambda k=layer: k(4, 3)(ddl.ones(2, 2, 2, 4)), "4", "(2, 2, 2, 4)")
        bad_inputs(layer, "state", lambda k=layer: k(4, 3)(ddl.ones(2, 4), ddl.ones(2, 2)), "3)", "(2, 2)")
        bad_inputs(layer, "parts of a state", lambda k=layer: k(4, 3)(ddl.ones(2, 4), (ddl.ones(3),) * 3), "3)", "(3,)")
    if states == 2:
        for layer, shape in ((kind, (1, 2, 3)), (cell, (2, 3))):
            bad_inputs(layer, "one part", lambda k=layer, s=shape: k(4, 3)(ddl.ones(*s[:-1], 4), ddl.ones(*s)),
                       "a state (h, c), both of shape", f"but {shape} was given")
    bad_arguments(kind, "no layers", lambda k=kind: k(4, 3, 0), "num_layers", "0")
    bad_arguments(kind, "dropout of 2", lambda k=kind: k(4, 3, 2, dropout=2), "between 0 and 1", "2")
    bad_arguments(kind, "dropout between one", lambda k=kind: k(4, 3, dropout=0.1), "0.1", "1 layer")
    bad_inputs(kind, "no steps", lambda k=kind: k(4, 3)(ddl.ones(0, 2, 4)), "T of 1", "(0, 2, 4)")
for kind, shape, cell in ((nn.RNN, (4, 2, 4), False), (nn.RNNCell, (2, 4), True)):
    row(kind, "relu", lambda k=kind: k(4, 3, nonlinearity="relu"), N(*shape), still=("weight_hh",) if cell else (),
        torch=lambda t, k=kind: getattr(t.nn, k.__name__)(4, 3, nonlinearity="relu"))
    bad_arguments(kind, "form", lambda k=kind: k(4, 3, nonlinearity="gelu"), "'gelu'", "'tanh'", "'relu'")
# fmt: on
