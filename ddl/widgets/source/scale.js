// From numbers to places on the page and back.
import { ticks } from "d3-array";

/** A domain that holds all finite numbers, a little wider than they are; with `log` of those above 0. */
export function extent(numbers, { log = false, zero = false } = {}) {
  const good = numbers.filter((x) => Number.isFinite(x) && (!log || x > 0));
  if (!good.length) return log ? [0.1, 1] : [0, 1];
  let [low, high] = good.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
  if (zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  if (low === high) return log ? [low / 2, high * 2] : low ? [low - Math.abs(low) / 2, high + Math.abs(low) / 2] : [-1, 1];
  return [low, high];
}

/** scale(x) is the place of x, scale.invert(place) the number there, scale.marks(n) about n round numbers. */
export function scale(domain, range, log = false) {
  const f = log ? Math.log10 : (x) => x;
  const [from, to] = domain.map(f);
  const place = (x) => range[0] + ((f(x) - from) / (to - from)) * (range[1] - range[0]);
  place.invert = (at) => {
    const t = from + ((at - range[0]) / (range[1] - range[0])) * (to - from);
    return log ? 10 ** t : t;
  };
  place.marks = (n) => (log ? powers(from, to, n) : ticks(...domain, n));
  place.domain = domain;
  return place;
}

/** Powers of ten, with 2s and 5s between them where there are few; where that leaves one or none, round numbers. */
function powers(from, to, n) {
  const [first, last] = [Math.floor(from), Math.ceil(to)];
  const step = Math.max(1, Math.ceil((last - first) / n));
  const between = last - first <= 2 ? [1, 2, 5] : [1];
  const found = [];
  for (let power = first; power <= last; power += step) found.push(...between.map((x) => x * 10 ** power));
  const inside = found.filter((x) => x >= 10 ** from * (1 - 1e-9) && x <= 10 ** to * (1 + 1e-9));
  return inside.length > 1 ? inside : ticks(10 ** from, 10 ** to, n).filter((x) => x > 0);
}
