"""What the layers of a model pass on, get back and how far they move, looked at on some steps of its training."""

import math
import threading
import time
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..checks import positive
from ..core import Tensor, recording
from ..nn import Conv1d, Module, Parameter, activations
from .alarms import alarms
from .measures import LOOKED_AT, Silent, digits, few, norm, spread

LAYERS = 100  # of a model are looked at
HISTORY = 40  # earlier looks are kept, thinned as they become more
SHARE = 0.02  # of the time may go into looking, where no `every` was given

_watching: "weakref.WeakKeyDictionary[Module, weakref.ref[LayerWatch]]" = weakref.WeakKeyDictionary()


class LayerWatch:
    """Looks at every layer of a model during some of its training steps; the training loop stays as it is.

    A step begins with the model's forward while gradients are recorded, and ends with the next one; then `report()`
    tells of it, and `on_look(report)` is called. Looked at is each `every`-th step, or, without it, as many as take
    about a fiftieth of the time. A layer is a module that has parameters or no modules of its own; of more than LAYERS
    the first are looked at. A model has one watch: a second one closes the first. `close()`, or the end of a with-
    statement, takes every hook away.

    Gradients are those of the loss, before clipping. Of an array at most LOOKED_AT entries are counted into spreads
    and compared for updates, while norms are over all. A unit is dead once it was 0 at 100 positions in a row.
    """

    def __init__(self, model: Module, every: int | None = None, on_look: Callable[[dict], Any] | None = None):
        if not isinstance(model, Module):
            raise TypeError(f"layers of a module are watched, but {type(model).__name__} was given; give a nn.Module")
        if every is not None:
            positive("watching a model", every=every)
        self.model, self.every, self.on_look = model, every, on_look
        found = [(path, m) for path, m in model.named_modules() if [*m._own()] or not [*m.children()]]
        self.left_out = max(0, len(found) - LAYERS)
        lengthy = any(isinstance(m, Conv1d) for m in model.modules())
        self.layers = [_Layer(path or "(whole)", module, lengthy) for path, module in found[:LAYERS]]
        if not self.layers:
            raise ValueError(f"{type(model).__name__} has no layers to watch")
        self.handles: list[Any] = []
        self.lock = threading.RLock()  # a view's wish may come from another thread than the training
        self.start_anew()
        before = _watching.get(model)
        if before is not None and (other := before()) is not None:
            other.close()
        _watching[model] = weakref.ref(self)
        self.entrance = model.register_forward_pre_hook(self._step)

    def start_anew(self) -> None:
        """Forget all that was seen."""
        with self.lock:
            self.step = self.seen_step = self.looks = 0
            self.spent, self.next, self.apart = 0.0, 0.0, 1
            self.steps: list[int] = []
            self.looking = False
            self._let_go()
            for layer in self.layers:
                layer.forget()
            self._report = self._told([])

    def report(self) -> dict[str, Any]:
        """What was seen at the last step looked at: plain numbers, lists and words."""
        with self.lock:
            self._finish()
            return self._report

    def has_moved(self) -> bool:
        """Whether the step in hand has come to its end: the weights are no longer those that it began with."""
        with self.lock:
            return self.looking and any(p.has_moved() for layer in self.layers for p in layer.parameters)

    def close(self) -> None:
        """Finish the look in hand and take every hook away."""
        with self.lock:
            self._finish()
            self._let_go()
            self.entrance.remove()

    def __enter__(self) -> "LayerWatch":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # ---- from step to step
    def _step(self, *_: Any) -> None:
        with self.lock:
            self._finish()
            if recording.on:
                self.step += 1
                if time.perf_counter() >= self.next if self.every is None else (self.step - 1) % self.every == 0:
                    self._look()

    def _look(self) -> None:
        start = time.perf_counter()
        self.looking, self.seen_step, self.spent = True, self.step, 0.0
        for layer in self.layers:
            layer.begin()
            self.handles += [
                layer.module.register_forward_hook(self._timed(layer.see_output)),
                layer.module.register_full_backward_hook(self._timed(layer.see_gradient)),
            ]
        self.spent += time.perf_counter() - start

    def _timed(self, f: Callable[..., None]) -> Callable[..., None]:
        def call(*about: Any) -> None:
            start = time.perf_counter()
            f(*about)
            self.spent += time.perf_counter() - start

        return call

    def _let_go(self) -> None:
        for handle in self.handles:
            handle.remove()
        self.handles = []
        for layer in self.layers:
            layer.let_go()

    def _finish(self) -> None:
        """The step that was looked at has ended: say what was seen."""
        if not self.looking:
            return
        start = time.perf_counter()
        self.looking = False
        self._let_go()
        if any(layer.complete for layer in self.layers):
            self.looks += 1
            kept = (self.looks - 1) % self.apart == 0
            self.steps += [self.seen_step] if kept else []
            self._report = self._told([layer.told(kept) for layer in self.layers])
            if len(self.steps) >= HISTORY:
                self.apart *= 2
                for row in (self.steps, *(row for layer in self.layers for row in layer.history.values())):
                    del row[1::2]
            if self.on_look is not None:
                self.on_look(self._report)
        end = time.perf_counter()
        self.next = end + (self.spent + end - start) / SHARE

    def _told(self, layers: list[dict]) -> dict[str, Any]:
        every = self.every or 0
        told = {
            "step": self.seen_step,
            "looks": self.looks,
            "every": every,
            "left_out": self.left_out,
            "layers": layers,
        }
        return told | {"steps": [*self.steps], "alarms": alarms(layers)}


class _Layer:
    """One layer, its sums of the look in hand and the little that is kept of earlier ones."""

    def __init__(self, path: str, module: Module, channels_first: bool):
        self.path, self.module, self.channels_first = path, module, channels_first
        self.parameters = [_Moved(name, p) for name, p in module._own() if isinstance(p, Parameter)]
        self.forget()

    def forget(self) -> None:
        self.silent = Silent() if self.parameters or type(self.module).__module__ == activations.__name__ else None
        self.history: dict[str, list] = {"gradient": [], "update": []}
        self.complete = False
        for p in self.parameters:
            p.forget()

    def begin(self) -> None:
        self.complete = False
        self.outputs, self.gradients = _Sum(), _Sum()
        for p in self.parameters:
            p.begin()

    def see_output(self, module: Module, inputs: Any, out: Any) -> None:
        x = _first(out)
        if x is not None:
            self.complete = True
            self.outputs.add(x)
            if self.silent is not None and x.ndim > 1:  # (N, C, H, W), (N, C, L) where there are signals, or (.., C)
                self.silent.see(x, 1 if x.ndim == 4 or (x.ndim == 3 and self.channels_first) else x.ndim - 1)

    def see_gradient(self, module: Module, into: Any, out: tuple) -> None:
        g = next((g for g in out if g is not None), None)
        if g is not None:
            self.gradients.add(g.data)

    def let_go(self) -> None:
        for p in self.parameters:
            p.let_go()

    def told(self, kept: bool) -> dict[str, Any]:
        parameters = [p.told() for p in self.parameters]
        weights = math.sqrt(sum(p.norm**2 for p in self.parameters))
        moved = math.sqrt(sum(p.moved**2 for p in self.parameters))
        update = digits(moved / weights) if self.parameters and weights else None
        kind = type(self.module).__name__
        row: dict[str, Any] = {"name": self.path, "kind": kind, "parameters": parameters, "update": update}
        row |= {"output": self.outputs.told(), "gradient": self.gradients.told()}
        row["dead"] = None if self.silent is None else self.silent.share()
        gradient = row["gradient"]
        if kept:
            self.history["gradient"].append(gradient and gradient["rms"])
            self.history["update"].append(update)
        return row | {"history": {name: [*past] for name, past in self.history.items()}}


class _Sum:
    """The squares and some of the entries of one array or several."""

    def __init__(self) -> None:
        self.size, self.norm, self.some = 0, 0.0, np.zeros(0)

    def add(self, x: Any) -> None:
        self.size, self.norm = self.size + x.size, math.hypot(self.norm, norm(x))
        if self.some.size < LOOKED_AT:
            self.some = np.concatenate([self.some, few(x, LOOKED_AT - self.some.size)])

    def told(self) -> dict[str, Any] | None:
        return {"rms": digits(self.norm / math.sqrt(self.size)), **spread(self.some)} if self.size else None


class _Moved:
    """One parameter: its gradient, and how far a step moved it."""

    def __init__(self, name: str, tensor: Any):
        self.name, self.tensor = name, tensor
        self.node: Any = None
        self.forget()

    def forget(self) -> None:
        self.first: float | None = None
        self.compared, self.ever = 0, False
        self.norm = self.moved = 0.0

    def begin(self) -> None:
        self.gradient: float | None = None
        self.before, self.norm = few(self.tensor.data), norm(self.tensor.data)
        self.first = self.norm if self.first is None else self.first
        self.node = self.tensor.node
        if self.node is not None:
            self.tell = partial(_Moved.see, self)
            self.node.told += (self.tell,)

    def see(self, gradient: Tensor) -> None:
        self.gradient = norm(gradient.data)

    def let_go(self) -> None:
        if self.node is not None:
            self.node.told = tuple(tell for tell in self.node.told if tell is not self.tell)
            self.node = None

    def has_moved(self) -> bool:
        return bool((few(self.tensor.data) != self.before).any())

    def told(self) -> dict[str, Any]:
        by = few(self.tensor.data) - self.before
        self.moved = norm(by) * math.sqrt(self.tensor.data.size / max(by.size, 1))
        self.compared += 1
        self.ever = self.ever or self.moved != 0 or norm(self.tensor.data) != self.first
        told = {"name": self.name, "shape": [*self.tensor.shape], "norm": digits(self.norm)}
        told |= {"gradient": None if self.gradient is None else digits(self.gradient), "moved": self.ever}
        told |= {"update": digits(self.moved / self.norm) if self.norm else None, "compared": self.compared}
        return told | {"frozen": not self.tensor.requires_grad}


def _first(out: Any) -> Any:
    """The array of the first tensor of real numbers that a layer gave."""
    if isinstance(out, Tensor):
        return out.data if out.dtype.kind == "f" else None
    values = out.values() if isinstance(out, dict) else out if isinstance(out, (tuple, list)) else ()
    return next((found for value in values if (found := _first(value)) is not None), None)
