// The walk over a graph: forward, ops give values; backward, each op sends slope times gradient to its parents.
// Position 0 is the start; after `ops.length` steps all values are there; one step more gives the result its gradient;
// from then on each step is one of `sends`.
import { add, isNumber, number } from "./numbers.js";

export const ORDERS = { newest: "newest first", soon: "as soon as reached" };

export function walkOf(graph, order = "newest") {
  const ops = graph.nodes.filter((node) => node.kind === "op").map((node) => node.id);
  const sends = order === "soon" ? tooSoon(graph) : newestFirst(graph);
  const arrivals = graph.nodes.map(() => []);
  sends.forEach(({ moves }, k) => {
    for (const { edge, amount } of moves) arrivals[graph.edges[edge].from].push({ k, edge, amount });
  });
  const seeds = new Map(seeded(graph).map((node) => [node, seedOf(graph, node)]));
  const last = ops.length + (seeds.size ? 1 + sends.length : 0);
  return { order, ops, sends, arrivals, seeds, last };
}

/** The right order: an op sends when everything that was made from it has sent. */
function newestFirst(graph) {
  const ops = graph.nodes.filter((node) => node.kind === "op" && node.grad != null).reverse();
  const sends = ops.map((node) => ({ node: node.id, moves: movesOf(graph, node.id, node.grad) }));
  return sends.filter(({ moves }) => moves.length);
}

function movesOf(graph, node, grad) {
  const moves = graph.into[node].map((edge) => ({ edge, amount: amountOf(graph.edges[edge], grad) }));
  return moves.filter(({ amount }) => amount != null);
}

function amountOf({ carries, slope }, grad) {
  return carries ?? (slope != null && isNumber(grad) ? number(slope) * number(grad) : null);
}

/** Whether the numbers are known with which any other order could be walked: all slopes are single numbers. */
export function canMisorder(graph) {
  const used = graph.edges.filter((edge) => graph.nodes[edge.to].grad != null && graph.nodes[edge.from].grad != null);
  return used.length > 0 && used.every((edge) => edge.slope != null);
}

/** The wrong order: an op sends as soon as anything has reached it, and only once, with what it has by then. */
function tooSoon(graph) {
  const sends = [];
  const has = new Map(seeded(graph).map((node) => [node, number(graph.nodes[node].grad)]));
  const seen = new Set(has.keys());
  const waiting = [...seen].reverse().map((node) => ({ node, next: 0 }));
  while (waiting.length) {
    const at = waiting.at(-1);
    const edge = graph.into[at.node][at.next++];
    if (edge === undefined) {
      waiting.pop();
      continue;
    }
    const { from, slope } = graph.edges[edge];
    const amount = number(slope) * has.get(at.node);
    const early = has.get(at.node) !== number(graph.nodes[at.node].grad);
    sends.push({ node: at.node, moves: [{ edge, amount }], early });
    has.set(from, (has.get(from) ?? 0) + amount);
    if (!seen.has(from)) {
      seen.add(from);
      waiting.push({ node: from, next: 0 });
    }
  }
  return sends;
}

const seeded = (graph) => graph.outputs.filter((node) => graph.nodes[node].grad != null);

/** What the result's gradient is before anything is sent: all of it, but for what other results send to it. */
function seedOf(graph, node) {
  const moves = graph.from[node].map((edge) => amountOf(graph.edges[edge], graph.nodes[graph.edges[edge].to].grad));
  return moves.filter((amount) => amount != null).reduce((left, amount) => add(left, negative(amount)), graph.nodes[node].grad);
}

const negative = (x) => (Array.isArray(x) ? x.map(negative) : -number(x));

/** What a position is: "start", "forward" with `node`, "seed", or "backward" with `node`, `moves` and `early`. */
export function at(walk, position) {
  const done = walk.ops.length;
  if (position === 0) return { phase: "start", moves: [] };
  if (position <= done) return { phase: "forward", node: walk.ops[position - 1], moves: [] };
  if (position === done + 1) return { phase: "seed", node: [...walk.seeds.keys()][0], moves: [] };
  return { phase: "backward", ...walk.sends[position - done - 2] };
}

/** Whether a node has its value yet. */
export function hasValue(walk, graph, position, node) {
  return graph.nodes[node].kind !== "op" || position >= walk.ops.length || walk.ops[position - 1] >= node;
}

/** What of a node's gradient has arrived: its sum, how many of how many contributions; null where nothing has. */
export function gradAt(walk, graph, position, node) {
  const sent = position - walk.ops.length - 1; // so many sends are done
  const arrived = walk.arrivals[node].filter(({ k }) => k < sent);
  const seed = sent >= 0 ? walk.seeds.get(node) : undefined;
  const parts = [...(seed === undefined ? [] : [seed]), ...arrived.map(({ amount }) => amount)];
  const all = walk.arrivals[node].length + walk.seeds.has(node);
  if (!parts.length) return null;
  const whole = parts.length === all && walk.order === "newest";
  return { sum: whole ? graph.nodes[node].grad : parts.reduce(add), parts, arrived: parts.length, all };
}

/** The positions at which a walk stops: after each step that can be seen while some scopes are closed. */
export function stopsOf(walk, box) {
  const steps = [...walk.ops, ...(walk.seeds.size ? [null, ...walk.sends.map(({ node }) => node)] : [])];
  const shown = steps.map((node) => (node === null ? null : box(node)));
  const within = (i) => shown[i]?.[0] === "g" && shown[i] === shown[i + 1];
  return [0, ...steps.map((_, i) => i + 1).filter((position) => !within(position - 1))];
}

/** The nodes whose gradient this walk gets wrong once it is over, oldest last. */
export function wrong(walk, graph) {
  const differs = (node) => {
    const grad = gradAt(walk, graph, walk.last, node.id);
    return node.grad != null && Math.abs(number(grad?.sum ?? 0) - number(node.grad)) > 1e-9 * Math.abs(number(node.grad));
  };
  return graph.nodes.filter(differs).map((node) => node.id);
}
