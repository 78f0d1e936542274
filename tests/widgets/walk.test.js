import assert from "node:assert/strict";
import { test } from "node:test";
import { graphOf } from "../../ddl/widgets/source/graph.js";
import { add } from "../../ddl/widgets/source/numbers.js";
import { at, canMisorder, gradAt, hasValue, stopsOf, walkOf, wrong } from "../../ddl/widgets/source/walk.js";
import { sentence } from "../../ddl/widgets/source/words.js";
import { programOf, random, twice } from "./programs.js";

const near = (a, b) => assert.ok(Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(b)), `${a} is not ${b}`);

test("values appear one op at a time", () => {
  const graph = graphOf(twice());
  const walk = walkOf(graph);
  assert.deepEqual([0, 1, 2].map((position) => [0, 1, 2].map((node) => hasValue(walk, graph, position, node))), [
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ]);
  assert.equal(walk.last, 5);
});

for (let seed = 0; seed < 20; seed++) {
  test(`random program ${seed}: what has arrived adds up to the gradient, and none sends before all has arrived`, () => {
    const graph = graphOf(random(seed));
    const walk = walkOf(graph);
    for (let position = 0; position <= walk.last; position++) {
      const { phase, node } = at(walk, position);
      if (phase !== "backward") continue;
      const { arrived, all } = gradAt(walk, graph, position, node);
      assert.equal(arrived, all);
    }
    for (const node of graph.nodes) {
      const grad = gradAt(walk, graph, walk.last, node.id);
      near(grad ? grad.parts.reduce(add) : 0, node.grad);
    }
    assert.deepEqual(wrong(walk, graph), []);
  });
}

test("a fan-out adds up contribution by contribution", () => {
  const graph = graphOf(twice());
  const walk = walkOf(graph);
  assert.equal(gradAt(walk, graph, 2, 2), null);
  assert.equal(gradAt(walk, graph, 3, 2).sum, 1);
  assert.equal(gradAt(walk, graph, 3, 1), null);
  assert.deepEqual(gradAt(walk, graph, 4, 1), { sum: 2, parts: [1, 1], arrived: 2, all: 2 });
  assert.deepEqual(gradAt(walk, graph, 5, 0), { sum: 4, parts: [2, 2], arrived: 2, all: 2 });
});

test("walked too soon, b = a + a, c = b + b gives a the gradient 2, as in chapter 1", () => {
  const graph = graphOf(twice());
  assert.ok(canMisorder(graph));
  const walk = walkOf(graph, "soon");
  assert.deepEqual(walk.sends.map(({ node, early }) => [node, early]), [[2, false], [1, true], [1, true], [2, false]]);
  assert.equal(gradAt(walk, graph, walk.last, 1).sum, 2);
  assert.equal(gradAt(walk, graph, walk.last, 0).sum, 2);
  assert.deepEqual(wrong(walk, graph), [0]);
  const said = sentence(graph, walk, walk.last, at(walk, walk.last), "n2");
  assert.match(said, /wrong: a has 2 instead of 4\. A number may send only after everything made from it has sent/);
});

test("an output that another output is made from starts with its own gradient and gets the rest", () => {
  const graph = graphOf(programOf([["x", "", [], 3, []], ["y", "mul", [0, 0], 9, [3, 3]], ["z", "add", [1, 0], 12, [1, 1]]], [1, 2]));
  const walk = walkOf(graph);
  assert.deepEqual([...walk.seeds], [[1, 1], [2, 1]]);
  const stop = { phase: "seed", node: 1, moves: [] };
  assert.equal(sentence(graph, walk, 3, stop, ""), "Backward begins: the gradient of y in itself is 1, the gradient of z in itself is 1.");
  assert.equal(gradAt(walk, graph, walk.last, 1).sum, 2);
  near(gradAt(walk, graph, walk.last, 0).parts.reduce(add), 13);
});

test("a graph of shapes has no numbers, whatever its constants are", () => {
  const start = (data) => {
    const graph = graphOf(data);
    return sentence(graph, walkOf(graph), 0, { phase: "start" }, "");
  };
  assert.equal(start(twice()), "Start: 1 number or array is given, nothing is computed yet. 2 ops to go.");
  const shapes = programOf([["x", "", [], null, []], ["2", "", [], 2, []], ["y", "mul", [0, 1], null, [2, 1]]]);
  shapes.nodes[1].kind = "constant";
  assert.match(start(shapes), /^Start: shapes alone, no numbers\. 1 ops? to go\./);
  shapes.nodes[0].statistics = { min: 0, max: 1, mean: 0.5, norm: 9 }; // of an array too large to be sent
  assert.match(start(shapes), /^Start: 2 numbers and arrays are given, nothing is computed yet/);
});

test("arrays are carried whole, what has no gradient is passed by, and a wrong order needs slopes", () => {
  const data = twice();
  data.nodes[0].grad = null;
  data.nodes[1].grad = [1, "nan"];
  data.edges = [{ from: 0, to: 1, slot: 0, carries: null }, { from: 1, to: 2, slot: 0, carries: [1, 2] }, { from: 1, to: 2, slot: 1, carries: [0, "nan"] }];
  const graph = graphOf(data);
  const walk = walkOf(graph);
  assert.deepEqual(walk.sends.map(({ node }) => node), [2]);
  assert.equal(gradAt(walk, graph, walk.last, 0), null);
  assert.deepEqual(gradAt(walk, graph, walk.last, 1).parts.reduce(add), [1, NaN]);
  assert.equal(canMisorder(graph), false);
});

test("without gradients there is only the way forward", () => {
  const data = twice();
  for (const node of data.nodes) node.grad = null;
  const walk = walkOf(graphOf(data));
  assert.equal(walk.last, 2);
});

test("a closed scope is one step forward and one back", () => {
  const graph = graphOf(random(3, 10));
  const walk = walkOf(graph);
  const box = (node) => (node >= 5 && node <= 7 ? "g1" : `n${node}`);
  const stops = stopsOf(walk, box);
  const boxes = stops.slice(1).map((position) => at(walk, position).node).map(box);
  const twiceIn = boxes.filter((name, i) => name === "g1" && boxes[i - 1] === "g1");
  assert.deepEqual(twiceIn, []);
  assert.ok(boxes.filter((name) => name === "g1").length <= 2);
  assert.equal(stops.at(-1), walk.last);
  assert.deepEqual(stopsOf(walk, (node) => `n${node}`), Array.from({ length: walk.last + 1 }, (_, i) => i));
});
