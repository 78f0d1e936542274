// The drawing: boxes, frames and wires as SVG, of which only what is in sight exists, and how it is moved and zoomed.
import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { titlesOf } from "./afar.js";
import { drawBoxes, drawFrames } from "./boxes.js";
import { drawCoarse, drawTitles } from "./coarse.js";
import { pull, pulls } from "./pull.js";
import { drawWires } from "./wires.js";

const COARSE = 0.3; // below this scale nobody can read, and shapes alone are drawn
const GROWN = 1.3; // how much larger or smaller a title seen from afar may become before it is written anew
const MARGIN = 0.4; // what is drawn around what is in sight, as a share of it, so that moving seldom draws
const READABLE = 0.55; // and the least at which a box is shown that was asked for
const EDGE = 0.1; // where it has to stand clear of the edges, as a share of what is in sight
const MOST = 1.3; // the largest scale that fitting chooses
const LEAST = 0.5; // and the least at which it shows all: below that it shows the beginning

/** `on` has pick(box), toggle(group), drag(box, dx, dy); `look` of show() says how each thing is now, see boxes.js and wires.js. */
export function drawing(frame, on) {
  const svg = select(frame).append("svg").attr("class", "ddl-svg");
  const scene = svg.append("g");
  const layers = Object.fromEntries(["frames", "coarse", "wires", "boxes", "titles", "chips"].map((name) => [name, scene.append("g")]));
  let plane = { boxes: [], frames: [], wires: [], width: 0, height: 0 };
  let look = null;
  let now = zoomIdentity;
  let painted = null; // what part of the plane is drawn, and whether coarsely
  let waiting = 0;
  let sizedOnce = false;
  let touched = false; // whether a hand has moved it
  const moved = pulls();

  const size = () => [frame.clientWidth || 600, frame.clientHeight || 400];
  const moving = zoom()
    .scaleExtent([0.02, 4])
    .extent(() => [[0, 0], size()]) // d3's own cannot tell in a cell that is out of sight
    .filter((event) => !event.button && (event.type !== "wheel" || event.ctrlKey || event.metaKey || frame.matches(":focus-within")))
    .on("zoom", ({ transform, sourceEvent }) => {
      now = transform;
      touched ||= Boolean(sourceEvent);
      scene.attr("transform", transform);
      if (needsPaint()) waiting ||= requestAnimationFrame(paint);
    });
  svg.call(moving).on("dblclick.zoom", null);

  function sight(share = 0) {
    const [w, h] = size();
    const [x0, y0] = now.invert([-w * share, -h * share]);
    const [x1, y1] = now.invert([w * (1 + share), h * (1 + share)]);
    return { x0, y0, x1, y1 };
  }

  function needsPaint() {
    const { x0, y0, x1, y1 } = sight();
    const inside = painted && x0 >= painted.x0 && y0 >= painted.y0 && x1 <= painted.x1 && y1 <= painted.y1;
    const resized = painted && (now.k > (painted.coarse ? GROWN : 2) * painted.k || (painted.coarse && now.k < painted.k / GROWN));
    return !inside || painted.coarse !== now.k < COARSE || resized;
  }

  function paint() {
    cancelAnimationFrame(waiting);
    waiting = 0;
    if (!look) return;
    const held = scene.node().contains(document.activeElement);
    painted = { ...sight(MARGIN), coarse: now.k < COARSE, k: now.k };
    const { x0, y0, x1, y1, coarse } = painted;
    const seen = ({ x, y, w, h }) => x < x1 && y < y1 && x + w > x0 && y + h > y0;
    drawCoarse(layers.coarse, coarse ? plane : null, look);
    const boxes = coarse ? plane.boxes.filter(({ name }) => name === look.now) : plane.boxes.filter(seen);
    drawFrames(layers.frames, plane.frames.filter(seen), look, on);
    drawWires(layers.wires, coarse ? [] : plane.wires.filter((wire) => seen(boundsOf(wire))), look);
    drawBoxes(layers.boxes, boxes, look, on);
    drawTitles(layers.titles, coarse ? titlesOf(plane.frames.filter(seen), plane.boxes.filter(seen), now.k, look.called, look.own) : []);
    svg.classed("ddl-afar", coarse);
    if (held && !scene.node().contains(document.activeElement)) frame.focus({ preventScroll: true }); // it went out of sight
  }

  function go(transform) {
    svg.call(moving.transform, transform);
  }

  /** As much height as is needed, of what there is. */
  function grow() {
    const [w] = size();
    frame.style.height = "";
    const k = Math.min(MOST, (w - 32) / Math.max(plane.width, 1));
    const needed = (k < LEAST ? 1 : k) * plane.height + 48;
    const foldable = plane.frames.length || plane.boxes.some(({ name }) => name[0] === "g");
    if (needed < frame.clientHeight && !foldable) frame.style.height = `${Math.max(needed, 200)}px`;
  }

  /** The scale at which all is in sight. */
  function whole() {
    const [w, h] = size();
    return Math.min((w - 32) / Math.max(plane.width, 1), (h - 32) / Math.max(plane.height, 1), MOST);
  }

  function fit() {
    if (!sizedOnce) grow();
    sizedOnce ||= frame.clientWidth > 0;
    const [w, h] = size();
    const all = whole();
    if (all >= LEAST || !plane.boxes.length) return go(centred(all, w, h));
    const first = plane.boxes.reduce((a, b) => (b.x < a.x ? b : a));
    const k = Math.min(Math.max((h - 32) / plane.height, LEAST), 1);
    const y = plane.height * k <= h - 16 ? (h - plane.height * k) / 2 : h / 2 - k * (first.y + first.h / 2);
    go(zoomIdentity.translate(16, y).scale(k));
  }

  /** All of it; where that is so already, its middle in natural size. */
  function fitAll() {
    const [w, h] = size();
    const all = centred(whole(), w, h);
    go(String(all) === String(now) ? centred(1, w, h) : all);
  }

  const centred = (k, w, h) => zoomIdentity.translate((w - plane.width * k) / 2, (h - plane.height * k) / 2).scale(k);

  return {
    svg: svg.node(),
    chips: layers.chips,
    show(newPlane, newLook) {
      plane = newPlane;
      moved.apply(plane);
      look = newLook;
      paint();
    },
    /** Of another graph: boxes that were moved are no more. */
    forget: moved.forget,
    /** The same plane, seen anew. */
    refresh(newLook) {
      look = newLook;
      paint();
    },
    fit,
    fitAll,
    /** After a change of size: as at first, unless it was moved since. */
    refit: () => (touched ? paint() : fit()),
    /** After new numbers, which may need more room: all in sight, if it can be and no hand has moved it. */
    renewed: () => !touched && whole() >= LEAST && fit(),
    wireOf: (edge) => plane.wires.find((wire) => wire.edges.includes(edge) && wire.to[0] === "n"),
    boxAt: (name) => plane.boxes.find((box) => box.name === name) ?? plane.frames.find((box) => box.name === name),
    /** Moves a box into sight, if it is not. */
    reveal(name) {
      const box = this.boxAt(name);
      if (!box) return;
      const [w, h] = size();
      if (now.k < READABLE) {
        const k = READABLE;
        return go(zoomIdentity.translate(w / 2 - k * (box.x + box.w / 2), h / 2 - k * (box.y + box.h / 2)).scale(k));
      }
      const all = sight();
      if (!shift(box.x, box.w, all.x0, all.x1) && !shift(box.y, box.h, all.y0, all.y1)) return;
      const { x0, y0, x1, y1 } = sight(-EDGE);
      const dx = shift(box.x, box.w, x0, x1);
      const dy = shift(box.y, box.h, y0, y1);
      if (dx || dy) go(now.translate(dx, dy));
    },
    /** Pulls a box, and the ends of its wires, along with a hand. */
    pull(name, dx, dy) {
      moved.add(name, dx, dy);
      pull(plane, name, dx, dy);
      paint();
    },
    /** Keeps this box where it is on the screen while the plane changes under it. */
    holding(name, change) {
      const before = this.boxAt(name);
      change();
      const after = this.boxAt(name);
      if (before && after) go(now.translate(before.x - after.x, before.y - after.y));
    },
    zoomBy: (factor) => svg.call(moving.scaleBy, factor),
    panBy: (dx, dy) => svg.call(moving.translateBy, dx / now.k, dy / now.k),
    scale: () => now.k,
    end: () => cancelAnimationFrame(waiting),
  };
}

/** How far something from x on, w wide, has to move to lie between two ends, or to begin there. */
function shift(x, w, from, to) {
  if (x < from || w > to - from) return from - x;
  return Math.min(0, to - x - w);
}

/** A wire's box; what lies between its points never leaves it. */
function boundsOf(wire) {
  if (!wire.bounds) {
    const [xs, ys] = [0, 1].map((axis) => wire.points.map((point) => point[axis]));
    const [x, y] = [Math.min(...xs), Math.min(...ys)];
    wire.bounds = { x, y: y - 12, w: Math.max(...xs) - x, h: Math.max(...ys) - y + 24 };
  }
  return wire.bounds;
}
