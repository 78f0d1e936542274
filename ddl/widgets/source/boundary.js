// The decision boundary: a map of what a model answers, the points it learns from, and a place that is told of.
import { chart, color, s } from "./chart.js";
import { contour } from "./contour.js";
import { h } from "./dom.js";
import { action, fields } from "./fields.js";
import { colorOf, strongest } from "./heat.js";
import kit from "./kit.css";
import { exact, number, short } from "./numbers.js";
import css from "./boundary.css";

const SAID = "What the model answers at each place of the plane: the colour is the answer, paler where it is less sure. Black lines part the answers.";
const NONE = -1; // the class where the answer is NaN
const SIZE = [560, 440];
const SIGNS = [
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
  "M0 -5L4.6 4H-4.6Z",
  "M-3.8 -3.8H3.8V3.8H-3.8Z",
  "M0 -5L5 0L0 5L-5 0Z",
  "M0 5L4.6 -4H-4.6Z",
  "M-5 -1.6H5V1.6H-5Z",
];

export function render({ model, el, ask }) {
  const facts = h("ul", { class: "ddl-facts" });
  const frame = h("div");
  const told = h("p", { class: "ddl-told", "aria-live": "polite" });
  const zoom = [["Closer", 2], ["Further", 0.5]].map(([name, by]) => action(name, () => ask({ zoom: by }), { "data-zoom": by }));
  el.append(h("div", { class: "ddl-kit ddl-boundary" }, h("style", {}, kit + css), h("p", {}, SAID), fields("The view", ...zoom), facts, frame, told));
  let at = null;

  function draw() {
    const data = model.get("data");
    facts.replaceChildren(...counted(data).map(([name, value, kind]) => h("li", {}, h("span", {}, kind === undefined ? null : sign(kind), name), h("b", { "data-place": name, "data-value": exact(value) }, `${short(value)}%`))));
    const drawn = map(data, el.closest("[data-ddl-theme]")?.dataset.ddlTheme ?? "light");
    const had = frame.contains(el.getRootNode().activeElement);
    frame.replaceChildren(drawn.svg);
    follow(drawn, data);
    if (had) drawn.svg.focus();
  }

  /** The pointer or the arrow keys move a cross, and the answer there is told. */
  function follow({ svg, x, y, inside }, data) {
    const cross = s("path", { class: "ddl-cross" });
    inside.append(cross);
    const tell = (column, row) => {
      at = [column, row].map((i) => Math.min(Math.max(i, 0), data.cells - 1));
      const [a, b] = [x(data.across[at[0]]), y(data.up[at[1]])];
      cross.setAttribute("d", `M${a - 7} ${b}H${a + 7}M${a} ${b - 7}V${b + 7}`);
      const place = at[1] * data.cells + at[0];
      const value = short(data.values[place]);
      told.textContent = `At (${short(data.across[at[0]])}, ${short(data.up[at[1]])}): ${data.classes.length && value !== "nan" ? `class ${data.classes[place]}, ${value}% sure` : value}`;
    };
    const middle = (data.cells - 1) / 2;
    svg.tabIndex = 0;
    svg.addEventListener("focus", () => at ?? tell(middle, middle));
    svg.addEventListener("keydown", (event) => {
      const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!by) return;
      event.preventDefault();
      tell((at?.[0] ?? middle) + by[0], (at?.[1] ?? middle) + by[1]);
    });
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const cell = (scale, position, [low, high]) => Math.round(((scale.invert(position) - low) / (high - low)) * (data.cells - 1));
      tell(cell(x, ((event.clientX - box.left) / box.width) * SIZE[0], x.domain), cell(y, ((event.clientY - box.top) / box.height) * SIZE[1], y.domain));
    });
    if (at) tell(...at);
  }

  const watch = new MutationObserver(draw);
  const root = el.closest("[data-ddl-theme]");
  if (root) watch.observe(root, { attributeFilter: ["data-ddl-theme"] });
  model.on("change:data", draw);
  draw();
  return () => (watch.disconnect(), model.off("change:data", draw));
}

function counted(data) {
  const said = (data.classes.length ? data.classes : data.above).map((kind, i) => (Number.isNaN(number(data.values[i])) ? NONE : kind));
  const kinds = [...new Set(said)].sort((a, b) => a - b);
  const name = (kind) => (kind === NONE ? "No answer, but NaN" : data.classes.length ? `Class ${kind} on the map` : `${kind ? "Above" : "Not above"} ${data.level}`);
  const share = (kind) => Number(((100 * said.filter((x) => x === kind).length) / said.length).toPrecision(4));
  return [...(data.right === null ? [] : [["Points on the right side", data.right]]), ...kinds.map((kind) => [name(kind), share(kind), data.classes.length && kind !== NONE ? kind : undefined])];
}

/** How points of a class are drawn. */
const sign = (kind) =>
  s("svg", { width: 14, height: 12, viewBox: "-6 -6 14 12", "aria-hidden": true }, s("path", { class: "ddl-point", d: SIGNS[kind % 6], style: `fill: ${color(kind)}` }));

function map(data, theme) {
  const { cells, across, up } = data;
  const drawn = chart({
    name: "Map of the answers; arrow keys move a cross", width: SIZE[0], height: SIZE[1],
    x: { domain: [across[0], across.at(-1)], label: "first input" }, y: { domain: [up[0], up.at(-1)], label: "second input" },
  });
  const { x, y, inside } = drawn;
  const half = [(x(across[1]) - x(across[0])) / 2, (y(up[0]) - y(up[1])) / 2];
  inside.append(s("image", {
    href: painted(data, theme), x: x(across[0]) - half[0], y: y(up.at(-1)) - half[1],
    width: 2 * half[0] * cells, height: 2 * half[1] * cells, preserveAspectRatio: "none", class: "ddl-painted",
  }));
  const place = [(i) => x(across[0]) + 2 * half[0] * i, (j) => y(up[0]) - 2 * half[1] * j];
  const line = (values, level) => inside.append(s("path", { class: "ddl-between", d: contour(values, cells, level, ...place) }));
  if (data.classes.length) for (const kind of [...new Set(data.classes)].sort().slice(1)) line(data.classes.map((x) => (x >= kind ? 1 : 0)), 0.5);
  else line(data.values.map(number), data.level);
  data.points.forEach(([a, b], i) => {
    const kind = data.labels[i] ?? 0;
    inside.append(s("path", { class: "ddl-point", d: SIGNS[kind % 6], style: `fill: ${color(kind)}`, transform: `translate(${x(a)} ${y(b)})` }));
  });
  return drawn;
}

const CLASSES = {
  light: ["#00588a", "#b34700", "#007a5a", "#a0457f", "#6b6b00", "#555555"],
  dark: ["#7cc4f2", "#ffa366", "#5fd3ae", "#f0a0d0", "#d6d65c", "#bdbdbd"],
};
const PAPER = { light: 255, dark: 22 };

/** The answers as an image, a pixel a cell, the last row at the bottom. */
function painted(data, theme) {
  const { cells } = data;
  const canvas = Object.assign(document.createElement("canvas"), { width: cells, height: cells });
  const context = canvas.getContext("2d");
  const image = context.createImageData(cells, cells);
  const numbers = data.values.map(number);
  const most = strongest(numbers.map((x) => x - data.level));
  const least = 100 / Math.max(...data.classes.map((kind) => kind + 1), 2);
  numbers.forEach((value, i) => {
    const at = 4 * ((cells - 1 - Math.floor(i / cells)) * cells + (i % cells));
    let paint;
    if (data.classes.length) {
      const share = 0.15 + 0.4 * Math.min(Math.max((value - least) / (100 - least), 0), 1);
      const hex = CLASSES[theme][data.classes[i] % 6];
      paint = [1, 3, 5].map((from) => PAPER[theme] + share * (parseInt(hex.slice(from, from + 2), 16) - PAPER[theme]));
    } else paint = colorOf(value - data.level, most, theme);
    image.data.set([...paint, 255], at);
  });
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}
