// Elements in one line each; what is not an element goes in as text, never as markup.

/** h("button", { class: "a", onclick: f, "aria-label": "go" }, "text", child) */
export function h(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child != null && child !== false));
  return made;
}

/** A small picture for a button, drawn by a path in a square of 16. */
export function icon(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({ viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": true, class: "ddl-icon" })) svg.setAttribute(name, value);
  svg.append(document.createElementNS(svg.namespaceURI, "path"));
  svg.firstChild.setAttribute("d", path);
  return svg;
}

const sized = new ResizeObserver((entries) => entries.forEach(({ target }) => settle(target)));

/** Lets keys scroll what is larger than its place, and Tab pass by what is not, also when the place changes its size. */
export function scrollable(element) {
  settle(element);
  sized.observe(element);
}

function settle(element) {
  const larger = element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1;
  if (larger) element.tabIndex = 0;
  else element.removeAttribute("tabindex");
}
