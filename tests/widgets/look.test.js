import assert from "node:assert/strict";
import { test } from "node:test";
import { arrange } from "../../ddl/widgets/source/arrange.js";
import { contentOf } from "../../ddl/widgets/source/content.js";
import { graphOf } from "../../ddl/widgets/source/graph.js";
import { lookOf } from "../../ddl/widgets/source/look.js";
import { at, walkOf } from "../../ddl/widgets/source/walk.js";
import { programOf } from "./programs.js";

/** x - y of arrays, whose wires have no slopes, and whether they say what they bring. */
function difference(roles) {
  const data = programOf([["x", "", [], [1, 2], []], ["y", "", [], [3, 4], []], ["", "sub", [0, 1], [-2, -2], []]]);
  for (const node of data.nodes) node.shape = [2];
  for (const edge of data.edges) Object.assign(edge, { slope: null, carries: null });
  data.layout.groups[0] = { scope: "", columns: [["n0", "n1"], ["n2"]], wires: [["n0", "n2", [0]], ["n1", "n2", [1]]] };
  return graphOf({ ...data, layout: { ...data.layout, roles } });
}

test("a wire says which input it brings, as long as no number is on it", () => {
  const graph = difference({ 0: "first of all", 1: "2nd" });
  const walk = walkOf(graph);
  const look = lookOf({ graph, walk, state: { position: 0, closed: new Set(), picked: null }, contents: new Map(), now: { ...at(walk, 0), box: null } });
  const said = graph.groups[0].wires.map(([, to, edges]) => look.wire({ to, edges }));
  assert.deepEqual(said.map(({ label, tone }) => [label, tone]), [["first of all", "soft"], ["2nd", "soft"]]);
  assert.equal(look.wire({ to: "g1", edges: [0] }).label, "");
});

test("what is written on a wire has room beside its box, and one line below the other", () => {
  const room = (roles) => {
    const graph = difference(roles);
    const { boxes } = arrange(graph, new Set(), (name) => [contentOf(graph, name).w, contentOf(graph, name).h]);
    const [x, , made] = boxes.map((box) => box);
    return [made.x - x.x - x.w, contentOf(graph, "n2").h];
  };
  const [[plain], [told, height]] = [room({}), room({ 0: "first of all", 1: "2nd" })];
  assert.ok(told > 80 && told > plain, `${told} and ${plain}`);
  assert.ok(height >= 3 * 14);
});
