// What every view stands in: the theme, what the kernel is asked and answers, what went wrong, and the words.

const GONE =
  "The kernel is gone, so nothing can be computed anew. What you see is what it computed last: run the cell again to go on.";
const SLOW = "The kernel has not answered yet: it is busy with another cell, or gone.";
const PATIENCE = 1500; // milliseconds until a wait is spoken of

export const STYLE = `
.ddl-widget { --ddl-ink: #222222; --ddl-soft: #565656; --ddl-paper: #ffffff; --ddl-line: #8a8a8a; --ddl-panel: #f3f3f3;
  --ddl-blue: #00588a; --ddl-rust: #9c3d00; --ddl-given: #e1edf6; --ddl-result: #fdeed3; --ddl-focus: #005fcc;
  background: var(--ddl-paper); color: var(--ddl-ink); font: 14px/1.45 system-ui, sans-serif; padding: 8px; }
.ddl-widget[data-ddl-theme="dark"] { --ddl-ink: #e8e8e8; --ddl-soft: #b4b4b4; --ddl-paper: #161616; --ddl-line: #7d7d7d;
  --ddl-panel: #262626; --ddl-blue: #7cc4f2; --ddl-rust: #ffa366; --ddl-given: #12303f; --ddl-result: #3f2f10;
  --ddl-focus: #8ec7ff; color-scheme: dark; }
.ddl-widget :focus-visible { outline: 3px solid var(--ddl-focus); outline-offset: 2px; }
.ddl-widget button, .ddl-widget input, .ddl-widget select { font: inherit; color: var(--ddl-ink);
  background: var(--ddl-panel); border: 1px solid var(--ddl-line); border-radius: 4px; padding: 2px 8px; }
.ddl-fault:not(:empty) { margin: 8px 0 0; padding: 6px 10px; white-space: pre-wrap; overflow-wrap: anywhere;
  border-left: 4px solid var(--ddl-rust); background: var(--ddl-panel); color: var(--ddl-rust); }
.ddl-status:not(:empty) { margin: 8px 0 0; color: var(--ddl-soft); }
.ddl-fault:empty, .ddl-status:empty { margin: 0; }
.ddl-words { margin-top: 8px; } .ddl-words summary { cursor: pointer; width: fit-content; }
.ddl-words pre { font: 13px/1.45 "DejaVu Sans Mono", ui-monospace, monospace; margin: 4px 0 0; max-height: 16em;
  overflow: auto; color: inherit; background: none; }`;

function element(tag, className, parent) {
  const made = document.createElement(tag);
  made.className = className;
  parent?.append(made);
  return made;
}

/** Keeps root's theme that of the page: JupyterLab's, VS Code's, or else the system's; returns how to stop. */
function follow(root) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const look = () => {
    const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
    const dark = jpThemeLight ? jpThemeLight === "false" : vscodeThemeKind ? /dark|black/.test(vscodeThemeKind) : system.matches;
    root.dataset.ddlTheme = dark ? "dark" : "light";
  };
  const watch = new MutationObserver(look);
  watch.observe(document.body, { attributes: true });
  system.addEventListener("change", look);
  look();
  return () => (watch.disconnect(), system.removeEventListener("change", look));
}

/** Keys that a notebook has no business with: it would insert a cell on "a" and go to another on an arrow. */
const isOurs = ({ key, ctrlKey, metaKey, altKey, shiftKey }) => !(ctrlKey || metaKey || altKey || (shiftKey && key === "Enter"));

/** The function by which a view asks the kernel; its promise says whether that was done. */
function asking(model, alive, say) {
  const waiting = new Map();
  const end = (number, done) => {
    const { resolve, timer } = waiting.get(number) ?? {};
    clearTimeout(timer);
    if (!waiting.delete(number)) return;
    if (!waiting.size) say("");
    resolve(done);
  };
  const lose = () => {
    for (const number of [...waiting.keys()]) end(number, false);
    say(GONE);
  };
  model.on("msg:custom", ({ answered, fault }) => end(answered, !fault));
  model.on("comm_live_update", () => waiting.size && !alive() && lose());
  return (ask) =>
    new Promise((resolve) => {
      const number = crypto.getRandomValues(new Uint32Array(2)).join("-");
      waiting.set(number, { resolve, timer: setTimeout(() => say(SLOW), PATIENCE) });
      if (!alive()) return lose();
      try {
        model.send({ ask, number });
      } catch {
        lose();
      }
    });
}

/** The anywidget module of a view: render({ model, el, ask }) draws it into el and may return how to end. */
export function shell(render, name) {
  return {
    render({ model, el }) {
      const root = element("section", "ddl-widget");
      root.setAttribute("aria-label", name);
      root.addEventListener("keydown", (event) => isOurs(event) && event.stopPropagation());
      element("style", "", root).textContent = STYLE;
      const view = element("div", "ddl-view", root);
      const fault = element("p", "ddl-fault", root);
      const status = element("p", "ddl-status", root);
      fault.setAttribute("role", "alert");
      status.setAttribute("role", "status");
      const words = element("details", "ddl-words", root);
      element("summary", "", words).textContent = "In words";
      const text = element("pre", "", words);
      text.tabIndex = 0; // so that keys scroll it
      el.replaceChildren(root);

      const say = (what) => (status.textContent = what);
      const guarded = (f) => (...about) => {
        try {
          return f(...about);
        } catch (error) {
          console.error(error);
          fault.textContent = `The view could not be drawn, but the words below are right. ${error}`;
          words.open = true;
        }
      };
      const wrapped = new Map();
      const seen = {
        get: (trait) => model.get(trait),
        on: (event, f) => model.on(event, wrapped.set(f, guarded(f)).get(f)),
        off: (event, f) => model.off(event, wrapped.get(f)),
      };
      const alive = () => !el.closest(".jupyter-widgets-disconnected");
      const ask = asking(model, alive, say);
      const tell = () => {
        text.textContent = model.get("words");
        fault.textContent = model.get("fault");
      };
      model.on("change:words", tell);
      model.on("change:fault", tell);
      tell();
      const ends = [follow(root), guarded(render)({ model: seen, el: view, ask })];
      return () => ends.forEach((end) => end?.());
    },
  };
}
