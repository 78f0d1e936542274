"""The widgets that the browser test puts through its paces: a row each."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

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
      return item;
    }));
    step.textContent = `step ${at}`;
  };
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

    def describe(self, data):
        return "\n".join(f"{name} = {value}" for name, value in zip(data["names"], data["values"]))

    def picture(self):
        from matplotlib.figure import Figure

        figure, png = Figure(figsize=(4, 2)), io.BytesIO()
        figure.add_subplot().bar(range(len(self.data["values"])), self.data["values"])
        figure.savefig(png, format="png", dpi=96 * SHARP, metadata={"Software": None})
        return png.getvalue()

    def change(self, first):
        if first < 0:
            raise ValueError(f"the first number must be 0 or more, but {first} was given")
        return self.data | {"values": [first, *self.data["values"][1:]]}


def probe(seed):
    values = np.random.default_rng(seed).normal(size=4).tolist()
    return Probe({"names": ["a", "<img src=x onerror=console.error(1)>", "c</pre><script>", "שלום"], "values": values})


@dataclass(frozen=True)
class Case:
    """A widget and what the test has to know of it.

    `make(seed)` gives one with random data, here as in the kernel; `numbers(data)` lists what it has to show, in the
    spelling and order of `shown`, a CSS selector and the attribute that holds the number. `asks` is the selector of a
    control and the keys that make it ask the kernel.
    """

    name: str
    make: Callable[[int], Widget]
    numbers: Callable[[dict], list[float]]
    shown: tuple[str, str]
    asks: tuple[str, tuple[str, ...]]


CASES = {
    case.name: case
    for case in [
        Case("probe", probe, lambda data: data["values"], ("li", "value"), ("input", ("7", "Enter"))),
    ]
}
