// Broadcasting: shapes aligned from the right, the arrays and their sum, and the gradient that comes back.
import { cells, entryOf, indices, listed, look, redrawn } from "./cells.js";
import { h } from "./dom.js";
import { choice, entry, fields } from "./fields.js";
import css from "./kit.css";
import own from "./broadcast.css";
import { short } from "./numbers.js";

const bare = (shape) => shape.join(", ");

/** The place in an operand of this shape that an entry of the result comes from. */
export function source(place, result, shape) {
  const at = indices(place, result).slice(result.length - shape.length);
  return shape.reduce((sum, n, axis) => sum * n + (n === 1 ? 0 : at[axis]), 0);
}

/** Shapes below each other, last axes below last axes, with what happens on each axis. */
function aligned({ names, shapes, result, fault }) {
  const longest = Math.max(...shapes.map((shape) => shape.length), result?.length ?? 0);
  const column = (shape, i) => shape[i - longest + shape.length];
  const sizes = (i) => shapes.map((shape) => column(shape, i)).filter((n) => n !== undefined && n !== 1);
  const fits = (i) => new Set(sizes(i)).size < 2;
  const axes = [...Array(longest).keys()];
  const size = (i) => (fits(i) ? (sizes(i)[0] ?? 1) : null);
  const cell = (n, i) => {
    const kind = !fits(i) && n !== 1 && n !== undefined ? "misfit" : n === undefined ? "missing" : n === 1 && size(i) !== 1 ? "repeats" : "";
    const said = { misfit: "✗", missing: size(i) === 1 ? "" : `↻ ${size(i) ?? ""}`, repeats: `↻ ${size(i) ?? ""}` }[kind];
    return h("td", { class: kind && `ddl-${kind}` }, n === undefined ? "–" : String(n), said && h("small", {}, ` ${said}`));
  };
  return h("table", { class: "ddl-aligned" },
    h("caption", {}, "Shapes, aligned from the right. ↻ repeats so often, – has no such axis", fault && ", ✗ does not fit"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "axis"), axes.map((i) => h("th", { scope: "col" }, String(i), h("small", {}, ` (${i - longest})`))))),
    h("tbody", {},
      shapes.map((shape, row) => h("tr", {}, h("th", { scope: "row" }, names[row]), axes.map((i) => cell(column(shape, i), i)))),
      h("tr", { class: "ddl-result" }, h("th", { scope: "row" }, "sum"), axes.map((i) => h("td", {}, fits(i) ? String(size(i)) : "?")))));
}

export function render({ model, el, ask }) {
  const root = h("div", { class: "ddl-kit ddl-broadcast" });
  const shown = h("div");
  const request = (shapes) => ask({ shapes });
  const typed = [];
  const controls = h("div");
  const setControls = () => {
    const { shapes, names, examples } = model.get("data");
    if (typed.length !== shapes.length) {
      const send = (i) => (text) => request(typed.map((field, j) => (i === j ? text : field.value)));
      typed.splice(0, Infinity, ...shapes.map((shape, i) => entry(`shape of ${names[i]}`, bare(shape), send(i), { size: 10 })));
      const named = examples.map((pair, i) => [i, pair.map((text) => (text.includes(",") ? `(${text})` : text ? `(${text},)` : "()")).join(" + ")]);
      const pick = choice("an example", [["", "choose …"], ...named], "", (i) => i !== "" && request(examples[i]));
      controls.replaceChildren(fields("Shapes", ...typed, pick));
    }
    shapes.forEach((shape, i) => document.activeElement !== typed[i].input && (typed[i].value = bare(shape)));
  };
  const draw = () => redrawn(root, () => {
    setControls();
    shown.replaceChildren(...parts(model.get("data")));
  });
  root.append(h("style", {}, css, look, own), h("p", {}, "Arrays of unequal shapes are added as if the smaller ones were repeated; what was repeated gets the sum of all the gradients that come back."), controls, shown);
  el.append(root);
  model.on("change:data", draw);
  draw();
  return () => model.off("change:data", draw);
}

function parts(data) {
  const table = aligned(data);
  if (data.fault) return [table, h("p", { class: "ddl-alarm" }, "These shapes do not fit: on every axis sizes must be equal, or one of them 1 or missing. ddl says:"), h("pre", { class: "ddl-said" }, data.fault)];
  const rules = h("ul", { class: "ddl-rules" }, data.summed.map((axes, i) =>
    h("li", {}, axes.length ? `${data.names[i]} ${listed(data.shapes[i])} repeats along axis ${axes.join(" and ")} of the sum, so its gradient is summed over ${axes.length > 1 ? "these axes" : "that axis"}.` : `${data.names[i]} ${listed(data.shapes[i])} repeats nowhere: its gradient is the sum's.`)));
  if (!data.out) return [table, rules, h("p", {}, `The sum has more than ${data.largest} entries, so no numbers are shown.`)];
  return [table, rules, ...grids(data)];
}

function grids(data) {
  const { names, shapes, result, values, out, g, grads } = data;
  const told = h("p", { class: "ddl-told" });
  const of = names.map((_, i) => out.map((_, place) => source(place, result, shapes[i])));
  const into = (i, place) => of[i].flatMap((from, to) => (from === place ? [to] : []));
  const all = [];
  const mark = (marks) => all.forEach(({ name, grid }) => {
    const [here, part] = marks[name] ?? [[], []];
    grid.mark(here, "ddl-here");
    grid.mark(part, "ddl-part");
  });
  const ofSum = (place) => `${entryOf("sum", place, result)} = ${names.map((name, i) => `${entryOf(name, of[i][place], shapes[i])}`).join(" + ")} = ${names.map((_, i) => short(values[i][of[i][place]])).join(" + ")} = ${short(out[place])}`;
  const ofOperand = (i) => (place) => {
    const terms = into(i, place).map((to) => short(g[to])).join(" + ");
    return `${entryOf(names[i], place, shapes[i])} goes to ${into(i, place).length} of the sum's entries; its gradient: ${terms} = ${short(grads[i][place])}`;
  };
  const onSum = (place) => {
    told.textContent = ofSum(place);
    mark(Object.fromEntries([["sum", [[place], []]], ["g", [[place], []]], ...names.map((name, i) => [name, [[], [of[i][place]]]])]));
  };
  const onOperand = (i) => (place) => {
    told.textContent = ofOperand(i)(place);
    mark({ [names[i]]: [[place], []], [`grad ${names[i]}`]: [[place], []], sum: [[], into(i, place)], g: [[], into(i, place)] });
  };
  const figure = (name, title, shape, numbers, describe, pick) => {
    const grid = cells({ key: name, name: title, shape, values: numbers, describe, pick });
    all.push({ name, grid });
    return h("figure", {}, h("figcaption", {}, title, " ", h("small", {}, listed(shape))), grid.element);
  };
  const signed = (sign, figures) => figures.flatMap((it, i) => (i ? [h("span", { class: "ddl-sign", "aria-hidden": "true" }, i === figures.length - 1 ? sign[1] : sign[0]), it] : [it]));
  const above = [...names.map((name, i) => figure(name, name, shapes[i], values[i], ofOperand(i), onOperand(i))), figure("sum", "sum", result, out, ofSum, onSum)];
  const below = [...names.map((name, i) => figure(`grad ${name}`, `gradient of ${name}`, shapes[i], grads[i], ofOperand(i), onOperand(i))), figure("g", "gradient of the sum", result, g, ofSum, onSum)];
  if (out.length) onOperand(0)(0);
  return [told,
    h("h3", {}, "Forward: each entry of the sum takes one entry of each"), h("div", { class: "ddl-row-of" }, signed(["+", "="], above)),
    h("h3", {}, "Backward: each entry gets the gradients of all that it went to"), h("div", { class: "ddl-row-of" }, signed(["", "←"], below))];
}
