// From afar a graph is a few shapes: one for all wires, one for each kind of box.
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

const outline = ({ x, y, w, h }) => `M${x} ${y}h${w}v${h}h${-w}z`;
