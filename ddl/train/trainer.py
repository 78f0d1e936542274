"""A run: one loop over batches, its reports, and checkpoints from which it goes on to the last bit."""

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..checkpoint import checkpoints, load_checkpoint, newest, save_checkpoint
from ..checks import whole
from ..data import DataLoader
from ..data.collate import main_part
from ..memory import keep_freed_memory
from ..nn import Module
from ..optim import Optimizer, ReduceLROnPlateau
from ..progress import progress as show_progress
from .evaluation import Loss, check_batches, evaluate, next_token_loss
from .faults import NonFiniteLoss, finite, first_to_break
from .stopping import EarlyStopping


class Trainer:
    """A run: a model, its optimizer, the batches, and what has happened so far.

    `history` holds one dict a step: step, loss, lr, norm (of the gradient, before clipping to `max_norm`), seconds and
    tokens; and held_out after the steps at which it was measured. With a `folder`, the newest `keep` checkpoints
    `step-N.safetensors` are kept there; at least two, so that one has proved good. With `keep_best` a step whose
    held-out loss is the smallest so far is saved too, and stays beside them until a better one comes.

    `schedule` moves after each step, a ReduceLROnPlateau after each measurement of fit's `eval_every`; after these
    `stopping` too sees the held-out loss, and where it stops the run it puts the best weights back. From them a later
    fit goes on once `stopping.waited` is 0 again.
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
        keep_best: bool = False,
        stopping: EarlyStopping | None = None,
    ):
        if not hasattr(loader, "forever"):
            raise TypeError(
                f"Trainer takes its batches from a DataLoader, but {type(loader).__name__} was given; "
                "write DataLoader(dataset, batch_size)"
            )
        if held_out is not None:
            check_batches("Trainer(held_out=..)", held_out)
        if max_norm is not None and not max_norm > 0:
            raise ValueError(f"Trainer needs max_norm to be above 0, or None, but {max_norm!r} was given")
        if keep < 2:
            raise ValueError(
                f"Trainer was asked to keep {keep} checkpoints; keep 2 or more, the newest may turn out bad"
            )
        self.model, self.optimizer, self.loader, self.held_out = model, optimizer, loader, held_out
        self.schedule, self.loss, self.max_norm, self.stopping = schedule, loss, max_norm, stopping
        self.folder, self.keep, self.keep_best = None if folder is None else Path(folder), keep, keep_best
        self._fed = [part for part in (schedule, stopping) if isinstance(part, (ReduceLROnPlateau, EarlyStopping))]
        if held_out is None and (self._fed or keep_best):
            wanting = type(self._fed[0]).__name__ if self._fed else "keep_best"
            raise ValueError(f"Trainer was given {wanting}, which needs the held-out loss; give Trainer(held_out=..)")
        if any(part.mode != "min" for part in self._fed):
            raise ValueError("Trainer feeds the held-out loss, which is to fall, but mode 'max' was given; use 'min'")
        if folder is None and keep_best:
            raise ValueError("Trainer was asked to keep the best checkpoint; give Trainer(folder=..)")
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
        bar = show_progress(steps, self.step) if progress else nullcontext()
        with bar as report, self._interrupts(), closing(self.loader.forever()) as batches:
            while self.step < steps and not self._stopping and not self._early():
                self._one_step(batches)
                last, due = self.step == steps or self._stopping, _due(self.step, eval_every)
                if measured := self.held_out is not None and (last or due):
                    self._measure(due)
                if _due(self.step, save_every) or (measured and self.keep_best and self.best == self.step):
                    self.save()
                    saved = self.step
                if report:
                    report(self._words())
                if on_step is not None:
                    on_step(self)
            if self.folder is not None and saved != self.step:
                self.save()
        self._check_values("the run ended, but")
        if early := self._early():
            early.restore(self.model)
            best = f"{early.best:.4g}, {early.waited} measurements ago"
            print(f"stopped early after step {self.step} of {steps}; the weights of the best are back ({best})")
        elif self._stopping:
            print(f"stopped after step {self.step} of {steps}; fit({steps}) goes on from here")
        return self.history

    def stop(self) -> None:
        """End `fit` after the step in hand."""
        self._stopping = True

    @property
    def stopping_soon(self) -> bool:
        """Whether `fit` ends after the step in hand, as was asked for."""
        return self._stopping

    def _early(self) -> EarlyStopping | None:
        """What stops the run early, once it does."""
        return self.stopping if self.stopping is not None and self.stopping.stopped else None

    def _check(self, steps: int, eval_every: int | None, save_every: int | None) -> None:
        """Refuse to begin what has no meaning or would lose work."""
        whole("fit", 0, steps=steps, eval_every=eval_every or 0, save_every=save_every or 0)
        if self._fed and not eval_every:
            name = type(self._fed[0]).__name__
            raise ValueError(f"fit was given no eval_every, but {name} is fed at these steps; give fit(eval_every=..)")
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
            if self.schedule is not None and self.schedule not in self._fed:
                self.schedule.step()
            self.step += 1
            seconds, tokens = time.perf_counter() - start, math.prod(np.shape(main_part(batch)))
            self.history.append(
                {"step": self.step, "loss": value, "lr": lr, "norm": norm, "seconds": seconds, "tokens": tokens}
            )
        finally:
            self._moving = False

    def _measure(self, due: bool) -> None:
        """The held-out loss; only where it was due is it fed, so that stopping in between changes nothing."""
        value = evaluate(self.model, self.held_out, self.loss)
        if not math.isfinite(value):
            raise self._fault(f"the held-out loss after step {self.step} is {value}")
        self.history[-1]["held_out"] = self._held_out = value
        if due and isinstance(self.schedule, ReduceLROnPlateau):
            self.schedule.step(value)
        if due and self.stopping is not None:
            self.stopping.step(value, self.model)

    def _words(self) -> str:
        """The run's last steps in a few words."""
        recent = self.history[-20:]
        loss = sum(h["loss"] for h in recent) / len(recent)
        speed = sum(h["tokens"] for h in recent) / sum(h["seconds"] for h in recent)
        held_out = f", held out {self._held_out:.3f}" if self._held_out is not None else ""
        return f"loss {loss:.3f}{held_out}, {speed:,.0f} tokens/s"

    @property
    def best(self) -> int | None:
        """The step after which the held-out loss was the smallest so far; None before it was measured."""
        measured = [line for line in self.history if "held_out" in line]
        return min(measured, key=lambda line: line["held_out"])["step"] if measured else None

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
        if any(not finite(p) for p in self.model.parameters()):
            raise self._fault(what)

    # ---- checkpoints
    def save(self) -> Path:
        """Write a checkpoint of this step to the folder, and drop all but the newest `keep`, and the best if wanted."""
        if self.folder is None:
            raise ValueError("a checkpoint was to be saved, but this Trainer has no folder; give Trainer(folder=..)")
        self._check_values(f"no checkpoint of step {self.step} was written")
        path = self.folder / f"step-{self.step}.safetensors"
        save_checkpoint(path, self.step, self.model, self.optimizer, self.history, **self._parts())
        kept = checkpoints(self.folder)
        others = [step for step in kept if step != self.step]
        for step in others[: 1 - self.keep]:
            if not (self.keep_best and step == self.best):
                with suppress(OSError):  # somebody may be reading it
                    kept[step].unlink()
        return path

    def _parts(self) -> dict[str, Any]:
        return {"schedule": self.schedule, "loader": self.loader, "stopping": self.stopping}

    def resume(self, path: str | Path | None = None) -> int:
        """Take the run up from a checkpoint, by default the folder's newest; returns its step, 0 if there is none.

        Nothing changes if it does not fit. Options of the optimizer and the schedule become the checkpoint's: what is
        to be different from there on, such as `optimizer.param_groups[0]["lr"]` or `schedule.base_lrs`, is set after.
        """
        if path is None:
            path = newest(self.folder) if self.folder else None
        if path is None:
            return 0
        self.step, self.history = load_checkpoint(path, self.model, self.optimizer, **self._parts())
        self._held_out = next((h["held_out"] for h in reversed(self.history) if "held_out" in h), None)
        return self.step


def _due(step: int, every: int | None) -> bool:
    return every is not None and every > 0 and step % every == 0
