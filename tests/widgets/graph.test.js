import assert from "node:assert/strict";
import { test } from "node:test";
import { around, boxOf, firstClosed, graphOf, inside, revealing, search } from "../../ddl/widgets/source/graph.js";
import { exact, number, short, summary } from "../../ddl/widgets/source/numbers.js";
import { settings } from "../../ddl/widgets/source/settings.js";
import { clean, cut, groupTitle } from "../../ddl/widgets/source/words.js";

const node = (id, name, op = "") => ({ id, name, op, kind: op ? "op" : "input", shape: [], scope: "" });
const nested = () =>
  graphOf({
    nodes: [node(0, "x"), node(1, "", "tanh"), node(2, "w"), node(3, "", "mul")],
    edges: [{ from: 0, to: 1, slot: 0 }, { from: 2, to: 3, slot: 1 }, { from: 1, to: 3, slot: 0 }],
    outputs: [3],
    layout: {
      groups: [
        { scope: "", parent: null, closed: false, columns: [["n0"], ["g1"]], wires: [["n0", "g1", [0]]] },
        { scope: "net", parent: 0, part: 1, parts: 1, closed: true, columns: [["i0"], ["g2"], ["n2", "n3"]], wires: [] },
        { scope: "net.act", parent: 1, part: 2, parts: 3, closed: false, columns: [["i0"], ["n1"], ["o1"]], wires: [] },
      ],
    },
  });

test("edges come in the order of an op's inputs", () => assert.deepEqual(nested().into[3], [2, 1]));

test("the outermost closed scope stands for what it holds", () => {
  const graph = nested();
  assert.deepEqual(around(graph, "n1"), [1, 2]);
  assert.equal(boxOf(graph, new Set(), "n1"), "n1");
  assert.equal(boxOf(graph, new Set([2]), "n1"), "g2");
  assert.equal(boxOf(graph, new Set([1, 2]), "n1"), "g1");
  assert.equal(boxOf(graph, new Set([2]), "n3"), "n3");
  assert.deepEqual([...firstClosed(graph)], [1]);
  assert.deepEqual([...revealing(graph, new Set([1, 2]), "n3")], [2]);
  assert.deepEqual(inside(graph, 1), [1, 2, 3]);
  assert.equal(groupTitle(graph, 2), "act (2 of 3)");
});

test("a search finds names, ops and scopes, the best first", () => {
  const graph = nested();
  assert.deepEqual(search(graph, "  "), []);
  assert.deepEqual(search(graph, "TANH"), ["n1"]);
  assert.deepEqual(search(graph, "net"), ["g1", "g2"]);
  assert.deepEqual(search(graph, "#3"), ["n3"]);
  assert.deepEqual(search(graph, "x"), ["n0"]);
  assert.deepEqual(search(graph, "[(*"), []);
});

test("a graph without places is refused by name", () => assert.throws(() => graphOf({ nodes: [], edges: [] }), /no layout/));

test("numbers are written as Python's %.4g writes them", () => {
  const written = { 0: 0, 1: 1, "-3": -3, 0.1235: 0.123456, "1.234e-5": 0.000012341, "1e300": 1e300, 123456: 123456, "1.235e6": 1234567 };
  for (const [text, x] of Object.entries(written)) assert.equal(short(x), text);
  assert.deepEqual(["nan", "inf", "-inf"].map(short), ["nan", "inf", "-inf"]);
  assert.equal(short(-0), "0");
  assert.equal(number("-inf"), -Infinity);
  assert.equal(exact(0.1), "0.1");
  assert.equal(summary([[1, 2, 3], [4, 5, 6], ["nan", 7, 8]]), "1 to 8, 1 not finite");
  assert.equal(summary([[2, 2, 2, 2], [2, 2, 2, 2]]), "2 everywhere");
});

test("a user's text is one line that keeps its direction, and short", () => {
  assert.equal(clean("a\nb\u0000c\u202ed"), "a b c d");
  assert.equal(cut("x".repeat(500)).length, 22);
  assert.equal(cut("<b>"), "<b>");
});

test("settings are written as in Python", () => {
  const index = { tuple: [{ slice: [null, 3, null] }, { ellipsis: true }, { array: [0, 2], shape: [2], dtype: "int64" }] };
  assert.equal(settings({ index, axis: -1, keepdims: false, dtype: { dtype: "float32" } }), "index = (:3, ..., int64[2]), axis = -1, keepdims = false, dtype = float32");
});
