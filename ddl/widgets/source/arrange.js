// Room for what is shown: Python has put everything into columns and rows (ddl/graph/nesting.py); here the columns get
// widths, the rows heights, and open scopes a frame around what they hold.

import { LETTER } from "./content.js";

const GAP = { row: 14, lane: 12, column: 56, labelled: 98, port: 26 };
const FRAME = { side: 12, top: 30, bottom: 12 };
const SWEEPS = 10;

/**
 * Boxes, frames and wires in one plane. `sizeOf(box)` is [width, height] of a node or a closed scope.
 * A box is { name, x, y, w, h }, a wire { key, group, from, to, edges, points } whose points run left to right.
 */
export function arrange(graph, closed, sizeOf) {
  const placed = place(graph, 0, closed, sizeOf);
  const plane = { boxes: [], frames: [], wires: [] };
  flatten(graph, placed, 0, 0, plane);
  return { ...plane, width: placed.w, height: placed.h };
}

/** One scope with its own coordinates, those within it first. */
function place(graph, g, closed, sizeOf) {
  const group = graph.groups[g];
  const columns = group.columns.map((column, c) => column.map((name) => item(graph, name, c, closed, sizeOf)));
  const byKey = new Map(columns.flat().map((x) => [x.key, x]));
  const columnOf = new Map(columns.flatMap((column, c) => column.map((x) => [x.key, c])));
  const chains = group.wires.map(([from, to], w) => {
    const passes = [];
    for (let c = columnOf.get(from) + 1; c < columnOf.get(to); c++) passes.push(byKey.get(`w${w}@${c}`));
    return [byKey.get(from), ...passes, byKey.get(to)];
  });
  const links = chains.map((chain, w) => chain.map((x) => ({ x, value: valueOf(graph, group.wires[w]) })));
  spread(columns, links);
  const letters = Math.max(0, ...group.wires.map(([, , edges]) => graph.roles[edges[0]]?.length ?? 0));
  const written = graph.edges.some(({ slope }) => slope != null) ? GAP.labelled : GAP.column;
  across(columns, g, Math.max(written, letters && GAP.port + letters * LETTER));
  const w = Math.max(0, ...columns.flat().map((x) => x.x + x.w)) + (g ? FRAME.side : 0);
  const h = Math.max(0, ...columns.flat().map((x) => x.y + x.h)) + (g ? FRAME.bottom : 0);
  for (const x of columns.flat()) {
    if (x.name[0] === "i") x.x = 0;
    if (x.name[0] === "o") x.x = w;
  }
  const wires = chains.map((chain, i) => ({ chain, from: group.wires[i][0], to: group.wires[i][1], edges: group.wires[i][2] }));
  return { g, w, h, items: columns.flat(), wires };
}

const valueOf = (graph, [, , edges]) => graph.edges[edges[0]].from;

function item(graph, name, column, closed, sizeOf) {
  const kind = name[0];
  if (kind === "w") return { name, key: `${name}@${column}`, w: 0, h: GAP.lane, thin: true };
  if (kind === "i" || kind === "o") return { name, key: name, w: 0, h: GAP.row, thin: true };
  const g = kind === "g" ? +name.slice(1) : 0;
  if (g && !closed.has(g)) {
    const open = place(graph, g, closed, sizeOf);
    return { name, key: name, w: open.w, h: open.h, open };
  }
  const [w, h] = sizeOf(name);
  return { name, key: name, w, h };
}

/** Where the value of a node leaves or enters an open scope, below the middle of its frame; 0 for all else. */
function offset({ open, h }, side, value) {
  const port = open?.items.find(({ name }) => name === `${side}${value}`);
  return port ? port.y + port.h / 2 - h / 2 : 0;
}

/** ys that keep the order and pull everything towards what it is linked to. */
function spread(columns, links) {
  const near = new Map(columns.flat().map((x) => [x, []]));
  for (const chain of links) {
    for (let i = 1; i < chain.length; i++) {
      const { x: a, value } = chain[i - 1];
      const { x: b } = chain[i];
      const [out, into] = [offset(a, "o", value), offset(b, "i", value)];
      near.get(a).push({ x: b, shift: into - out });
      near.get(b).push({ x: a, shift: out - into });
    }
  }
  for (const column of columns) settle(column, column.map(() => 0));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const column of sweep % 2 ? [...columns].reverse() : columns) {
      const wanted = column.map((x) => {
        const all = near.get(x);
        return all.length ? all.reduce((sum, { x: other, shift }) => sum + other.middle + shift, 0) / all.length : x.middle;
      });
      settle(column, wanted);
    }
  }
  const highest = Math.min(...columns.flat().map((x) => x.middle - x.h / 2));
  for (const x of columns.flat()) x.y = x.middle - x.h / 2 - highest;
}

/** Gives a column the middles nearest to the wanted ones, in least squares, at which nothing overlaps. */
function settle(column, wanted) {
  const blocks = [];
  const offsets = [];
  let at = 0;
  column.forEach((x, i) => {
    const room = x.h + (x.thin ? 0 : GAP.row);
    offsets.push(at + room / 2);
    at += room;
    blocks.push({ shift: wanted[i] - offsets[i], n: 1 });
    while (blocks.length > 1 && blocks.at(-2).shift > blocks.at(-1).shift) {
      const [a, b] = blocks.splice(-2);
      blocks.push({ shift: (a.shift * a.n + b.shift * b.n) / (a.n + b.n), n: a.n + b.n });
    }
  });
  const shifts = blocks.flatMap(({ shift, n }) => Array(n).fill(shift));
  column.forEach((x, i) => (x.middle = offsets[i] + shifts[i]));
}

/** xs column by column, each as wide as the widest in it; boxes stand in its middle. */
function across(columns, g, gap) {
  let x = 0;
  let thinBefore = true;
  columns.forEach((column, c) => {
    const width = Math.max(0, ...column.map((each) => each.w));
    const thin = column.every((each) => each.thin);
    if (c && columns[c - 1].length) x += thin || thinBefore ? GAP.port : gap;
    for (const each of column) {
      each.left = x;
      each.right = x + width;
      each.x = x + (width - each.w) / 2;
      each.y += g ? FRAME.top : 0;
    }
    x += width;
    thinBefore = thin;
  });
}

function flatten(graph, placed, dx, dy, plane) {
  for (const { name, x, y, w, h, open, thin } of placed.items) {
    if (open) {
      plane.frames.push({ name, x: x + dx, y: y + dy, w, h });
      flatten(graph, open, x + dx, y + dy, plane);
    } else if (!thin) plane.boxes.push({ name, x: x + dx, y: y + dy, w, h });
  }
  const ends = anchors(graph, placed);
  placed.wires.forEach(({ chain, from, to, edges }, i) => {
    const points = [];
    chain.forEach((x, c) => {
      const [first, last] = [c === 0, c === chain.length - 1];
      if (first) points.push([x.x + x.w, ends[i].out]);
      else if (last) points.push([x.left, ends[i].into], [x.x, ends[i].into]);
      else points.push([x.left, x.y + x.h / 2], [x.right, x.y + x.h / 2]);
      if (first && x.right > x.x + x.w) points.push([x.right, ends[i].out]);
    });
    for (const point of points) {
      point[0] += dx;
      point[1] += dy;
    }
    plane.wires.push({ key: `${placed.g}:${i}`, from, to, edges, points, headed: [chain[0], chain.at(-1)].map(({ thin, open }) => !thin && !open) });
  });
}

/** The ys at which each wire leaves and enters: in the order of what lies at its other end, so that none cross there. */
function anchors(graph, placed) {
  const ends = placed.wires.map(() => ({}));
  for (const [side, at, next] of [["out", 0, 1], ["into", -1, -2]]) {
    const meeting = new Map();
    placed.wires.forEach(({ chain }, i) => {
      const x = chain.at(at);
      meeting.set(x, [...(meeting.get(x) ?? []), i]);
    });
    for (const [x, wires] of meeting) {
      const far = (i) => placed.wires[i].chain.at(next);
      wires.sort((a, b) => far(a).y + far(a).h / 2 - far(b).y - far(b).h / 2);
      wires.forEach((i, place) => {
        const value = valueOf(graph, [0, 0, placed.wires[i].edges]);
        const spot = x.open ? offset(x, side === "out" ? "o" : "i", value) : x.thin ? 0 : evenly(x, place, wires.length);
        ends[i][side] = x.y + x.h / 2 + spot;
      });
    }
  }
  return ends;
}

const evenly = ({ h }, place, n) => (h * (place + 1)) / (n + 1) - h / 2;
