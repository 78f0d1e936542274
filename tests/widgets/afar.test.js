import assert from "node:assert/strict";
import { test } from "node:test";
import { titlesOf } from "../../ddl/widgets/source/afar.js";
import { gridOf } from "../../ddl/widgets/source/heat.js";
import { summary } from "../../ddl/widgets/source/numbers.js";
import { pull, pulls } from "../../ddl/widgets/source/pull.js";

const grid = (n, w, h, gap) =>
  Array.from({ length: n * n }, (_, i) => ({ name: `n${i}`, x: (i % n) * (w + gap), y: Math.floor(i / n) * (h + gap), w, h }));

test("titles seen from afar are of one size on the screen, the largest thing's first, and none lies on another", () => {
  const boxes = grid(45, 100, 60, 20);
  const frames = [{ name: "g2", x: 600, y: 600, w: 3000, h: 2000 }, { name: "g1", x: -20, y: -20, w: 5500, h: 3700 }];
  for (const k of [0.29, 0.1, 0.03]) {
    const titles = titlesOf(frames, boxes, k, (name) => `title of ${name} <img src=x>`);
    assert.equal(titles[0].name, "g1");
    assert.ok(titles.length <= 60);
    for (const { size } of titles) assert.ok(Math.abs(size * k - 12) < 1e-9);
    titles.forEach((a, i) => titles.slice(i + 1).forEach((b) => {
      const apart = Math.abs(a.y - b.y) >= a.size || a.x + a.text.length * a.size * 0.6 <= b.x || b.x + b.text.length * b.size * 0.6 <= a.x;
      assert.ok(apart, `${a.name} and ${b.name}`);
    }));
  }
  assert.equal(titlesOf(frames, [], 0.1, () => "x".repeat(500))[0].text.length < 80, true);
  assert.deepEqual(titlesOf([], boxes, 0.01, (name) => name), []);
});

test("a box that was moved is moved again when all is laid out anew, with the ends of its wires", () => {
  const laidOut = () => ({
    boxes: [{ name: "n0", x: 0, y: 0, w: 10, h: 10 }, { name: "n1", x: 50, y: 0, w: 10, h: 10 }],
    wires: [{ from: "n0", to: "n1", edges: [0], points: [[10, 5], [50, 5]] }],
  });
  const hand = pulls();
  const plane = laidOut();
  for (const step of [[3, 4], [2, -1]]) {
    hand.add("n0", ...step);
    pull(plane, "n0", ...step);
  }
  hand.add("g9", 1, 1);
  const anew = laidOut();
  hand.apply(anew);
  assert.deepEqual(anew.boxes, plane.boxes);
  assert.deepEqual(anew.wires[0].points, [[15, 8], [50, 5]]);
  hand.forget();
  const plain = laidOut();
  hand.apply(plain);
  assert.deepEqual(plain, laidOut());
});

test("what has a name of its own is titled however small it is, and before all else", () => {
  const titles = titlesOf([], grid(45, 100, 60, 20), 0.02, (name) => name, (name) => name === "n7");
  assert.deepEqual(titles.map(({ name }) => name), ["n7"]);
});

test("a mask is a picture of ones and zeros", () => {
  assert.deepEqual(gridOf([[true, false], [false, true]]).numbers, [1, 0, 0, 1]);
  assert.equal(summary([true, false]), "1, 0");
});
