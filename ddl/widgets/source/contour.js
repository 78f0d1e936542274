// Lines of equal height in a grid of numbers, cell by cell.

/** A path through all places where `values`, rows upwards, pass `level`; x(column) and y(row) place the grid. */
export function contour(values, columns, level, x, y) {
  let d = "";
  for (let row = 0; row + 1 < values.length / columns; row++) {
    for (let column = 0; column + 1 < columns; column++) {
      const at = (i, j) => values[(row + j) * columns + column + i];
      const corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([i, j]) => [column + i, row + j, at(i, j) - level]);
      const crossed = corners.flatMap(([a, b, from], n) => {
        const [c, e, to] = corners[(n + 1) % 4];
        if (!Number.isFinite(from) || !Number.isFinite(to) || from > 0 === to > 0) return [];
        const share = from / (from - to);
        return [[x(a + share * (c - a)), y(b + share * (e - b))]];
      });
      for (let n = 0; n + 1 < crossed.length; n += 2) d += `M${point(crossed[n])}L${point(crossed[n + 1])}`;
    }
  }
  return d;
}

const point = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
