// The player: a graph that is walked forward and backward, one op at a time; scopes open and close.
import { select } from "d3-selection";
import { arrange } from "./arrange.js";
import { travel } from "./chips.js";
import { contentOf } from "./content.js";
import { controls } from "./controls.js";
import { details } from "./details.js";
import { h } from "./dom.js";
import { drawing } from "./draw.js";
import { boxOf, firstClosed, graphOf, revealing, search } from "./graph.js";
import { HELP, keys } from "./keys.js";
import { lookOf } from "./look.js";
import { short, isNumber } from "./numbers.js";
import STYLE from "./player.css";
import { at, canMisorder, stopsOf, walkOf } from "./walk.js";
import { boxTitle, sentence } from "./words.js";

const PACE = 900; // milliseconds a step at speed 1

export function render({ model, el, ask }) {
  let graph = graphOf(model.get("data"));
  let walk = walkOf(graph);
  const state = { position: 0, closed: firstClosed(graph), picked: null, order: "newest", speed: 1 };
  let plane, contents, stops, timer, stopTravel, results = [];

  const said = h("p", { class: "ddl-said", role: "status", "aria-live": "polite" });
  const frame = h("div", { class: "ddl-drawing", tabindex: 0, role: "group", "aria-label": `Drawing of the graph. ${HELP}` });
  const panel = h("div", { class: "ddl-panel", role: "region", "aria-label": "Details" });
  const list = h("ul", { class: "ddl-results", "aria-label": "Found" });
  const on = {
    first: () => moveTo(0),
    last: () => moveTo(walk.last),
    next: () => stepBy(1),
    back: () => stepBy(-1),
    scrub: (stop) => moveTo(stops[stop]),
    play: () => (timer ? pause() : play()),
    speed(speed) {
      state.speed = speed;
      if (timer) (pause(), play());
    },
    order: (order) => reorder(order),
    zoom: (factor) => picture.zoomBy(factor),
    pan: (dx, dy) => picture.panBy(dx, dy),
    fit: () => picture.fitAll(),
    open: () => fold(new Set()),
    close: () => fold(new Set(graph.groups.map((_, g) => g).slice(1))),
    toggle: (name) => toggle(name),
    pick: (name) => pick(name),
    drag: (name, dx, dy) => picture.pull(name, dx, dy),
    enter() {
      const name = document.activeElement?.dataset?.box ?? state.picked;
      if (name?.[0] === "g") toggle(name);
      else if (name) pick(name);
    },
    move: (by) => moveFocus(by),
    query: () => bar.query.focus(),
    search: (query) => showResults(query),
    found: () => results.length && goTo(results[0]),
  };
  const bar = controls(on, { canMisorder: canMisorder(graph), hasScopes: graph.groups.length > 1 });
  const root = h("div", { class: "ddl-player" }, h("style", {}, STYLE), bar.bar, list, said, h("div", { class: "ddl-main" }, frame, panel));
  el.replaceChildren(root);
  const picture = drawing(frame, on);
  const chips = select(picture.chips.node());
  const unkey = keys(root, frame, on);

  const theme = () => (root.closest("[data-ddl-theme]")?.dataset.ddlTheme === "dark" ? "dark" : "light");
  const themes = new MutationObserver(() => show());
  for (const themed of [root.closest("[data-ddl-theme]"), document.documentElement]) {
    if (themed) themes.observe(themed, { attributes: true, attributeFilter: ["data-ddl-theme"] });
  }

  function current() {
    const stop = at(walk, state.position);
    const box = stop.node === undefined ? null : boxOf(graph, state.closed, `n${stop.node}`);
    return { ...stop, box };
  }

  const look = () => lookOf({ graph, walk, state, contents, now: current(), theme: theme() });

  /** All that depends on what is closed. */
  function layOut() {
    contents = new Map();
    const content = (name) => contents.get(name) ?? contents.set(name, contentOf(graph, name)).get(name);
    plane = arrange(graph, state.closed, (name) => [content(name).w, content(name).h]);
    stops = stopsOf(walk, (node) => boxOf(graph, state.closed, `n${node}`));
    picture.show(plane, look());
  }

  /** All that depends on where the walk is. */
  function show() {
    const now = current();
    const words = sentence(graph, walk, state.position, now, now.box ?? "");
    said.textContent = words;
    const stop = stops.findIndex((position) => position >= state.position);
    bar.show({ stop, stops: stops.length, playing: Boolean(timer), words, closed: state.closed.size, scopes: graph.groups.length - 1 });
    picture.refresh(look());
    details(panel, state.picked ?? now.box ?? (graph.outputs.length ? boxOf(graph, state.closed, `n${graph.outputs[0]}`) : null), {
      graph, walk, position: state.position, theme: theme(), ask, closed: state.closed, go: goTo, toggle,
    });
  }

  function moveTo(position, animated = false) {
    state.position = Math.min(Math.max(position, 0), walk.last);
    state.picked = null;
    stopTravel?.();
    const now = current();
    if (now.box) picture.reveal(now.box);
    show();
    if (animated) stopTravel = travel(chips, tripsOf(now), state.speed);
  }

  function tripsOf({ moves }) {
    const trips = moves.map(({ edge, amount }) => ({ wire: picture.wireOf(edge), text: isNumber(amount) ? short(amount) : "" }));
    return trips.filter(({ wire, text }) => wire?.d && text);
  }

  function stepBy(by) {
    const next = by > 0 ? stops.find((position) => position > state.position) : stops.findLast((position) => position < state.position);
    if (next === undefined) pause();
    else moveTo(next, by > 0);
    return next !== undefined;
  }

  function play() {
    if (state.position >= walk.last) moveTo(0);
    timer = setInterval(() => stepBy(1), PACE / state.speed);
    stepBy(1);
  }

  function pause() {
    clearInterval(timer);
    timer = undefined;
    show();
  }

  function reorder(order) {
    const backward = state.position > walk.ops.length;
    state.order = order;
    walk = walkOf(graph, order);
    layOut();
    moveTo(backward ? walk.ops.length + 1 : state.position);
  }

  function fold(closed, anchor) {
    const was = document.activeElement?.dataset?.box;
    const change = () => {
      state.closed = closed;
      layOut();
    };
    if (anchor) picture.holding(anchor, change);
    else (change(), picture.fit());
    show();
    if (was) focusBox(boxOf(graph, closed, was));
  }

  function toggle(name) {
    const g = +name.slice(1);
    const closed = new Set(state.closed);
    if (!closed.delete(g)) closed.add(g);
    fold(closed, name);
  }

  function pick(name) {
    state.picked = name;
    show();
  }

  function goTo(name) {
    const closed = revealing(graph, state.closed, name);
    if (closed.size !== state.closed.size) fold(closed, boxOf(graph, state.closed, name));
    state.picked = name;
    picture.reveal(name);
    show();
    focusBox(name);
  }

  function focusBox(name) {
    root.querySelector(`[data-box="${name}"]`)?.focus({ preventScroll: true });
  }

  function moveFocus(by) {
    const order = plane.boxes.map(({ name }) => name);
    const here = order.indexOf(document.activeElement?.dataset?.box ?? state.picked ?? current().box);
    const name = order[Math.min(Math.max(here + by, 0), order.length - 1)];
    if (!name) return;
    state.picked = name;
    picture.reveal(name);
    show();
    focusBox(name);
  }

  function showResults(query) {
    results = search(graph, query);
    const none = query.trim() && !results.length ? [h("li", {}, "Nothing is called that.")] : [];
    list.replaceChildren(...none, ...results.map((box) => h("li", {}, h("button", { type: "button", onclick: () => goTo(box) }, boxTitle(graph, box)))));
  }

  function renew() {
    const same = (a, b) => a.layout.groups.length === b.layout.groups.length && a.nodes.length === b.nodes.length;
    const fresh = graphOf(model.get("data"));
    if (!same(graph, fresh)) {
      Object.assign(state, { closed: firstClosed(fresh), picked: null, position: 0 });
      picture.forget();
    }
    graph = fresh;
    walk = walkOf(graph, state.order);
    state.position = Math.min(state.position, walk.last);
    layOut();
    picture.renewed();
    show();
  }

  layOut();
  show();
  picture.fit();
  const sized = new ResizeObserver(() => picture.refit());
  sized.observe(frame);
  model.on("change:data", renew);
  return () => {
    model.off("change:data", renew);
    clearInterval(timer);
    stopTravel?.();
    sized.disconnect();
    themes.disconnect();
    unkey();
    picture.end();
    el.replaceChildren();
  };
}
