// A roofline, a timeline and a table of ops, in which one op is chosen: by pointer, or by arrow keys on the timeline.
import { look, redrawn } from "./cells.js";
import { chart, s } from "./chart.js";
import { h, scrollable } from "./dom.js";
import { action, fields } from "./fields.js";
import css from "./kit.css";
import { short } from "./numbers.js";
import own from "./roofline.css";
import { extent } from "./scale.js";

const COLOR = { memory: "--ddl-c0", arithmetic: "--ddl-c1", none: "--ddl-c5" };
const NAMED = 0.08; // share of the timeline from which an op's name stands on it

const limit = (op) => op.reach?.limit ?? "none";
const rate = (op) => (1e6 * op.flops) / op.microseconds;
const percent = (share) => `${+(100 * share).toPrecision(2)} %`;

/** A number with a prefix, as in roofline.py. */
function large(x, unit) {
  const [size, prefix] = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([size]) => x >= size) ?? [1, ""];
  return `${+(x / size).toPrecision(3)} ${prefix}${unit}`;
}
const tick = (x) => large(x, "");

function told(op, data) {
  const where = op.scope ? ` in ${op.scope}` : "";
  const cost = `${op.name}${where}: ${short(op.microseconds)} µs, ${percent(op.microseconds / data.microseconds)} of the run; ${large(op.flops, "FLOP")}, ${large(op.bytes, "B")}`;
  if (!op.reach) return `${cost}. It ${op.flops ? "moves nothing" : "computes nothing"}, so it has no place under the roof.`;
  return `${cost}, so ${short(+(op.flops / op.bytes).toPrecision(3))} FLOP a byte. It reaches ${large(rate(op), "FLOP/s")}, ${percent(rate(op) / op.reach.flops)} of what ${op.reach.limit} allows here.`;
}

function roof(data, choose) {
  const placed = data.ops.map((op, i) => [op, i]).filter(([op]) => op.reach);
  const ridge = data.most_flops / data.most_bytes;
  const [low, high] = extent([...placed.map(([op]) => op.flops / op.bytes), ridge], { log: true });
  const x = { domain: [low / 2, high * 3], label: "operations a byte", log: true };
  const top = (at) => Math.min(data.most_flops, at * data.most_bytes);
  const [least, most] = extent([...placed.map(([op]) => rate(op)), top(x.domain[0]), data.most_flops], { log: true });
  const made = chart({ name: "roofline: operations a second by operations a byte", x: { ...x, write: tick }, y: { domain: [least / 2, most * 2], label: "operations a second", log: true, write: tick }, width: 620, height: 300, room: { top: 10, right: 12, bottom: 38, left: 66 } });
  made.inside.append(s("path", { class: "ddl-roof", d: [x.domain[0], ridge, x.domain[1]].map((at, i) => `${i ? "L" : "M"}${made.x(at)} ${made.y(top(at))}`).join("") }));
  const longest = Math.max(...data.ops.map((op) => op.microseconds));
  const marks = placed.map(([op, i]) => {
    const r = 4 + 8 * Math.sqrt(op.microseconds / longest);
    const [cx, cy] = [made.x(op.flops / op.bytes), made.y(rate(op))];
    const look = { class: "ddl-op", "data-op": i, style: `fill: var(${COLOR[limit(op)]})` };
    const mark = limit(op) === "memory" ? s("circle", { ...look, cx, cy, r }) : s("rect", { ...look, x: cx - r, y: cy - r, width: 2 * r, height: 2 * r });
    mark.addEventListener("pointerover", () => choose(i));
    return mark;
  });
  made.inside.append(...marks);
  return made.svg;
}

function timeline(data, choose) {
  return data.ops.map((op, i) => h("span", {
    class: "ddl-part-of", "data-op": i, style: `flex-grow: ${op.microseconds}; background: var(${COLOR[limit(op)]})`, onpointerover: () => choose(i),
  }, op.microseconds > NAMED * data.microseconds ? op.name : ""));
}

function table(data) {
  const longest = data.ops.map((op, i) => [op, i]).sort(([a], [b]) => b.microseconds - a.microseconds).slice(0, data.tabled);
  const row = ([op, i]) => h("tr", { "data-row": i },
    h("th", { scope: "row" }, op.name), h("td", {}, op.scope || "–"),
    h("td", { class: "ddl-number", "data-place": i, "data-value": String(op.microseconds) }, short(op.microseconds)),
    [percent(op.microseconds / data.microseconds), op.reach ? large(rate(op), "FLOP/s") : "–", op.reach ? percent(rate(op) / op.reach.flops) : "–", op.reach?.limit ?? "–"].map((text) => h("td", { class: "ddl-number" }, text)));
  return h("div", { class: "ddl-ops" }, h("table", {},
    h("thead", {}, h("tr", {}, ["op", "in", "µs", "share", "reaches", "of the roof", "limited by"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, longest.map(row))));
}

export function render({ model, el, ask }) {
  let at = null;
  const shown = h("div");
  const line = h("p", { class: "ddl-told" });
  const source = h("p", { class: "ddl-source" });
  const bar = h("div", { class: "ddl-timeline", role: "slider", tabindex: "0", "aria-label": "timeline of ops" });
  const choose = (i) => {
    const { ops } = model.get("data");
    at = Math.min(Math.max(i, 0), ops.length - 1);
    line.textContent = told(ops[at], model.get("data"));
    source.textContent = ops[at].source;
    for (const [name, value] of Object.entries({ valuemin: 0, valuemax: ops.length - 1, valuenow: at, valuetext: line.textContent })) bar.setAttribute(`aria-${name}`, value);
    for (const mark of root.querySelectorAll("[data-op]")) mark.toggleAttribute("data-chosen", +mark.dataset.op === at);
    for (const row of root.querySelectorAll("[data-row]")) +row.dataset.row === at ? row.setAttribute("aria-current", "true") : row.removeAttribute("aria-current");
  };
  bar.addEventListener("keydown", (event) => {
    const last = model.get("data").ops.length - 1;
    const to = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
  });
  const renew = () => redrawn(root, () => {
    const data = model.get("data");
    const kinds = [["●", "memory", "limited by memory"], ["■", "arithmetic", "limited by arithmetic"], ["■", "none", "computes nothing"]];
    const legend = h("p", { class: "ddl-keys" }, kinds.map(([sign, kind, name]) => h("span", {}, h("span", { style: `color: var(${COLOR[kind]})`, "aria-hidden": "true" }, `${sign} `), name)));
    bar.replaceChildren(...timeline(data, choose));
    const rest = data.left_out ? `, of which the ${data.ops.length} longest are shown` : "";
    shown.replaceChildren(
      h("p", {}, `${data.ops.length + data.left_out} ops took ${short(data.microseconds)} µs${rest}. The roof is this machine's own: ${large(data.most_flops, "FLOP/s")} at best, ${large(data.most_bytes, "B/s")} in a copy of 64 MiB; what fits in its cache can lie above the slope.`),
      roof(data, choose), legend, h("h3", {}, "One op after the other, as wide as they took"), bar, line, source, h("h3", {}, "What took longest"), table(data));
    const longest = data.ops.reduce((best, op, i) => (op.microseconds > data.ops[best].microseconds ? i : best), 0);
    choose(at ?? longest);
    scrollable(shown.querySelector(".ddl-ops"));
  });
  const root = h("div", { class: "ddl-kit ddl-roofline" }, h("style", {}, css, look, own),
    h("p", {}, "What each op computes a byte decides how fast it can be: on the slope it waits for memory, under the flat roof for arithmetic. Far below the roof there is time to be won."),
    fields("Timing", action("time it again", () => ask({ again: true }), { "aria-label": "time it again" })), shown);
  el.append(root);
  model.on("change:data", renew);
  renew();
  return () => model.off("change:data", renew);
}
