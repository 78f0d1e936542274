// The logit lens: a grid of layers by positions, and what one of its cells would say next.
import { chart, s } from "./chart.js";
import { h } from "./dom.js";
import { choice, entry, fields } from "./fields.js";
import kit from "./kit.css";
import css from "./lens.css";
import { short as digits } from "./numbers.js";
import { pick } from "./pick.js";

const short = (x) => (x === null ? "nan" : digits(x));
/** By name: how full a cell is coloured, from 0 to 1, and the number that is written into it. */
const COLOURS = {
  "probability of its token": [({ best }) => best[0][1], ({ best }) => short(best[0][1])],
  "entropy, in nats": [({ nats }, { most }) => nats / most, ({ nats }) => short(nats)],
  "rank of the final answer": [({ rank }) => 1 / Math.sqrt(rank), ({ rank }) => `# ${rank}`],
};

export function render({ model, el, ask }) {
  let data, at, grid;
  const piece = (name) => h("bdi", { class: "ddl-piece" }, name);
  const text = entry("Text", "", (typed) => ask({ text: typed }), { size: 48 });
  const colour = choice("Colour and number", Object.keys(COLOURS), Object.keys(COLOURS)[0], () => draw());
  const place = h("div");
  const said = h("h3", { role: "status" });
  const best = h("div", { class: "ddl-best" });
  const over = h("div", { class: "ddl-row-of" });
  const where = () => [Math.floor(at / data.tokens.length), at % data.tokens.length];

  function box(cell, layer, t, most) {
    const [share, write] = COLOURS[colour.value];
    const [name, p] = cell.best[0];
    return h("div", { class: "ddl-cell", style: `--share: ${100 * Math.min(1, Math.max(0, share(cell, { most })))}%`, "data-place": `${layer}-${t}`, "data-value": p,
      "aria-label": `${data.layers[layer]}, at ${data.tokens[t]}: ${name} ${short(p)}` }, piece(name), h("small", {}, write(cell)));
  }

  function draw() {
    const T = data.tokens.length;
    const most = Math.max(...data.cells.flat().map((cell) => cell.nats), 1e-30);
    const items = data.cells.flatMap((row, layer) => row.map((cell, t) => box(cell, layer, t, most)));
    const focused = place.contains(document.activeElement);
    grid = pick({ name: "Layers from top to bottom, positions from left to right", items, columns: T, at, onmove: (i) => ((at = i), tell()) });
    const aside = (...inside) => h("div", { class: "ddl-aside", "aria-hidden": "true" }, ...inside);
    grid.element.classList.add("ddl-lens");
    grid.element.style.gridTemplateColumns = `auto repeat(${T}, minmax(4.6em, 1fr))`;
    grid.element.replaceChildren(
      aside("read"), ...data.tokens.map((token) => h("div", { class: "ddl-read", "aria-hidden": "true" }, piece(token))),
      ...data.layers.flatMap((name, layer) => [aside(name), ...items.slice(layer * T, layer * T + T)]));
    place.replaceChildren(grid.element);
    if (focused) grid.element.focus();
    tell();
  }

  function tell() {
    const [layer, t] = where();
    const cell = data.cells[layer][t];
    said.replaceChildren(`${data.layers[layer]}, having read `, piece(data.tokens[t]), " last:");
    best.replaceChildren(...[
      cell.best[0][1] === null && h("p", {}, "These scores hold NaN, so no token is likeliest and no rank is one: look for NaN or infinity in the model's weights."),
      ...cell.best.map(([name, p]) => h("div", { class: "ddl-say" }, piece(name), h("span", { class: "ddl-track" }, h("span", { style: `width: ${100 * p}%` })), h("span", { class: "ddl-number" }, short(p)))),
      h("p", {}, `Entropy ${short(cell.nats)} nats = ${short(cell.nats / Math.LN2)} bits. The final answer, `, piece(data.cells.at(-1)[t].best[0][0]), `, has rank ${cell.rank} here, and probability ${short(cell.final)}.`),
      !layer && h("p", {}, "The embedding alone speaks for tokens like the one just read, as it is also the matrix of the last layer."),
    ].filter(Boolean));
    const column = data.cells.map((row) => row[t]);
    over.replaceChildren(
      curve("p of the final answer", column.map((each) => each.final), [0, 1.04], layer, 0),
      curve("entropy (nats)", column.map((each) => each.nats), [0, 1.1 * Math.max(...column.map((each) => each.nats), 0.1)], layer, 1));
  }

  function curve(label, ys, domain, layer, n) {
    const last = data.layers.length - 1;
    const marks = data.layers.map((_, i) => i).filter((i) => i % Math.ceil((last + 1) / 8) === 0);
    const made = chart({ name: `${label}, layer by layer`, width: 330, height: 190, y: { domain, label },
      x: { domain: [-0.3, Math.max(last, 1) + 0.3], label: "layer", marks, write: (i) => (i ? String(i - 1) : "emb.") } });
    made.line(ys.map((y, i) => [i, y]), n);
    made.dots(ys.map((y, i) => [i, y]), n);
    made.inside.append(s("line", { x1: made.x(layer), x2: made.x(layer), y1: 0, y2: 190, class: "ddl-at" }));
    return made.svg;
  }

  function renew() {
    data = model.get("data");
    at = data.layers.length * data.tokens.length - 1;
    text.value = data.text;
    draw();
    grid.element.scrollLeft = grid.element.scrollWidth;
  }

  el.append(h("style", {}, kit + css), h("div", { class: "ddl-kit" },
    h("p", {}, "Each row is a layer, each column a token that was read. A cell holds the token that the stream of numbers at that place speaks for, were it led to the model's last layer at once; the last row is what the model really says next."),
    fields("What is shown", ask && text, colour), place, h("div", { class: "ddl-row-of" }, h("div", { class: "ddl-told" }, said, best), over)));
  model.on("change:data", renew);
  renew();
}
