// Numbers and arrays of them, as the graph's JSON has them: "nan", "inf" and "-inf" are written as words.

const WORDS = { nan: NaN, inf: Infinity, "-inf": -Infinity };

export const number = (x) => (typeof x === "string" ? WORDS[x] : x);
export const isNumber = (x) => typeof x === "number" || typeof x === "string";

/** Entry by entry, for numbers and for nested lists of one shape. */
export function each(f, ...xs) {
  return Array.isArray(xs[0]) ? xs[0].map((_, i) => each(f, ...xs.map((x) => x[i]))) : f(...xs.map(number));
}

export const add = (x, y) => each((a, b) => a + b, x, y);
export const flat = (x) => (Array.isArray(x) ? x.flat(Infinity).map(number) : [number(x)]);

/** At most four digits. */
export function short(x) {
  const value = number(x);
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return String(Number(value.toPrecision(4)) + 0).replace("e+", "e");
}

/** All digits, for data attributes: what Python wrote. */
export const exact = (x) => (x === null || x === undefined ? "" : Array.isArray(x) ? JSON.stringify(x) : String(x));

/** An array in words. */
export function summary(x) {
  if (!Array.isArray(x)) return short(x);
  const all = flat(x);
  if (!all.length) return "no numbers";
  if (all.length <= 6) return all.map(short).join(", ");
  const odd = all.filter((a) => !Number.isFinite(a)).length;
  const good = all.filter(Number.isFinite);
  const range = good.length ? `${short(Math.min(...good))} to ${short(Math.max(...good))}` : "";
  return [range, odd ? `${odd} not finite` : ""].filter(Boolean).join(", ");
}
