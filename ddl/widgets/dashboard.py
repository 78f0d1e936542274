"""The training dashboard: losses, rate, speed and memory of a run, which can be paused, changed and stopped from it."""

import math
import time

from ..checks import whole
from ..figures import COLORS, STRIPED, figure, png
from ..optim import Optimizer
from ..train import Record, Trainer
from .live import Live
from .messages import let_in

KNOWN = ("loss", "held_out", "lr", "norm", "tokens", "seconds", "memory")  # numbers of a step
NAP = 0.05  # seconds from one look for what was asked to the next, while a run is paused


class Dashboard(Live, bundle="dashboard"):
    """A run as it goes on. Its buttons work while the training cell runs.

    With a Trainer: `with dashboard(trainer) as board: trainer.fit(1000, on_step=board)`. In a loop of one's own:

        with dashboard(optimizer=optimizer) as board:
            while not board.stopped:
                ...
                board.log(loss=loss.item(), tokens=y.size)

    `log` takes what is known of a step: step, loss, held_out, lr, tokens, seconds, and `sample`, a text that the model
    wrote; while the run is paused, it waits. A new learning rate goes to all groups of the optimizer in proportion to
    the first, and to the trainer's schedule likewise; it is also in `board.lr`. "Stop and keep" ends a Trainer's fit
    after its step, with a checkpoint where there is a folder, and sets `board.stopped`. Each curve has at most 200
    points, and what is sent at a redraw stays below 30 kB.
    """

    def __init__(self, trainer=None, optimizer=None):
        for name, value, kind in (("trainer", trainer, Trainer), ("optimizer", optimizer, Optimizer)):
            if value is not None and not isinstance(value, kind):
                given = type(value).__name__
                raise TypeError(
                    f"a dashboard needs its {name} to be of the type {kind.__name__}, but {given} was given"
                )
        self.trainer, self.given = trainer, optimizer
        self.record, self.began, self.lr = Record(), time.perf_counter(), None
        self.paused = self.stopped = self.ended = False
        for line in trainer.history if trainer is not None else ():
            self.record.note(**line)
        super().__init__(self._told())

    @property
    def optimizer(self):
        return self.trainer.optimizer if self.trainer is not None else self.given

    def __call__(self, trainer):
        """The last step of a trainer; what `fit(on_step=board)` calls."""
        self.trainer = trainer
        self.log(**trainer.history[-1])
        if self.stopped:
            trainer.stop()

    def log(self, step=None, **known):
        """Show what is known of a step; while the run is paused, wait."""
        _check(step, {name: value for name, value in known.items() if name != "sample"})
        with self.lock:
            known.setdefault("seconds", time.perf_counter() - self.began)
            if self.optimizer is not None:
                known.setdefault("lr", self.optimizer.param_groups[0]["lr"])
            self.record.note(self.record.step + 1 if step is None else step, **known)
            self.offer(self._told())
        let_in()
        while self.paused and not self.stopped and not (self.trainer is not None and self.trainer.stopping_soon):
            time.sleep(NAP)
            let_in()
        self.began = time.perf_counter()

    def change(self, paused=None, stop=None, lr=None):
        with self.lock:
            if lr is not None:
                self._set(lr)
            self.paused = self.paused if paused is None else bool(paused)
            self.stopped = self.stopped if stop is None else bool(stop)
            return self._told()

    def _set(self, asked):
        try:
            rate = float(asked)
        except (TypeError, ValueError):
            rate = math.nan
        if not 0 <= rate < math.inf:
            raise ValueError(f"a learning rate is a number of 0 or more, but {asked!r} was given")
        self.lr = rate
        if self.optimizer is not None:
            schedule = self.trainer.schedule if self.trainer is not None else None
            before = self.optimizer.param_groups[0]["lr"]
            for group in self.optimizer.param_groups:
                group["lr"] = group["lr"] / before * rate if before else rate
            if hasattr(schedule, "base_lrs"):
                schedule.base_lrs = [base / before * rate if before else rate for base in schedule.base_lrs]
        self.record.last["lr"] = rate

    def close(self):
        self.ended = True
        if hasattr(self, "lock"):
            self.offer(self._told())
        super().close()

    def _told(self):
        on = "stopped" if self.stopped else "ended" if self.ended else "paused" if self.paused else "running"
        return self.record.report() | {"status": on if self.record.step else f"{on}, no step yet"}

    def describe(self, state):
        return "\n".join(_words(state))

    def picture(self, state):
        return _drawn(state)


def dashboard(trainer=None, optimizer=None):
    """A `Dashboard` for a Trainer, or for a loop that calls its `log`."""
    return Dashboard(trainer, optimizer)


def _check(step, known):
    if step is not None:
        whole("a dashboard", 0, step=step)
    for name, value in known.items():
        if name not in KNOWN:
            raise TypeError(f"a dashboard shows {', '.join(KNOWN)} and sample, but {name} was given")
        try:
            float(0.0 if value is None else value)
        except (TypeError, ValueError):
            raise ValueError(f"a dashboard needs {name} to be a number, but {value!r} was given") from None


def _words(state):
    yield f"Step {state['step']}, {state['status']}."
    said = [("loss", "loss", ""), ("held_out", "held-out loss", ""), ("lr", "learning rate", "")]
    said += [("speed", "speed", " tokens a second"), ("tokens", "seen", " tokens"), ("memory", "memory", " MB")]
    known = [(name, state[key], unit) for key, name, unit in said if state[key]]
    if known:
        yield ", ".join(f"{name} {value}{unit}" for name, value, unit in known) + "."
    for key, name in (("loss", "Loss"), ("held_out", "Held-out loss")):
        points = state["curves"][key]
        if len(points) > 1:
            some = [points[i * (len(points) - 1) // min(5, len(points) - 1)] for i in range(min(6, len(points)))]
            yield f"{name}: " + ", ".join(f"{value} at step {step}" for step, value in some) + "."
    for sample in state["texts"]:
        yield f"Sample at step {sample['step']}: {sample['text']}"


def _drawn(state):
    drawing = figure(700, 300)
    loss, rate = drawing.subplots(1, 2, width_ratios=(2, 1))
    for n, (key, name) in enumerate((("loss", "training"), ("held_out", "held out"))):
        if state["curves"][key]:
            steps, values = zip(*state["curves"][key])
            sign = "o" if n else None
            loss.plot(steps, [*map(float, values)], STRIPED[n], color=COLORS[n], label=name, marker=sign, markersize=3)
    if loss.lines:
        loss.legend(frameon=False)
    if state["curves"]["lr"]:
        steps, values = zip(*state["curves"]["lr"])
        rate.plot(steps, [*map(float, values)], color=COLORS[2])
    loss.set(xlabel="step", ylabel="loss", title=f"Step {state['step']}, {state['status']}")
    rate.set(xlabel="step", title="learning rate")
    return png(drawing)
