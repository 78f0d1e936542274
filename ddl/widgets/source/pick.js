// One of many things on the page, chosen by mouse or arrow keys; Tab stops once, whatever their number.

/**
 * pick({ name, items, columns, at, onmove, onpick }) makes a focusable list of elements, or a grid where `columns` is given.
 *
 * Arrows, Home and End move, and onmove(i) tells; Enter, Space and a click call onpick(i); where there is no
 * onpick the pointer moves too, without a click, unless hover is false.
 * Returns { element, at, choose }: choose(i) moves without telling.
 */
export function pick({ name, items, columns = 1, flow = false, at = 0, hover = true, onmove = () => {}, onpick = null }) {
  const own = `ddl-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
  const element = document.createElement("div");
  Object.entries({ class: "ddl-pick", role: "listbox", "aria-label": name }).forEach((pair) => element.setAttribute(...pair));
  if (onpick || items.length > 1) element.tabIndex = 0; // else no key would do anything
  const choose = (i) => {
    for (const j of [picked.at, i]) {
      items[j]?.classList.toggle("ddl-here", j === i);
      items[j]?.setAttribute("aria-selected", j === i);
    }
    picked.at = i;
    if (items[i]) element.setAttribute("aria-activedescendant", items[i].id);
  };
  const move = (i) => {
    if (i < 0 || i >= items.length || i === picked.at) return;
    choose(i);
    onmove(i);
  };
  const wide = columns > 1;
  const steps = {
    ArrowRight: () => (!wide || picked.at % columns < columns - 1 || flow ? 1 : 0),
    ArrowLeft: () => (!wide || picked.at % columns > 0 || flow ? -1 : 0),
    ArrowDown: () => columns,
    ArrowUp: () => -columns,
    Home: () => -picked.at,
    End: () => items.length - 1 - picked.at,
  };
  element.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps) {
      move(picked.at + steps[event.key]());
      items[picked.at]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else if (onpick && items.length && (event.key === "Enter" || event.key === " ")) onpick(picked.at);
    else return;
    event.preventDefault();
  });
  items.forEach((item, i) => {
    item.id = `${own}-${i}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", false);
    item.addEventListener("pointerenter", () => hover && !onpick && move(i));
    item.addEventListener("click", () => (move(i), element.focus(), onpick?.(i)));
  });
  const picked = { element, at: -1, choose };
  element.append(...items);
  choose(at);
  return picked;
}
