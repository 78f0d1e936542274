// What is seen, said: names of boxes, and the current step in a sentence for the live region and the panel.
import { inside } from "./graph.js";
import { isNumber, number, short, summary } from "./numbers.js";
import { gradAt, wrong } from "./walk.js";

const LONGEST = 22;
const INFIX = { add: "+", sub: "-", mul: "*", div: "/", pow: "**", matmul: "@", eq: "==", ne: "!=", lt: "<", le: "<=", gt: ">", ge: ">=" };

/** A user's text on one line: what would break it, or turn its direction, is shown as a space. */
export function clean(text) {
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, " ").trim();
}

export function cut(text, most = LONGEST) {
  const letters = [...clean(text)];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : letters.join("");
}

export const symbol = (node) => cut(node.name) || (node.kind === "constant" && isNumber(node.value) ? short(node.value) : `#${node.id}`);

export function titleOf(node) {
  if (node.kind !== "op") return symbol(node);
  return node.name ? `${cut(node.name, 14)} (${cut(node.op, 14)})` : cut(node.op);
}

export const shapeOf = (node) => (node.shape?.length ? node.shape.map(clean).join(" × ") : "");

export function groupTitle(graph, g) {
  const { scope, part, parts, parent } = graph.groups[g];
  const outer = graph.groups[parent]?.scope;
  const name = outer && scope.startsWith(`${outer}.`) ? scope.slice(outer.length + 1) : scope;
  return cut(name) + (parts > 1 ? ` (${part} of ${parts})` : "");
}

/** A box's title; within the frame of its scope a path begins there. */
export function boxTitle(graph, box) {
  if (box[0] === "g") return groupTitle(graph, +box.slice(1));
  const node = graph.nodes[+box.slice(1)];
  const { scope } = graph.groups[graph.home.get(box)];
  return titleOf(scope && node.name.startsWith(`${scope}.`) ? { ...node, name: node.name.slice(scope.length + 1) } : node);
}

/** How a node was made: "a * b", "tanh(a)". */
export function written(graph, node) {
  const parents = graph.into[node.id].map((e) => symbol(graph.nodes[graph.edges[e].from]));
  if (INFIX[node.op] && parents.length === 2) return parents.join(` ${INFIX[node.op]} `);
  return `${cut(node.op)}(${parents.join(", ")})`;
}

export function sentence(graph, walk, position, stop, box) {
  const { phase, node, moves, early } = stop;
  const done = walk.ops.length;
  if (phase === "start") return startWords(graph, walk);
  if (phase === "seed") return `Backward begins: ${[...walk.seeds].map(([of, seed]) => `the gradient of ${symbol(graph.nodes[of])} in itself is ${summary(seed)}`).join(", ")}.`;
  const [step, of] = phase === "forward" ? [position, done] : [position - done - 1, walk.sends.length];
  const head = `${phase === "forward" ? "Forward" : "Backward"}, step ${step} of ${of}: `;
  if (box[0] === "g") return head + scopeWords(graph, +box.slice(1), phase);
  if (phase === "forward") return head + made(graph, graph.nodes[node]);
  const parents = moves.map(({ edge }) => graph.edges[edge].from);
  const told = moves.map(({ edge, amount }, i) => {
    const last = !parents.includes(parents[i], i + 1);
    return moved(graph, walk, position, graph.edges[edge], amount) + (last ? total(gradAt(walk, graph, position, parents[i])) : "") + ".";
  });
  return `${head}${symbol(graph.nodes[node])} sends back. ${told.join(" ")}${early ? tooEarly(graph, node) : ""}${end(graph, walk, position)}`;
}

function startWords(graph, walk) {
  const [constants, open] = [true, false].map((fixed) => graph.nodes.filter((node) => node.kind !== "op" && (node.kind === "constant") === fixed));
  const known = (open.length ? open : constants).some((node) => node.value != null || node.statistics);
  const toGo = `${walk.ops.length} ${walk.ops.length === 1 ? "op" : "ops"} to go`;
  const given = constants.length + open.length;
  if (known) return `Start: ${given} ${given === 1 ? "number or array is" : "numbers and arrays are"} given, nothing is computed yet. ${toGo}.`;
  return `Start: shapes alone, no numbers. ${toGo}.`;
}

function scopeWords(graph, g, phase) {
  const ops = inside(graph, g).filter((i) => graph.nodes[i].kind === "op").length;
  return `${groupTitle(graph, g)} ${phase === "forward" ? "runs" : "sends back"}, ${ops} ops. Open it to walk through them.`;
}

function made(graph, node) {
  const value = node.value != null ? summary(node.value) : shapeOf(node) ? `an array of ${shapeOf(node)} numbers` : "a number";
  return `${symbol(node)} = ${written(graph, node)} gives ${value}.`;
}

function moved(graph, walk, position, edge, amount) {
  const to = symbol(graph.nodes[edge.from]);
  if (!isNumber(amount)) return `${to} gets ${summary(amount)}`;
  const grad = gradAt(walk, graph, position, edge.to)?.sum;
  const product = edge.slope != null && isNumber(grad) ? `${short(edge.slope)} × ${short(grad)} = ` : "";
  return `${to} gets ${product}${short(amount)}`;
}

function total(got) {
  if (!got || got.all < 2) return "";
  if (got.parts.length < 2 || !got.parts.every(isNumber)) return `, ${got.arrived} of ${got.all} contributions`;
  return `, in all ${got.parts.map(short).join(" + ")} = ${short(got.sum)}`;
}

function tooEarly(graph, node) {
  return ` Too soon: not all of ${symbol(graph.nodes[node])}'s gradient had arrived, and it will not send again.`;
}

function end(graph, walk, position) {
  if (position < walk.last) return "";
  const bad = wrong(walk, graph);
  if (!bad.length) return walk.order === "soon" ? " Done, and here it went well: no number was used twice." : " Done.";
  const has = (i) => `${symbol(graph.nodes[i])} has ${short(gradAt(walk, graph, position, i)?.sum ?? 0)} instead of ${short(number(graph.nodes[i].grad))}`;
  return ` Done, and wrong: ${bad.slice(0, 3).map(has).join(", ")}${bad.length > 3 ? ", ..." : ""}. A number may send only after everything made from it has sent: newest first.`;
}
