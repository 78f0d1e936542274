// The gradient microscope: a row for each layer, with what it passes on, gets back and moves; one of them in detail.
import { chart, legend, s, color } from "./chart.js";
import { h, scrollable } from "./dom.js";
import { action, choice, fields } from "./fields.js";
import kit from "./kit.css";
import { exact, isNumber, number, short } from "./numbers.js";
import { extent } from "./scale.js";
import css from "./microscope.css";

const SAID = "Each row is a layer: how large the numbers are that it passes on, how large the gradients that come back to it, and how far a step moves its weights.";
const KINDS = [["output", "outputs", 0], ["gradient", "gradients", 1]];

export function render({ model, el, ask }) {
  const status = h("p", { class: "ddl-looked" });
  const alarms = h("div", { role: "status" });
  const table = h("div", { class: "ddl-layers", role: "region", "aria-label": "The layers" });
  const detail = h("div", { class: "ddl-layer" });
  const picked = choice("Layer in detail", [], "", () => draw());
  const anew = action("Start anew", () => ask({ anew: true }), { class: "ddl-anew", title: "Forget what was seen, and look from now on" });
  el.append(h("div", { class: "ddl-kit ddl-microscope" }, h("style", {}, kit + css), h("p", {}, SAID), status, alarms, table, fields("Layers", picked, anew), detail));

  function draw() {
    const data = model.get("data");
    const { layers } = data;
    offer(picked, layers);
    const at = Math.max(layers.findIndex((layer) => layer.name === picked.value), 0);
    status.textContent = looked(data);
    alarms.replaceChildren(...alarmed(data));
    table.replaceChildren(layers.length ? rows(data, at, (name) => ((picked.value = name), draw())) : "");
    detail.replaceChildren(...(layers.length ? detailed(data, layers[at]) : []));
    picked.element.hidden = !layers.length;
    scrollable(table);
  }
  model.on("change:data", draw);
  draw();
  return () => model.off("change:data", draw);
}

/** Keeps the choice that of the layers there are, and what was chosen. */
function offer({ input }, layers) {
  const names = layers.map((layer) => layer.name);
  if ([...input.options].map((option) => option.value).join("\n") === names.join("\n")) return;
  const before = input.value;
  input.replaceChildren(...layers.map(({ name, kind }) => h("option", { value: name }, `${name} ${kind}`)));
  if (names.includes(before)) input.value = before;
}

function looked({ step, looks, every, left_out, layers }) {
  if (!layers.length) return "No step was looked at yet: train the model, and its layers appear here.";
  const how = every > 1 ? `, every ${every} steps` : every ? ", every step" : ", as often as costs little";
  return `Step ${step}; looked at ${looks === 1 ? "once" : `${looks} times`}${how}.${left_out ? ` ${left_out} further layers are left out.` : ""}`;
}

function alarmed({ alarms, layers }) {
  if (!layers.length) return [];
  if (!alarms.length) return [h("p", {}, "No alarm.")];
  return alarms.map(({ kind, words }) => h("p", { class: "ddl-alarm" }, h("b", {}, `${kind}: `), words));
}

/** The powers of ten between which all spreads of one kind lie, as bins [from, to). */
function window(layers, kind) {
  const used = layers.flatMap((layer) => (layer[kind]?.counts ?? []).flatMap((count, i) => (count ? [i] : [])));
  if (!used.length) return [0, 1];
  const from = Math.max(Math.min(...used) - 1, 0);
  const to = Math.max(...used) + 2;
  return [from - (from % 2), to + (to % 2)]; // at whole powers
}

/** A spread as a small hill. */
function hill(row, [from, to], n, name) {
  const counts = row?.counts.slice(from, to) ?? [];
  const most = Math.max(...counts, 0);
  const [width, height] = [150, 26];
  const step = width / (to - from);
  const top = (count) => (most ? height - 1 - (count / most) * (height - 3) : height - 1);
  const d = `M0 ${height - 1}${counts.map((count, i) => `V${top(count).toFixed(1)}H${((i + 1) * step).toFixed(1)}`).join("")}V${height - 1}Z`;
  return s("svg", { width, height, role: "img", "aria-label": name }, s("path", { d, style: `fill: ${color(n)}` }), s("line", { x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5, class: "ddl-ground" }));
}

const power = (i, [low, high], bins) => low + (i * (high - low)) / bins;
const ten = (exponent) => short(10 ** exponent);

function rows({ layers, alarms, powers }, at, pick) {
  const bins = layers.find((layer) => layer.output)?.output.counts.length ?? 1;
  const windows = Object.fromEntries(KINDS.map(([kind]) => [kind, window(layers, kind)]));
  const span = (kind) => `${ten(power(windows[kind][0], powers, bins))} to ${ten(power(windows[kind][1], powers, bins))}`;
  const ill = new Set(alarms.map((alarm) => alarm.layer));
  const cell = (layer, name, value, unit = "") =>
    h("td", { class: "ddl-number", "data-place": `${layer.name}:${name}`, "data-value": isNumber(value) ? exact(value) : null }, isNumber(value) ? short(value) + unit : "–");
  const row = (layer, i) =>
    h("tr", { class: i === at && "ddl-chosen", onclick: () => pick(layer.name) },
      h("th", { scope: "row" }, ill.has(layer.name) ? h("span", { class: "ddl-ill", title: "has an alarm" }, "⚠ ") : null, layer.name, h("span", { class: "ddl-kind" }, ` ${layer.kind}`)),
      h("td", {}, hill(layer.output, windows.output, 0, `Spread of the outputs of ${layer.name}`)),
      cell(layer, "output", layer.output?.rms),
      cell(layer, "dead", layer.dead, "%"),
      h("td", {}, hill(layer.gradient, windows.gradient, 1, `Spread of the gradients at ${layer.name}`)),
      cell(layer, "gradient", layer.gradient?.rms),
      cell(layer, "update", layer.update));
  const head = [["Layer"], ["Sizes of outputs", span("output")], ["rms"], ["dead units"], ["Sizes of gradients", span("gradient")], ["rms"], ["update / weight", "about 0.001 is usual"]];
  return h("table", {},
    h("thead", {}, h("tr", {}, head.map(([name, more]) => h("th", { scope: "col" }, name, more && h("span", { class: "ddl-kind" }, ` ${more}`))))),
    h("tbody", {}, layers.map(row)));
}

function detailed(data, layer) {
  const bins = layer.output?.counts.length ?? layer.gradient?.counts.length ?? 1;
  const charts = KINDS.filter(([kind]) => layer[kind]).map(([kind, name, n]) => spread(data, layer, kind, name, n, bins));
  return [
    h("h3", {}, `${layer.name} ${layer.kind}`),
    h("div", { class: "ddl-row-of" }, charts, data.steps.length > 1 ? past(data, layer) : null),
    layer.parameters.length ? parameters(layer) : null,
  ].filter(Boolean);
}

function spread({ layers, powers }, layer, kind, name, n, bins) {
  const [from, to] = window(layers, kind);
  const { counts, zeros } = layer[kind];
  const of = counts.reduce((a, b) => a + b, 0) || 1;
  const shares = counts.map((count) => (100 * count) / of);
  const drawn = chart({
    name: `Sizes of the ${name} of ${layer.name}`, width: 285, height: 200,
    x: { domain: [power(from, powers, bins), power(to, powers, bins)], label: `size of ${name} (${short(zeros)}% are exactly 0)`, write: ten },
    y: { domain: [0, Math.max(...shares, 1)], label: "% of the others" },
  });
  drawn.bars(shares.map((share, i) => [power(i, powers, bins), power(i + 1, powers, bins), share]).slice(from, to), n);
  return drawn.svg;
}

function past({ steps }, layer) {
  const lines = [["gradient rms", layer.history.gradient, 1], ["update / weight", layer.history.update, 2]];
  const all = lines.flatMap(([, values]) => values.map((x) => (x === null ? NaN : number(x))));
  const drawn = chart({
    name: `Gradient and update of ${layer.name} over the steps`, width: 285, height: 200,
    x: { domain: extent(steps), label: "step" }, y: { domain: extent(all, { log: true }), log: true },
  });
  const shown = lines.filter(([, values]) => values.some((x) => x !== null));
  shown.forEach(([, values, n]) => drawn.line(values.map((x, i) => [steps[i], x === null ? NaN : number(x)]), n));
  return h("div", {}, drawn.svg, legend(shown.map(([name]) => name), shown.map(([, , n]) => n)));
}

function parameters(layer) {
  const row = (p) =>
    h("tr", {}, h("th", { scope: "row" }, p.name), h("td", {}, p.shape.join(" × ")), ...[p.norm, p.gradient, p.update].map((x) => h("td", { class: "ddl-number" }, x === null ? "–" : short(x))),
      h("td", {}, p.frozen ? "frozen" : p.moved ? "moves" : "has not moved"));
  return h("table", {},
    h("thead", {}, h("tr", {}, ["Parameter", "shape", "norm", "gradient norm", "update / weight", ""].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, layer.parameters.map(row)));
}
