"""Wrong answers to the exercises of chapter 5, as learners give them, and right ones written in another way."""

import numpy as np
from answers import Answers

import ddl
from ddl import nn
from ddl.nn import functional as F

ANSWERS = Answers()
wrong, right = ANSWERS.wrong, ANSWERS.right

right("05.count")(sum(n * m + m for n, m in ((784, 128), (128, 128), (128, 10))))
wrong("05.count", "the shared layer counted twice")(134_794)
wrong("05.count", "weights alone")(118_016)
wrong("05.count", "a bias for each input")(784 * 129 + 128 * 129 + 128 * 11)
wrong("05.count", "without the middle layer")(101_770)
wrong("05.count")(118_281)

right("05.scale")(0.5**15)
wrong("05.scale", "the mean square, not its root")(0.5**30)
wrong("05.scale", "relu left out")(1)
wrong("05.scale", "one layer only")(0.5**0.5)
wrong("05.scale", "thirty times one half")(1 / 30)
wrong("05.scale")(2.0**15)
wrong("05.scale")(0.5**14)


def by_library(x, weight, bias):
    return F.linear(*map(ddl.tensor, (x, weight, bias))).numpy()


def grads_by_library(g, x, weight):
    inputs = [ddl.tensor(part, requires_grad=True) for part in (x, weight, np.zeros(len(weight), x.dtype))]
    return tuple(part.numpy() for part in ddl.grad((F.linear(*inputs) * ddl.tensor(g)).sum(), inputs))


def total(g):
    return g.sum(axis=tuple(range(g.ndim - 1)))


def outer(g, x):
    return np.tensordot(g, x, axes=[range(g.ndim - 1)] * 2)


def there(x, weight, bias):
    return np.einsum("...i,oi->...o", x, weight) + bias


def back(g, x, weight, to_x=1, to_weight=1, to_bias=1):
    dx, dweight = np.einsum("...o,oi->...i", g, weight), outer(g, x)
    return to_x * dx, to_weight * dweight, to_bias * total(g)


right("05.linear")((by_library, grads_by_library))
right("05.linear")((there, back))
wrong("05.linear", "a mean over the batch for the bias")(
    (there, lambda g, x, weight: back(g, x, weight, to_bias=np.asarray(g.shape[-1] / g.size, g.dtype)))
)
wrong("05.linear", "the weight's gradient is transposed")(
    (there, lambda g, x, weight: (g @ weight, outer(x, g), total(g)))
)
wrong("05.linear", "summed over the first axis alone")(
    (there, lambda g, x, weight: (g @ weight, outer(g, x), g.sum(0)))
)
wrong("05.linear", "a gradient of the weight for each example")(
    (there, lambda g, x, weight: (g @ weight, np.matmul(g.swapaxes(-1, -2), x), total(g)))
)
wrong("05.linear", "the bias is forgotten")((lambda x, weight, bias: x @ weight.T, back))
wrong("05.linear")((there, lambda g, x, weight: back(g, x, weight, to_x=np.asarray(1 / len(x), x.dtype))))
wrong("05.linear")((there, lambda g, x, weight: back(g, x, weight, to_weight=np.asarray(1 / len(x), x.dtype))))
wrong("05.linear")((there, lambda g, x, weight: back(g, np.abs(x), weight)))


@right("05.walk")
def named_parameters(module):
    return dict(module.named_parameters())


@right("05.walk")
def named_parameters(module):
    waiting, found = [("", module)], {}
    while waiting:
        path, thing = waiting.pop(0)
        if isinstance(thing, nn.Parameter) and all(thing is not p for p in found.values()):
            found[path[1:]] = thing
        parts = vars(thing) if isinstance(thing, nn.Module) else thing
        parts = dict(enumerate(parts)) if isinstance(parts, list) else parts
        if isinstance(parts, dict):
            waiting = [(f"{path}.{name}", part) for name, part in parts.items()] + waiting
    return found


def all_paths(thing, path, look=(nn.Module, list, dict)):
    """(path, part), depth first, of what is looked into."""
    yield path, thing
    parts = ()
    if isinstance(thing, look):
        parts = enumerate(thing) if isinstance(thing, list) else dict(thing if isinstance(thing, dict) else vars(thing))
        parts = parts.items() if isinstance(parts, dict) else parts
    for name, part in parts:
        yield from all_paths(part, f"{path}.{name}".strip("."), look)


def found_by(module, look=(nn.Module, list, dict), same=id, wanted=lambda part: isinstance(part, nn.Parameter)):
    table, seen = {}, set()
    for path, part in all_paths(module, "", look):
        if wanted(part) and same(part) not in seen:
            seen.add(same(part))
            table[path] = part
    return table


@wrong("05.walk", "lists and dicts are not looked into")
def named_parameters(module):
    return {path: p for path, p in all_paths(module, "", nn.Module) if isinstance(p, nn.Parameter)}


@wrong("05.walk", "dicts are not looked into")
def named_parameters(module):
    return found_by(module, look=(nn.Module, list))


@wrong("05.walk", "once for each path")
def named_parameters(module):
    return {path: p for path, p in all_paths(module, "") if isinstance(p, nn.Parameter)}


@wrong("05.walk", "the last path for the first")
def named_parameters(module):
    by_id = {}
    for path, part in all_paths(module, ""):
        if isinstance(part, nn.Parameter):
            by_id[id(part)] = path, part
    return dict(by_id.values())


@wrong("05.walk", "results among the parameters")
def named_parameters(module):
    return found_by(module, wanted=lambda part: isinstance(part, ddl.Tensor) and part.requires_grad)


@wrong("05.walk")
def named_parameters(module):
    return found_by(module, same=lambda p: p.numpy().tobytes())


@wrong("05.walk")
def named_parameters(module):
    return found_by(module, look=(nn.Module, dict))


@wrong("05.walk")
def named_parameters(module):
    return {path.split(".")[-1]: p for path, p in found_by(module).items()}


@right("05.dropout")
def dropout(x, p, training, rng):
    if training:
        silent = rng.random(x.shape, np.float32) < p
        x = x.masked_fill(ddl.tensor(silent), 0.0) / (1 - p)
    return x


@right("05.dropout")
def dropout(x, p, training, rng):
    kept = rng.binomial(1, 1 - p, x.shape).astype(x.dtype)
    return ddl.tensor(kept / x.dtype.type(1 - p)) * x if training else x


def dropped(keep, factor=lambda p: 1 / (1 - p), kind=np.float32, shape=lambda x: x.shape, rest=lambda x, p: x):
    def dropout(x, p, training, rng):
        if not training:
            return rest(x, p)
        return x * ddl.tensor((keep(rng.random(shape(x)), p) * factor(p)).astype(kind))

    return dropout


def at_least(drawn, p):
    return drawn >= p


wrong("05.dropout", "silent and heard exchanged")(dropped(lambda drawn, p: drawn < p))
wrong("05.dropout", "what is kept is not scaled")(dropped(at_least, lambda p: 1.0))
wrong("05.dropout", "scaled by 1 / p")(dropped(at_least, lambda p: 1 / max(p, 1e-9) if p else 1.0))
wrong("05.dropout", "on in evaluation")(lambda x, p, training, rng: dropped(at_least)(x, p, True, rng))
wrong("05.dropout", "scaled in evaluation as well")(dropped(at_least, rest=lambda x, p: x * (1 - p)))
wrong("05.dropout", "one mask for the whole batch")(dropped(at_least, shape=lambda x: x.shape[1:]))
wrong("05.dropout", "64 bits")(dropped(at_least, kind=np.float64))
wrong("05.dropout")(dropped(at_least, shape=lambda x: (len(x), 1)))
wrong("05.dropout")(dropped(at_least, lambda p: 1 / (1 - p) ** 2))


@wrong("05.dropout")
def dropout(x, p, training, rng):
    return dropped(at_least)(x, p, training, np.random.default_rng(0))


@right("05.gain")
def gain(squash):
    z = np.random.default_rng(0).normal(size=1_000_000)
    return 1 / np.sqrt(np.mean(np.square(squash(z))))


def weighed(f, density=lambda z: np.exp(-z * z / 2), lowest=-8):
    z = np.linspace(lowest, 8, 20_001)
    return np.average(f(z), weights=density(z))


@wrong("05.gain", "the standard deviation for the root of the mean square")
def gain(squash):
    return 1 / np.std(squash(np.random.default_rng(0).normal(size=1_000_000)))


@wrong("05.gain", "not the root")
def gain(squash):
    return 1 / weighed(lambda z: squash(z) ** 2)


@wrong("05.gain", "turned upside down")
def gain(squash):
    return weighed(lambda z: squash(z) ** 2) ** 0.5


@wrong("05.gain", "the size of the values for their squares")
def gain(squash):
    return weighed(abs) / weighed(lambda z: abs(squash(z)))


@wrong("05.gain")
def gain(squash):
    return weighed(lambda z: squash(z) ** 2, lowest=0) ** -0.5


@wrong("05.gain")
def gain(squash):
    return (weighed(lambda z: squash(z) ** 2, density=np.ones_like) / weighed(np.square, density=np.ones_like)) ** -0.5


@right("05.calibrate")
def calibrated(weights, x, squash):
    made = []
    for w in weights:
        size = np.linalg.norm(x @ w.T) / (len(x) * len(w)) ** 0.5
        made.append((w / size).astype(w.dtype))
        x = squash(np.einsum("bi,oi->bo", x, made[-1]))
    return made


def stack(weights, x, squash, size, new_ones=True):
    made = []
    for w in weights:
        made.append(w / size(np.dot(x, w.T)))
        x = squash(np.dot(x, (made[-1] if new_ones else w).T))
    return made


def root(z):
    return np.sqrt(np.mean(np.square(z)))


@wrong("05.calibrate", "the weights that were given are changed")
def calibrated(weights, x, squash):
    for i, w in enumerate(weights):
        w /= root(x @ w.T)
        x = squash(x @ weights[i].T)
    return list(weights)


@wrong("05.calibrate", "the mean square without its root")
def calibrated(weights, x, squash):
    return stack(weights, x, squash, lambda z: np.mean(z * z))


@wrong("05.calibrate", "the standard deviation")
def calibrated(weights, x, squash):
    return stack(weights, x, squash, lambda z: z.std())


@wrong("05.calibrate", "the signal went through the old weights")
def calibrated(weights, x, squash):
    return stack(weights, x, squash, root, new_ones=False)


@wrong("05.calibrate", "measured behind the squash")
def calibrated(weights, x, squash):
    return stack(weights, x, squash, lambda z: root(squash(z)))


@wrong("05.calibrate", "each neuron by itself")
def calibrated(weights, x, squash):
    return stack(weights, x, squash, lambda z: np.sqrt(np.mean(z * z, axis=0))[:, None])


@wrong("05.calibrate")
def calibrated(weights, x, squash):
    return [w / root(x @ weights[0].T) for w in weights]


@wrong("05.calibrate")
def calibrated(weights, x, squash):
    return [w / np.float64(root(w)) / w.shape[1] ** 0.5 for w in weights]
