// Wires: a value runs along them to the right, a gradient to the left.
import { LETTER } from "./content.js";

const HEAD = 7;
const SMALL = 0.9; // of the drawing's letters

/** look.wire(wire) is { state: "idle" | "runs" | "returns" | "sent", label, tone: "slope" | "grad", edge, slope, carries } */
export function drawWires(layer, wires, look) {
  const told = wires.map((wire) => ({ wire, ...look.wire(wire) }));
  const groups = layer
    .selectAll("g.ddl-edge")
    .data(told, ({ wire }) => wire.key)
    .join((enter) => {
      const made = enter.append("g").attr("class", "ddl-edge");
      made.append("path");
      made.append("path").attr("class", "ddl-head");
      return made;
    });
  groups
    .attr("data-edge", ({ edge }) => edge ?? null)
    .attr("data-slope", ({ slope }) => slope ?? null)
    .attr("data-carries", ({ carries }) => carries ?? null);
  groups
    .select("path")
    .attr("class", ({ state }) => `ddl-wire ddl-${state}`)
    .attr("d", ({ wire }) => along(wire));
  groups.select(".ddl-head").attr("class", ({ state }) => `ddl-wire ddl-head ddl-${state}`).attr("d", ({ wire, state }) => head(wire, state));
  groups.each(function (told) {
    labelled(this, told);
  });
}

/** Through the points, turning only between the columns; level where it meets each of them. */
export function curve(points) {
  const steps = points.slice(1).map(([x, y], i) => {
    const [fromX, fromY] = points[i];
    if (y === fromY) return `H${x}`;
    const middle = (fromX + x) / 2;
    return `C${middle} ${fromY} ${middle} ${y} ${x} ${y}`;
  });
  return `M${points[0][0]} ${points[0][1]}${steps.join("")}`;
}

const along = (wire) => (wire.d ??= curve(wire.points));

/** Points to where the value goes, or, once a gradient is on its way, to where that goes. */
function head({ points, headed }, state) {
  const back = state === "returns" || state === "sent";
  const [[x, y], far] = back ? [points[0], HEAD] : [points.at(-1), -HEAD];
  return headed[back ? 0 : 1] ? `M${x + far} ${y - HEAD / 2}L${x} ${y}L${x + far} ${y + HEAD / 2}` : "";
}

function labelled(group, { wire, label, tone }) {
  let text = group.querySelector("text");
  if (!label) return void (text && (text.previousSibling.remove(), text.remove()));
  if (!text) {
    const [rect, made] = ["rect", "text"].map((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));
    group.append(rect, made);
    text = made;
  }
  const [x, y] = wire.points.at(-1);
  const width = [...label].length * LETTER * SMALL + 4;
  const place = { x: x - HEAD - 5 - width, y: y - 7, width, height: 14 };
  for (const [name, value] of Object.entries(place)) text.previousSibling.setAttribute(name, value);
  text.previousSibling.setAttribute("class", "ddl-label-back");
  text.setAttribute("class", `ddl-label ddl-${tone}`);
  text.setAttribute("x", x - HEAD - 5 - width / 2);
  text.setAttribute("y", y + 4);
  text.textContent = label;
}
