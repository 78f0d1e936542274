// A canvas that is painted by pointer or keyboard, and the model's answer, asked for while it is drawn.
import { cells, entryOf, look } from "./cells.js";
import own from "./digits.css";
import { h } from "./dom.js";
import { action, fields, toggle } from "./fields.js";
import css from "./kit.css";

const PATIENCE = 150; // milliseconds without a stroke until the model is asked
const EDGE = 0.4; // what a stroke leaves on the four cells beside it

/** The image after a stroke on a cell: the pen is soft at its edge, the rubber is not. */
export function stroked(image, place, [rows, columns], rub) {
  const painted = [...image];
  painted[place] = rub ? 0 : 1;
  if (rub) return painted;
  const [y, x] = [Math.floor(place / columns), place % columns];
  for (const [b, a] of [[y - 1, x], [y + 1, x], [y, x - 1], [y, x + 1]]) {
    if (b >= 0 && a >= 0 && b < rows && a < columns) painted[b * columns + a] = Math.max(painted[b * columns + a], EDGE);
  }
  return painted;
}

const ink = (value) => `background: color-mix(in srgb, var(--ddl-ink) ${Math.round(100 * value)}%, var(--ddl-paper))`;

function answers({ answer, best }) {
  const row = (p, i) => h("li", { class: i === best && "ddl-best", "data-place": i, "data-value": String(p) },
    h("span", {}, String(i)), h("span", {}, h("i", { style: `width: ${Math.max(100 * p || 0, 0.5)}%` })), Number.isFinite(+p) ? `${(100 * p).toFixed(1)} %` : String(p));
  return h("ol", { class: "ddl-answers", "aria-label": "probability of each class" }, answer.map(row));
}

export function render({ model, el, ask }) {
  const { shape } = model.get("data");
  let image = [...model.get("data").image];
  let [timer, asking, stale, pressed] = [0, false, false, false];

  const send = async () => {
    if (asking) return void (stale = true); // one question at a time: the last state of the drawing comes next
    asking = true;
    stale = false;
    await ask({ image });
    asking = false;
    if (stale) send();
  };
  const change = (next) => {
    image = next;
    show();
    clearTimeout(timer);
    timer = setTimeout(() => ((timer = 0), send()), PATIENCE);
  };
  const rubber = toggle("rubber", false, () => {});
  const stroke = (place) => place >= 0 && change(stroked(image, place, shape, rubber.value));
  const canvas = cells({
    key: "ink", name: "canvas: arrows move, space paints", shape, values: image, write: () => "", shade: ink,
    describe: (place) => `${entryOf("", place, shape)}: ${Math.round(100 * image[place])} % ink`,
    pick: (place) => canvas?.mark([place], "ddl-here"),
  });
  const show = () => canvas.cells.forEach((cell, place) => {
    cell.setAttribute("style", ink(image[place]));
    cell.dataset.value = String(image[place]);
  });
  const under = ({ clientX, clientY }) => canvas.cells.findIndex((cell) => {
    const { left, right, top, bottom } = cell.getBoundingClientRect();
    return clientX >= left && clientX < right && clientY >= top && clientY < bottom;
  });
  canvas.element.style.setProperty("--ddl-side", `${Math.max(9, Math.floor(272 / shape[1]))}px`);
  canvas.element.addEventListener("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    stroke(canvas.at);
  });
  canvas.element.addEventListener("pointerdown", (event) => {
    pressed = true;
    canvas.element.setPointerCapture(event.pointerId);
    stroke(under(event));
  });
  canvas.element.addEventListener("pointermove", (event) => pressed && stroke(under(event)));
  for (const end of ["pointerup", "pointercancel"]) canvas.element.addEventListener(end, () => (pressed = false));

  const told = h("p", { role: "status" });
  const bars = h("div");
  const renew = () => {
    const data = model.get("data");
    if (!asking && !timer) image = [...data.image];
    bars.replaceChildren(answers(data));
    told.replaceChildren(...(data.broken ? [data.broken] : ["The model takes this for a ", h("b", {}, String(data.best)), "."]));
    show();
  };
  el.append(h("div", { class: "ddl-kit ddl-digits" }, h("style", {}, css, look, own),
    h("p", {}, "Draw a digit: the model answers while you draw. By mouse or pen, or with the arrow keys and space on the canvas."),
    fields("Tools", rubber, action("clear", () => change(image.map(() => 0)))),
    h("div", { class: "ddl-row-of" }, canvas.element, h("div", {}, told, bars))));
  model.on("change:data", renew);
  renew();
  return () => (clearTimeout(timer), model.off("change:data", renew));
}
