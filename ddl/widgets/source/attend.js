// Attention: all heads small, one of them large, and where one of its queries looks.
import { h } from "./dom.js";
import { choice, entry, fields, slider } from "./fields.js";
import css from "./attend.css";
import kit from "./kit.css";
import { matrix, thumbnail } from "./attended.js";
import { short } from "./numbers.js";
import { pick } from "./pick.js";

const AFTER = "after the softmax: weights";
const BEFORE = "before the softmax: scores";

export function render({ model, el, ask }) {
  let data, heads, layer, head, query;
  const piece = (name) => h("bdi", { class: "ddl-piece" }, name);
  const text = entry("Text", "", (typed) => ask({ text: typed }), { size: 48 });
  const shown = choice("Show", [AFTER, BEFORE], AFTER, () => draw());
  const of = slider("Query", { min: 0, max: 1, value: 0, write: (t) => `${t} ${layer?.queries[t] ?? ""}` }, (t) => ((query = t), draw()));
  const alarm = h("p", {});
  const small = h("div", { class: "ddl-heads" });
  const large = h("div", { class: "ddl-large" });
  const said = h("p", { role: "status" });
  const keys = h("div", { class: "ddl-keys" });
  const square = (of) => of.queries.length === of.keys.length;
  const ahead = (t, s) => square(layer) && s > t;

  function chip(s, weight, score) {
    const masked = layer.scores && score === null && weight !== null;
    const later = ahead(query, s) && weight > 0;
    return h("span", { class: `ddl-key${masked ? " ddl-masked" : ""}${later ? " ddl-later" : ""}${square(layer) && s === query ? " ddl-self" : ""}`,
      style: `--share: ${100 * Math.sqrt(weight)}%`, "data-place": s, "data-value": weight },
      piece(layer.keys[s]), h("small", {}, masked ? "masked" : weight === null ? "NaN" : short(shown.value === AFTER ? weight : score)));
  }

  function draw() {
    const before = shown.value === BEFORE;
    const weights = layer.weights[head];
    const scores = layer.scores?.[head];
    large.replaceChildren(matrix(layer, head, before, query, (t) => ((query = of.value = t), draw())));
    const future = layer.future[head];
    said.replaceChildren(h("b", {}, `${layer.name}, head ${head}: `), `query ${query}, `, piece(layer.queries[query]), ", looks at these keys. ",
      future?.most > 0 ? h("span", { class: data.alarm ? "ddl-warn" : "" }, `This head looks ahead, with up to ${short(future.most)}.`) : "");
    keys.replaceChildren(...layer.keys.map((_, s) => chip(s, weights[query][s], scores ? scores[query][s] : null)));
  }

  function tellFuture(leaks) {
    const most = ([each, i]) => each.future[i].most;
    alarm.className = data.broken || (leaks.length && data.alarm) ? "ddl-alarm" : "";
    if (data.broken) alarm.textContent = data.broken;
    else if (!heads.some(([each, i]) => each.future[i])) alarm.textContent = "Keys are not the queries here, so there is no future to hide.";
    else if (!leaks.length) alarm.textContent = "No query looks at what comes after it: all weight on the future is 0.";
    else {
      const [each, i] = leaks.reduce((a, b) => (most(a) >= most(b) ? a : b));
      const { query: t, key: s } = each.future[i];
      alarm.replaceChildren(
        `${data.alarm ? "A leak, where this is a decoder" : "Both ways"}: ${leaks.length} of ${heads.length} heads look ahead, most with ${short(most([each, i]))} in ${each.name}, head ${i}: query ${t}, `,
        piece(each.queries[t]), `, sees key ${s}, `, piece(each.keys[s]), ".");
    }
  }

  function choose(i, keep = false) {
    const was = layer?.queries.length;
    [layer, head] = heads[i];
    if (!keep || was !== layer.queries.length) query = layer.queries.length - 1;
    of.input.max = layer.queries.length - 1;
    of.value = query;
    shown.element.hidden = !layer.scores;
    draw();
  }

  function renew() {
    data = model.get("data");
    heads = data.layers.flatMap((each) => each.weights.map((_, i) => [each, i]));
    const columns = Math.max(...data.layers.map((each) => each.weights.length));
    const size = Math.max(18, Math.min(64, Math.floor(300 / columns)));
    const leaky = ([each, i]) => each.future[i]?.most > 0;
    const mark = (one) => (leaky(one) && data.alarm ? " ddl-leaky" : "");
    const items = heads.map(([each, i]) => h("div", { class: `ddl-head${mark([each, i])}`, "aria-label": `${each.name}, head ${i}` }, thumbnail(each, i, size)));
    const grid = pick({ name: "Heads: layers from top to bottom, heads from left to right", items, columns, onmove: (i) => choose(i, true), hover: false });
    grid.element.style.gridTemplateColumns = `repeat(${columns}, auto)`;
    small.replaceChildren(h("p", { class: "ddl-soft" }, `layers (rows): ${data.layers.length}, heads (columns): ${columns}`), grid.element);
    tellFuture(heads.filter(leaky));
    if (data.text !== null) text.value = data.text;
    text.element.hidden = data.text === null;
    choose(0);
  }

  el.append(h("style", {}, kit + css), h("div", { class: "ddl-kit" },
    h("p", {}, "Each row of a square is a query, each column a key: the fuller the colour, the more that query takes from that key. Weight on keys that come after their query is rust instead of blue; what a mask hides is hatched."),
    fields("What is shown", ask && text, shown, of), alarm, h("div", { class: "ddl-row-of" }, small, large), said, keys));
  model.on("change:data", renew);
  renew();
}
