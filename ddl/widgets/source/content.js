// What a box says, and how much room that takes; the room stays the same while the walk goes on.
import { inside } from "./graph.js";
import { fitted, gridOf } from "./heat.js";
import { isNumber, short } from "./numbers.js";
import { boxTitle, cut, groupTitle, shapeOf } from "./words.js";

export const LETTER = 7.25; // the width of a letter of the drawing's font, and the height of its lines
export const LINE = 16;
const LABEL = 15; // the height of what is written on a wire
export const PAD = 9;
export const HEAT = { width: 76, height: 52, gap: 8 };

/**
 * { title, mark, lines, rows, heats, graded, w, h } of a node or a closed scope; `rows` are lines that the walk fills,
 * `heats` the height of heat maps, `graded` whether one will be of a gradient.
 */
export function contentOf(graph, box) {
  const about = box[0] === "g" ? ofScope(graph, +box.slice(1)) : ofNode(graph, graph.nodes[+box.slice(1)]);
  const head = [...about.title].length + (about.mark ? about.mark.length + 1 : 0);
  const letters = Math.max(head, ...about.lines.map((line) => wide(line)), about.letters ?? 0);
  const pictures = about.heats ? (about.graded ? 2 * HEAT.width + HEAT.gap : HEAT.width) : 0;
  const w = Math.max(letters * LETTER, pictures, 48) + 2 * PAD;
  const height = (1 + about.lines.length + about.rows) * LINE + (about.heats ? about.heats + LINE + 6 : 0);
  return { ...about, w: Math.ceil(w), h: Math.max(height + 2 * PAD - 4, about.wires ?? 0) };
}

/** The room that a text takes, in letters: those of East Asia take two. */
const wide = (text) => [...text].reduce((sum, letter) => sum + (letter.codePointAt(0) > 0x1100 ? 2 : 1), 0);

function ofNode(graph, node) {
  const mark = node.kind === "op" && !node.name ? `#${node.id}` : "";
  const shape = shapeOf(node);
  const about = { title: boxTitle(graph, `n${node.id}`), mark, lines: shape ? [`${cut(shape, 26)}`] : [], rows: 0, heats: 0 };
  const wires = graph.into[node.id];
  if (wires.some((edge) => graph.roles[edge])) about.wires = LABEL * (wires.length + 1);
  if (isNumber(node.value)) {
    const all = graph.from[node.id].length;
    const grad = node.grad == null ? 0 : short(node.grad).length + 6 + (all > 1 ? ` (${all} of ${all})`.length : 0);
    return { ...about, rows: node.grad == null ? 1 : 2, letters: Math.max(short(node.value).length + 6, grad, 11) };
  }
  const heats = Array.isArray(node.value) ? fitted(gridOf(node.value), HEAT.width, HEAT.height)[1] : 0;
  return { ...about, heats, graded: Array.isArray(node.grad) };
}

function ofScope(graph, g) {
  const nodes = inside(graph, g).map((i) => graph.nodes[i]);
  const ops = nodes.filter((node) => node.kind === "op").length;
  const sizes = nodes.filter((node) => node.kind === "parameter").map((node) => node.shape.reduce((a, b) => a * b, 1));
  const parameters = sizes.reduce((a, b) => a + b, 0);
  const lines = [`${ops} ${ops === 1 ? "op" : "ops"}`];
  if (parameters > 0) lines.push(`${parameters.toLocaleString("en")} parameters`);
  return { title: groupTitle(graph, g), mark: "+", lines, rows: 0, heats: 0 };
}
