// Rotary positions: dials of the pairs that turn, and scores over distance; sliders move the query and the key.
import { chart, s } from "./chart.js";
import { h } from "./dom.js";
import { choice, entry, fields, slider } from "./fields.js";
import kit from "./kit.css";
import { short } from "./numbers.js";
import css from "./rotary.css";
import { extent } from "./scale.js";

const NAMES = [["split", "halves: (i, i + D / 2)"], ["interleaved", "neighbours: (2i, 2i + 1)"]];
const DIALS = 8;
const SIZE = 104;

const dot = (x, y) => x.reduce((sum, each, i) => sum + each * y[i], 0);

/** The numbers of the coordinates that make pair i of a head of so many. */
export const pair = (kind, i, dim) => (kind === "interleaved" ? [2 * i, 2 * i + 1] : [i, i + dim / 2]);

export function render({ model, el, ask }) {
  let data, m, n;
  const wish = (name) => (typed) => ask({ [name]: typed.trim() !== "" && Number.isFinite(+typed) ? +typed : typed });
  const typed = Object.fromEntries(["dim", "positions", "base", "seed"].map((name) => [name, entry({ dim: "Width D", positions: "Positions", base: "Base", seed: "Seed" }[name], "", wish(name), { size: 6 })]));
  const kind = choice("A pair is", NAMES, "split", () => draw());
  const ofQuery = slider("Query's position", { min: 0, max: 1, value: 0 }, (x) => ((m = x), draw()));
  const ofKey = slider("Key's position", { min: 0, max: 1, value: 0 }, (x) => ((n = x), draw()));
  const both = slider("Both together", { min: 0, max: 1, value: 0, write: (x) => `from ${x}` }, (x) => {
    const shift = x - Math.min(m, n);
    [m, n] = [m + shift, n + shift];
    draw();
  });
  const score = h("p", { class: "ddl-score", role: "status" });
  const dials = h("div", { class: "ddl-row-of ddl-dials" });
  const over = h("div", {});
  const vectors = () => data.turned[kind.value];

  function dial(i) {
    const [a, b] = pair(kind.value, i, data.dim);
    const { q, k } = vectors();
    const [middle, reach] = [SIZE / 2, SIZE / 2 - 8];
    const long = Math.max(Math.hypot(q[0][a], q[0][b]), Math.hypot(k[0][a], k[0][b]), 1e-30);
    const at = (x) => [middle + (reach * x[a]) / long, middle - (reach * x[b]) / long];
    const hand = (x, n, more = {}) => {
      const [u, v] = at(x);
      return [s("line", { x1: middle, y1: middle, x2: u, y2: v, class: "ddl-hand", style: `stroke: var(--ddl-c${n})`, ...more }),
        n ? s("rect", { x: u - 4, y: v - 4, width: 8, height: 8, style: "fill: var(--ddl-c1)" }) : s("circle", { cx: u, cy: v, r: 4.5, style: "fill: var(--ddl-c0)" })];
    };
    const trail = (xs, n) => xs.map((x) => s("circle", { cx: at(x)[0], cy: at(x)[1], r: 1.3, style: `fill: var(--ddl-c${n})` }));
    const part = q[m][a] * k[n][a] + q[m][b] * k[n][b];
    const turn = (360 / data.waves[i]) * m;
    return h("figure", { class: "ddl-dial" },
      s("svg", { width: SIZE, height: SIZE, viewBox: `0 0 ${SIZE} ${SIZE}`, role: "img", "aria-label": `Pair ${i}: query and key as arrows in the plane of coordinates ${a} and ${b}` },
        s("circle", { cx: middle, cy: middle, r: reach, class: "ddl-rim" }), trail(q, 0), trail(k, 1), hand(q[m], 0), hand(k[n], 1, { "stroke-dasharray": "5 3" })),
      h("figcaption", {}, h("b", {}, `pair ${i}: (${a}, ${b})`), h("br"), `a turn in ${short(data.waves[i])} steps`, h("br"), `query turned by ${turn.toFixed(1)}°`, h("br"), `adds ${short(part)}`));
  }

  function scores() {
    const { q, k } = vectors();
    const P = data.positions;
    const first = [];
    const last = [];
    for (let d = 1 - P; d < P; d += 1) {
      const [early, late] = [Math.max(0, -d), Math.min(P - 1, P - 1 - d)];
      first.push([d, dot(q[early], k[early + d])]);
      last.push([d, dot(q[late], k[late + d])]);
    }
    const plain = dot(data.q, data.k);
    const [low, high] = extent([...first.map(([, y]) => y), plain]);
    const room = 0.06 * (high - low);
    const made = chart({ name: "Score over distance", width: 560, height: 250, x: { domain: [0.5 - P, P - 0.5], label: "distance: position of the key minus that of the query" }, y: { domain: [low - room, high + room], label: "score q · k" } });
    made.inside.append(s("line", { x1: made.x(n - m), x2: made.x(n - m), y1: 0, y2: 250, class: "ddl-at" }));
    made.line([[-P, plain], [P, plain]], 5, { "stroke-dasharray": "2 3" });
    made.line(first, 0);
    made.dots(first, 0, 3).forEach((element, i) => Object.assign(element.dataset, { place: first[i][0], value: first[i][1] }));
    made.dots(last, 1, 6).forEach((element) => element.setAttribute("style", "fill: none; stroke: var(--ddl-c1); stroke-width: 1.5"));
    return [made.svg, h("ul", { class: "ddl-legend" },
      h("li", { class: "ddl-q" }, "● at the earliest positions of that distance"), h("li", { class: "ddl-k" }, "○ at the latest"), h("li", {}, `┄ without turns: ${short(plain)} everywhere`))];
  }

  function draw() {
    const { q, k } = vectors();
    ofQuery.value = m;
    ofKey.value = n;
    both.input.max = data.positions - 1 - Math.abs(m - n);
    both.value = Math.min(m, n);
    score.replaceChildren("q · k = ", h("b", {}, short(dot(q[m], k[n]))), ` with the query at ${m} and the key at ${n}: distance ${n - m}. `,
      `Of all pairs of positions, those at equal distance differ by ${short(data.spread[kind.value])} at most, which is rounding.`);
    dials.replaceChildren(...Array.from({ length: Math.min(data.dim / 2, DIALS) }, (_, i) => dial(i)),
      data.dim / 2 > DIALS && h("p", { class: "ddl-more" }, `and ${data.dim / 2 - DIALS} slower pairs, which add to the score too`) || "");
    over.replaceChildren(...scores());
  }

  function renew() {
    data = model.get("data");
    [m, n] = [Math.min(m ?? Math.floor(data.positions / 2), data.positions - 1), Math.min(n ?? 1, data.positions - 1)];
    for (const each of [ofQuery, ofKey]) each.input.max = data.positions - 1;
    for (const [name, field] of Object.entries(typed)) field.value = data[name];
    draw();
  }

  kind.value = model.get("data").shown;
  el.append(h("style", {}, kit + css), h("div", { class: "ddl-kit" },
    h("p", {}, "A head's coordinates go in pairs, and each pair turns by an angle that grows with the position: the first pairs fast, the last ones slowly. The score of a query ", h("span", { class: "ddl-q" }, "● q"), " and a key ", h("span", { class: "ddl-k" }, "■ k"), " then depends on their distance alone: move both together, and it stays."),
    fields("Positions", ofQuery, ofKey, both, kind), ask && fields("What is asked of the kernel", ...Object.values(typed)),
    score, dials, over));
  model.on("change:data", renew);
  renew();
}
