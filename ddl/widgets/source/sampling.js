// The distribution that sampling draws from, as ddl.models.distribution has it.

/**
 * top: [[id, score, name], ..], likeliest first; rest: [[score, how many tokens], ..], further down.
 *
 * Returns { p, others, nats, kept }: of each token of top, of all the rest together, the entropy, and how many are left.
 */
export function distribution({ top, rest }, { temperature, top_k, top_p }) {
  const scores = [...top.map(([, z]) => z), ...rest.map(([z]) => z)];
  const counts = [...top.map(() => 1), ...rest.map(([, n]) => n)];
  const k = temperature === 0 ? 1 : top_k ?? Infinity;
  let mass = scores.map((z) => Math.exp((z - scores[0]) / (temperature || 1)));
  let seen = 0;
  const left = counts.map((n) => Math.max(0, Math.min(n, k - (seen += n) + n)));
  let total = sum(mass.map((m, i) => m * left[i]));
  mass = mass.map((m) => m / total);
  let before = 0;
  if (top_p != null) {
    mass.forEach((m, i) => {
      const all = m * left[i];
      if (before >= top_p) left[i] = 0;
      before += all;
    });
    total = sum(mass.map((m, i) => m * left[i]));
    mass = mass.map((m) => m / total);
  }
  const p = mass.map((m, i) => (left[i] ? m : 0));
  return {
    p: p.slice(0, top.length),
    others: sum(p.slice(top.length).map((each, i) => each * left[top.length + i])),
    nats: Math.max(0, -sum(p.map((each, i) => (each > 0 ? left[i] * each * Math.log(each) : 0)))),
    kept: sum(left),
  };
}

/** The place in top of the token on which u falls where all lie side by side, by id; -1 beyond them. */
export function drawn(top, p, u) {
  const byId = top.map((_, i) => i).sort((i, j) => top[i][0] - top[j][0]);
  let before = 0;
  for (const i of byId) {
    before += p[i];
    if (before > u) return i;
  }
  return before > 1 - 1e-9 ? byId.findLast((i) => p[i] > 0) : -1;
}

const sum = (xs) => xs.reduce((a, b) => a + b, 0);
