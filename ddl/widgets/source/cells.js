// An array as a grid of cells, one of which is picked: by the pointer, or by arrow keys where the grid has the focus.
import { h } from "./dom.js";
import { number, short } from "./numbers.js";

export { default as look } from "./cells.css";

/** The indices of the entry at `place` of an array of this shape, in reading order. */
export function indices(place, shape) {
  const found = [];
  for (const n of [...shape].reverse()) {
    found.unshift(place % n);
    place = Math.floor(place / n);
  }
  return found;
}

export const listed = (numbers) => (numbers.length === 1 ? `(${numbers[0]},)` : `(${numbers.join(", ")})`);
export const entryOf = (name, place, shape) => (shape.length ? `${name}[${indices(place, shape).join(", ")}]` : name);

/** CSS that colours a number by its sign and its share of `most`, in both themes; weakly, where text stands on it. */
export const shading = (most, weakly) => (value) => {
  const share = most ? Math.sqrt(Math.min(Math.abs(number(value)) / most, 1)) : 0;
  return `background: color-mix(in srgb, var(${number(value) < 0 ? "--ddl-c0" : "--ddl-c1"}) ${Math.round((weakly ? 28 : 100) * (share || 0))}%, var(--ddl-paper))`;
};

/** Draws anew what is in `root`, where the focus stays on what has the same name, or else on the first control. */
export function redrawn(root, draw) {
  const held = root.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
  draw();
  if (!held || root.contains(document.activeElement)) return;
  const controls = [...root.querySelectorAll("input, select, button, [tabindex]")];
  (controls.find((control) => control.getAttribute("aria-label") === held) ?? controls[0])?.focus();
}

/**
 * cells({ key, name, shape, values, describe, pick }): rows and columns are the last two axes, further axes lie below
 * each other. `describe(place)` is what a screen reader is told of the cell that `pick(place)` was called for.
 *
 * `shade(value, place)` is CSS for a cell, as `shading` makes it.
 *
 * Returns { element, mark, pick }: mark(places, sign) puts a class on these cells and takes it off all others. Each
 * cell has data-place, `key` and its place, and data-value.
 */
export function cells({ key, name, shape, values, describe = () => "", pick = () => {}, write = short, columns = shape.at(-1) ?? 1, still = false, shade }) {
  const rows = shape.at(-2) ?? 1;
  let at = 0;
  const made = values.map((value, place) => {
    const block = shape.length > 2 && place % (columns * rows) === 0 && place;
    const cell = h("span", { class: "ddl-cell", "data-place": `${key} ${place}`, "data-value": String(value), style: shade?.(value, place) }, write(value, place));
    return block ? [h("i", { class: "ddl-gap" }), cell] : [cell];
  });
  const flat = made.map((pair) => pair.at(-1));
  const few = Math.max(Math.min(columns, Math.max(flat.length, 1)), 1);
  const grid = h("div", {
    class: "ddl-cells", style: `grid-template-columns: repeat(${few}, auto)`, "data-key": key, "aria-label": name,
    ...(still ? { role: "img" } : { role: "slider", tabindex: "0", "aria-valuemin": 0, "aria-valuemax": Math.max(flat.length - 1, 0) }),
  }, made.flat());
  const tell = () => {
    grid.setAttribute("aria-valuenow", at);
    grid.setAttribute("aria-valuetext", describe(at));
  };
  const go = (place) => {
    if (!(place >= 0 && place < flat.length)) return;
    at = place;
    pick(at);
    tell();
  };
  if (!still) {
    grid.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -few, ArrowDown: few, Home: -at, End: flat.length - 1 - at }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      go(at + step);
    });
    grid.addEventListener("focus", () => go(at));
    grid.addEventListener("pointerover", (event) => go(flat.indexOf(event.target.closest(".ddl-cell"))));
    tell();
  }
  const mark = (places, sign) => {
    for (const cell of flat) cell.classList.remove(sign);
    for (const place of places) flat[place]?.classList.add(sign);
  };
  return { element: grid, cells: flat, mark, go, get at() { return at; } };
}
