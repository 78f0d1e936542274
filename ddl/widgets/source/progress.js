// How far one has come: a tile for each exercise, in a row a chapter, and what is kept of the chosen one.
import { h } from "./dom.js";
import { action, choice, fields } from "./fields.js";
import kit from "./kit.css";
import css from "./progress.css";

const SIGNS = { solved: "✓", tried: "…", open: "" };

const standing = ({ passed, tries }) => (passed ? "solved" : tries ? "tried" : "open");
const counted = (n, one, more) => `${n} ${n === 1 ? one : more}`;
const day = (time) => time.slice(0, 10);

/** What is kept of one exercise, in a sentence. */
function told(x) {
  const hints = x.hints ? `, with ${counted(x.hints, "hint", "hints")}` : "";
  const tries = counted(x.tries, "try", "tries");
  if (x.passed) return `Solved on ${day(x.first_passed)}; ${tries} so far${hints}.`;
  return x.tries ? `Not solved yet after ${tries}${hints}; last on ${day(x.last_tried)}.` : `Not tried yet${hints}.`;
}

export function render({ model, el, ask }) {
  const tiles = h("div", { class: "ddl-tiles" });
  const said = h("p", { role: "status" });
  const detail = h("p", { class: "ddl-told" });
  const { exercises } = model.get("data");
  const picked = choice("Exercise", exercises.map(({ id, title }) => [id, `${id} ${title}`]), exercises.find((x) => !x.passed)?.id, () => draw());

  function draw() {
    const { exercises: all, written } = model.get("data");
    const of = (chapter) => all.filter(({ id }) => id.startsWith(chapter));
    const tile = (x) =>
      h("span", { class: `ddl-tile ddl-${standing(x)}${x.id === picked.value ? " ddl-here" : ""}`, title: x.title, "data-place": x.id, "data-value": x.tries || null,
        onclick: () => ((picked.value = x.id), draw()) },
        h("span", {}, `${SIGNS[standing(x)]} ${x.id.slice(3)}`.trim()), h("small", { "aria-hidden": "true" }, "★".repeat(x.level)));
    const row = (chapter) => h("tr", {}, h("th", { scope: "row" }, chapter, h("span", { class: "ddl-kind" }, ` ${of(chapter).filter((x) => x.passed).length} of ${of(chapter).length}`)), h("td", {}, of(chapter).map(tile)));
    tiles.replaceChildren(h("table", {}, h("tbody", {}, [...new Set(all.map(({ id }) => id.slice(0, 2)))].map(row))));
    const x = all.find(({ id }) => id === picked.value) ?? all[0];
    detail.replaceChildren(h("b", {}, `${x.id} ${"★".repeat(x.level)} ${x.title}. `), told(x));
    said.textContent = `${all.filter((y) => y.passed).length} of ${all.length} exercises are solved.${written ? ` The table is in ${written}.` : ""}`;
  }
  const again = action("Look again", () => ask({}), { class: "ddl-again" });
  const write = action("Write a table", () => ask({ write: true }), { title: "progress.csv, beside what is kept" });
  el.append(h("div", { class: "ddl-kit ddl-progress" }, h("style", {}, kit + css), said, tiles, fields("Exercises", picked, again, write), detail));
  model.on("change:data", draw);
  draw();
  return () => model.off("change:data", draw);
}
