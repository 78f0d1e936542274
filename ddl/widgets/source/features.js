// Feature maps: the channels of a layer as small pictures, one of them place by place.
import { cells, listed, look, redrawn, shading } from "./cells.js";
import { h } from "./dom.js";
import own from "./features.css";
import { choice, fields } from "./fields.js";
import { heat, strongest } from "./heat.js";
import css from "./kit.css";
import { number, short } from "./numbers.js";

const ACROSS = 8; // small pictures in a row

const nested = (map, [rows, columns]) => Array.from({ length: rows }, (_, i) => map.slice(i * columns, (i + 1) * columns));

export function render({ model, el, ask }) {
  let [layer, channel] = [1, 0];
  const shown = h("div");
  const large = h("div");
  const controls = h("div");
  const of = () => model.get("data");

  const drawLarge = () => {
    const it = of().layers[layer];
    const told = h("p", { class: "ddl-told" });
    const values = it.maps[channel];
    const grid = cells({
      key: "map", name: "the channel, place by place", shape: it.size, values, write: () => "", shade: shading(strongest(values.map(number))),
      describe: (place) => short(values[place]),
      pick: (place) => {
        told.textContent = `row ${Math.floor(place / it.size[1])}, column ${place % it.size[1]}: ${short(values[place])}`;
        grid?.mark([place], "ddl-here");
      },
    });
    const kernel = it.kernels && h("figure", {}, h("figcaption", {}, "the kernel that found it"), (() => {
      const flat = it.kernels[channel].flat();
      return cells({ key: "kernel", name: "kernel", shape: [it.kernels[channel].length, it.kernels[channel][0].length], values: flat, still: true, shade: shading(strongest(flat), true), write: (x) => short(+x.toPrecision(2)) }).element;
    })());
    const small = it.size[0] < it.shape[1] || it.size[1] < it.shape[2];
    large.replaceChildren(h("h3", {}, `Channel ${channel} of ${it.name}`), h("div", { class: "ddl-row-of" },
      h("figure", { class: "ddl-tiny" }, h("figcaption", {}, small ? `means over parts of ${listed(it.shape.slice(1))}` : "orange above 0, blue below"), grid.element, told), kernel));
  };
  const draw = () => {
    const it = of().layers[layer];
    channel = Math.min(channel, it.maps.length - 1);
    const maps = cells({
      key: "channel", name: "channels of the layer", shape: [it.maps.length], columns: ACROSS, values: it.means,
      describe: (c) => `channel ${c}, mean ${short(it.means[c])}`,
      write: (mean, c) => h("span", {}, h("img", { src: heat(nested(it.maps[c], it.size), "light").url, alt: "" }), `${c}: ${short(+number(mean).toPrecision(3))}`),
      pick: (c) => {
        channel = c;
        maps?.mark([c], "ddl-here");
        drawLarge();
      },
    });
    const more = it.shape[0] > it.maps.length ? `, of which the first ${it.maps.length} are shown` : "";
    shown.replaceChildren(h("p", {}, `${it.kind}: ${it.shape[0]} channels of ${it.shape[1]} x ${it.shape[2]}${more}. Below each its number and its mean; each is coloured on a scale of its own.`), h("div", { class: "ddl-maps" }, maps.element), large);
    maps.go(channel);
  };
  const renew = () => redrawn(root, () => {
    const data = of();
    layer = Math.min(layer, data.layers.length - 1);
    controls.replaceChildren(fields("What is shown",
      choice("layer", data.layers.map((it, i) => [i, i ? `${it.name} (${it.kind})` : it.name]), layer, (i) => ((layer = +i), draw())),
      data.images > 1 && choice("image", [...Array(data.images).keys()], data.image, (i) => ask({ image: +i }))));
    draw();
  });
  const root = h("div", { class: "ddl-kit ddl-features" }, h("style", {}, css, look, own),
    h("p", {}, "Each layer turns the image into maps, a channel each: where a map is strong, the layer found there what it looks for."), controls, shown);
  el.append(root);
  model.on("change:data", renew);
  renew();
  return () => model.off("change:data", renew);
}
