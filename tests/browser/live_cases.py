"""Widgets that follow a training, with random data, for the browser test."""

from ddl.widgets import Dashboard, watch
from ddl.widgets.demo import moons, network, training


def microscope(seed):
    model = network(seed)
    model[0].bias.data[:4] = -100  # dead
    widget = watch(model, every=2)
    for _ in training(model, *moons(seed=seed), steps=5):
        pass
    widget.catch_up()
    return widget


def dashboard(seed):
    board, model, (x, y) = Dashboard(), network(seed), moons(seed=seed)
    for step, loss in enumerate(training(model, x, y, steps=40), 1):
        held_out = {"held_out": loss * 1.1, "sample": "<b>once</b> upon"} if step % 10 == 0 else {}
        board.log(step, loss=loss, lr=0.02 / (step + seed), tokens=200, seconds=0.125 * seed, memory=64e6, **held_out)
    board.catch_up()
    return board


def facts(data):
    """The numbers of the dashboard."""
    return {"value": {key: data[key] for key in ("step", "loss", "held_out", "lr", "speed", "tokens", "memory")}}


def layers(data):
    """What a row of the microscope's table says of each layer."""
    found = {}
    for layer in data["layers"]:
        told = {kind: layer[kind] and layer[kind]["rms"] for kind in ("output", "gradient")}
        told |= {kind: layer[kind] for kind in ("dead", "update")}
        found |= {f"{layer['name']}:{kind}": x for kind, x in told.items()}
    return {"value": found}
