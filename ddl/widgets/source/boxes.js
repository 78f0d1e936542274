// Boxes of nodes and closed scopes, and the frames of open ones.
import { drag } from "d3-drag";
import { HEAT, LINE, PAD } from "./content.js";
import { fitted, heat } from "./heat.js";

/**
 * look.content(name) is what content.js says of a box; look.state(name) is { kind, classes, label, rows, heats, data },
 * where rows are { text, tone }, heats [array or null of the value, and of the gradient], data the full numbers.
 */
export function drawBoxes(layer, boxes, look, on) {
  const groups = layer
    .selectAll("g.ddl-box")
    .data(boxes, ({ name }) => name)
    .join((enter) => {
      const made = enter.append("g").attr("role", "img");
      made.append("rect");
      made.call(drag().on("drag", (event, { name }) => on.drag(name, event.dx, event.dy)));
      made.on("click", (event, { name }) => on.pick(name)).on("dblclick", (event, { name }) => name[0] === "g" && on.toggle(name));
      return made;
    });
  groups.each(function (box) {
    fill(this, box, look.content(box.name), look.state(box.name), look);
  });
}

function fill(group, { name, x, y, w, h }, content, state, look) {
  set(group, { class: `ddl-box ddl-${state.kind} ${state.classes}`, transform: `translate(${x},${y})`, tabindex: name === look.stop ? 0 : -1 });
  set(group, { "aria-label": state.label, "data-box": name, "aria-current": name === look.now ? "step" : null, ...state.data });
  const given = state.kind === "given";
  set(group.firstChild, { width: w, height: h, rx: given ? 12 : 3 });
  const lines = [
    { text: content.title, tone: "title" },
    ...content.lines.map((text) => ({ text, tone: "soft" })),
    ...state.rows,
  ].map((line, i) => ({ ...line, x: PAD, y: PAD + 10 + i * LINE }));
  if (content.mark) lines.push({ text: content.mark, tone: "mark", x: w - PAD, y: PAD + 10 });
  const images = content.heats ? state.heats.flatMap((array, i) => pictured(array, i, content, look.theme)) : [];
  for (const { label } of images) lines.push(label);
  texts(group, lines);
  pictures(group, images);
}

function texts(group, lines) {
  const found = [...group.querySelectorAll("text")];
  found.slice(lines.length).forEach((text) => text.remove());
  lines.forEach(({ text, tone, x, y }, i) => {
    const made = found[i] ?? group.appendChild(document.createElementNS(group.namespaceURI, "text"));
    set(made, { x, y, class: `ddl-${tone}` });
    if (made.textContent !== text) made.textContent = text;
  });
}

function pictured(array, i, content, theme) {
  const top = PAD - 2 + (1 + content.lines.length) * LINE;
  const left = PAD + i * (HEAT.width + HEAT.gap);
  const label = { text: i ? "grad" : "value", tone: i && array ? "grad" : "soft", x: left, y: top + 12 };
  if (i && !array && !content.graded) return [];
  if (!array) return [{ label }];
  const drawn = heat(array, theme);
  const [width, height] = fitted(drawn, HEAT.width, HEAT.height);
  return [{ label, url: drawn.url, x: left, y: top + LINE + 2, width, height, tone: i ? "grad" : "value" }];
}

function pictures(group, images) {
  const shown = images.filter(({ url }) => url);
  const found = [...group.querySelectorAll("image")];
  found.slice(shown.length).forEach((image) => image.remove());
  shown.forEach(({ url, x, y, width, height, tone }, i) => {
    const made = found[i] ?? group.appendChild(document.createElementNS(group.namespaceURI, "image"));
    set(made, { x, y, width, height, class: `ddl-heat ddl-heat-${tone}`, preserveAspectRatio: "none" });
    if (made.getAttribute("href") !== url) made.setAttribute("href", url);
  });
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
  }
}

/** Frames of open scopes; a click on the title closes one. */
export function drawFrames(layer, frames, look, on) {
  const groups = layer
    .selectAll("g.ddl-frame")
    .data(frames, ({ name }) => name)
    .join((enter) => {
      const made = enter.append("g").attr("class", "ddl-frame");
      made.append("rect");
      const title = made.append("g").attr("class", "ddl-frame-title").attr("role", "button").attr("tabindex", 0);
      title.append("rect").attr("rx", 3);
      title.append("text").attr("x", 8).attr("y", 15);
      title.on("click", (event, { name }) => on.toggle(name)).on("keydown", (event, { name }) => {
        if (event.key === "Enter") (event.stopPropagation(), on.toggle(name));
      });
      return made;
    });
  groups.attr("transform", ({ x, y }) => `translate(${x},${y})`).attr("data-frame", ({ name }) => name);
  groups.select("rect").attr("width", ({ w }) => w).attr("height", ({ h }) => h).attr("rx", 6);
  const title = groups.select(".ddl-frame-title").attr("aria-label", ({ name }) => `Close ${look.title(name)}`);
  title.select("text").text(({ name }) => `− ${look.title(name)}`);
  title.select("rect").attr("height", 22).attr("width", ({ name }) => ([...look.title(name)].length + 2) * 7.25 + 12);
}
