"""Losses, and distances of vectors. Targets of -1 and +1, or 0 and 1, are integers: only the rest is differentiated."""

import numpy as np

from ddl.nn import functional as F

from .table import SHAPES, D, N, P, Z, case, fixed


def signs(*shape):
    return lambda rng: np.asarray(rng.choice([-1, 1], shape))


def U(*shape):
    """Probabilities, away from 0 and 1."""
    return lambda rng: np.asarray(rng.uniform(0.1, 0.9, shape))


def rows(*shape):
    """Probabilities that sum to 1 along the axis of classes."""

    def make(rng):
        p = rng.uniform(0.1, 1.0, shape)
        return p / p.sum(axis=min(1, len(shape) - 1), keepdims=True)

    return make


def tensors(t, options):
    """The options with their weights as PyTorch wants them."""
    return {k: t.tensor(v, dtype=t.float64) if "weight" in k else v for k, v in options.items()}


def reduce(each, reduction):
    return each if reduction == "none" else getattr(each, reduction)()


def focal(t, x, y, alpha=0.25, gamma=2.0, reduction="mean"):
    """The formula of Lin et al., term by term, in PyTorch."""
    p, y = t.sigmoid(x), y.double()
    p_t = p * y + (1 - p) * (1 - y)
    a_t = 1.0 if alpha is None else alpha * y + (1 - alpha) * (1 - y)
    return reduce(-a_t * (1 - p_t) ** gamma * p_t.log(), reduction)


def hinge(t, x, y, margin=1.0, reduction="mean", power=1):
    return reduce((margin - x * y).clamp(min=0) ** power, reduction)


FORMULAS = {"focal_loss": focal, "hinge_loss": hinge, "squared_hinge_loss": lambda *xs, **o: hinge(*xs, **o, power=2)}


def loss(name, what, *makers, **options):
    """A row, with PyTorch's function of this name for its twin, or the formula where it has none."""

    def torch(t, *xs):
        formula = FORMULAS.get(name)
        return formula(t, *xs, **options) if formula else getattr(t.nn.functional, name)(*xs, **tensors(t, options))

    case(name, what, lambda *xs: getattr(F, name)(*xs, **options), *makers, torch=torch)


def apart(*shape):
    """Where two of D would tie, one of D and this do not."""
    return D(*shape, shift=0.05)


# fmt: off
PAIRS = {
    "mse_loss": (N, N), "l1_loss": (D, apart), "smooth_l1_loss": (D, apart), "huber_loss": (D, apart),
    "poisson_nll_loss": (N, P), "kl_div": (N, P), "binary_cross_entropy": (U, U), "hinge_embedding_loss": (D, signs),
    "binary_cross_entropy_with_logits": (N, U), "hinge_loss": (D, signs), "squared_hinge_loss": (D, signs),
    "focal_loss": (N, lambda *shape: Z(2, *shape)),
}
for name, (input, target) in PAIRS.items():
    for what, shape in SHAPES.items():
        loss(name, what, input(*shape), target(*shape), reduction="none")
    for reduction in ("mean", "sum"):
        loss(name, reduction, input(2, 3), target(2, 3), reduction=reduction)
EACH, COLUMNS, ROWS = [[0.5, 1.0, 2.0, 0.0]] * 3, [0.5, 1.0, 2.0, 0.0], [[0.5], [0.0], [2.0]]
for name, options in (
    ("smooth_l1_loss", {"beta": 0.3}), ("smooth_l1_loss", {"beta": 0}), ("huber_loss", {"delta": 0.3}),
    ("kl_div", {"log_target": True}), ("kl_div", {"reduction": "batchmean"}), ("poisson_nll_loss", {"full": True}),
    ("hinge_embedding_loss", {"margin": 0.25}), ("hinge_loss", {"margin": 0.25}),
    ("squared_hinge_loss", {"margin": 0.25}), ("focal_loss", {"gamma": 0.5, "alpha": None}),
    ("focal_loss", {"gamma": 0, "alpha": 0.7}), ("binary_cross_entropy", {"weight": EACH}),
    ("binary_cross_entropy", {"weight": COLUMNS}), ("binary_cross_entropy", {"weight": ROWS, "reduction": "sum"}),
    ("binary_cross_entropy_with_logits", {"weight": EACH}), ("binary_cross_entropy_with_logits", {"weight": ROWS}),
    ("binary_cross_entropy_with_logits", {"pos_weight": COLUMNS}),
    ("binary_cross_entropy_with_logits", {"pos_weight": COLUMNS, "weight": ROWS}),
):
    input, target = PAIRS[name]
    loss(name, f"{options}", input(3, 4), target(3, 4), **options)
loss("poisson_nll_loss", "of rates", P(3, 4), P(3, 4), log_input=False, eps=1e-3)
for name in ("kl_div", "binary_cross_entropy", "binary_cross_entropy_with_logits"):
    case(name, "integers", getattr(F, name), U(3, 4), Z(2, 3, 4),
         torch=lambda t, x, y, n=name: getattr(t.nn.functional, n)(x, y.double()))
for reduction in ("mean", "sum", "none"):
    loss("gaussian_nll_loss", reduction, N(3, 4), N(3, 4), P(3, 4), reduction=reduction, full=True)
    loss("margin_ranking_loss", reduction, D(7), apart(7), signs(7), reduction=reduction, margin=0.2)
    loss("cosine_embedding_loss", reduction, N(5, 3), N(5, 3), signs(5), reduction=reduction, margin=-0.3)
    loss("triplet_margin_loss", reduction, N(5, 3), N(5, 3), N(5, 3), reduction=reduction)
loss("cosine_embedding_loss", "no batch", N(3), N(3), signs())
for options in ({"margin": 0.2, "swap": True}, {"p": 1}, {"p": 3, "eps": 0.1}):
    loss("triplet_margin_loss", f"{options}", N(5, 3), N(5, 3), N(5, 3), **options)
loss("gaussian_nll_loss", "0-d", N(), N(), P(), reduction="none")
loss("margin_ranking_loss", "0-d", D(), apart(), signs(), reduction="none", margin=0.2)
for name, makers in {
    "gaussian_nll_loss": (N(0, 4), N(0, 4), P(0, 4)), "margin_ranking_loss": (N(0), N(0), signs(0)),
    "cosine_embedding_loss": (N(0, 3), N(0, 3), signs(0)), "triplet_margin_loss": (N(0, 3), N(0, 3), N(0, 3)),
    "cross_entropy": (N(0, 5), Z(5, 0)), "nll_loss": (N(0, 5), Z(5, 0)),
}.items():
    for reduction in ("none", "sum"):
        loss(name, f"0-size {reduction}", *makers, reduction=reduction)

WEIGHTS = [0.5, 1.0, 2.0, 1.5, 0.0]
for what, shape in {"ordinary": (4, 5), "deep": (2, 5, 3), "no batch": (5,)}.items():
    classes = fixed(3) if len(shape) == 1 else Z(5, shape[0], *shape[2:])
    for options in ({}, {"ignore_index": 2, "weight": WEIGHTS}, {"reduction": "sum"}):
        loss("nll_loss", f"{what} {options}", N(*shape), classes, **options)
        for o in (options, options | {"label_smoothing": 0.2}):
            loss("cross_entropy", f"{what} {o}", N(*shape), classes, **o)
    for o in ({}, {"label_smoothing": 0.2}, {"weight": WEIGHTS, "label_smoothing": 0.2}, {"reduction": "none"}):
        loss("cross_entropy", f"{what} probabilities {o}", N(*shape), rows(*shape), **o)

for p in (1, 2, 3, float("inf")):
    loss("pairwise_distance", f"{p}", N(4, 3), N(4, 3), p=p)
    loss("normalize", f"{p}", N(4, 3), p=p)
loss("pairwise_distance", "kept", N(3), N(2, 3), keepdim=True)
loss("pairwise_distance", "0-size", N(0, 3), N(0, 3))
loss("normalize", "axis 0", N(4, 3), dim=0)
loss("normalize", "0-size", N(0, 3))
loss("cosine_similarity", "0-size", N(0, 3), N(0, 3))
for a, b, dim in (((4, 3), (4, 3), 1), ((4, 3), (3,), -1), ((4, 3), (4, 1), 1), ((2, 4, 3), (4, 3), 0)):
    loss("cosine_similarity", f"{a} {b} {dim}", N(*a), N(*b), dim=dim)
# fmt: on
