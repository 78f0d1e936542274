"""The negative log probability of the right class, straight from the scores."""

from ..define import op
from ..ops import pick, put, where
from .softmax import log_softmax, softmax


@op(r"\operatorname{{CE}}({x}, {i})", saves=("p",))
def cross_entropy_rows(x, i, *, ignore_index=-100, label_smoothing=0.0):
    """The loss of each row: (N, V) scores and (N,) classes -> (N,); 0 where the class is `ignore_index`.

    With smoothing s the target is (1 - s) onehot(i) + s / V, as in Szegedy et al. 2016, "Rethinking the Inception
    Architecture", section 7.
    """
    log_p = log_softmax(x)
    kept = i != ignore_index
    right = -pick(log_p, where(kept, i, 0))
    if label_smoothing:
        right = right * (1.0 - label_smoothing) - log_p.mean(axis=-1) * label_smoothing
    return where(kept, right, 0.0), softmax(x)


@cross_entropy_rows.vjp
def _(g, i, p, ignore_index, label_smoothing):
    kept = i != ignore_index
    g = where(kept, g, 0.0)
    onehot = put(g, where(kept, i, 0), n=p.shape[-1])
    each = g.reshape(-1, 1)
    if label_smoothing:
        onehot = onehot * (1.0 - label_smoothing) + each * (label_smoothing / p.shape[-1])
    return p * each - onehot, None
