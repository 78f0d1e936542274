// The bar above the drawing: steps, play, the scrub bar, speed, search, scopes, zoom, and the order of the walk.
import { h, icon } from "./dom.js";
import { ORDERS } from "./walk.js";

const SPEEDS = [0.5, 1, 2, 4, 8];
const ICONS = {
  first: "M2 3h2v10H2zM14 3v10L5 8z",
  back: "M11 3v10L4 8z",
  play: "M4 2v12l9-6z",
  pause: "M3 3h4v10H3zM9 3h4v10H9z",
  next: "M5 3v10l7-5z",
  last: "M12 3h2v10h-2zM2 3v10l9-5z",
  out: "M3 7h10v2H3z",
  in: "M3 7h4V3h2v4h4v2H9v4H7V9H3z",
  fit: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
};

/** Says whether a button can do something now; one that cannot keeps the focus, which `disabled` would throw away. */
const enable = (button, can) => button.setAttribute("aria-disabled", String(!can));

/** `on` has a function for each thing that can be asked for; returns the bar and how to bring it up to date. */
export function controls(on, { canMisorder, hasScopes }) {
  const button = (label, sign, f) => h("button", { type: "button", "aria-label": label, title: label, onclick: f }, icon(ICONS[sign]));
  const play = button("Play", "play", on.play);
  const [first, back, next, last] = [["To the start", "first"], ["Step back", "back"], ["Step forward", "next"], ["To the end", "last"]].map(
    ([label, name]) => button(label, name, on[name]),
  );
  const scrub = h("input", { type: "range", min: 0, step: 1, class: "ddl-scrub", "aria-label": "Step of the walk", oninput: () => on.scrub(+scrub.value) });
  const speed = h("select", { "aria-label": "Speed", onchange: () => on.speed(+speed.value) }, SPEEDS.map((x) => h("option", { value: x, selected: x === 1 }, `${x}×`)));
  const orders = Object.entries(ORDERS).map(([value, name]) => h("option", { value }, name));
  const order = h("select", { onchange: () => on.order(order.value) }, orders);
  const query = h("input", { type: "search", placeholder: "Search", "aria-label": "Search names, ops and scopes", size: 12, oninput: () => on.search(query.value) });
  query.addEventListener("keydown", (event) => event.key === "Enter" && on.found());
  const [open, close] = [["Open all", on.open], ["Close all", on.close]].map(([name, f]) => h("button", { type: "button", onclick: f }, name));
  const bar = h(
    "div",
    { class: "ddl-bar", role: "group", "aria-label": "Walk" },
    h("span", { class: "ddl-buttons" }, first, back, play, next, last),
    scrub,
    speed,
    canMisorder && h("label", {}, "backward order ", order),
    h("span", { class: "ddl-buttons" },
      button("Zoom out", "out", () => on.zoom(1 / 1.4)), button("Zoom in", "in", () => on.zoom(1.4)), button("Show all", "fit", on.fit)),
    hasScopes && h("span", { class: "ddl-buttons" }, open, close),
    query,
  );
  return {
    bar,
    query,
    show({ stop, stops, playing, words, closed, scopes }) {
      scrub.max = stops - 1;
      scrub.value = stop;
      scrub.setAttribute("aria-valuetext", words);
      for (const button of [first, back]) enable(button, stop > 0);
      for (const button of [next, last]) enable(button, stop < stops - 1);
      enable(open, closed > 0);
      enable(close, closed < scopes);
      play.disabled = scrub.disabled = stops < 2;
      play.replaceChildren(icon(ICONS[playing ? "pause" : "play"]));
      play.setAttribute("aria-label", playing ? "Pause" : "Play");
      play.title = playing ? "Pause" : "Play";
    },
  };
}
