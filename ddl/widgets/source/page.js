// The player as a page of its own, in which a graph lies as JSON: see ddl/graph/page.py.
import { h, scrollable } from "./dom.js";
import STYLE from "./page.css";
import { render } from "./player.js";
import { STYLE as SHELL } from "./shell.js";

export function page(document) {
  const main = document.querySelector("main");
  const words = main.querySelector("details");
  document.head.append(h("style", {}, SHELL, STYLE));
  main.querySelector("header").append(themeButton(document, main));
  words.addEventListener("toggle", () => scrollable(words.querySelector("pre")));
  try {
    const graph = JSON.parse(document.getElementById("ddl-graph").textContent);
    render({ model: { get: () => graph, on() {}, off() {} }, el: main.querySelector(".ddl-view") });
  } catch (error) {
    console.error(error);
    main.querySelector(".ddl-fault").textContent = `The view could not be drawn, but the words below are right. ${error}`;
    words.open = true;
  }
}

/** Light or dark: as the system has it, until somebody chooses. */
function themeButton(document, main) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const set = (theme) => {
    for (const element of [document.documentElement, main]) element.dataset.ddlTheme = theme;
    button.textContent = theme === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `${button.textContent} colours`);
  };
  const follow = () => set(system.matches ? "dark" : "light");
  const choose = () => {
    system.removeEventListener("change", follow);
    set(main.dataset.ddlTheme === "dark" ? "light" : "dark");
  };
  const button = h("button", { type: "button", onclick: choose });
  system.addEventListener("change", follow);
  follow();
  return button;
}
