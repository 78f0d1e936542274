// Convolution: a window that goes over the image, its products with the kernel, and the cell that is their sum.
import { cells, listed, look, redrawn, shading } from "./cells.js";
import own from "./convolve.css";
import { h } from "./dom.js";
import { choice, entry, fields } from "./fields.js";
import css from "./kit.css";
import { number, short } from "./numbers.js";
import { strongest } from "./heat.js";

const at = (place, [, columns]) => [Math.floor(place / columns), place % columns];

/** The image in its frame of zeros. */
function framed({ image, padding }) {
  const [rows, columns] = image.shape;
  const shape = [rows + 2 * padding, columns + 2 * padding];
  const values = [...Array(shape[0] * shape[1]).keys()].map((place) => {
    const [y, x] = at(place, shape).map((i) => i - padding);
    return y < 0 || x < 0 || y >= rows || x >= columns ? null : image.values[y * columns + x];
  });
  return { shape, values };
}

/** The places, in its frame, of the window that an output cell is computed from. */
export function windowOf(place, { kernel, stride, dilation, out }, frame) {
  const [row, column] = at(place, out.shape);
  return kernel.values.map((_, k) => {
    const [i, j] = at(k, kernel.shape);
    return (row * stride + i * dilation) * frame.shape[1] + column * stride + j * dilation;
  });
}

/** The output cell whose window has this place of the frame nearest to its middle. */
function nearest(place, { kernel, stride, dilation, out }, frame) {
  const [row, column] = at(place, frame.shape).map((n, axis) => {
    const first = Math.round((n - ((kernel.shape[axis] - 1) * dilation) / 2) / stride);
    return Math.min(Math.max(first, 0), out.shape[axis] - 1);
  });
  return row * out.shape[1] + column;
}

function grids(data) {
  const frame = framed(data);
  const tiny = Math.max(frame.shape[1], data.out.shape[1]) > data.detailed;
  const sum = h("p", { class: "ddl-sum" });
  const said = (place) => {
    const [row, column] = at(place, data.out.shape);
    const seen = windowOf(place, data, frame);
    const signed = (w) => (number(w) < 0 ? `(${short(w)})` : short(w));
    const terms = data.kernel.values.flatMap((w, k) => (number(w) ? [`${short(frame.values[seen[k]] ?? 0)}·${signed(w)}`] : []));
    return `out[${row}, ${column}] = ${terms.join(" + ") || "0"} = ${short(data.out.values[place])}`;
  };
  let now = -1;
  const go = (place) => {
    now = place;
    sum.textContent = said(place);
    image.mark(windowOf(place, data, frame), "ddl-part");
    out.mark([place], "ddl-here");
  };
  const numbers = (values) => strongest(values.map((x) => number(x ?? 0)));
  const write = tiny ? () => "" : (x) => short(x ?? 0);
  const image = cells({
    key: "image", name: "image", ...frame, describe: () => (now < 0 ? "" : said(now)), write, shade: shading(numbers(frame.values), !tiny),
    pick: (place) => go(nearest(place, data, frame)),
  });
  image.cells.forEach((cell, place) => {
    if (frame.values[place] !== null) return;
    cell.classList.add("ddl-outside");
    delete cell.dataset.value;
  });
  const out = cells({ key: "out", name: "output", ...data.out, describe: said, pick: go, write, shade: shading(numbers(data.out.values), !tiny) });
  const kernel = cells({ key: "kernel", name: "kernel", ...data.kernel, still: true, shade: shading(numbers(data.kernel.values), true) });
  const size = data.out.values.map((x) => Math.abs(number(x)));
  out.go(Math.max(size.indexOf(strongest(size)), 0));
  const figure = (title, shape, grid, small) => h("figure", { class: small && "ddl-tiny" }, h("figcaption", {}, title, " ", h("small", {}, listed(shape))), grid.element);
  return [h("div", { class: "ddl-row-of" },
    figure(data.padding ? "image, in a frame of zeros" : "image", frame.shape, image, tiny), figure("kernel", data.kernel.shape, kernel, false), figure("output", data.out.shape, out, tiny)), sum];
}

export function render({ model, el, ask }) {
  const shown = h("div");
  const of = () => model.get("data");
  const request = (change) => ask({ kernel: of().text, stride: of().stride, padding: of().padding, dilation: of().dilation, ...change });
  const typed = entry("kernel", of().text, (kernel) => request({ kernel }), { size: 26 });
  const controls = h("div");
  const renew = () => redrawn(root, () => {
    const data = of();
    if (document.activeElement !== typed.input) typed.value = data.text;
    const known = Object.entries(data.kernels).find(([, text]) => text === data.text)?.[0] ?? "";
    const step = (name, min, max) => choice(name, [...Array(Math.max(max, data[name]) - min + 1).keys()].map((n) => n + min), data[name], (n) => request({ [name]: +n }));
    controls.replaceChildren(fields("The kernel and how it slides",
      choice("a known one", [...(known ? [] : [["", "your own"]]), ...Object.keys(data.kernels)], known, (kernel) => kernel && request({ kernel })),
      typed, step("stride", 1, 4), step("padding", 0, 4), step("dilation", 1, 3)));
    shown.replaceChildren(...grids(data));
  });
  const root = h("div", { class: "ddl-kit ddl-convolve" }, h("style", {}, css, look, own),
    h("p", {}, "The kernel lies on a window of the image; each pair is multiplied, and the sum is one cell of the output. Move over the image or the output, by mouse or arrow keys."), controls, shown);
  el.append(root);
  model.on("change:data", renew);
  renew();
  return () => model.off("change:data", renew);
}
