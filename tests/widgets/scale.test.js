import assert from "node:assert/strict";
import { test } from "node:test";
import { extent, scale } from "../../ddl/widgets/source/scale.js";

test("a scale and its inverse undo each other, linear and logarithmic, upward and downward", () => {
  for (const [domain, log] of [[[-3, 5], false], [[0.01, 1000], true]])
    for (const range of [[10, 210], [210, 10]]) {
      const place = scale(domain, range, log);
      assert.deepEqual(domain.map((x) => Math.round(place(x))), range);
      for (const x of [0.5, 1, 3]) assert.ok(Math.abs(place.invert(place(x)) - x) < 1e-9);
    }
});

test("marks are round numbers within the domain, and never fewer than two", () => {
  assert.deepEqual(scale([0, 10], [0, 1]).marks(5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(scale([1, 1000], [0, 1], true).marks(4), [1, 10, 100, 1000]);
  for (const domain of [[0.9, 1.1], [1.2, 7], [2, 4], [1e-8, 1e8]]) {
    const marks = scale(domain, [0, 1], true).marks(5);
    assert.ok(marks.length > 1 && marks.length < 12, `${domain}: ${marks}`);
    assert.ok(marks.every((x) => x >= domain[0] * 0.999 && x <= domain[1] * 1.001), `${domain}: ${marks}`);
  }
});

test("an extent leaves out what is not finite, has a width, and holds zero where that is asked", () => {
  assert.deepEqual(extent([1, NaN, 3, Infinity]), [1, 3]);
  assert.deepEqual(extent([2, 2]), [1, 3]);
  assert.deepEqual(extent([0, 0]), [-1, 1]);
  assert.deepEqual(extent([]), [0, 1]);
  assert.deepEqual(extent([2, 5], { zero: true }), [0, 5]);
  assert.deepEqual(extent([-1, 0, 10, 100], { log: true }), [10, 100]);
});
