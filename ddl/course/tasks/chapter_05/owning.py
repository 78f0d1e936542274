"""What a module owns."""

import numpy as np

from ....creation import tensor
from ....nn import Linear, Module, Parameter
from ...compare import kind
from ...task import Malformed, Mistake, Task, itself, once


def named_parameters(module):
    first = {}
    for path, part in walk(module):
        if isinstance(part, Parameter):
            first.setdefault(id(part), (path, part))
    return dict(first.values())


def walk(thing, path=""):
    yield path, thing
    for name, part in inside(thing):
        yield from walk(part, f"{path}.{name}" if path else str(name))


def inside(thing):
    """(name, part) of what a module, a list or a dict holds."""
    if isinstance(thing, Module):
        return vars(thing).items()
    if isinstance(thing, list):
        return enumerate(thing)
    return thing.items() if isinstance(thing, dict) else ()


class Holder(Module):
    """A module that owns what it is given."""

    def __init__(self, **parts):
        for name, part in parts.items():
            setattr(self, name, part)


def one():
    return Parameter(np.ones((2, 2), np.float32))


def tied():
    shared = Linear(2, 2)
    return Holder(read=shared, write=shared)


def tied_weight():
    read, write = Linear(2, 2, bias=False), Linear(2, 2)
    write.weight = read.weight
    return Holder(read=read, write=write)


def used():
    model = Holder(first=Linear(2, 3), count=3, name="used")
    model.seen = model.first(tensor(np.ones((1, 2), np.float32)))
    return model


def models():
    """What makes a model, by what is special about it."""
    return {
        "nothing inside": (lambda: Holder(),),
        "a layer": (lambda: Linear(2, 3),),
        "two layers": (lambda: Holder(first=Linear(2, 3), last=Linear(3, 1)),),
        "a list of layers": (lambda: Holder(layers=[Linear(2, 3), Linear(3, 3), Linear(3, 1)]),),
        "a dict of layers": (lambda: Holder(heads={"left": Linear(2, 1), "right": Linear(2, 1)}),),
        "lists in a dict": (
            lambda: Holder(scale=one(), parts={"up": [Linear(2, 3), Linear(3, 3)], "last": Linear(3, 1)}),
        ),
        "one layer in two places": (tied,),
        "one weight in two layers": (tied_weight,),
        "two of equal values": (lambda: Holder(a=one(), b=one()),),
        "a result that was kept": (used,),
    }


def owned(answer, model):
    """The paths in order, with their shapes, and how many different parameters there are."""
    made = model()
    found = answer(made)
    if not isinstance(found, dict):
        raise Malformed(f"a dict of paths and parameters was expected, but {kind(found)} came")
    own = {id(p) for p in made.parameters()}
    return {
        "paths": list(found),
        "shapes": [tuple(p.shape) for p in found.values()],
        "of the model": sum(id(p) in own for p in found.values()),
        "different ones": len({id(p) for p in found.values()}),
    }


def children_alone(module):
    found = {}
    for name, part in vars(module).items():
        if isinstance(part, Parameter):
            found[name] = part
        elif isinstance(part, Module):
            found |= {f"{name}.{path}": p for path, p in children_alone(part).items()}
    return found


def every_path(module):
    return {path: part for path, part in walk(module) if isinstance(part, Parameter)}


def whatever_learns(module):
    first = {}
    for path, part in walk(module):
        if getattr(part, "requires_grad", False):
            first.setdefault(id(part), (path, part))
    return dict(first.values())


def no_dicts(module):
    return {path: p for path, p in named_parameters(module).items() if not _through_a_dict(module, path)}


def _through_a_dict(thing, path):
    for name in path.split("."):
        if isinstance(thing, dict):
            return True
        thing = {str(key): part for key, part in inside(thing)}[name]
    return False


def last_path(module):
    return dict({id(part): (path, part) for path, part in walk(module) if isinstance(part, Parameter)}.values())


TASKS = [
    Task(
        "05.count",
        "How many parameters",
        "parameters",
        784 * 128 + 128 + 128 * 128 + 128 + 128 * 10 + 10,
        once,
        (
            "A Linear layer from n to m has a weight of m × n numbers and a bias of m.",
            "The middle layer is one object in two places. It is walked through twice, and counts once.",
            "100,480 for the first, 16,512 for the middle one, 1,290 for the last: add them up.",
        ),
        (
            Mistake(
                "the shared layer counted twice",
                "Both places hold the same layer: each object counts once.",
                784 * 128 + 128 + 2 * (128 * 128 + 128) + 128 * 10 + 10,
            ),
            Mistake(
                "weights alone",
                "Each layer has a bias as well, one number for each output.",
                784 * 128 + 128 * 128 + 128 * 10,
            ),
            Mistake(
                "a bias for each input",
                "The bias is added to what comes out: it has as many numbers as there are outputs.",
                784 * 128 + 784 + 128 * 128 + 128 + 128 * 10 + 128,
            ),
            Mistake(
                "without the middle layer",
                "Counting it once is not leaving it out.",
                784 * 128 + 128 + 128 * 10 + 10,
            ),
        ),
        itself,
    ),
    Task(
        "05.walk",
        "Find the bug: layers that nobody trains",
        "named_parameters",
        named_parameters,
        models,
        (
            "Ask a model that keeps its layers in a list, and one that keeps them in a dict. What is missing?",
            "Let one function go through a module (vars), a list (enumerate) and a dict (items) alike, and call itself "
            "on each part, with the path so far.",
            "Remember the id of each parameter that you took; one that comes again keeps its first path.",
        ),
        (
            Mistake(
                "once for each path",
                "A parameter in two places counts once, or a step moves it twice.",
                every_path,
            ),
            Mistake(
                "dicts are not looked into",
                "What a module keeps in a dict is its own as well, under its key.",
                no_dicts,
            ),
            Mistake(
                "lists and dicts are not looked into",
                "What a module keeps in a list or a dict is its own as well.",
                children_alone,
            ),
            Mistake(
                "the last path for the first",
                "A parameter that comes again keeps the path by which it was met first.",
                last_path,
            ),
            Mistake(
                "results among the parameters",
                "A result that was kept requires a gradient too; only an nn.Parameter is meant to learn.",
                whatever_learns,
            ),
        ),
        owned,
        level=2,
    ),
]
