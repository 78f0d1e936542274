"""When to stop: a measure on held-out samples has not got better for a while, and the best weights come back."""

from typing import Any

from ..checks import positive
from ..nn import Module


class EarlyStopping:
    """Counts the measurements since the last one that beat the best by more than `min_delta`; `patience` of them stop.

    "min" wants the measure smaller, "max" larger. The weights, and buffers, of the best are copied and kept. Trainer
    feeds it the held-out loss; in a loop of your own: `if stopping.step(value, model): break`, then `restore(model)`.
    """

    def __init__(self, patience: int = 5, min_delta: float = 0.0, mode: str = "min"):
        positive("EarlyStopping", patience=patience)
        if not 0 <= min_delta < float("inf"):
            raise ValueError(f"EarlyStopping needs a min_delta of 0 or more, but {min_delta!r} was given")
        if mode not in ("min", "max"):
            raise ValueError(f"EarlyStopping has mode 'min' or 'max', but {mode!r} was given")
        self.patience, self.min_delta, self.mode = patience, min_delta, mode
        self.best: float | None = None
        self.waited = 0  # measurements since the best
        self.weights: dict[str, Any] = {}

    @property
    def stopped(self) -> bool:
        return self.waited >= self.patience

    def step(self, value: Any, model: Module) -> bool:
        """Take in a measurement; whether to stop. One that is NaN is never better."""
        value, sign = float(value), 1 if self.mode == "min" else -1
        first = self.best is None and value == value
        if first or (self.best is not None and sign * (self.best - value) > self.min_delta):
            self.best, self.waited = value, 0
            self.weights = {name: t.data.copy() for name, t in model.state_dict().items()}
        else:
            self.waited += 1
        return self.stopped

    def restore(self, model: Module) -> None:
        """Put the best weights into the model."""
        if self.best is None:
            raise ValueError("EarlyStopping has no best weights yet; call step(value, model) first")
        model.load_state_dict(self.weights)

    def state_dict(self) -> dict[str, Any]:
        """{"best", "waited"}, plain data, and {"weights"}: arrays by name."""
        return {"best": self.best, "waited": self.waited, "weights": dict(self.weights)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.best, self.waited, self.weights = state["best"], state["waited"], dict(state["weights"])

    def __repr__(self) -> str:
        return f"EarlyStopping(patience={self.patience}, min_delta={self.min_delta}, mode={self.mode!r})"
