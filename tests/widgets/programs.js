// Programs of numbers as graphs of the schema ddl.graph/1, with gradients found another way: over all paths, forward.

/** A graph from rows [name, op, parents, value, slopes]; a parent is the place of a row. */
export function programOf(rows, outputs = [rows.length - 1]) {
  const nodes = rows.map(([name, op, , value], id) => ({ id, name, op, kind: op ? "op" : "input", value, shape: [], scope: "" }));
  const edges = rows.flatMap(([, , parents, , slopes], to) => parents.map((from, slot) => ({ from, to, slot, slope: slopes[slot] })));
  const leads = (node) => outputs.includes(node) || edges.some(({ from, to }) => from === node && leads(to));
  for (const node of nodes) node.grad = leads(node.id) ? overPaths(edges, node.id, outputs) : null;
  for (const edge of edges) edge.carries = nodes[edge.to].grad === null ? null : edge.slope * nodes[edge.to].grad;
  const layout = { groups: [{ scope: "", columns: nodes.map(({ id }) => [`n${id}`]), wires: [] }] };
  return { nodes, edges, outputs, inputs: [], layout };
}

/** How fast the outputs together move as one node moves: the product of slopes along each path, added up. */
function overPaths(edges, node, outputs) {
  const here = outputs.filter((output) => output === node).length;
  return edges.filter(({ from }) => from === node).reduce((sum, { to, slope }) => sum + slope * overPaths(edges, to, outputs), here);
}

export const twice = () =>
  programOf([
    ["a", "", [], 1, []],
    ["b", "add", [0, 0], 2, [1, 1]],
    ["c", "add", [1, 1], 4, [1, 1]],
  ]);

/** Numbers that repeat for a seed. */
export function dice(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function random(seed, size = 12) {
  const roll = dice(seed);
  const pick = (n) => Math.floor(roll() * n);
  const rows = [0, 1, 2].map((i) => [`x${i}`, "", [], roll(), []]);
  while (rows.length < size) {
    const [a, b] = [pick(rows.length), pick(rows.length)];
    const [u, v] = [rows[a][3], rows[b][3]];
    rows.push(roll() < 0.5 ? ["", "add", [a, b], u + v, [1, 1]] : ["", "mul", [a, b], u * v, [v, u]]);
  }
  return programOf(rows);
}
