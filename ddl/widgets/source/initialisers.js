// Initialisers: lines of the scale by layer, histograms of one layer, verdicts; all but a new net without the kernel.
import { look, redrawn } from "./cells.js";
import { chart, color, dash, s } from "./chart.js";
import { h } from "./dom.js";
import { choice, fields, slider } from "./fields.js";
import own from "./initialisers.css";
import css from "./kit.css";
import { number, short } from "./numbers.js";
import { extent } from "./scale.js";

const SIZE = { width: 336, room: { top: 10, right: 10, bottom: 38, left: 68 } };
const BAD = 100; // from the first layer to the last, as in initialisers.py

/** The nth line: colours come again after six, but not with the same dashes. */
const line = (n, shown) => ({ "data-chosen": n === shown && "", "stroke-dasharray": dash(n + Math.floor(n / 6)) });
const power = (x) => (x >= 0.01 && x < 1000 ? short(x) : x.toExponential(0).replace("+", ""));

/** What becomes of a scale from the first number to the last, and the factor of one layer. */
export function verdict(scales) {
  const [first, last] = [number(scales[0]), number(scales.at(-1))];
  if (!Number.isFinite(last)) return ["overflows", Infinity];
  if (!last || !first) return ["dies: all is 0", 0];
  const ratio = (last / first) ** (1 / Math.max(scales.length - 1, 1));
  const [vanishes, explodes] = [last / first < 1 / BAD || ratio <= 0.5, last / first > BAD || ratio >= 2];
  return [vanishes ? "vanishes" : explodes ? "explodes" : "keeps its size", ratio];
}

function lines(data, kind, name, layer) {
  const all = data.passages.flatMap((it) => it[kind].map(number));
  const made = chart({ name: `${name} by layer for each initialiser`, x: { domain: [0, Math.max(data.depth, 1)], label: "layer (0 is the input)" }, y: { domain: extent(all, { log: true }), label: "root mean square", log: true, write: power }, ...SIZE, height: 250 });
  data.passages.forEach((it, n) => made.line(it[kind].map((x, i) => [i, number(x) > 0 ? number(x) : NaN]), n, line(n, data.shown)));
  made.inside.append(s("line", { class: "ddl-now", x1: made.x(layer), x2: made.x(layer), y1: 0, y2: 250 }));
  return h("figure", {}, h("figcaption", {}, name), made.svg);
}

function bars(shape, title, n) {
  const reach = number(shape.reach) || 1;
  const step = (2 * reach) / shape.counts.length;
  const made = chart({ name: `${title}, histogram`, x: { domain: [-reach, reach], label: title }, y: { domain: [0, Math.max(...shape.counts, 1)], label: "entries" }, ...SIZE, height: 190 });
  made.bars(shape.counts.map((count, i) => [-reach + i * step, -reach + (i + 1) * step, count]), n);
  return h("figure", {}, made.svg);
}

function table(data) {
  const sign = (n) => s("svg", { width: 30, height: 10, "aria-hidden": true }, s("line", { x1: 1, x2: 29, y1: 5, y2: 5, class: "ddl-line", style: `stroke: ${color(n)}`, ...line(n, data.shown) }));
  const told = (scales) => {
    const [what, ratio] = verdict(scales);
    return h("td", { class: what.startsWith("keeps") ? "" : "ddl-bad" }, `${what}, × ${short(+ratio.toPrecision(2))}`);
  };
  return h("table", { class: "ddl-verdicts" },
    h("thead", {}, h("tr", {}, ["initialiser", "activations, forward, a layer", "gradients, backward, a layer"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, data.passages.map((it, n) => h("tr", { "aria-current": n === data.shown && "true" }, h("th", { scope: "row" }, sign(n), it.name), told(it.forward), told([...it.backward].reverse())))));
}

export function render({ model, el, ask }) {
  const controls = h("div");
  const view = h("div");
  let data, layer;
  const request = (change) => ask({ depth: data.depth, width: data.width, activation: data.activation, shown: data.passages[data.shown].name, ...change });
  const draw = () => {
    const it = data.passages[data.shown];
    const zeros = it.shapes[layer].zeros / it.shapes[layer].of;
    const numbers = h("p", { class: "ddl-told" }, `${it.name}, layer ${layer}: root mean square of activations `,
      h("b", { "data-place": `forward ${layer}`, "data-value": String(it.forward[layer]) }, short(it.forward[layer])), ", of gradients ",
      h("b", { "data-place": `backward ${layer}`, "data-value": String(it.backward[layer]) }, short(it.backward[layer])),
      zeros ? `; ${Math.round(100 * zeros)}% of the activations are exactly 0.` : ".");
    view.replaceChildren(
      h("div", { class: "ddl-row-of" }, lines(data, "forward", "Size of the activations", layer), lines(data, "backward", "Size of the gradients", layer)),
      table(data), numbers,
      h("div", { class: "ddl-row-of" }, bars(it.shapes[layer], `activations of layer ${layer}`, 0), bars(it.slopes[layer], `gradients at layer ${layer}`, 1)));
  };
  const renew = () => redrawn(root, () => {
    data = { ...model.get("data"), shown: data && model.get("data").shown === data.asked ? data.shown : model.get("data").shown, asked: model.get("data").shown };
    layer = Math.min(layer ?? data.depth, data.depth);
    const { depth, width } = data.limits;
    const widths = [...new Set([8, 16, 32, 64, 128, width, data.width])].filter((n) => n <= width).sort((a, b) => a - b);
    const depths = [...new Set([1, 2, 5, 10, 20, depth, data.depth])].sort((a, b) => a - b);
    controls.replaceChildren(
      fields("What is shown",
        choice("initialiser", data.passages.map((it, n) => [n, it.name]), data.shown, (n) => ((data.shown = +n), draw())),
        slider("layer", { min: 0, max: data.depth, value: layer }, (n) => ((layer = n), draw()))),
      fields("The net, computed anew by the kernel",
        choice("activation", data.activations, data.activation, (activation) => request({ activation })),
        choice("width", widths, data.width, (n) => request({ width: +n })),
        choice("depth", depths, data.depth, (n) => request({ depth: +n }))));
    draw();
  });
  const root = h("div", { class: "ddl-kit ddl-initialisers" }, h("style", {}, css, look, own),
    h("p", {}, "Numbers of size 1 enter a deep net, and gradients of size 1 come back from its end. An initialiser is good when neither grows nor shrinks on the way."), controls, view);
  el.append(root);
  model.on("change:data", renew);
  renew();
  return () => model.off("change:data", renew);
}
