// From afar a graph is a few shapes: one for all wires, one for each kind of box; and some titles.
import { curve } from "./wires.js";

const KINDS = ["given", "made", "result", "scope", "future"];

export function drawCoarse(layer, plane, look) {
  const parts = plane
    ? [
        { kind: "wire", d: (plane.coarse ??= plane.wires.map(({ points }) => curve(points)).join("")) },
        ...KINDS.map((kind) => ({ kind, d: plane.boxes.filter(({ name }) => look.kind(name) === kind).map(outline).join("") })),
      ]
    : [];
  layer
    .selectAll("path")
    .data(parts, ({ kind }) => kind)
    .join("path")
    .attr("class", ({ kind }) => (kind === "wire" ? "ddl-wire" : `ddl-outline ddl-${kind}`))
    .attr("d", ({ d }) => d);
}

/** See afar.js. */
export function drawTitles(layer, titles) {
  layer
    .selectAll("text")
    .data(titles, ({ name }) => name)
    .join("text")
    .attr("class", "ddl-afar-title")
    .attr("aria-hidden", "true")
    .attr("x", ({ x }) => x)
    .attr("y", ({ y, size }) => y + 0.35 * size)
    .style("font-size", ({ size }) => `${size}px`)
    .style("stroke-width", ({ size }) => `${size / 4}px`)
    .text(({ text }) => text);
}

const outline = ({ x, y, w, h }) => `M${x} ${y}h${w}v${h}h${-w}z`;
