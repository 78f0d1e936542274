// A graph as the view needs it: which edges come and go, which scope holds what, and what a closed scope hides.
// Boxes have names: "n5" is node 5, "g2" the scope with number 2 of data.layout.groups.

export function graphOf(data) {
  if (!data.layout) throw new Error("this graph has no layout: it was not made by ddl.graph for a view");
  const into = data.nodes.map(() => []);
  const from = data.nodes.map(() => []);
  data.edges.forEach((edge, e) => {
    into[edge.to].push(e);
    from[edge.from].push(e);
  });
  for (const edges of into) edges.sort((a, b) => data.edges[a].slot - data.edges[b].slot);
  const { groups, roles = {} } = data.layout;
  const home = new Map();
  groups.forEach((group, g) => group.columns.flat().forEach((name) => /^[ng]/.test(name) && home.set(name, g)));
  return { ...data, groups, roles, into, from, home };
}

/** The scopes around a box, outermost first, the whole left out. */
export function around(graph, name) {
  const path = [];
  for (let g = graph.home.get(name); g; g = graph.home.get(`g${g}`)) path.unshift(g);
  return path;
}

/** The box that stands for this one while some scopes are closed: itself, or the outermost closed scope around it. */
export function boxOf(graph, closed, name) {
  const hidden = around(graph, name).find((g) => closed.has(g));
  return hidden === undefined ? name : `g${hidden}`;
}

export function firstClosed(graph) {
  return new Set(graph.groups.flatMap((group, g) => (g && group.closed ? [g] : [])));
}

/** What is closed once this box can be seen. */
export function revealing(graph, closed, name) {
  const path = around(graph, name);
  return new Set([...closed].filter((g) => !path.includes(g)));
}

/** The nodes in a scope, in the order of the computation. */
export function inside(graph, g) {
  return graph.nodes.filter((node) => around(graph, `n${node.id}`).includes(g)).map((node) => node.id);
}

/** Nodes and scopes in which the words of a query all occur, best first, at most `most`. */
export function search(graph, query, most = 20) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const named = (box, title, rest) => ({ box, text: `${title} ${rest}`.toLowerCase(), title: title.toLowerCase() });
  const all = [
    ...graph.groups.slice(1).map((group, i) => named(`g${i + 1}`, group.scope, "")),
    ...graph.nodes.map((node) => named(`n${node.id}`, `${node.name} ${node.op}`.trim(), `${node.scope} #${node.id} ${node.kind}`)),
  ];
  const found = all.filter(({ text }) => words.every((word) => text.includes(word)));
  const rank = ({ title }) => (title === words[0] ? 0 : title.startsWith(words[0]) ? 1 : title.includes(words[0]) ? 2 : 3);
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, most).map(({ box }) => box);
}
