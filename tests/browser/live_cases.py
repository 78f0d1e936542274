"""Widgets that follow a training, with random data, for the browser test."""

import numpy as np

from ddl.widgets import Dashboard, boundary, race, watch
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


def two_moons(seed):
    model, (x, y) = network(seed), moons(seed=seed)
    for _ in training(model, x, y, steps=20 + seed):
        pass
    return boundary(model, x, y)


def shares(data):
    """How much of the map each class has, and how many points are on the right side."""
    classes = data["classes"]
    found = {
        f"Class {kind} on the map": float(f"{100 * classes.count(kind) / len(classes):.4g}") for kind in {*classes}
    }
    return {"value": found | {"Points on the right side": data["right"]}}


def racing(seed):
    return race("hills", steps=30, start=np.random.default_rng(seed).uniform(-2, 2, 2).tolist())


def ends(data):
    """The losses with which a race ends."""
    return {"value": {one["name"]: one["losses"][-1] for one in data["runs"]}}


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


def row(name, make, numbers, shown, *asks):
    return {"name": name, "make": make, "numbers": numbers, "shown": {"value": (shown, "place")}, "asks": (asks,)}


LIVE = [
    row("boundary", two_moons, shares, ".ddl-facts b", "[data-zoom='2']", ("Enter",)),
    row("dashboard", dashboard, facts, ".ddl-facts b", ".ddl-dashboard [type=text]", ("Control+a", "3", "Enter")),
    row("race", racing, ends, ".ddl-facts b", "form input", ("Control+a", "0", "Enter")),
    row("microscope", microscope, layers, "td[data-place]", ".ddl-anew", ("Enter",)),
]
