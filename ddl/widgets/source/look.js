// How each thing looks at one point of the walk: what draw.js, boxes.js and wires.js ask.
import { boxOf } from "./graph.js";
import { exact, isNumber, short, summary } from "./numbers.js";
import { gradAt, hasValue } from "./walk.js";
import { boxTitle, groupTitle, shapeOf, written } from "./words.js";

export function lookOf({ graph, walk, state, contents, now, theme }) {
  const { position, closed, picked } = state;
  const phase = now.phase === "backward" || now.phase === "seed" ? "back" : "forth";
  const moving = new Set(now.phase === "backward" ? now.moves.map(({ edge }) => edge) : now.phase === "forward" ? graph.into[now.node] : []);
  const gets = new Set(now.moves.map(({ edge }) => boxOf(graph, closed, `n${graph.edges[edge].from}`)));
  const sent = new Map();
  walk.sends.slice(0, Math.max(position - walk.ops.length - 1, 0)).forEach(({ moves }) => moves.forEach(({ edge, amount }) => sent.set(edge, amount)));
  const outputs = new Set(graph.outputs);

  function kind(name) {
    if (name[0] === "g") return "scope";
    const node = graph.nodes[+name.slice(1)];
    if (node.kind !== "op") return "given";
    if (outputs.has(node.id)) return "result";
    return hasValue(walk, graph, position, node.id) ? "made" : "future";
  }

  function state_(name) {
    const classes = [name === now.box && "ddl-now", name === now.box && `ddl-${phase}`, gets.has(name) && "ddl-gets", name === picked && "ddl-picked"];
    const about = { kind: kind(name), classes: classes.filter(Boolean).join(" "), rows: [], heats: [null, null], data: {} };
    if (name[0] === "g") return { ...about, label: `Scope ${groupTitle(graph, +name.slice(1))}, closed: Enter opens it` };
    return ofNode(about, graph.nodes[+name.slice(1)]);
  }

  function ofNode(about, node) {
    const known = hasValue(walk, graph, position, node.id);
    const grad = gradAt(walk, graph, position, node.id);
    const rows = [];
    const { rows: room } = contents.get(`n${node.id}`);
    if (room) rows.push({ text: `value ${known ? short(node.value) : ""}`, tone: known ? "value" : "soft" });
    const part = grad && grad.all > 1 && grad.arrived < grad.all ? ` (${grad.arrived} of ${grad.all})` : "";
    if (room > 1) rows.push({ text: grad ? `grad  ${short(grad.sum)}${part}` : "grad", tone: grad ? "grad" : "soft" });
    const array = (x) => (Array.isArray(x) ? x : null);
    const data = { "data-node": node.id, "data-value": known ? exact(node.value) : "", "data-grad": exact(grad?.sum) };
    return { ...about, rows, heats: [known ? array(node.value) : null, array(grad?.sum)], data, label: spoken(node, known, grad) };
  }

  function spoken(node, known, grad) {
    const made = node.kind === "op" ? `, ${written(graph, node)}` : `, ${node.kind}`;
    const value = node.value == null ? shapeOf(node) && `, shape ${shapeOf(node)}` : known ? `, value ${summary(node.value)}` : ", no value yet";
    return `${boxTitle(graph, `n${node.id}`)}${made}${value}${grad ? `, gradient ${summary(grad.sum)}` : ""}`;
  }

  function wire({ to, edges }) {
    const active = edges.some((edge) => moving.has(edge));
    const past = edges.some((edge) => sent.has(edge));
    const look = { state: active ? (phase === "back" ? "returns" : "runs") : past ? "sent" : "idle", label: "" };
    if (to[0] !== "n") return look;
    const edge = graph.edges[edges[0]];
    const amount = sent.get(edges[0]);
    const label = isNumber(amount) ? `← ${short(amount)}` : edge.slope != null && hasValue(walk, graph, position, edge.to) ? `×${short(edge.slope)}` : edge.slope == null ? (graph.roles[edges[0]] ?? "") : "";
    const data = { edge: `${edge.from}-${edge.to}-${edge.slot ?? 0}`, slope: exact(edge.slope), carries: exact(amount) };
    return { ...look, ...data, label, tone: isNumber(amount) ? "grad" : edge.slope == null ? "soft" : "slope" };
  }

  return {
    now: now.box,
    picked,
    stop: picked ?? now.box ?? (graph.nodes.length ? boxOf(graph, closed, "n0") : null),
    theme,
    kind,
    wire,
    state: state_,
    content: (name) => contents.get(name),
    title: (name) => groupTitle(graph, +name.slice(1)),
    own: (name) => name[0] === "n" && (outputs.has(+name.slice(1)) || Boolean(graph.nodes[+name.slice(1)].name && graph.nodes[+name.slice(1)].kind !== "parameter")),
    called: (name) => (name[0] === "g" ? groupTitle(graph, +name.slice(1)) : boxTitle(graph, name)),
  };
}
