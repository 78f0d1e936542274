"""The rows of the widgets that show arrays: what `widget_cases.Case` is told of each."""

import numpy as np

from ddl import manual_seed, randn
from ddl.models import CNN
from ddl.widgets import broadcast, convolve, digits, features, initialisers, strides
from ddl.widgets.roofline import Roofline

CELLS = {"value": (".ddl-cell", "place")}


def retyped(label, text):
    return ((f'input[aria-label="{label}"]', ("Control+a", *text, "Enter")),)


def cells(**arrays):
    """What a page of grids has to show: the entry of each array by its name and place."""
    return {"value": {f"{key} {place}": x for key, array in arrays.items() for place, x in enumerate(array)}}


def broadcasts(data):
    grads = {f"grad {name}": grad for name, grad in zip(data["names"], data["grads"])}
    return cells(**dict(zip(data["names"], data["values"])), sum=data["out"], g=data["g"], **grads)


def broadcasting(seed):
    rng = np.random.default_rng(seed)
    return broadcast(rng.normal(size=(2, 1)), rng.normal(size=(3,)))


def lain(data):
    view = data["views"][-1]
    return cells(view=view["values"], memory=view["memory"])


def striding(seed):
    return strides(np.random.default_rng(seed).normal(size=(3, 4)), "x[:, ::2].T")


def scales(data):
    """Of the last layer, which is the one in detail at first."""
    chosen = data["passages"][data["shown"]]
    return {"value": {f"{kind} {data['depth']}": chosen[kind][-1] for kind in ("forward", "backward")}}


def slid(data):
    return cells(**{name: data[name]["values"] for name in ("image", "kernel", "out")})


def convolving(seed):
    rng = np.random.default_rng(seed)
    return convolve(rng.normal(size=(5, 6)), rng.normal(size=(3, 2)))


def drawing(seed):
    manual_seed(seed)
    return digits(CNN(8, classes=5, channels=(2, 3)), np.random.default_rng(seed).random((8, 8)))


def timing(seed):
    """Times that a clock could have told, so that they are the same here as in the kernel."""
    rng = np.random.default_rng(seed)
    times = lambda graph, inputs: ({node.id: rng.uniform(1e-6, 1e-4) for node in graph.nodes}, (2e10, 1e10))
    manual_seed(seed)
    return Roofline(CNN(8, classes=5, channels=(2, 3)), randn(4, 1, 8, 8), measure=times)


def slowest(data):
    ops = sorted(enumerate(data["ops"]), key=lambda pair: -pair[1]["microseconds"])[: data["tabled"]]
    return {"value": {str(i): op["microseconds"] for i, op in ops}}


def mapped(seed):
    manual_seed(seed)
    return features(CNN(8, channels=(3, 2)), np.random.default_rng(seed).random((3, 8, 8)))


ARRAYS = [
    {
        "name": "broadcast",
        "make": broadcasting,
        "numbers": broadcasts,
        "shown": CELLS,
        "asks": retyped("shape of x", "4,1"),
    },
    {
        "name": "strides",
        "make": striding,
        "numbers": lain,
        "shown": CELLS,
        "asks": retyped("chain", "x.flip(0)"),
    },
    {
        "name": "initialisers",
        "make": lambda seed: initialisers(depth=4, width=16, seed=seed),
        "numbers": scales,
        "shown": {"value": ("b", "place")},
        "asks": (('select[aria-label="activation"]', ("ArrowDown",)),),
    },
    {
        "name": "convolve",
        "make": convolving,
        "numbers": slid,
        "shown": CELLS,
        "asks": retyped("kernel", "1 2; 3 4"),
    },
    {
        "name": "digits",
        "make": drawing,
        "numbers": lambda data: {"value": {str(i): p for i, p in enumerate(data["answer"])}},
        "shown": {"value": (".ddl-answers li", "place")},
        "asks": (("[role=slider]", ("ArrowRight", "Space")),),
    },
    {
        "name": "roofline",
        "make": timing,
        "numbers": slowest,
        "shown": {"value": ("td[data-place]", "place")},
        "asks": (("button", ("Enter",)),),
    },
    {
        "name": "features",
        "make": mapped,
        "numbers": lambda data: cells(channel=data["layers"][1]["means"]),
        "shown": {"value": ('[data-key="channel"] .ddl-cell', "place")},
        "asks": (('select[aria-label="image"]', ("ArrowDown",)),),
    },
]
