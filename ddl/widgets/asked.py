"""A model that is asked while it may be training, as views ask in a thread of their own: a twin of it answers."""

from contextlib import contextmanager
from copy import copy, deepcopy

import numpy as np

from .. import random
from ..arrays import is_array, to_device
from ..core import Tensor, no_grad
from ..nn import Module, Parameter


@contextmanager
def undisturbed(model):
    """What stands in for `model` while it is asked: its twin, without gradients, drawing from streams of its own.

    A function stands for itself: a model that it calls is asked as it is.
    """
    with no_grad(), random.apart():
        yield twin(model) if isinstance(model, Module) else model


def twin(model):
    """A module as a copy in evaluation mode, without hooks; its parameters share the memory of the model's.

    Setting the mode, the hooks or a parameter's data of the copy leaves the model as it is. What cannot be copied, such
    as a result of ops that was kept or an open file, is shared, and so are arrays.
    """
    memo = {}
    for module in model.modules():
        for value in _held(vars(module)):
            if isinstance(value, Parameter):
                memo[id(value)] = copy(value)
            elif not isinstance(value, Module) and (is_array(value) or not _can_be_copied(value)):
                memo[id(value)] = value
    return deepcopy(model, memo).eval()


def placed(model, x):
    """An array of numbers as a tensor such as the model's weights are: on their device, of their dtype."""
    weight = next(iter(model.parameters()), None) if isinstance(model, Module) else None
    return Tensor(x.astype(np.float32)) if weight is None else Tensor(x.astype(weight.dtype)).to(weight.device)


def host(x):
    """The numbers of a tensor or an array, on whatever device, as numpy has them."""
    return np.asarray(to_device(x.data if isinstance(x, Tensor) else x, "cpu"))


def _held(value):
    """What lies in attributes and in the lists, tuples and dicts that they hold."""
    for each in value.values() if isinstance(value, dict) else value:
        if isinstance(each, (list, tuple, dict)):
            yield from _held(each)
        else:
            yield each


def _can_be_copied(value):
    try:
        deepcopy(value)
    except Exception:
        return False
    return True
