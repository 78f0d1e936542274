"""The training loop: batches in, losses out, and a run that can be stopped and taken up again to the last bit."""

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .arrays import module_of
from .checkpoint import load_checkpoint, newest, save_checkpoint
from .core import Tensor, no_grad
from .data import DataLoader
from .nn import Module
from .nn import functional as F
from .optim import Optimizer

Loss = Callable[[Module, Any], Tensor]


class NonFiniteLoss(RuntimeError):
    """The loss or a gradient became NaN or infinite; the parameters were left as before that step."""


def next_token_loss(model: Module, batch: Any) -> Tensor:
    """Cross-entropy in nats a token of (x, y) windows: ids (B, T) and the same, one later."""
    x, y = batch
    logits = model(x)  # (B, T, V)
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))


@no_grad()
def evaluate(model: Module, loader: DataLoader, loss: Loss = next_token_loss) -> float:
    """The mean loss over one pass of `loader`, in evaluation mode; every sample counts the same."""
    was, total, count = model.training, 0.0, 0
    model.eval()
    try:
        for batch in loader:
            size = len(batch[0])
            total += loss(model, batch).item() * size
            count += size
    finally:
        model.train(was)
    return total / count


class Trainer:
    """A run: a model, its optimizer, the batches, and what has happened so far.

    `history` holds one dict a step: step, loss, lr, norm (of the gradient, before clipping), seconds; and `held_out`
    after the steps at which it was measured. With a `folder`, checkpoints `step-N.safetensors` are kept there.
    """

    def __init__(
        self,
        model: Module,
        optimizer: Optimizer,
        loader: DataLoader,
        held_out: DataLoader | None = None,
        schedule: Any = None,
        loss: Loss = next_token_loss,
        max_norm: float = 1.0,
        folder: str | Path | None = None,
        keep: int = 2,
    ):
        self.model, self.optimizer, self.loader, self.held_out = model, optimizer, loader, held_out
        self.schedule, self.loss, self.max_norm = schedule, loss, max_norm
        self.folder, self.keep = None if folder is None else Path(folder), keep
        self.step = 0
        self.history: list[dict[str, Any]] = []
        self._stopping = False

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
        """
        self._stopping = False
        keep_freed_memory()
        batches = self.loader.forever()
        with self._bar(steps, progress) as bar, self._interrupts():
            while self.step < steps and not self._stopping:
                self._one_step(next(batches))
                last = self.step == steps
                if self.held_out is not None and (last or (eval_every and self.step % eval_every == 0)):
                    self.history[-1]["held_out"] = evaluate(self.model, self.held_out, self.loss)
                if self.folder is not None and (last or (save_every and self.step % save_every == 0)):
                    self.save()
                self._report(bar)
                if on_step is not None:
                    on_step(self)
        if self._stopping and self.folder is not None:
            self.save()
        return self.history

    def stop(self) -> None:
        """End `fit` after the step in hand."""
        self._stopping = True

    @contextmanager
    def _interrupts(self) -> Iterator[None]:
        """While open, the first interrupt asks for a stop after the step in hand; a second one interrupts at once."""
        if threading.current_thread() is not threading.main_thread():
            yield  # only the main thread may say what a signal does
            return

        def stop_softly(*_: Any) -> None:
            self.stop()
            signal.signal(signal.SIGINT, before)

        before = signal.signal(signal.SIGINT, stop_softly)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _one_step(self, batch: Any) -> None:
        start = time.perf_counter()
        lr = self.optimizer.param_groups[0]["lr"]
        self.model.train()
        loss = self.loss(self.model, batch)
        value = loss.item()
        if not math.isfinite(value):
            raise NonFiniteLoss(f"the loss at step {self.step + 1} is {value}; {self._blame()}")
        norm = self.optimizer.backward_step(loss, self.max_norm)
        if norm is not None and not math.isfinite(norm):
            raise NonFiniteLoss(f"the gradient at step {self.step + 1} has norm {norm}; {self._blame()}")
        if self.schedule is not None:
            self.schedule.step()
        self.step += 1
        seconds = time.perf_counter() - start
        self.history.append(
            {
                "step": self.step,
                "loss": value,
                "lr": lr,
                "norm": norm,
                "seconds": seconds,
                "tokens": int(np.size(batch[0])),
            }
        )

    def _blame(self) -> str:
        """Which parameter went first, and where the last good checkpoint is."""

        def broken(x: Any) -> bool:
            return x is not None and not bool(module_of(x.data).isfinite(x.data).all())

        named = list(self.model.named_parameters())
        values = [name for name, p in named if broken(p)]
        slopes = [name for name, p in named if broken(p.grad)]
        if values:
            what = f"{values[0]} is the first parameter with values that are not finite"
        elif slopes:
            what = f"{slopes[0]} is the first parameter whose gradient is not finite, all values still are"
        else:
            name, p = max(named, key=lambda item: float(abs(item[1].data).max()))
            what = f"all parameters are finite, {name} reaches furthest, to {float(abs(p.data).max()):.3g}"
        kept = None if self.folder is None else newest(self.folder)
        return (
            what + (f"; the last good checkpoint is {kept}" if kept else "") + "; try a lower learning rate or max_norm"
        )

    # ---- checkpoints
    def save(self) -> Path:
        """Write a checkpoint of this step to the folder, and drop all but the newest `keep`."""
        if self.folder is None:
            raise ValueError("a checkpoint was to be saved, but this Trainer has no folder; give Trainer(folder=..)")
        path = self.folder / f"step-{self.step}.safetensors"
        save_checkpoint(path, self.step, self.model, self.optimizer, self.schedule, self.loader, history=self.history)
        numbered = sorted(self.folder.glob("step-*.safetensors"), key=lambda p: int(p.stem.removeprefix("step-")))
        for old in numbered[: -self.keep]:
            old.unlink()
        return path

    def resume(self, path: str | Path | None = None) -> int:
        """Take the run up from a checkpoint, by default the folder's newest; returns its step, 0 if there is none."""
        path = path or (newest(self.folder) if self.folder else None)
        if path is None:
            return 0
        self.step, extra = load_checkpoint(path, self.model, self.optimizer, self.schedule, self.loader)
        self.history = extra["history"]
        return self.step

    # ---- progress
    @contextmanager
    def _bar(self, steps: int, wanted: bool) -> Iterator[Any]:
        """tqdm's bar where tqdm is installed: steps done, time left."""
        try:
            from tqdm import tqdm
        except ImportError:
            tqdm = None
        if tqdm is None or not wanted:
            yield None
            return
        with tqdm(total=steps, initial=self.step, unit="step", mininterval=0.5) as bar:
            yield bar

    def _report(self, bar: Any) -> None:
        if bar is None:
            return
        recent = self.history[-20:]
        speed = sum(h["tokens"] for h in recent) / sum(h["seconds"] for h in recent)
        held = next((f", held out {h['held_out']:.3f}" for h in reversed(self.history) if "held_out" in h), "")
        bar.set_postfix_str(
            f"loss {np.mean([h['loss'] for h in recent]):.3f}{held}, {speed:,.0f} tokens/s", refresh=False
        )
        bar.update()


def keep_freed_memory() -> None:
    """Ask the C library to keep freed arrays for the next ones instead of returning their pages, where it is glibc.

    A training step frees and allocates the same large arrays again and again; mapping them anew costs up to a third.
    """
    import ctypes
    import sys

    if not sys.platform.startswith("linux"):
        return
    try:
        libc = ctypes.CDLL("libc.so.6")
        for option in (-3, -1):  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD
            libc.mallopt(option, 1 << 30)
    except (OSError, AttributeError):
        return  # another C library: nothing to ask
