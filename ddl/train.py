"""The training loop: batches in, losses out, and a run that can be stopped and taken up again to the last bit."""

import math
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np

from .arrays import module_of, to_device
from .checkpoint import checkpoints, load_checkpoint, newest, save_checkpoint
from .core import Tensor, no_grad
from .data import DataLoader
from .data.collate import main_part
from .memory import keep_freed_memory
from .nn import Module, evaluating
from .nn import functional as F
from .optim import Optimizer
from .progress import progress as show_progress

Loss = Callable[[Module, Any], Tensor]


class NonFiniteLoss(RuntimeError):
    """A loss, a gradient or a parameter is NaN or infinite; a step with such a loss or gradient moved nothing."""


def next_token_loss(model: Module, batch: Any) -> Tensor:
    """Cross-entropy in nats a token of (x, y) windows: ids (B, T) and the same, one later, moved to the model."""
    device = "gpu" if next(model.parameters()).device == "gpu" else "cpu"
    x, y = (to_device(ids, device) for ids in batch)
    logits = model(x)  # (B, T, V)
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))


@no_grad()
def evaluate(model: Module, loader: DataLoader | Iterable[Any], loss: Loss = next_token_loss) -> float:
    """The mean loss over all samples behind `loader`, each counting the same, with dropout off.

    Nothing is left behind: every layer's mode, the random streams and the loader's place stay as they were.
    """
    _check_batches("evaluate", loader)
    batches = loader.once() if isinstance(loader, DataLoader) else loader
    total, count = 0.0, 0
    with evaluating(model):
        for batch in batches:
            size = len(main_part(batch))
            total += loss(model, batch).item() * size
            count += size
    if not count:
        raise ValueError("evaluate was given no samples; give a loader of one batch or more")
    return total / count


class Trainer:
    """A run: a model, its optimizer, the batches, and what has happened so far.

    `history` holds one dict a step: step, loss, lr, norm (of the gradient, before clipping to `max_norm`), seconds and
    tokens; and held_out after the steps at which it was measured. With a `folder`, the newest `keep` checkpoints
    `step-N.safetensors` are kept there; at least two, so that one has proved good.
    """

    def __init__(
        self,
        model: Module,
        optimizer: Optimizer,
        loader: DataLoader,
        held_out: DataLoader | None = None,
        schedule: Any = None,
        loss: Loss = next_token_loss,
        max_norm: float | None = 1.0,
        folder: str | Path | None = None,
        keep: int = 2,
    ):
        if not hasattr(loader, "forever"):
            raise TypeError(
                f"Trainer takes its batches from a DataLoader, but {type(loader).__name__} was given; "
                "write DataLoader(dataset, batch_size)"
            )
        if held_out is not None:
            _check_batches("Trainer(held_out=..)", held_out)
        if max_norm is not None and not max_norm > 0:
            raise ValueError(f"Trainer needs max_norm to be above 0, or None, but {max_norm!r} was given")
        if keep < 2:
            raise ValueError(
                f"Trainer was asked to keep {keep} checkpoints; keep 2 or more, the newest may turn out bad"
            )
        self.model, self.optimizer, self.loader, self.held_out = model, optimizer, loader, held_out
        self.schedule, self.loss, self.max_norm = schedule, loss, max_norm
        self.folder, self.keep = None if folder is None else Path(folder), keep
        self.step = 0
        self.history: list[dict[str, Any]] = []
        self._held_out: float | None = None  # as last measured
        self._stopping = self._moving = False

    def fit(
        self,
        steps: int,
        eval_every: int | None = None,
        save_every: int | None = None,
        progress: bool = True,
        on_step: "Callable[[Trainer], Any] | None" = None,
    ) -> list[dict[str, Any]]:
        """Train until `steps` steps are done in all, counting those before a resume; the history is returned.

        An interrupt (Ctrl-C, or Jupyter's stop button) or `stop()` ends the run after the step in hand, and what was
        reached is kept: in memory, and as a checkpoint where there is a folder. `on_step(trainer)` follows each step.
        Memory that a step frees stays with the process, for the next step: see `keep_freed_memory`.
        """
        self._check(steps, eval_every, save_every)
        self._stopping, saved = False, self.step
        keep_freed_memory()
        self.loader.load_state_dict(self.loader.state_dict())  # go on inside the epoch where the last fit left it
        batches = self.loader.forever()
        with show_progress(steps, self.step) if progress else nullcontext() as report, self._interrupts():
            while self.step < steps and not self._stopping:
                self._one_step(batches)
                last = self.step == steps or self._stopping
                if self.held_out is not None and (last or _due(self.step, eval_every)):
                    self._measure()
                if _due(self.step, save_every):
                    self.save()
                    saved = self.step
                if report:
                    report(self._words())
                if on_step is not None:
                    on_step(self)
            if self.folder is not None and saved != self.step:
                self.save()
        self._check_values("the run ended, but")
        if self._stopping:
            print(f"stopped after step {self.step} of {steps}; fit({steps}) goes on from here")
        return self.history

    def stop(self) -> None:
        """End `fit` after the step in hand."""
        self._stopping = True

    def _check(self, steps: int, eval_every: int | None, save_every: int | None) -> None:
        """Refuse to begin what has no meaning or would lose work."""
        for name, n in {"steps": steps, "eval_every": eval_every or 0, "save_every": save_every or 0}.items():
            if not isinstance(n, (int, np.integer)) or n < 0:
                raise ValueError(f"fit takes {name} as a whole number of 0 or more, but {n!r} was given")
        if eval_every and self.held_out is None:
            raise ValueError(f"fit was asked to evaluate every {eval_every} steps; give Trainer(held_out=..)")
        if save_every and self.folder is None:
            raise ValueError(f"fit was asked to save every {save_every} steps; give Trainer(folder=..)")
        later = max(checkpoints(self.folder), default=0) if self.folder else 0
        if later > self.step:
            raise ValueError(
                f"{self.folder} holds a checkpoint of step {later}, but this run is at step {self.step}; "
                "call resume() first to go on from it, or give another folder"
            )

    @contextmanager
    def _interrupts(self) -> Iterator[None]:
        """While open, the first interrupt asks for a stop after the step in hand; a second one interrupts at once.

        Not while parameters move, though: that takes moments, and half a step cannot be taken up again.
        """
        before = signal.getsignal(signal.SIGINT)
        ours = threading.current_thread() is threading.main_thread()  # only there may one say what a signal does
        if not ours or before in (None, signal.SIG_IGN):
            yield
            return

        def stop_softly(*_: Any) -> None:
            if self._stopping and not self._moving:
                raise KeyboardInterrupt
            self.stop()

        signal.signal(signal.SIGINT, stop_softly)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _one_step(self, batches: Iterator[Any]) -> None:
        start = time.perf_counter()
        batch = next(batches)
        lr = self.optimizer.param_groups[0]["lr"]
        self.model.train()
        loss = self.loss(self.model, batch)
        value = loss.item()
        if not math.isfinite(value):
            raise self._fault(f"the loss of step {self.step + 1} is {value}")
        self._moving = True
        try:
            norm = self.optimizer.backward_step(loss, math.inf if self.max_norm is None else self.max_norm)
            if norm is None or not math.isfinite(norm):
                raise self._fault(f"the gradient of step {self.step + 1} has norm {norm}", gradient=True)
            if self.schedule is not None:
                self.schedule.step()
            self.step += 1
            seconds, tokens = time.perf_counter() - start, math.prod(main_part(batch).shape)
            self.history.append(
                {"step": self.step, "loss": value, "lr": lr, "norm": norm, "seconds": seconds, "tokens": tokens}
            )
        finally:
            self._moving = False

    def _measure(self) -> None:
        value = evaluate(self.model, self.held_out, self.loss)
        if not math.isfinite(value):
            raise self._fault(f"the held-out loss after step {self.step} is {value}")
        self.history[-1]["held_out"] = self._held_out = value

    def _words(self) -> str:
        """The run's last steps in a few words."""
        recent = self.history[-20:]
        loss = sum(h["loss"] for h in recent) / len(recent)
        speed = sum(h["tokens"] for h in recent) / sum(h["seconds"] for h in recent)
        held_out = f", held out {self._held_out:.3f}" if self._held_out is not None else ""
        return f"loss {loss:.3f}{held_out}, {speed:,.0f} tokens/s"

    # ---- what went wrong
    def _fault(self, what: str, gradient: bool = False) -> NonFiniteLoss:
        """The error that says what happened, which parameter went first, and from where the run can be taken up."""
        advice = "try a lower learning rate or max_norm"
        kept = checkpoints(self.folder) if self.folder else {}
        proved = [path for step, path in kept.items() if step < self.step]  # the step after it was finite
        if proved:
            advice = f"the last good checkpoint is {proved[-1]}; {advice}"
        return NonFiniteLoss(f"{what}: {first_to_break(self.model, gradient)}; {advice}")

    def _check_values(self, what: str) -> None:
        if any(not _finite(p) for p in self.model.parameters()):
            raise self._fault(what)

    # ---- checkpoints
    def save(self) -> Path:
        """Write a checkpoint of this step to the folder, and drop all but the newest `keep`."""
        if self.folder is None:
            raise ValueError("a checkpoint was to be saved, but this Trainer has no folder; give Trainer(folder=..)")
        self._check_values(f"no checkpoint of step {self.step} was written")
        path = self.folder / f"step-{self.step}.safetensors"
        save_checkpoint(path, self.step, self.model, self.optimizer, self.schedule, self.loader, self.history)
        others = [p for p in checkpoints(self.folder).values() if p != path]
        for old in others[: 1 - self.keep]:
            with suppress(OSError):  # somebody may be reading it
                old.unlink()
        return path

    def resume(self, path: str | Path | None = None) -> int:
        """Take the run up from a checkpoint, by default the folder's newest; returns its step, 0 if there is none.

        Nothing changes if it does not fit. Options of the optimizer and the schedule become the checkpoint's: what is
        to be different from there on, such as `optimizer.param_groups[0]["lr"]` or `schedule.base_lrs`, is set after.
        """
        if path is None:
            path = newest(self.folder) if self.folder else None
        if path is None:
            return 0
        self.step, self.history = load_checkpoint(path, self.model, self.optimizer, self.schedule, self.loader)
        self._held_out = next((h["held_out"] for h in reversed(self.history) if "held_out" in h), None)
        return self.step


def _check_batches(who: str, batches: Any) -> None:
    """Refuse a dataset, which has samples, where batches are wanted, and batches of which there are none."""
    if not hasattr(batches, "__iter__"):
        raise TypeError(
            f"{who} takes batches, but {type(batches).__name__} was given; write DataLoader(dataset, batch_size)"
        )
    if hasattr(batches, "__len__") and not len(batches):
        raise ValueError(f"{who} was given no samples; give a loader of one batch or more")


def _due(step: int, every: int | None) -> bool:
    return every is not None and every > 0 and step % every == 0


def _finite(t: Tensor) -> bool:
    return bool(module_of(t.data).isfinite(t.data).all())


def first_to_break(model: Module, gradient: bool = False) -> str:
    """In words, the parameter where NaN or infinity came in: going forward by values, and going back by gradients."""
    named = list(model.named_parameters())
    named.sort(key=lambda item: item[1].node.born if item[1].node else 0)  # as made, which is mostly as used
    values = [name for name, p in named if not _finite(p)]
    if values:
        return f"{values[0]} is the first parameter with values that are not finite"
    looked_at = {name: t for name, p in named if (t := p.grad if gradient else p) is not None}
    broken = [name for name, t in looked_at.items() if not _finite(t)]
    if broken:
        return f"{broken[-1]} is where backward first met a gradient that is not finite, all values still are"
    sizes = {name: float(abs(t.data).max()) for name, t in looked_at.items() if t.data.size}
    name = max(sizes, key=sizes.__getitem__, default="none")
    what = "gradients" if gradient else "parameters"
    return f"all {what} are finite, and {name} reaches furthest, to {sizes.get(name, 0):.3g}"
