// A text's tokens: a slider goes through the merges, arrow keys or the mouse through the tokens.
import { h } from "./dom.js";
import { entry, fields, slider } from "./fields.js";
import kit from "./kit.css";
import { pick } from "./pick.js";
import css from "./tokens.css";

/** What words of ids are after the first n steps: [{ id, fresh }] for each word, where fresh is what the last one made. */
export function after(words, steps, n) {
  const now = words.map((word) => word.map((id) => ({ id, fresh: false })));
  steps.slice(0, n).forEach(({ left, right, new: id }, at) => {
    for (const word of now) {
      for (let i = 0; i < word.length - 1; i += 1) {
        if (word[i].id === left && word[i + 1].id === right) word.splice(i, 2, { id, fresh: at === n - 1 });
      }
    }
  });
  return now;
}

const UTF8 = new TextEncoder();

/** The characters of a text into which its bytes from to .. to - 1 fall, and whether those are all of theirs. */
export function characters(text, from, to) {
  const found = [];
  let [at, whole] = [0, true];
  for (const char of text) {
    const end = at + UTF8.encode(char).length;
    if (end > from && at < to) {
      found.push(char);
      whole &&= at >= from && end <= to;
    }
    at = end;
  }
  return { chars: found.join(""), whole };
}

export function render({ model, el, ask }) {
  let data, n, at;
  const piece = (id) => data.pieces[id];
  const name = (id) => h("bdi", { class: "ddl-piece" }, piece(id).text);
  const text = entry("Text", "", (typed) => ask({ text: typed }), { size: 48 });
  const step = slider("Merges done", { min: 0, max: 1, value: 0, write: (k) => `${k} of ${data?.steps.length ?? 0}` }, (k) => ((n = k), draw()));
  const said = h("p", { class: "ddl-said", role: "status" });
  const place = h("div");
  const about = h("div", { class: "ddl-about" });

  function tell(ids, at) {
    const id = ids[at];
    const size = (i) => piece(i).bytes.length && (piece(i).bytes.length + 1) / 3;
    const from = ids.slice(0, at).reduce((sum, i) => sum + size(i), 0);
    const { chars, whole } = characters(data.text, from, from + size(id));
    const made = data.steps.find((each) => each.new === id);
    const { bytes } = piece(id);
    about.replaceChildren(
      h("h3", {}, "Token ", name(id)),
      h("table", {},
        h("tr", {}, h("th", {}, "id"), h("td", {}, String(id))),
        h("tr", {}, h("th", {}, "bytes"), h("td", {}, h("code", {}, bytes), ` (${size(id)})`)),
        !whole && h("tr", {}, h("th", {}, "part of"), h("td", {}, h("bdi", {}, chars))),
        made && h("tr", {}, h("th", {}, "made of"), h("td", {}, name(made.left), ` ${made.left}  +  `, name(made.right), ` ${made.right}`)),
      ),
    );
  }

  function draw() {
    const now = after(data.words, data.steps, n);
    const flat = n === data.steps.length ? data.ids.map((id) => ({ id, fresh: false })) : now.flat();
    const ids = flat.map((each) => each.id);
    const fresh = now.flat().map((each) => each.fresh);
    const starts = new Set();
    now.reduce((sum, word) => (starts.add(sum), sum + word.length), 0);
    at = Math.min(at, Math.max(flat.length - 1, 0));
    const chips = flat.map(({ id }, i) =>
      h("span", { class: `ddl-token${fresh[i] ? " ddl-fresh" : ""}${starts.has(i) ? " ddl-first" : ""}`, style: `--c: var(--ddl-c${i % 6})`, "data-place": i, "data-value": id },
        name(id), h("small", {}, String(id))));
    place.replaceChildren(flat.length ? pick({ name: "Tokens", items: chips, flow: true, at, onmove: (i) => ((at = i), tell(ids, i)) }).element : h("p", {}, "There is no token: the text is empty."));
    const last = data.steps[n - 1];
    said.replaceChildren(...(last
      ? ["Merge ", String(n), ": ", name(last.left), " + ", name(last.right), " become ", name(last.new), ` (id ${last.new}) at ${last.places} place${last.places === 1 ? "" : "s"}; now ${flat.length} tokens.`]
      : [data.steps.length ? `No merge yet: ${flat.length} bytes, and as many tokens.` : `${flat.length} tokens.`]));
    if (flat.length) tell(ids, at);
    else about.replaceChildren();
  }

  function renew() {
    data = model.get("data");
    [n, at] = [data.steps.length, 0];
    step.input.max = n;
    step.value = n;
    step.element.hidden = !n;
    text.value = data.text;
    draw();
  }

  el.append(h("style", {}, kit + css), h("div", { class: "ddl-kit" },
    h("p", {}, "A tokenizer starts from bytes, and joins the neighbours that it learned to join first. Each box is a token, its id below it; a wider gap begins another word, over whose edge nothing is joined."),
    fields("What is cut into tokens", ask && text, step), said, place, about));
  model.on("change:data", renew);
  renew();
}
