// The optimizer race: paths over a surface, which are stepped, played and scrubbed here; rates go through the kernel.
import { chart, color, dash, legend, s } from "./chart.js";
import { contour } from "./contour.js";
import { h } from "./dom.js";
import { action, choice, entry, fields, slider } from "./fields.js";
import kit from "./kit.css";
import { exact, number, short } from "./numbers.js";
import { extent } from "./scale.js";
import css from "./boundary.css";

const SAID = "Several optimizers start at one place and go down one surface; grey lines join places of equal loss. What differs is what each makes of the same gradients.";
const TICK = 60; // milliseconds a step while it plays

export function render({ model, el, ask }) {
  const get = () => model.get("data");
  const facts = h("ul", { class: "ddl-facts" });
  const charts = h("div", { class: "ddl-row-of" });
  let timer = null;
  const at = slider("Step", { min: 0, max: get().steps, value: get().steps }, () => (halt(), show()));
  const play = action("Play", () => (timer ? halt() : begin()), { class: "ddl-play" });
  const surface = choice("Surface", get().surfaces, get().surface, async (name) => (await ask({ surface: name })) || (surface.value = get().surface));
  const rates = get().runs.map(({ name, lr }) => entry(`${name}, rate`, short(lr), (typed) => ask({ runner: name, lr: typed }), { size: 6 }));
  el.append(h("div", { class: "ddl-kit ddl-boundary" }, h("style", {}, kit + css), h("p", {}, SAID), fields("The race", play, at, surface), fields("Learning rates", ...rates), facts, charts));

  function halt() {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  }
  function begin() {
    if (at.value >= get().steps) at.value = 0;
    play.textContent = "Halt";
    timer = setInterval(() => {
      at.value = at.value + 1;
      if (at.value >= get().steps) halt();
      show();
    }, TICK);
    show();
  }

  function show() {
    const data = get();
    const step = at.value;
    facts.replaceChildren(...data.runs.map(({ name, losses }) => {
      const value = losses[Math.min(step, losses.length - 1)];
      return h("li", {}, h("span", {}, name), h("b", { "data-place": name, "data-value": exact(value) }, short(value) + (step >= losses.length ? " (gone)" : "")));
    }));
    charts.replaceChildren(ground(data, step), h("div", {}, curves(data, step), legend(data.runs.map(({ name }) => name))));
  }
  function draw() {
    at.input.max = get().steps;
    rates.forEach((rate, n) => (rate.value = short(get().runs[n].lr)));
    show();
  }
  model.on("change:data", draw);
  show();
  return () => (halt(), model.off("change:data", draw));
}

function ground(data, step) {
  const { across, up, cells } = data;
  const drawn = chart({ name: `The surface ${data.surface} and the paths`, width: 500, height: 400, x: { domain: [across[0], across.at(-1)], label: "a" }, y: { domain: [up[0], up.at(-1)], label: "b" } });
  const x = (i) => drawn.x(across[0] + (i / (cells - 1)) * (across.at(-1) - across[0]));
  const y = (j) => drawn.y(up[0] + (j / (cells - 1)) * (up.at(-1) - up[0]));
  const heights = data.heights.map(number);
  drawn.inside.append(s("path", { class: "ddl-level", d: data.levels.map((level) => contour(heights, cells, number(level), x, y)).join("") }));
  data.runs.forEach(({ path }, n) => {
    const gone = path.slice(0, step + 1).map((place) => place.map(number));
    drawn.line(gone, n);
    const [a, b] = gone.at(-1);
    if (Number.isFinite(a + b)) drawn.inside.append(s("circle", { class: "ddl-point", cx: drawn.x(a), cy: drawn.y(b), r: 5, style: `fill: ${color(n)}` }));
  });
  return drawn.svg;
}

function curves(data, step) {
  const all = data.runs.flatMap(({ losses }) => losses.map(number)).filter(Number.isFinite);
  const first = Math.max(...data.runs.map(({ losses }) => number(losses[0])));
  const log = all.every((x) => x > 0);
  const drawn = chart({ name: "Loss over the steps", width: 360, height: 300, x: { domain: [0, data.steps], label: "step" }, y: { domain: extent(all.filter((x) => x <= 3 * Math.abs(first) + 1), { log }), log, label: "loss" } });
  data.runs.forEach(({ losses }, n) => drawn.line(losses.slice(0, step + 1).map((x, i) => [i, number(x)]), n, { "stroke-dasharray": dash(n) }));
  return drawn.svg;
}
