"""What a model's predictions cost, over a batch and over many."""

from collections.abc import Callable, Iterable
from typing import Any

from ..arrays import put_beside
from ..core import Tensor, no_grad
from ..data import DataLoader
from ..data.collate import main_part
from ..metrics import Mean
from ..nn import Module, evaluating
from ..nn import functional as F

Loss = Callable[[Module, Any], Tensor]


def next_token_loss(model: Module, batch: Any) -> Tensor:
    """Cross-entropy in nats a token of (x, y) windows: ids (B, T) and the same, one later, moved to the model."""
    weight = next(model.parameters())
    x, y = (put_beside(ids, weight) for ids in batch)
    logits = model(x)  # (B, T, V)
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))


@no_grad()
def evaluate(model: Module, loader: DataLoader | Iterable[Any], loss: Loss = next_token_loss) -> float:
    """The mean loss over all samples behind `loader`, each counting the same, with dropout off.

    Nothing is left behind: every layer's mode, the random streams and the loader's place stay as they were.
    """
    check_batches("evaluate", loader)
    mean = Mean()
    with evaluating(model):
        for batch in loader.once() if isinstance(loader, DataLoader) else loader:
            mean.update(loss(model, batch).item(), n=len(main_part(batch)))
    if not mean.count:
        raise ValueError("evaluate was given no samples; give a loader of one batch or more")
    return mean.compute()


def check_batches(who: str, batches: Any) -> None:
    """Refuse a dataset, which has samples, where batches are wanted, and batches of which there are none."""
    if not hasattr(batches, "__iter__"):
        raise TypeError(
            f"{who} takes batches, but {type(batches).__name__} was given; write DataLoader(dataset, batch_size)"
        )
    if hasattr(batches, "__len__") and not len(batches):
        raise ValueError(f"{who} was given no samples; give a loader of one batch or more")
