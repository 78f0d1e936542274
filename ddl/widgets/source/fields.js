// Controls with a label: each is { element, value } and tells what it was set to; all work by keyboard.
import { h } from "./dom.js";
import { short } from "./numbers.js";

/** A slider whose number stands beside it; `write` says how. Arrow keys move it. */
export function slider(label, { min, max, step = 1, value, write = short }, oninput) {
  const shown = h("output", {}, write(value));
  const input = h("input", { type: "range", min, max, step, value, "aria-label": label, "aria-valuetext": write(value) });
  const show = () => {
    shown.textContent = write(+input.value);
    input.setAttribute("aria-valuetext", write(+input.value));
  };
  input.addEventListener("input", () => (show(), oninput(+input.value)));
  return {
    element: h("label", { class: "ddl-field" }, h("span", {}, label), input, shown),
    input,
    get value() { return +input.value; },
    set value(x) { input.value = x; show(); },
  };
}

/** One of several; `options` are names, or pairs of a value and its name. */
export function choice(label, options, value, onchange) {
  const pairs = options.map((option) => (Array.isArray(option) ? option : [option, option]));
  const select = h("select", { "aria-label": label }, pairs.map(([of, name]) => h("option", { value: of, selected: String(of) === String(value) }, name)));
  select.addEventListener("change", () => onchange(select.value));
  return {
    element: h("label", { class: "ddl-field" }, h("span", {}, label), select),
    input: select,
    get value() { return select.value; },
    set value(x) { select.value = x; },
  };
}

/** Yes or no. */
export function toggle(label, value, onchange) {
  const input = h("input", { type: "checkbox", checked: value, "aria-label": label });
  input.addEventListener("change", () => onchange(input.checked));
  input.addEventListener("keydown", (event) => event.key === "Enter" && (event.preventDefault(), input.click()));
  return {
    element: h("label", { class: "ddl-field" }, input, h("span", {}, label)),
    input,
    get value() { return input.checked; },
    set value(x) { input.checked = x; },
  };
}

/** Something typed, handed over on Enter; where that is refused (`false` is promised) the last one comes back. */
export function entry(label, value, onsubmit, { size = 24 } = {}) {
  let last = String(value);
  const input = h("input", { type: "text", value: last, size, "aria-label": label, spellcheck: "false" });
  const send = async (event) => {
    event.preventDefault();
    const typed = input.value;
    if ((await onsubmit(typed)) === false) input.value = last;
    else last = typed;
  };
  return {
    element: h("form", { class: "ddl-field", onsubmit: send }, h("span", { "aria-hidden": "true" }, label), input),
    input,
    get value() { return input.value; },
    set value(x) { input.value = last = String(x); },
  };
}

/** A button; where f promises something, it is shown as busy until that has come. */
export function action(label, f, attributes = {}) {
  const press = async (event) => {
    const coming = f(event);
    if (!(coming instanceof Promise)) return;
    button.setAttribute("aria-busy", "true");
    await coming;
    button.removeAttribute("aria-busy");
  };
  const button = h("button", { type: "button", onclick: press, ...attributes }, label);
  return button;
}

/** Controls in a row that breaks where it must. */
export const fields = (name, ...controls) =>
  h("div", { class: "ddl-fields-row", role: "group", "aria-label": name }, controls.map((control) => control.element ?? control));
