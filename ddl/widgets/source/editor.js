// What a kernel can change: a value that was given, and which activation stands where one is.
import { h } from "./dom.js";
import { each, exact, isNumber } from "./numbers.js";

const LARGEST = 64; // more fields than that nobody fills in

/** Fields for what can be changed about a node; null where there is no kernel, or nothing to change. */
export function editor(node, { graph, ask }) {
  if (!ask) return null;
  if (node.kind === "op") return swap(node, graph.swaps?.[node.op] ?? [], ask);
  if (node.value == null || node.kind === "constant") return null;
  return isNumber(node.value) || count(node.value) <= LARGEST ? values(node, ask) : null;
}

const count = (x) => (Array.isArray(x) ? x.reduce((sum, each) => sum + count(each), 0) : 1);

function swap(node, others, ask) {
  if (!others.length) return null;
  const choices = [...new Set([node.op, ...others])].map((op) => h("option", { value: op, selected: op === node.op }, op));
  const select = h("select", { "aria-label": `activation in the place of ${node.op}` }, choices);
  select.addEventListener("change", async () => {
    if (!(await ask({ kind: "op", node: node.id, op: select.value }))) select.value = node.op;
  });
  return h("div", {}, h("h4", {}, "try another"), select);
}

function values(node, ask) {
  const send = async (event) => {
    const field = event.target;
    const typed = Number(field.value);
    const fine = field.value.trim() !== "" && !Number.isNaN(typed);
    field.setAttribute("aria-invalid", String(!fine));
    refused.textContent = fine ? "" : `“${field.value}” is no number: write one like 0.5 or -2e3.`;
    if (!fine) return;
    let place = 0;
    const fields = [...form.querySelectorAll("input")];
    const value = each((old) => { const f = fields[place++]; return f === field ? typed : old; }, node.value);
    if (!(await ask({ kind: "value", node: node.id, value }))) field.value = field.defaultValue;
  };
  let place = 0;
  const field = (x) => h("input", { type: "text", inputmode: "decimal", size: 7, value: exact(x), "aria-label": `number ${++place}`, onchange: send });
  const row = (x) => (Array.isArray(x) ? h("div", { class: "ddl-row" }, x.map(row)) : field(x));
  const refused = h("p", { class: "ddl-refused", role: "alert" });
  const form = h("div", { class: "ddl-fields" }, h("h4", {}, "change it"), row(node.value), refused);
  return form;
}
