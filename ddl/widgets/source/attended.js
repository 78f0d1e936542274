// Attention weights as pictures, in colours that are seen on white and on black.
import { s } from "./chart.js";

const PAST = "38, 128, 190";
const FUTURE = "214, 96, 16";
const GREY = "128, 128, 128";

const color = (rgb, share) => `rgba(${rgb}, ${Math.sqrt(Math.min(1, Math.max(0, share)))})`;

/** How to colour cell (t, s) of a head: weights by their size, scores by how far above or below 0. */
function colors(layer, head, before) {
  const square = layer.queries.length === layer.keys.length;
  const [weights, scores] = [layer.weights[head], layer.scores?.[head]];
  if (!before || !scores) return (t, s) => color(square && s > t ? FUTURE : PAST, weights[t][s]);
  const most = Math.max(...scores.flat().map((x) => (x === null ? 0 : Math.abs(x))), 1e-30);
  return (t, s) => (scores[t][s] === null ? "transparent" : color(scores[t][s] > 0 ? PAST : GREY, Math.abs(scores[t][s]) / most));
}

function paint(layer, head, before, cell) {
  const canvas = document.createElement("canvas");
  const [rows, columns] = [layer.queries.length, layer.keys.length];
  Object.assign(canvas, { width: columns * cell, height: rows * cell });
  const context = canvas.getContext("2d");
  const of = colors(layer, head, before);
  const [hidden, weights] = [layer.scores?.[head], layer.weights[head]];
  context.strokeStyle = `rgba(${GREY}, 0.6)`;
  for (let t = 0; t < rows; t += 1) {
    for (let u = 0; u < columns; u += 1) {
      context.fillStyle = of(t, u);
      context.fillRect(u * cell, t * cell, cell, cell);
      if (cell < 5 || hidden?.[t][u] !== null || weights[t][u] === null) continue;
      context.beginPath();
      context.moveTo(u * cell, (t + 1) * cell);
      context.lineTo((u + 1) * cell, t * cell);
      context.stroke();
    }
  }
  return canvas;
}

/** A head in so many pixels. */
export function thumbnail(layer, head, size) {
  const canvas = paint(layer, head, false, 1);
  canvas.style.width = canvas.style.height = `${size}px`;
  return canvas;
}

/** A head with the tokens at its edges; the pointer chooses a query. */
export function matrix(layer, head, before, query, onquery) {
  const [rows, columns] = [layer.queries.length, layer.keys.length];
  const cell = Math.max(7, Math.min(24, Math.floor(400 / Math.max(rows, columns))));
  const size = Math.max(8, Math.min(13, cell - 1));
  const longest = (names) => Math.min(14, Math.max(...names.map((name) => [...name].length)));
  const [left, top] = [longest(layer.queries) * size * 0.65 + 26, longest(layer.keys) * size * 0.65 + 22];
  const name = (text) => (text.length > 14 ? `${text.slice(0, 13)}…` : text);
  const [width, height] = [columns * cell, rows * cell];
  const label = (text, x, y, here, turned) =>
    s("text", { x: turned ? null : x, y: turned ? null : y, transform: turned && `translate(${x} ${y}) rotate(-90)`, class: here ? "ddl-here" : null, "font-size": size, "text-anchor": turned ? "start" : "end" }, name(text));
  const svg = s("svg", { class: "ddl-matrix", width: left + width + 4, height: top + height + 4, viewBox: `0 0 ${left + width + 4} ${top + height + 4}`, role: "img",
    "aria-label": `${before ? "Scores" : "Weights"} of ${layer.name}, head ${head}: ${rows} queries by ${columns} keys` },
    s("text", { x: left + width / 2, y: 11, "text-anchor": "middle", class: "ddl-axis" }, "key"),
    s("text", { transform: `translate(11 ${top + height / 2}) rotate(-90)`, "text-anchor": "middle", class: "ddl-axis" }, "query"),
    layer.queries.map((text, t) => label(text, left - 5, top + (t + 0.5) * cell + size * 0.35, t === query, false)),
    layer.keys.map((text, u) => label(text, left + (u + 0.5) * cell + size * 0.35, top - 5, rows === columns && u === query, true)),
    s("image", { href: paint(layer, head, before, cell).toDataURL(), x: left, y: top, width, height }),
    s("rect", { x: left, y: top, width, height, class: "ddl-edge" }),
    s("rect", { x: left, y: top + query * cell, width, height: cell, class: "ddl-row-here" }),
  );
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const t = Math.floor((((event.clientY - box.top) / box.height) * (top + height + 4) - top) / cell);
    if (t >= 0 && t < rows && t !== query) onquery(t);
  });
  return svg;
}
