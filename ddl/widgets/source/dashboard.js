// The training dashboard: how a run goes, and the buttons that pause, change and stop it.
import { chart, legend, s, color } from "./chart.js";
import { h } from "./dom.js";
import { action, entry, fields, toggle } from "./fields.js";
import kit from "./kit.css";
import { exact, number, short } from "./numbers.js";
import { extent } from "./scale.js";
import css from "./dashboard.css";

const FACTS = [["step", "Step", ""], ["loss", "Loss", ""], ["held_out", "Held-out loss", ""], ["lr", "Learning rate", ""], ["speed", "Tokens a second", ""], ["tokens", "Tokens so far", ""], ["memory", "Memory", " MB"]];
const SAID = "The run as it goes on: the loss of the training batches and of held-out data, over the steps. The buttons work while the cell runs.";

export function render({ model, el, ask }) {
  const status = h("p", { role: "status", class: "ddl-run" });
  const facts = h("ul", { class: "ddl-facts" });
  const loss = h("div", { class: "ddl-loss" });
  const rate = h("div");
  const texts = h("div");
  const told = h("p", { class: "ddl-told", "aria-live": "polite" });
  let at = null; // the point that is told of
  const pause = action("Pause", () => ask({ paused: !paused() }), { class: "ddl-pause" });
  const stop = action("Stop and keep", () => ask({ stop: !stopped() }), { class: "ddl-stop" });
  const lr = entry("Learning rate", "", (typed) => ask({ lr: typed }), { size: 10 });
  const log = toggle("Loss on a logarithmic scale", false, () => draw());
  const paused = () => model.get("data").status.startsWith("paused");
  const stopped = () => model.get("data").status.startsWith("stopped");
  el.append(h("div", { class: "ddl-kit ddl-dashboard" }, h("style", {}, kit + css), h("p", {}, SAID), fields("The run", pause, stop, lr, log), status, facts, h("div", { class: "ddl-row-of" }, h("div", {}, loss, told), rate), texts));

  function draw() {
    const data = model.get("data");
    status.textContent = `The run is ${data.status}.`;
    pause.textContent = paused() ? "Resume" : "Pause";
    stop.textContent = stopped() ? "Let it go on" : "Stop and keep";
    if (document.activeElement !== lr.input && el.getRootNode().activeElement !== lr.input) lr.value = data.lr === null ? "" : short(data.lr);
    facts.replaceChildren(...FACTS.filter(([key]) => data[key] !== null && data[key] !== undefined).map(([key, name, unit]) =>
      h("li", {}, h("span", {}, name), h("b", { "data-place": key, "data-value": exact(data[key]) }, short(data[key]) + unit))));
    drawLoss(data);
    rate.replaceChildren(...(data.curves.lr.length > 1 ? [rates(data.curves.lr)] : []));
    texts.replaceChildren(...(data.texts.length ? [h("h3", {}, "Samples so far"), ...data.texts.map(({ step, text }) => h("p", { class: "ddl-sample" }, h("b", {}, `step ${step} `), text))] : []));
  }

  function drawLoss({ curves }) {
    const lines = [["training", curves.loss], ["held out", curves.held_out]].map(([name, points]) => [name, points.map(([step, x]) => [step, number(x)])]);
    const all = lines.flatMap(([, points]) => points);
    if (!all.length) return loss.replaceChildren(h("p", {}, "No step yet: the curves begin with the first."));
    const drawn = chart({
      name: "Loss over the steps", width: 540, height: 260,
      x: { domain: extent(all.map(([step]) => step)), label: "step" },
      y: { domain: extent(all.map(([, x]) => x), { log: log.value }), log: log.value, label: "loss" },
    });
    lines.forEach(([, points], n) => drawn.line(points, n));
    if (lines[1][1].length < 40) drawn.dots(lines[1][1].filter(([, x]) => Number.isFinite(x)), 1, 3);
    loss.replaceChildren(drawn.svg, legend(lines.filter(([, points]) => points.length).map(([name]) => name)));
    follow(drawn, lines);
  }

  /** The pointer, or the arrow keys, move a line along the steps; the losses there are told. */
  function follow({ svg, x, inside }, lines) {
    const steps = [...new Set(lines.flatMap(([, points]) => points.map(([step]) => step)))].sort((a, b) => a - b);
    const mark = s("line", { class: "ddl-mark", y1: 0, y2: 400 });
    inside.append(mark);
    const tell = (i) => {
      at = Math.min(Math.max(i, 0), steps.length - 1);
      const step = steps[at];
      for (const end of ["x1", "x2"]) mark.setAttribute(end, x(step));
      const near = ([name, points]) => {
        const point = points.filter(([of]) => of <= step).at(-1);
        return point && `${name} ${short(point[1])}`;
      };
      told.textContent = `At step ${step}: ${lines.map(near).filter(Boolean).join(", ")}`;
    };
    const had = loss.dataset.focused === "true";
    svg.tabIndex = 0;
    svg.addEventListener("focus", () => ((loss.dataset.focused = "true"), tell(at ?? steps.length - 1)));
    svg.addEventListener("blur", () => (loss.dataset.focused = "false"));
    svg.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1, PageUp: 10, PageDown: -10, Home: -steps.length, End: steps.length }[event.key];
      if (!by) return;
      event.preventDefault();
      tell((at ?? steps.length - 1) + by);
    });
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const step = x.invert(((event.clientX - box.left) / box.width) * 540);
      tell(steps.reduce((best, of, i) => (Math.abs(of - step) < Math.abs(steps[best] - step) ? i : best), 0));
    });
    if (had) svg.focus();
    else if (at !== null) tell(at);
  }

  model.on("change:data", draw);
  draw();
  return () => model.off("change:data", draw);
}

function rates(points) {
  const drawn = chart({
    name: "Learning rate over the steps", width: 300, height: 260,
    x: { domain: extent(points.map(([step]) => step)), label: "step" },
    y: { domain: extent(points.map(([, x]) => number(x)), { zero: true }), label: "learning rate" },
  });
  drawn.line(points.map(([step, x]) => [step, number(x)]), 2).setAttribute("style", `stroke: ${color(2)}`);
  return drawn.svg;
}
