// Strides: the chain of views, the memory, and where each entry of a view lies in it.
import { cells, entryOf, indices, listed, look, redrawn } from "./cells.js";
import { h, scrollable } from "./dom.js";
import { action, choice, entry, fields, slider } from "./fields.js";
import css from "./kit.css";
import { short } from "./numbers.js";
import own from "./strides.css";

const COLUMNS = 16; // cells of memory in a row

/** The text of a chain without its last operation; views[i] is that of i operations. */
const before = (views) => views.at(-2)?.text ?? "x";

const steps = ({ offset, strides, shape, places }, place) =>
  `${offset}${indices(place, shape).map((i, axis) => ` + ${i}·${strides[axis] < 0 ? `(${strides[axis]})` : strides[axis]}`).join("")} = ${places[place]}`;

function facts(views, at) {
  const columns = ["chain", "shape", "strides", "in bytes", "begins at", "contiguous", "what it is"];
  const row = (view, i) => h("tr", { "aria-current": i === at && "true" },
    h("th", { scope: "row" }, h("code", {}, view.text)),
    [listed(view.shape), listed(view.strides), listed(view.strides.map((s) => s * view.itemsize)), view.offset, view.contiguous ? "yes" : "no", i === 0 ? "what was given" : view.copy ? "a copy" : "a view"].map((text) => h("td", {}, String(text))));
  return h("div", { class: "ddl-chain" }, h("table", {}, h("thead", {}, h("tr", {}, columns.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, views.map(row))));
}

function pictures(views, at) {
  const view = views[at];
  const told = h("p", { class: "ddl-told" });
  const of = (cell) => view.places.flatMap((place, entry) => (place === cell ? [entry] : []));
  const onEntry = (place) => {
    told.textContent = place in view.values ? `Entry ${entryOf("", place, view.shape)} = ${short(view.values[place])} lies at ${steps(view, place)}: where it begins, and for each axis index · stride.` : "";
    shown.mark([place], "ddl-here");
    memory.mark([view.places[place]], "ddl-here");
  };
  const onCell = (cell) => {
    const found = of(cell);
    told.textContent = `Cell ${cell} holds ${short(view.memory[cell])}: ${found.length ? `entry ${found.map((entry) => entryOf("", entry, view.shape)).join(", ")} of this view.` : "this view passes it by."}`;
    memory.mark([cell], "ddl-here");
    shown.mark(found, "ddl-here");
  };
  const tell = (f) => (place) => (f(place), told.textContent);
  const shown = cells({ key: "view", name: "the view", shape: view.shape, values: view.values, describe: (place) => `${entryOf("", place, view.shape)} at ${view.places[place]}`, pick: onEntry });
  const memory = cells({
    key: "memory", name: "memory, cell by cell", shape: [view.memory.length], values: view.memory, columns: COLUMNS,
    describe: (cell) => `cell ${cell}: ${of(cell).length} entries`, pick: tell(onCell),
    write: (value, place) => h("span", {}, short(value), h("small", {}, String(place))),
  });
  memory.mark(view.places, "ddl-part");
  if (view.values.length) shown.go(view.values.length - 1);
  const copied = views.slice(0, at + 1).some((it) => it.copy);
  return [told,
    h("h3", {}, copied ? "Memory of the copy, one row of cells" : "Memory, one row of cells"),
    h("p", {}, "Dashed: cells that the view uses. Small: the place, counted in elements."),
    h("div", { class: "ddl-memory" }, memory.element),
    h("h3", {}, `${view.text}, shape ${listed(view.shape)}`), shown.element];
}

export function render({ model, el, ask }) {
  const shown = h("div");
  let at = model.get("data").views.length - 1;
  const request = (chain) => ask({ chain });
  const chain = entry("chain", "", request, { size: 34 });
  const controls = h("div");
  const back = action("take back the last", () => request(before(model.get("data").views)), { "aria-label": "take back the last" });
  const draw = () => {
    const { views } = model.get("data");
    shown.replaceChildren(facts(views, at), ...pictures(views, at));
    shown.querySelectorAll(".ddl-chain, .ddl-memory").forEach(scrollable);
  };
  const renew = () => redrawn(root, () => {
    const { views, offers } = model.get("data");
    at = views.length - 1;
    const more = choice("go on with", [["", "choose …"], ...offers], "", (text) => text && request(views.at(-1).text + text));
    const step = slider("step of the chain", { min: 0, max: Math.max(at, 1), value: at, write: (i) => views[i]?.text ?? "x" }, (i) => ((at = Math.min(i, views.length - 1)), draw()));
    if (document.activeElement !== chain.input) chain.value = views.at(-1).text;
    back.disabled = at === 0;
    controls.replaceChildren(fields("The chain of views", chain, more, back, step));
    draw();
  });
  const root = h("div", { class: "ddl-kit ddl-strides" }, h("style", {}, css, look, own),
    h("p", {}, "Memory is one row of cells. A view is a shape and a stride for each axis: how many cells further the next index lies. Most changes of shape copy nothing."), controls, shown);
  el.append(root);
  model.on("change:data", renew);
  renew();
  return () => model.off("change:data", renew);
}
