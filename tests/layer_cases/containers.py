"""Lists and dicts of layers, called by whoever holds them."""

from collections import OrderedDict

from cases.table import N

from ddl import nn

from .table import bad_arguments, row


def one_by_one(layers, x):
    for layer in layers:
        x = layer(x)
    return x


def by_name(layers, x):
    return layers["up"](x) + layers["down"](x)


# fmt: off
row(nn.Sequential, "named", lambda: nn.Sequential({"up": nn.Linear(4, 5), "act": nn.Tanh(), "down": nn.Linear(5, 2)}),
    N(3, 4),
    torch=lambda t: t.nn.Sequential(OrderedDict(up=t.nn.Linear(4, 5), act=t.nn.Tanh(), down=t.nn.Linear(5, 2))))
row(nn.ModuleList, "", lambda: nn.ModuleList([nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2)]), N(3, 4),
    torch=lambda t: t.nn.ModuleList([t.nn.Linear(4, 5), t.nn.Tanh(), t.nn.Linear(5, 2)]),
    call=one_by_one, run=lambda torch, twin, x: one_by_one(twin, x))
row(nn.ModuleDict, "", lambda: nn.ModuleDict({"up": nn.Linear(4, 2), "down": nn.Linear(4, 2, bias=False)}), N(3, 4),
    torch=lambda t: t.nn.ModuleDict({"up": t.nn.Linear(4, 2), "down": t.nn.Linear(4, 2, bias=False)}),
    call=by_name, run=lambda torch, twin, x: by_name(twin, x))
bad_arguments(nn.Sequential, "a name that is taken", lambda: nn.Sequential({"forward": nn.ReLU()}), "'forward'")
bad_arguments(nn.ModuleList, "a number", lambda: nn.ModuleList(3), "a list of layers", "3")
bad_arguments(nn.ModuleDict, "a list", lambda: nn.ModuleDict([3]), "a dict of layers", "[3]")
bad_arguments(nn.ModuleList, "a function", lambda: nn.ModuleList([nn.ReLU(), abs]), "place 1", "abs")
bad_arguments(nn.ModuleDict, "a function", lambda: nn.ModuleDict({"up": abs}), "'up'", "abs")
bad_arguments(nn.ModuleDict, "a dot", lambda: nn.ModuleDict({"a.b": nn.ReLU()}), "'a.b'")
bad_arguments(nn.ModuleDict, "a name that is taken", lambda: nn.ModuleDict({"keys": nn.ReLU()}), "'keys'")
bad_arguments(nn.ModuleDict, "a number", lambda: nn.ModuleDict({3: nn.ReLU()}), "3")
# fmt: on
