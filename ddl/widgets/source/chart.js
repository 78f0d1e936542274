// A chart with axes, on which lines, bars and dots are drawn in the data's own numbers.
import { short } from "./numbers.js";
import { scale } from "./scale.js";

const ROOM = { top: 10, right: 18, bottom: 38, left: 58 };
const DASHES = ["", "7 4", "2 3", "9 3 2 3", "4 2", "1 2"]; // so that lines differ on grey paper too

/** An SVG element; text goes in as text. */
export function s(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null && value !== false) made.setAttribute(name, value);
  made.append(...children.flat().filter((child) => child != null && child !== false));
  return made;
}

/** The nth colour of several things that belong together, as a value for CSS. */
export const color = (n) => `var(--ddl-c${n % 6})`;
export const dash = (n) => DASHES[n % DASHES.length];

/**
 * chart({ name, x: { domain, label, log, marks }, y, width, height }): `name` is what a screen reader calls it.
 *
 * Returns { svg, x, y, inside, line, bars, dots, clear }: x and y are scales, `inside` is the group that is drawn in,
 * cut at the frame. Each thing that is drawn is returned as an element, to bear data attributes.
 */
export function chart({ name, x, y, width = 420, height = 220, room = ROOM }) {
  const [left, right, top, bottom] = [room.left, width - room.right, room.top, height - room.bottom];
  const across = scale(x.domain, [left, right], x.log);
  const up = scale(y.domain, [bottom, top], y.log);
  const inside = s("svg", { x: left, y: top, width: right - left, height: bottom - top, viewBox: `${left} ${top} ${right - left} ${bottom - top}` });
  const write = x.write ?? short;
  const axes = s("g", { class: "ddl-axes" },
    s("rect", { x: left, y: top, width: right - left, height: bottom - top }),
    (x.marks ?? across.marks(Math.max(2, Math.floor((right - left) / 70)))).flatMap((at) => [
      s("line", { x1: across(at), x2: across(at), y1: bottom, y2: bottom + 4 }),
      s("text", { x: across(at), y: bottom + 16, "text-anchor": "middle" }, write(at)),
    ]),
    (y.marks ?? up.marks(Math.max(2, Math.floor((bottom - top) / 36)))).flatMap((at) => [
      s("line", { x1: left - 4, x2: left, y1: up(at), y2: up(at) }),
      s("line", { class: "ddl-rule", x1: left, x2: right, y1: up(at), y2: up(at) }),
      s("text", { x: left - 7, y: up(at) + 4, "text-anchor": "end" }, (y.write ?? short)(at)),
    ]),
    x.label && s("text", { class: "ddl-axis", x: (left + right) / 2, y: height - 5, "text-anchor": "middle" }, x.label),
    y.label && s("text", { class: "ddl-axis", transform: `translate(12 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, y.label),
  );
  const svg = s("svg", { class: "ddl-chart", role: "img", "aria-label": name, viewBox: `0 0 ${width} ${height}`, width, height }, axes, inside);
  const draw = (made) => (inside.append(made), made);
  return {
    svg, x: across, y: up, inside,
    /** A line through [x, y] pairs, the nth of its chart; it has a gap where a number is not finite. */
    line: (points, n = 0, attributes = {}) =>
      draw(s("path", { class: "ddl-line", style: `stroke: ${color(n)}`, "stroke-dasharray": dash(n), d: path(points, across, up), ...attributes })),
    /** Bars from the bottom, or from `base`, at [from, to, height]. */
    bars: (bars, n = 0, base = y.log ? up.domain[0] : 0) =>
      bars.map(([from, to, high], i) =>
        draw(s("rect", {
          class: "ddl-bar-of", style: `fill: ${color(n)}`, "data-place": i, "data-value": high,
          x: across(from), width: Math.max(across(to) - across(from) - 1, 0.5),
          y: Math.min(up(high), up(base)), height: Math.abs(up(high) - up(base)),
        }))),
    dots: (points, n = 0, r = 3.5) =>
      points.map(([a, b], i) => draw(s("circle", { class: "ddl-dot", style: `fill: ${color(n)}`, "data-place": i, cx: across(a), cy: up(b), r }))),
    clear: () => inside.replaceChildren(),
  };
}

function path(points, across, up) {
  let [pen, d] = ["M", ""];
  for (const [a, b] of points) {
    const [u, v] = [across(a), up(b)];
    if (!Number.isFinite(u) || !Number.isFinite(v)) pen = "M";
    else {
      d += `${pen}${u.toFixed(2)} ${v.toFixed(2)}`;
      pen = "L";
    }
  }
  return d || null;
}

/** What the lines of a chart are, each with a piece of its line: names, and which of the chart's lines they are. */
export function legend(names, numbers = names.map((_, n) => n)) {
  const sign = (n) => s("svg", { width: 26, height: 10, "aria-hidden": true }, s("line", { x1: 1, x2: 25, y1: 5, y2: 5, class: "ddl-line", style: `stroke: ${color(n)}`, "stroke-dasharray": dash(n) }));
  const list = document.createElement("ul");
  list.className = "ddl-legend";
  list.append(...names.map((name, n) => {
    const item = document.createElement("li");
    item.append(sign(numbers[n]), ` ${name}`);
    return item;
  }));
  return list;
}
