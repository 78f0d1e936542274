// Numbers and arrays of them, as the graph's JSON has them: "nan", "inf" and "-inf" are written as words, and a mask is of
// true and false, which count as 1 and 0.

const WORDS = { nan: NaN, inf: Infinity, "-inf": -Infinity };

export const number = (x) => (typeof x === "string" ? WORDS[x] : typeof x === "boolean" ? Number(x) : x);
export const isNumber = (x) => typeof x === "number" || typeof x === "string";

/** Entry by entry, for numbers and for nested lists of one shape. */
export function each(f, ...xs) {
  return Array.isArray(xs[0]) ? xs[0].map((_, i) => each(f, ...xs.map((x) => x[i]))) : f(...xs.map(number));
}

export const add = (x, y) => each((a, b) => a + b, x, y);
export const flat = (x) => (Array.isArray(x) ? x.flat(Infinity).map(number) : [number(x)]);

/** At most four digits, as Python's "%.4g" has them. */
export function short(x) {
  const value = number(x);
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  if (size && (size < 1e-4 || size >= 1e6)) return value.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number.isInteger(value) ? value + 0 : Number(value.toPrecision(4)));
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
  const [least, most] = [Math.min(...good), Math.max(...good)];
  const range = !good.length ? "" : least === most ? `${short(least)} everywhere` : `${short(least)} to ${short(most)}`;
  return [range, odd ? `${odd} not finite` : ""].filter(Boolean).join(", ");
}
