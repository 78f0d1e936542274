// An op's settings as people write them; what JSON lacks has a tag there: see ddl/graph/records.py.
import { clean } from "./words.js";

const TAGS = {
  tuple: (x) => `(${x.map(setting).join(", ")})`,
  slice: ([start, stop, step]) => [start ?? "", stop ?? "", ...(step === null ? [] : [step])].map(setting).join(":"),
  ellipsis: () => "...",
  float: String,
  size: String,
  slide: ([stride, padding, dilation]) => `stride ${setting(stride)}, padding ${setting(padding)}, dilation ${setting(dilation)}`,
  array: (_, { shape, dtype }) => `${dtype}[${shape.join(", ")}]`,
  spec: (shape, { dtype }) => `${dtype}[${shape.join(", ")}]`,
  dtype: String, // last: arrays have one too
};

function setting(x) {
  if (Array.isArray(x)) return `[${x.map(setting).join(", ")}]`;
  if (x === null) return "none";
  const tag = typeof x === "object" && Object.keys(TAGS).find((name) => name in x);
  return tag ? TAGS[tag](x[tag], x) : typeof x === "object" ? JSON.stringify(x) : clean(x);
}

/** "axis = 1, keepdims = true" */
export const settings = (all) => Object.entries(all ?? {}).map(([name, x]) => `${clean(name)} = ${setting(x)}`).join(", ");
