// The panel beside the drawing: all that is known of one node or scope at this point of the walk.
import { h, scrollable } from "./dom.js";
import { editor } from "./editor.js";
import { formula } from "./formula.js";
import { inside } from "./graph.js";
import { fitted, heat } from "./heat.js";
import { exact, isNumber, short, summary } from "./numbers.js";
import { settings } from "./settings.js";
import { gradAt, hasValue } from "./walk.js";
import { boxTitle, clean, shapeOf, symbol, written } from "./words.js";

/** `view` is { graph, walk, position, theme, ask, go(box), toggle(group), closed }. */
export function details(panel, box, view) {
  keepFocus(panel, () => fill(panel, box, view));
}

function fill(panel, box, view) {
  const scope = box?.[0] === "g";
  const content = !box ? [] : scope ? ofScope(+box.slice(1), view) : ofNode(view.graph.nodes[+box.slice(1)], view);
  panel.replaceChildren(...content.filter(Boolean));
  panel.querySelectorAll("pre").forEach(scrollable); // the panel itself scrolls to the links in it
}


/** Where the focus was on a control, it is on the same one of the new ones. */
function keepFocus(panel, change) {
  const all = () => [...panel.querySelectorAll("button, input, select, summary")];
  const place = all().indexOf(document.activeElement);
  change();
  if (place >= 0) all()[place]?.focus({ preventScroll: true });
}

function ofScope(g, view) {
  const { graph, closed, toggle } = view;
  const outer = inside(graph, g).map((i) => graph.nodes[i]);
  const ops = outer.filter((node) => node.kind === "op");
  return [
    h("h3", {}, clean(graph.groups[g].scope)),
    h("p", {}, h("button", { type: "button", onclick: () => toggle(`g${g}`) }, closed.has(g) ? "Open this scope" : "Close this scope")),
    table([
      ["ops", String(ops.length)],
      ["nodes", String(outer.length)],
      ["kinds of op", clean([...new Set(ops.map(({ op }) => op))].join(", "))],
    ]),
  ];
}

function ofNode(node, view) {
  const { graph, walk, position } = view;
  const known = hasValue(walk, graph, position, node.id);
  const grad = gradAt(walk, graph, position, node.id);
  return [
    h("h3", {}, clean(node.name) || symbol(node)),
    node.kind === "op" && h("pre", { class: "ddl-formula", role: "group", "aria-label": "formula" }, node.tex || node.mathml ? formula(node) : written(graph, node)),
    table([
      ["what", node.kind === "op" ? `${clean(node.op)}, #${node.id}` : `${node.kind}, #${node.id}`],
      ["value", known ? array(node.value, "value", view.theme) : "not computed yet"],
      ["gradient", grad ? gradient(grad, view.theme) : node.grad == null ? null : "nothing has arrived yet"],
      ["shape", shapeOf(node) || (node.shape ? "a single number" : null)],
      ["dtype", node.dtype],
      ["scope", clean(node.scope ?? "")],
      ["settings", settings(node.settings)],
      ["statistics", node.statistics && known && node.shape?.length ? Object.entries(node.statistics).map(([name, x]) => `${name} ${short(x)}`).join(", ") : null],
      ["keeps", amount(node.kept_bytes, "bytes for its gradient")],
      ["work", [amount(node.flops, "operations"), amount(node.bytes, "bytes moved")].filter(Boolean).join(", ")],
    ]),
    arrivals(node, view),
    node.source && source(node.source),
    links("made from", graph.into[node.id].map((e) => graph.edges[e].from), view),
    links("used by", graph.from[node.id].map((e) => graph.edges[e].to), view),
    editor(node, view),
  ];
}

function table(rows) {
  const shown = rows.filter(([, what]) => what);
  return h("dl", {}, shown.flatMap(([name, what]) => [h("dt", {}, name), h("dd", {}, what)]));
}

const amount = (x, unit) => (x ? `${typeof x === "number" ? x.toLocaleString("en") : clean(x)} ${unit}` : null);

function array(x, name, theme) {
  if (x == null) return "not kept: only shapes are known, or there are too many numbers";
  const data = { [`data-${name}`]: exact(x) };
  if (isNumber(x)) return h("span", data, exact(x));
  const drawn = heat(x, theme);
  const [width, height] = fitted(drawn, 200, 130, 16);
  const picture = h("img", { src: drawn.url, width, height, class: "ddl-heat", alt: `${name} as colours: ${summary(x)}` });
  const numbers = h("pre", { role: "group", "aria-label": `${name}, all numbers` }, rows(x));
  return h("div", data, picture, h("div", {}, summary(x)), h("details", { ontoggle: () => scrollable(numbers) }, h("summary", {}, "all numbers"), numbers));
}

const rows = (x) => (Array.isArray(x[0]) ? x.map(rows).join(Array.isArray(x[0][0]) ? "\n\n" : "\n") : x.map(short).join("  "));

function gradient({ sum, arrived, all }, theme) {
  const part = arrived < all && h("div", {}, `so far: ${arrived} of ${all} contributions`);
  return h("div", {}, array(sum, "grad", theme), part);
}

/** The contributions that make up a node's gradient, one by one. */
function arrivals(node, { graph, walk, position, go }) {
  const all = walk.arrivals[node.id];
  if (!all.length || position <= walk.ops.length) return null;
  const sent = position - walk.ops.length - 1;
  const lines = all.map(({ k, edge, amount }) => {
    const { to, slope } = graph.edges[edge];
    const says = k >= sent ? "not yet" : slope != null && isNumber(amount) ? `slope ${short(slope)} gives ${short(amount)}` : summary(amount);
    return h("li", {}, button(graph, to, go), ` ${says}`);
  });
  return h("div", {}, h("h4", {}, "its gradient comes from"), h("ul", {}, lines));
}

const button = (graph, node, go) =>
  h("button", { type: "button", class: "ddl-link", onclick: () => go(`n${node}`) }, boxTitle(graph, `n${node}`));

function links(title, nodes, { graph, go }) {
  const unique = [...new Set(nodes)];
  if (!unique.length) return null;
  return h("div", {}, h("h4", {}, title), h("p", {}, unique.slice(0, 12).flatMap((i) => [button(graph, i, go), " "]), unique.length > 12 && `and ${unique.length - 12} more`));
}

function source({ file, line, text }) {
  return h("div", {}, h("h4", {}, "in your code"), h("pre", { role: "group", "aria-label": "source line" }, text), h("small", {}, `${file}, line ${line}`));
}
