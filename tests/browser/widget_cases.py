"""The widgets that the browser test puts through its paces: a row each."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from browser.array_cases import ARRAYS
from browser.live_cases import LIVE

from ddl import Scalar, manual_seed, tensor
from ddl.course.progressed import Progress
from ddl.models import GPT2, GPT2Config, distribution
from ddl.nn.functional import softmax
from ddl.text import CharTokenizer
from ddl.widgets import attend, lens, play, rotary, sample, tokens
from ddl.widgets.base import SHARP, Widget

SHELL = Path(__file__).parents[2] / "ddl" / "widgets" / "source" / "shell.js"
PROBE = """
function render({ model, el, ask }) {
  const list = document.createElement("ul"), step = document.createElement("button");
  const form = document.createElement("form"), set = document.createElement("input");
  let at = 0;
  const draw = () => {
    list.replaceChildren(...model.get("data").values.map((value, i) => {
      const item = document.createElement("li");
      item.textContent = `${model.get("data").names[i]} = ${value}` + (i === at ? ", here" : "");
      item.dataset.value = value;
      item.dataset.place = i;
      return item;
    }));
    step.textContent = `step ${at}`;
  };
  step.setAttribute("aria-label", "step");
  step.onclick = () => (at += 1, draw());
  set.setAttribute("aria-label", "the first number");
  form.onsubmit = async (event) => {
    event.preventDefault();
    if (!(await ask({ first: Number(set.value) }))) set.value = "";
  };
  model.on("change:data", draw);
  form.append(set);
  el.append(list, step, form);
  draw();
}
export default shell(render, "Probe");
"""


class Probe(Widget):
    """A widget for the tests alone: a few numbers, of which the first can be set."""

    _esm = SHELL.read_text("utf-8") + PROBE

    def describe(self, state):
        return "\n".join(f"{name} = {value}" for name, value in zip(state["names"], state["values"]))

    def picture(self, state):
        from matplotlib.figure import Figure

        figure, png = Figure(figsize=(4, 2)), io.BytesIO()
        figure.add_subplot().bar(range(len(state["values"])), state["values"])
        figure.savefig(png, format="png", dpi=96 * SHARP, metadata={"Software": None})
        return png.getvalue()

    def change(self, first):
        if first < 0:
            raise ValueError(f"the first number must be 0 or more, but {first} was given")
        return self.state | {"values": [first, *self.state["values"][1:]]}


def probe(seed):
    values = np.random.default_rng(seed).normal(size=4).tolist()
    return Probe({"names": ["a", "<img src=x onerror=console.error(1)>", "c</pre><script>", "שלום"], "values": values})


def scalars(seed):
    rng = np.random.default_rng(seed)
    a, b, c = (Scalar(x, name) for x, name in zip(rng.normal(size=3), ("a", "<b>bold</b>", "c")))
    return play((a * b + a).tanh() * c + b * b)


def tensors(seed):
    rng = np.random.default_rng(seed)
    x, w = (tensor(rng.normal(size=shape), requires_grad=True) for shape in [(1, 3), (3, 2)])
    return play((x @ w).tanh().sum() + x.sum(), params={"x": x, "w": w})


def walked(data):
    """All numbers of a graph, by their attributes on the page and by what bears them."""
    edges = {f"{edge['from']}-{edge['to']}-{edge['slot']}": edge for edge in data["edges"]}
    found = {name: {str(node["id"]): node[name] for node in data["nodes"]} for name in ("value", "grad")}
    return found | {name: {at: edge[name] for at, edge in edges.items()} for name in ("slope", "carries")}


def a_text(seed, length=24):
    letters = [*"the information is in there \n<b>&", "é", "e\u0301", "\u0301", "ש", "ل", "👩‍🔬", "🇨🇭", "中"]
    return "".join(np.random.default_rng(seed).choice(letters, length))


def decoder(seed, vocab_size=40):
    """A small decoder and an alphabet that is its tokenizer."""
    manual_seed(seed)
    model = GPT2(GPT2Config(vocab_size, block_size=32, n_embd=16, n_layer=2, n_head=2))
    for p in model.parameters():
        p.data[...] *= 8  # so that it has its mind made up
    return model.eval(), CharTokenizer([chr(0x5D0 + i) if i % 5 == 0 else chr(97 + i) for i in range(vocab_size)])


def a_word(tokenizer, seed, length=8):
    return "".join(np.random.default_rng(seed).choice(tokenizer.characters, length))


def sampled(seed, **settings):
    model, tokenizer = decoder(seed)
    return sample(model, a_word(tokenizer, seed), tokenizer, seed=seed, **settings)


def attended(seed):
    model, tokenizer = decoder(seed)
    return attend(model, a_word(tokenizer, seed), tokenizer)


def leaking(seed):
    """Attention as a learner writes it, whose mask lets one key too many through."""
    model, tokenizer = decoder(seed)

    def leaky(ids):
        x = model.wte(ids)
        scores = (x @ x.mT).masked_fill(~np.tri(x.shape[1], k=1, dtype=bool), -1e9)
        return softmax(scores / 40, dim=-1) @ x

    return attend(leaky, a_word(tokenizer, seed), tokenizer)


def looked_at(seed):
    model, tokenizer = decoder(seed)
    return lens(model, a_word(tokenizer, seed, 5), tokenizer)


def foremost(data):
    places = ((f"{layer}-{t}", cell) for layer, row in enumerate(data["cells"]) for t, cell in enumerate(row))
    return {"value": {place: cell["best"][0][1] for place, cell in places}}


def by_distance(data):
    """The score of the earliest query and key of each distance, summed in the order of the view."""
    turned, P = data["turned"][data["shown"]], data["positions"]
    dot = lambda m, n: sum(a * b for a, b in zip(turned["q"][m], turned["k"][n]))
    return {"value": {str(d): dot(max(0, -d), max(0, d)) for d in range(1 - P, P)}}


class Solved(Progress):
    """Progress as it may be, another at each look."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        super().__init__()

    def look(self):
        return [self.tried(x) for x in super().look()]

    def tried(self, exercise):
        tries, now = int(self.rng.integers(0, 30)), "2026-01-02T03:04:05+00:00"
        return exercise | {"passed": tries > 15, "tries": tries, "hints": 0, "first_passed": now, "last_tried": now}


def likely(data):
    """By place in the order of likelihood, what is drawn with, from the scores alone."""
    by_id = np.array([z for _, z, _ in sorted(data["top"])])
    p = distribution(by_id, **data["settings"])
    return {"value": {str(place): p[i] for place, (i, _, _) in enumerate(data["top"][:20])}}


@dataclass(frozen=True)
class Case:
    """A widget and what the test has to know of it.

    `make(seed)` gives one with random data, here as in the kernel. `numbers(data)` is what it has to show: by kind, an
    attribute of elements on the page, and by what the element stands for, which another attribute tells; `shown` has
    for each kind the selector of its elements and that other attribute. `ready` and `asks` are pairs of a selector and
    of keys that are pressed there: to see all numbers, and to make it ask the kernel.
    """

    name: str
    make: Callable[[int], Widget]
    numbers: Callable[[dict], dict[str, dict]]
    shown: dict[str, tuple[str, str]]
    asks: tuple
    ready: tuple = ()


PLAYED = dict.fromkeys(("value", "grad"), ("[data-node]", "node"))
PLAYED |= dict.fromkeys(("slope", "carries"), ("[data-edge]", "edge"))
ALL_IN_SIGHT = ((".ddl-drawing", ("End", "-", "0")),)
SET = (('[data-box="n0"]', ("Enter",)), (".ddl-fields input", ("Control+a", "5", "Enter")))

CASES = {
    case.name: case
    for case in [
        Case(
            "probe",
            probe,
            lambda data: {"value": {str(i): x for i, x in enumerate(data["values"])}},
            {"value": ("li", "place")},
            (("input", ("Control+a", "7", "Enter")),),
        ),
        Case("scalars", scalars, walked, PLAYED, SET, ALL_IN_SIGHT),
        Case(
            "tokens",
            lambda seed: tokens(a_text(seed)),
            lambda data: {"value": {str(i): x for i, x in enumerate(data["ids"])}},
            {"value": (".ddl-token", "place")},
            (('input[type="text"]', ("Control+a", "7", "7", "Enter")),),
        ),
        *(
            Case(
                name,
                make,
                lambda data: {"value": {str(s): w for s, w in enumerate(data["layers"][0]["weights"][0][-1])}},
                {"value": (".ddl-key", "place")},
                (('input[type="text"]', ("Control+a", "b", "c", "d", "Enter")),),
            )
            for name, make in {"attend": attended, "attend-leak": leaking}.items()
        ),
        Case(
            "lens",
            looked_at,
            foremost,
            {"value": (".ddl-cell", "place")},
            (('input[type="text"]', ("Control+a", "b", "c", "d", "Enter")),),
        ),
        Case(
            "rotary",
            lambda seed: rotary(6, 9, seed=seed, interleaved=seed == 2),
            by_distance,
            {"value": (".ddl-dot", "place")},
            (('input[aria-label="Seed"]', ("Control+a", "7", "Enter")),),
        ),
        *(
            Case(name, make, likely, {"value": (".ddl-choice", "place")}, ((".ddl-pick", ("ArrowDown", "Enter")),))
            for name, make in {
                "sample": sampled,
                "sample-cut": lambda seed: sampled(seed, temperature=1.5, top_k=7, top_p=0.5),
            }.items()
        ),
        Case(
            "progress",
            Solved,
            lambda data: {"value": {x["id"]: x["tries"] or None for x in data["exercises"]}},
            {"value": (".ddl-tile", "place")},
            ((".ddl-again", ("Enter",)),),
        ),
        *(Case(**row) for row in LIVE),
        *(Case(**row) for row in ARRAYS),
        Case("tensors", tensors, walked, PLAYED, SET, ALL_IN_SIGHT),
    ]
}
