// The graphs are written by tests/test_bundles.py into the folder that DDL_GRAPHS names.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { arrange } from "../../ddl/widgets/source/arrange.js";
import { contentOf } from "../../ddl/widgets/source/content.js";
import { around, boxOf, firstClosed, graphOf } from "../../ddl/widgets/source/graph.js";
import { dice } from "./programs.js";

const folder = process.env.DDL_GRAPHS;
const within = (a, b) => a.x >= b.x && a.y >= b.y && a.x + a.w <= b.x + b.w && a.y + a.h <= b.y + b.h;
const apart = (a, b) => a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;

function states(graph) {
  const all = graph.groups.map((_, g) => g).slice(1);
  const some = [1, 2, 3].map((seed) => {
    const roll = dice(seed);
    return all.filter(() => roll() < 0.5);
  });
  return [[...firstClosed(graph)], [], all, ...some].map((closed) => new Set(closed));
}

for (const name of folder ? readdirSync(folder) : []) {
  test(`${name}: boxes stand apart and within their frames, wires run right, whatever is closed`, () => {
    const graph = graphOf(JSON.parse(readFileSync(`${folder}/${name}`, "utf-8")));
    for (const closed of states(graph)) {
      const { boxes, frames, wires } = arrange(graph, closed, (box) => [contentOf(graph, box).w, contentOf(graph, box).h]);
      const seen = new Set(graph.nodes.map(({ id }) => boxOf(graph, closed, `n${id}`)));
      assert.deepEqual(new Set(boxes.map((box) => box.name)), seen);
      boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => assert.ok(apart(a, b), `${a.name} and ${b.name} overlap`)));
      const framed = new Map(frames.map((frame) => [frame.name, frame]));
      for (const thing of [...boxes, ...frames]) {
        for (const g of around(graph, thing.name)) assert.ok(within(thing, framed.get(`g${g}`)), `${thing.name} leaves g${g}`);
      }
      for (const { points } of wires) {
        points.slice(1).forEach(([x], i) => assert.ok(x >= points[i][0], "a wire runs back"));
      }
      const drawn = new Set(wires.flatMap(({ edges }) => edges));
      graph.edges.forEach(({ from, to }, e) => {
        const apart = boxOf(graph, closed, `n${from}`) !== boxOf(graph, closed, `n${to}`);
        assert.equal(drawn.has(e), apart, `edge ${e}`);
      });
    }
  });
}
