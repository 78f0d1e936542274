"""Widgets that follow a training, with random data, for the browser test."""

from ddl.widgets import watch
from ddl.widgets.demo import moons, network, training


def microscope(seed):
    model = network(seed)
    model[0].bias.data[:4] = -100  # dead
    widget = watch(model, every=2)
    for _ in training(model, *moons(seed=seed), steps=5):
        pass
    widget.catch_up()
    return widget


def layers(data):
    """What a row of the microscope's table says of each layer."""
    found = {}
    for layer in data["layers"]:
        told = {kind: layer[kind] and layer[kind]["rms"] for kind in ("output", "gradient")}
        told |= {kind: layer[kind] for kind in ("dead", "update")}
        found |= {f"{layer['name']}:{kind}": x for kind, x in told.items()}
    return {"value": found}
