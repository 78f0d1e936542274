// The next token's distribution: sliders cool and cut it, and what is drawn or picked goes on through the kernel.
import { h } from "./dom.js";
import { action, entry, fields, slider } from "./fields.js";
import kit from "./kit.css";
import { short } from "./numbers.js";
import { pick } from "./pick.js";
import css from "./sample.css";
import { distribution, drawn } from "./sampling.js";

const ROWS = 20;
const KS = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 500, 750];

/** A filled bar and an outlined one; what is longer than the place fades out. */
function bars(now, own, most) {
  const span = (kind, x) => h("span", { class: `ddl-bar-${kind}${x > most ? " ddl-over" : ""}`, style: `width: ${Math.min(100, (100 * x) / most)}%` });
  return h("span", { class: "ddl-bars" }, span("now", now), span("own", own));
}

export function render({ model, el, ask }) {
  let data, set, ks;
  let at = 0;
  const wish = (about) => ask?.({ ...about, ...set });
  const piece = (name) => h("bdi", { class: "ddl-piece" }, name);
  const text = entry("Text", "", (typed) => wish({ text: typed }), { size: 48 });
  const seed = entry("Seed", "", (typed) => wish({ seed: /^\d+$/.test(typed.trim()) ? +typed : typed }), { size: 6 });
  const heat = slider("Temperature", { min: 0, max: 2, step: 0.01, value: 1 }, (x) => turn({ temperature: x }));
  const k = slider("top-k", { min: 0, max: 1, value: 1, write: (i) => ks?.[i] ?? "all" }, (i) => turn({ top_k: ks[i] ?? null }));
  const p = slider("top-p", { min: 0.01, max: 1, step: 0.01, value: 1 }, (x) => turn({ top_p: x }));
  const back = action("Take the last one back", () => back.getAttribute("aria-disabled") === "true" || wish({ back: true }));
  const draw = action("Draw", () => wish({ draw: true }));
  const so = h("p", { class: "ddl-so" });
  const said = h("p", { role: "status" });
  const fate = h("span", {});
  const line = h("div", { class: "ddl-line-of", "aria-hidden": "true" });
  const list = h("div", {});

  function turn(about) {
    set = { ...set, ...about };
    show();
  }

  function bar(i, own, now, most) {
    const [id, score, name] = data.top[i];
    return h("div", { class: "ddl-choice", "data-place": i, "data-value": now.p[i], title: `id ${id}, score ${short(score)}` },
      piece(name),
      bars(now.p[i], own.p[i], most),
      h("span", { class: "ddl-number" }, short(now.p[i])),
      h("span", { class: "ddl-number ddl-own" }, short(own.p[i])));
  }

  function show() {
    const own = distribution(data, { temperature: 1, top_k: null, top_p: null });
    const now = distribution(data, set);
    const hit = drawn(data.top, now.p, data.u);
    const shown = data.top.slice(0, ROWS);
    const most = Math.max(...now.p, ...own.p);
    const rows = shown.map((_, i) => bar(i, own, now, most));
    rows[hit]?.classList.add("ddl-drawn");
    at = Math.min(at, rows.length - 1);
    const picked = pick({ name: "Tokens to go on with", items: rows, at, onmove: (i) => (at = i), onpick: (i) => wish({ add: data.top[i][0] }) });
    const focused = list.contains(document.activeElement);
    const all = (of) => of.others + of.p.slice(ROWS).reduce((a, b) => a + b, 0);
    const count = data.top.length + data.rest.reduce((sum, [, n]) => sum + n, 0);
    const others = h("div", { class: "ddl-choice ddl-others" }, h("span", {}, `${count - rows.length} others together`), bars(all(now), all(own), most),
      h("span", { class: "ddl-number" }, short(all(now))), h("span", { class: "ddl-number ddl-own" }, short(all(own))));
    list.replaceChildren(
      h("div", { class: "ddl-choice ddl-heads", "aria-hidden": "true" }, h("span", {}, "next token"), h("span", {}), h("span", { class: "ddl-number" }, "settings"), h("span", { class: "ddl-number ddl-own" }, "model")),
      picked.element, others);
    if (focused) picked.element.focus();
    said.replaceChildren(
      `${now.kept} of ${count} tokens can be drawn. Entropy `, h("b", { "data-entropy": now.nats }, short(now.nats)), ` nats = ${short(now.nats / Math.LN2)} bits;`,
      ` the model's own ${short(own.nats)} nats = ${short(own.nats / Math.LN2)} bits.`);
    fate.replaceChildren(`All tokens side by side, each as wide as it is probable: the seeded number u = ${short(data.u)} falls on `,
      ...(hit < 0 ? ["one of the tokens that were not sent"] : [piece(data.top[hit][2]), ` (${short(now.p[hit])})`]));
    const byId = data.top.map((_, i) => i).filter((i) => now.p[i] > 0).sort((i, j) => data.top[i][0] - data.top[j][0]);
    line.replaceChildren(
      ...byId.map((i) => h("span", { class: `ddl-part${i === hit ? " ddl-hit" : ""}`, style: `flex-grow: ${now.p[i]}` }, now.p[i] > 0.05 ? piece(data.top[i][2]) : null)),
      h("span", { class: "ddl-part", style: `flex-grow: ${now.others}` }),
      h("i", { style: `left: ${100 * data.u}%` }));
  }

  function renew() {
    data = model.get("data");
    set = { ...data.settings };
    ks = [...new Set([...KS, ...(set.top_k ? [set.top_k] : [])])].filter((n) => n < data.top.length).sort((a, b) => a - b);
    k.input.max = ks.length;
    k.value = set.top_k && ks.includes(set.top_k) ? ks.indexOf(set.top_k) : ks.length;
    heat.input.max = Math.max(2, set.temperature);
    heat.value = set.temperature;
    p.value = set.top_p ?? 1;
    [text.value, seed.value, at] = [data.text, data.seed, 0];
    so.replaceChildren(...data.tokens.map((name, i) => h("bdi", { class: `ddl-piece${i < data.first ? "" : " ddl-added"}` }, name)));
    back.setAttribute("aria-disabled", String(data.tokens.length === data.first));
    show();
  }

  el.append(h("style", {}, kit + css), h("div", { class: "ddl-kit" },
    h("p", {}, "What may come next, and how likely. Filled bars: what is drawn from, with the settings below. Outlined: the model's own distribution. Pick a token to go on with it, or draw one."),
    fields("Settings", heat, k, p), ask && fields("What is asked of the kernel", text, seed),
    so, said, line, h("div", { class: "ddl-fields-row" }, ask && draw, ask && back, fate), list));
  model.on("change:data", renew);
  renew();
}
