"""Where the time of a computation goes: each op and each pull-back timed as it runs, beside what it costs at least."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from .. import matrices
from ..arrays import device_of, is_array
from ..core import Tensor
from ..define import Op
from ..graph.costs import Cost
from ..graph.table import OPS
from ..graph.timing import ceilings
from ..optim import Optimizer
from ..watch import exchanged
from . import roofline
from .clocks import Clocks
from .counting import Call
from .roofline import number

OUTSIDE = "between ops"


@dataclass(frozen=True)
class Timed:
    """One op of the timeline: microseconds since the profile began, and those it took, on its device's own clock.

    `flops` and `bytes` are the least that it computes and moves; None where they cannot be known from shapes.
    """

    name: str
    device: str
    start: float
    microseconds: float
    flops: int | None
    bytes: int | None


@dataclass(frozen=True)
class Row:
    """All ops of one name: how often, microseconds, operations, bytes, and the share of what the roofline allows."""

    name: str
    times: int
    microseconds: float
    flops: int
    bytes: int
    share: float | None


class Profile:
    """`with ddl.profile() as seen:` times each op inside, forward and backward, and each optimizer's step.

    On the CPU the clock is Python's. On a GPU work is only asked for and runs later, so that Python's clock would tell
    how long asking takes: there events on the device are its clock, one before an op's kernels and one after, and
    nothing waits until the block ends. Where Python asks more slowly than the GPU computes, the GPU waits inside an op
    and the op's time is that of asking: `waiting` says so. Each op costs some 10 microseconds more than without a
    profile. What runs in other threads is not seen.

    `ops` is the timeline, `rows` its sums by name, the longest first; `seconds` is what the block took until the device
    was done, `asking` how long Python needed. `ceilings` are (operations, bytes) a second; where none are given they
    are measured when first needed. Printed it is a table; `ddl.widgets.roofline(seen)` draws it.
    """

    def __init__(self, ceilings: tuple[float, float] | None = None):
        self._most = ceilings
        self.ops: list[Timed] = []
        self.seconds = self.asking = 0.0
        self._marks: list[tuple] = []
        self._calls: dict[Any, Call] = {}
        self._born: dict[int, Call] = {}
        self._beside: Any = None
        self._form: str | None = None
        self._inside = False
        self._stack = ExitStack()

    def __enter__(self) -> "Profile":
        self._thread, here = threading.get_ident(), self._stack.enter_context
        here(exchanged("__call__", self._timed_call))
        here(exchanged("pull", self._timed_pull))
        for op in OPS.values():
            if op.adds_into is not None:
                here(_put(op, "adds_into", self._timed_adding(op, op.adds_into)))
        here(_put(Optimizer, "step", self._timed_step(Optimizer.step)))
        self._clock = Clocks()
        self._began = time.perf_counter()
        return self

    def __exit__(self, *_: Any) -> None:
        self.asking = time.perf_counter() - self._began
        self._clock.wait()
        self.seconds = time.perf_counter() - self._began
        self._stack.close()
        self.ops = [self._read(*mark) for mark in self._marks]
        self._marks.clear()
        self._born.clear()

    # ---- while it runs
    def _timed(self, name: str, device: str, f: Callable[[], Any], cost: Callable[[], Cost | None]) -> Any:
        """What f gives; what it asks for in its turn belongs to it."""
        self._inside = True
        try:
            begin = self._clock.now(device)
            out = f()
            self._marks.append((name, device, begin, self._clock.now(device), cost))
        finally:
            self._inside = False
        return out

    def _seen(self) -> bool:
        return not self._inside and threading.get_ident() == self._thread

    def _timed_call(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(op: Op, *inputs: Any, **params: Any) -> Any:
            of = next((x for x in inputs if isinstance(x, Tensor)), None)
            if of is None or not self._seen():
                return call(op, *inputs, **params)
            given, settings = op.with_settings(inputs, params) if not op.variadic else (inputs, params)
            self._form = matrices.in_use or self._form
            asked = Call(op, given, settings)
            asked = self._calls.setdefault(asked.key, asked)
            out = self._timed(op.name, of.device, lambda: call(op, *inputs, **params), lambda: asked.forward)
            if isinstance(out, Tensor):
                self._beside = out.data if out.dtype.kind == "f" else self._beside
                if out.node is not None:
                    self._born[out.node.born] = asked
            return out

        return timed

    def _timed_pull(self, pull: Callable[..., Any]) -> Callable[..., Any]:
        def timed(op: Op, node: Any, g: Any, saved: tuple) -> Any:
            if not self._seen():
                return pull(op, node, g, saved)
            asked = self._born.get(node.born)
            device = g.device if isinstance(g, Tensor) else device_of(g)
            return self._timed(
                f"{op.name}, back",
                device,
                lambda: pull(op, node, g, saved),
                lambda: None if asked is None else asked.backward,
            )

        return timed

    def _timed_adding(self, op: Op, add: Callable[..., None]) -> Callable[..., None]:
        def timed(out: Any, g: Any, **settings: Any) -> None:
            if not self._seen() or not is_array(g):
                return add(out, g, **settings)
            return self._timed(
                f"{op.name}, back", device_of(g), lambda: add(out, g, **settings), lambda: Cost(g.size, 3 * g.nbytes)
            )

        return timed

    def _timed_step(self, step: Callable[..., None]) -> Callable[..., None]:
        def timed(optimizer: Optimizer) -> None:
            if not self._seen():
                return step(optimizer)
            device = next(iter(optimizer.parameters())).device
            return self._timed(f"{type(optimizer).__name__}.step", device, lambda: step(optimizer), lambda: None)

        return timed

    # ---- when it is over
    def _read(self, name: str, device: str, begin: Any, end: Any, cost: Callable[[], Cost | None]) -> Timed:
        start, stop = (self._clock.microseconds(device, moment) for moment in (begin, end))
        counted = cost()
        flops, moved = (None, None) if counted is None else (int(counted.flops), int(counted.bytes))
        return Timed(name, device, start, stop - start, flops, moved)

    @property
    def waiting(self) -> bool:
        """Whether a GPU waited for Python: asking took nine tenths of the time or more."""
        return any(op.device == "gpu" for op in self.ops) and self.asking > 0.9 * self.seconds

    @property
    def ceilings(self) -> tuple[float, float]:
        if self._most is None:
            with matrices.rounding(self._form):
                self._most = ceilings(self._beside)
        return self._most

    @property
    def rows(self) -> list[Row]:
        named: dict[str, list[Timed]] = defaultdict(list)
        for op in self.ops:
            named[op.name].append(op)
        return sorted((self._row(name, ops) for name, ops in named.items()), key=lambda row: -row.microseconds)

    def _row(self, name: str, ops: list[Timed]) -> Row:
        took = sum(op.microseconds for op in ops)
        flops, moved = (sum(getattr(op, what) or 0 for op in ops) for what in ("flops", "bytes"))
        known = [op for op in ops if op.bytes] and all(op.bytes is not None for op in ops)
        most = self.ceilings if known else (1.0, 1.0)
        least = 1e6 * sum(max((op.flops or 0) / most[0], (op.bytes or 0) / most[1]) for op in ops)
        return Row(name, len(ops), took, flops, moved, least / took if known and took else None)

    def roofline(self) -> roofline.Measured:
        """What the roofline draws: the ops whose costs are known, beside the ceilings."""
        ops = [
            roofline.Op(op.name, "", "", op.flops or 0, op.bytes or 0, op.microseconds)
            for op in self.ops
            if op.bytes is not None and op.microseconds > 0
        ]
        return roofline.beside_ceilings(ops, self.ceilings)

    def __str__(self) -> str:
        return "\n".join(_lines(self)) if self.ops else "no op ran inside this profile"

    __repr__ = __str__


def profile(ceilings: tuple[float, float] | None = None) -> Profile:
    """Times what runs inside `with ddl.profile() as seen:`, op by op; `Profile` says how."""
    return Profile(ceilings)


@contextmanager
def _put(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Inside, `owner` has `value` in the place of its attribute `name`."""
    kept = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, kept)


def _lines(seen: Profile) -> Iterator[str]:
    rows, total = seen.rows, 1e6 * seen.seconds
    known = sum(row.microseconds for row in rows)
    table = [("op", "times", "ms", "of all", "computes", "moves", "of the roofline")]
    for row in rows:
        counted = (number(row.flops, "FLOP"), number(row.bytes, "B")) if row.flops or row.bytes else ("", "")
        share = "" if row.share is None else f"{row.share:.0%}"
        table.append((row.name, f"{row.times:,}", *_part(row.microseconds, total), *counted, share))
    table.append((OUTSIDE, "", *_part(total - known, total), "", "", ""))
    sums = number(sum(row.flops for row in rows), "FLOP"), number(sum(row.bytes for row in rows), "B")
    table.append(("total", f"{len(seen.ops):,}", *_part(total, total), *sums, ""))
    widths = [max(map(len, column)) for column in zip(*table)]
    for line in table:
        yield "  ".join(c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(line, widths))).rstrip()
    most = seen.ceilings
    yield f"The roofline: {number(most[0], 'FLOP/s')} in a large product, {number(most[1], 'B/s')} in a large copy."
    if any(op.device == "gpu" for op in seen.ops):
        yield f"Python asked for all of it within {1e3 * seen.asking:.3g} ms, and the GPU was done after " + (
            f"{1e-3 * total:.3g} ms."
            + (" It waited for Python, so the times above are those of asking." if seen.waiting else "")
        )


def _part(microseconds: float, total: float) -> tuple[str, str]:
    return f"{1e-3 * microseconds:.3g}", f"{microseconds / total:.1%}" if total else ""
