"""Losses."""

from cases.losses import U, focal, hinge, rows, signs, tensors
from cases.table import D, N, P, Z

import ddl
from ddl import nn

from .table import bad_arguments, bad_inputs, row


def apart(*shape):
    return D(*shape, shift=0.05)


# fmt: off
PAIRS = {
    nn.MSELoss: (N(4, 3), N(4, 3)), nn.L1Loss: (D(4, 3), apart(4, 3)), nn.SmoothL1Loss: (D(4, 3), apart(4, 3)),
    nn.HuberLoss: (D(4, 3), apart(4, 3)), nn.PoissonNLLLoss: (N(4, 3), P(4, 3)), nn.KLDivLoss: (N(4, 3), P(4, 3)),
    nn.GaussianNLLLoss: (N(4, 3), N(4, 3), P(4, 3)), nn.BCELoss: (U(4, 3), U(4, 3)), nn.NLLLoss: (N(4, 3), Z(3, 4)),
    nn.BCEWithLogitsLoss: (N(4, 3), U(4, 3)), nn.CrossEntropyLoss: (N(4, 3), Z(3, 4)),
    nn.HingeEmbeddingLoss: (D(4, 3), signs(4, 3)), nn.HingeLoss: (D(4, 3), signs(4, 3)),
    nn.SquaredHingeLoss: (D(4, 3), signs(4, 3)), nn.FocalLoss: (N(4, 3), Z(2, 4, 3)),
    nn.MarginRankingLoss: (D(5), apart(5), signs(5)), nn.CosineEmbeddingLoss: (N(5, 3), N(5, 3), signs(5)),
    nn.TripletMarginLoss: (N(5, 3), N(5, 3), N(5, 3)),
}
WEIGHTS = [0.5, 2.0, 1.0]
OPTIONS = (
    *((kind, {"reduction": r}) for kind in PAIRS for r in ("mean", "sum", "none")),
    (nn.SmoothL1Loss, {"beta": 0.3}), (nn.HuberLoss, {"delta": 0.3}), (nn.KLDivLoss, {"reduction": "batchmean"}),
    (nn.KLDivLoss, {"log_target": True}), (nn.PoissonNLLLoss, {"full": True, "reduction": "sum"}),
    (nn.GaussianNLLLoss, {"full": True, "eps": 0.7}), (nn.BCELoss, {"weight": WEIGHTS}),
    (nn.BCEWithLogitsLoss, {"weight": WEIGHTS, "pos_weight": [3.0, 1.0, 0.5]}),
    (nn.NLLLoss, {"weight": WEIGHTS, "ignore_index": 1}), (nn.CrossEntropyLoss, {"weight": WEIGHTS}),
    (nn.CrossEntropyLoss, {"weight": WEIGHTS, "ignore_index": 1, "label_smoothing": 0.1}),
    (nn.HingeEmbeddingLoss, {"margin": 0.27}), (nn.HingeLoss, {"margin": 0.27}), (nn.FocalLoss, {"alpha": None}),
    (nn.SquaredHingeLoss, {"margin": 0.27}), (nn.FocalLoss, {"gamma": 0.5}), (nn.MarginRankingLoss, {"margin": 0.27}),
    (nn.CosineEmbeddingLoss, {"margin": -0.2}), (nn.TripletMarginLoss, {"margin": 0.5, "p": 3, "swap": True}),
)


def twin(t, kind, options):
    """PyTorch's module of this name, or one of the formula where it has none."""
    formula = {
        nn.FocalLoss: focal, nn.HingeLoss: hinge, nn.SquaredHingeLoss: lambda *xs, **o: hinge(*xs, **o, power=2)
    }.get(kind)
    if formula:
        module = t.nn.Module()
        module.forward = lambda *xs: formula(t, *xs, **options)
        return module
    return getattr(t.nn, kind.__name__)(**tensors(t, options))


for kind, options in OPTIONS:
    row(kind, ", ".join(f"{k}={v}" for k, v in options.items()), lambda k=kind, o=options: k(**o), *PAIRS[kind],
        torch=lambda t, k=kind, o=options: twin(t, k, o))
row(nn.CrossEntropyLoss, "probabilities", lambda: nn.CrossEntropyLoss(WEIGHTS, label_smoothing=0.1), N(4, 3),
    rows(4, 3), torch=lambda t: twin(t, nn.CrossEntropyLoss, {"weight": WEIGHTS, "label_smoothing": 0.1}))

for kind in PAIRS:
    bad_arguments(kind, "reduction", lambda k=kind: k(reduction="median"), "'median'", "'mean', 'sum'", "'none'")
for kind, options, words in (
    (nn.SmoothL1Loss, {"beta": -1}, ("beta", "-1")), (nn.HuberLoss, {"delta": 0}, ("delta above 0", "but 0 was")),
    (nn.PoissonNLLLoss, {"eps": -1}, ("eps", "-1")), (nn.GaussianNLLLoss, {"eps": 0}, ("eps", "but 0 was")),
    (nn.CrossEntropyLoss, {"label_smoothing": 1.5}, ("label_smoothing between 0 and 1", "1.5")),
    (nn.CrossEntropyLoss, {"ignore_index": 1.5}, ("ignore_index", "1.5")),
    (nn.NLLLoss, {"ignore_index": None}, ("ignore_index", "None")),
    (nn.CrossEntropyLoss, {"weight": "heavy"}, ("weight", "numbers")), (nn.FocalLoss, {"gamma": -1}, ("gamma", "-1")),
    (nn.FocalLoss, {"alpha": 2}, ("alpha between 0 and 1", "2")), (nn.HingeLoss, {"margin": "w"}, ("margin", "'w'")),
    (nn.TripletMarginLoss, {"p": 0}, ("p above 0", "but 0 was")),
):
    bad_arguments(kind, f"{options}", lambda k=kind, o=options: k(**o), *words)

ONES, LONG = ddl.ones(4), ddl.ones(4, 1)
for kind, makers in PAIRS.items():
    rest = [ONES] * (len(makers) - 2)
    if kind in (nn.CrossEntropyLoss, nn.NLLLoss):
        bad_inputs(kind, "shapes", lambda k=kind: k()(ddl.ones(4, 3), ddl.tensor([0, 1])), "(4, 3)", "(2,)")
        bad_inputs(kind, "class", lambda k=kind: k()(ddl.ones(2, 3), ddl.tensor([0, 3])), "3", "0 to 2")
        bad_inputs(kind, "weights", lambda k=kind: k(weight=[1.0, 2.0])(ddl.ones(1, 3), [0]), "3 classes", "(2,)")
    else:
        bad_inputs(kind, "shapes", lambda k=kind, r=rest: k()(ONES, LONG, *r), "(4,)", "(4, 1)")
for kind in (nn.HingeLoss, nn.SquaredHingeLoss, nn.HingeEmbeddingLoss):
    bad_inputs(kind, "target of 0", lambda k=kind: k()(ddl.ones(2), ddl.tensor([1, 0])), "-1 and 1", "0.0")
bad_inputs(nn.MarginRankingLoss, "target of 0", lambda: nn.MarginRankingLoss()(ONES, ONES, ddl.zeros(4)), "-1 and 1")
bad_inputs(nn.CosineEmbeddingLoss, "target 0", lambda: nn.CosineEmbeddingLoss()(LONG, LONG, ddl.zeros(4)), "-1 and 1")
bad_inputs(nn.FocalLoss, "target of a half", lambda: nn.FocalLoss()(ONES, ONES * 0.5), "0 and 1", "0.5")
bad_inputs(nn.BCELoss, "logits", lambda: nn.BCELoss()(ONES * 1.5, ONES), "between 0 and 1", "1.5", "logits")
bad_inputs(nn.CosineEmbeddingLoss, "rank", lambda: nn.CosineEmbeddingLoss()(LONG, LONG, LONG), "(4, 1)", "(N,)")
# fmt: on
