"""The gradient microscope: what every layer passes on, gets back and moves, live while a model trains."""

from ..figures import COLORS, figure, png
from ..train import LayerWatch
from ..train.measures import BINS, POWERS
from .demo import moons, network, training
from .live import Live

ROWS = 24  # layers in the picture


class Microscope(Live, bundle="microscope"):
    """The layers of a model while it trains; alarms say in words what is wrong, where, and what likely causes it.

    `with watch(model):` around a training loop, or `watch(model)` in a cell before it, is all: the loop stays as it
    is. `every=10` looks at each tenth step; without it as many steps are looked at as cost about a fiftieth of the
    time. `close()` takes the hooks away. What is sent at a redraw stays below 300 kB: of at most 100 layers counts and
    norms, never arrays. Without a model, one that learns to tell two half-moons apart is shown.
    """

    def __init__(self, model=None, every=None):
        self.watch = LayerWatch(network() if model is None else model, 1 if model is None else every, self._seen)
        super().__init__(self.watch.report() | {"powers": POWERS})
        if model is None:
            for _ in training(self.watch.model, *moons(), steps=12):
                pass
            self.catch_up()

    def _seen(self, report):
        self.offer(report | {"powers": POWERS})

    def describe(self, state):
        return "\n".join(_words(state))

    def picture(self, state):
        return _drawn(state)

    def change(self, anew):
        self.watch.start_anew()
        return self.watch.report() | {"powers": POWERS}

    def after_cell(self, *_):
        if self.watch.has_moved():  # and not in the midst of a step that goes on in the next cell
            self.catch_up()

    def catch_up(self):
        self.watch.report()  # ends the look in hand, which is then offered
        super().catch_up()

    def close(self):
        super().close()
        if hasattr(self, "watch"):
            self.watch.close()


def watch(model=None, every=None):
    """A `Microscope` of a model."""
    return Microscope(model, every)


def _words(state):
    if not state["layers"]:
        yield "No step was looked at yet: train the model, and its layers appear here."
        return
    how = f", every {state['every']} steps" if state["every"] > 1 else ""
    yield f"Step {state['step']}, look {state['looks']}{how}; layers: {len(state['layers'])}" + (
        f", {state['left_out']} more are left out" if state["left_out"] else ""
    )
    yield from (f"Alarm, {alarm['kind']}: {alarm['words']}" for alarm in state["alarms"])
    if not state["alarms"]:
        yield "No alarm."
    for layer in state["layers"]:
        said = [f"{layer['name']} {layer['kind']}:"]
        said += [f"output rms {layer['output']['rms']}"] if layer["output"] else ["did not run"]
        said += [f"dead units {layer['dead']}%"] if layer["dead"] is not None else []
        said += [f"gradient rms {layer['gradient']['rms']}"] if layer["gradient"] else []
        said += [f"update/weight {layer['update']}"] if layer["update"] is not None else []
        yield f"{said[0]} {', '.join(said[1:])}"
        for p in layer["parameters"]:
            yield f"    {p['name']} {tuple(p['shape'])}: {', '.join(_parameter(p))}"


def _parameter(p):
    yield f"norm {p['norm']}"
    yield "no gradient" if p["gradient"] is None else f"gradient norm {p['gradient']}"
    if p["update"] is not None:
        yield f"update/weight {p['update']}"
    if p["frozen"]:
        yield "frozen"
    elif not p["moved"]:
        yield "has not moved"


def _drawn(state):
    """Spreads of outputs and gradients as hills over powers of ten, and dots for how far the weights moved."""
    layers, alarms = state["layers"][:ROWS], state["alarms"][:3]
    drawing = figure(700, 130 + 26 * max(len(layers), 2) + 16 * len(alarms))
    if not layers:
        drawing.text(0.5, 0.5, state and "No step was looked at yet.", ha="center", va="center")
        return png(drawing)
    left, middle, right = drawing.subplots(1, 3, sharey=True, width_ratios=(3, 3, 2))
    for axes, name, title, color in (
        (left, "output", "sizes of outputs", COLORS[0]),
        (middle, "gradient", "sizes of their gradients", COLORS[1]),
    ):
        _hills(axes, [layer[name] for layer in layers], color)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("power of ten", fontsize=9)
    moved = [(n, layer["update"]) for n, layer in enumerate(layers) if layer["update"]]
    finite = [(n, x) for n, x in moved if not isinstance(x, str)]
    right.plot([x for _, x in finite], [-n + 0.3 for n, _ in finite], "o", color=COLORS[2])
    right.axvline(1e-3, color=COLORS[5], linestyle="--", linewidth=1)
    right.set_xscale("log")
    right.xaxis.set_minor_formatter("")
    right.set_title("update / weight", fontsize=10)
    right.set_xlabel("dashed: 0.001, usual", fontsize=9)
    left.set_yticks([-n + 0.3 for n in range(len(layers))], [f"{l['name']} {l['kind']}" for l in layers], fontsize=9)
    left.set_ylim(-len(layers) + 0.8, 1.1)
    more = len(state["layers"]) - len(layers)
    said = f"Step {state['step']}" + (f"; {more} layers more" if more else "") + ("" if alarms else "; no alarm")
    lines = [f"Alarm: {a['kind']}" + (f" at {a['layer']}" if a["layer"] else "") for a in alarms]
    drawing.suptitle("\n".join([said, *lines]), fontsize=10, parse_math=False)
    for label in left.get_yticklabels():
        label.set_parse_math(False)
    return png(drawing)


def _hills(axes, spreads, color):
    width = (POWERS[1] - POWERS[0]) / BINS
    edges = [POWERS[0] + width * i for i in range(BINS + 1)]
    used = [i for row in spreads if row for i, count in enumerate(row["counts"]) if count]
    for n, row in enumerate(spreads):
        most = max(row["counts"]) if row else 0
        if most:
            axes.stairs([0.85 * c / most - n for c in row["counts"]], edges, baseline=-n, fill=True, color=color)
        axes.axhline(-n, color=COLORS[5], linewidth=0.5)
    if used:
        axes.set_xlim(edges[max(min(used) - 1, 0)], edges[min(max(used) + 2, BINS)])
