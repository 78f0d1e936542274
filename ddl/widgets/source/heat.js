// An array as a small picture: rows and columns are its last two axes, further axes stand below each other.
import { flat } from "./numbers.js";

const COLORS = {
  light: { zero: [236, 236, 236], plus: [166, 67, 0], minus: [0, 88, 138], odd: [150, 0, 150] },
  dark: { zero: [58, 58, 58], plus: [255, 163, 102], minus: [124, 196, 242], odd: [240, 90, 240] },
};
const WIDEST = 64; // a longer line goes on in the next row

/** Rows, columns and the numbers of an array in reading order. */
export function gridOf(array) {
  const numbers = flat(array);
  let last = array;
  while (Array.isArray(last?.[0])) last = last[0];
  const line = Array.isArray(array[0]) ? last.length : Math.min(last.length, WIDEST);
  return { columns: Math.max(line, 1), rows: Math.max(Math.ceil(numbers.length / Math.max(line, 1)), 1), numbers };
}

/** What is coloured like the strongest number: the largest size of a finite one. */
export const strongest = (numbers) => numbers.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 0);

export function colorOf(x, most, theme) {
  const { zero, plus, minus, odd } = COLORS[theme];
  if (!Number.isFinite(x)) return odd;
  const share = most ? Math.sqrt(Math.abs(x) / most) : 0; // the root, so that small numbers are seen
  const end = x < 0 ? minus : plus;
  return zero.map((z, i) => Math.round(z + (end[i] - z) * share));
}

const drawn = new WeakMap(); // array: theme: picture

/** { url, rows, columns } of an array. */
export function heat(array, theme) {
  const known = drawn.get(array) ?? {};
  drawn.set(array, known);
  return (known[theme] ??= picture(array, theme));
}

function picture(array, theme) {
  const { rows, columns, numbers } = gridOf(array);
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: columns, height: rows });
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  const most = strongest(numbers);
  numbers.forEach((x, i) => image.data.set([...colorOf(x, most, theme), 255], 4 * i));
  context.putImageData(image, 0, 0);
  return { url: canvas.toDataURL(), rows, columns };
}

/** The size at which a picture fits into a frame, with cells of whole pixels where they can be. */
export function fitted({ rows, columns }, width, height, largest = 10) {
  const cell = Math.min(width / columns, height / rows, largest);
  const size = cell > 1 ? Math.floor(cell) : cell;
  return [Math.max(columns * size, 2), Math.max(rows * size, 2)];
}
