// Boxes that a hand has moved: the ends of their wires follow, and they stay moved while scopes open and close.

export function pull(plane, name, dx, dy) {
  const box = plane.boxes.find((box) => box.name === name);
  if (!box) return;
  Object.assign(box, { x: box.x + dx, y: box.y + dy });
  for (const wire of plane.wires) pullEnds(wire, name, dx, dy);
  plane.coarse = undefined;
}

/** By how much each box was moved, from where it is laid out. */
export function pulls() {
  const moved = new Map();
  return {
    add(name, dx, dy) {
      const [x, y] = moved.get(name) ?? [0, 0];
      moved.set(name, [x + dx, y + dy]);
    },
    apply(plane) {
      for (const [name, [dx, dy]] of moved) pull(plane, name, dx, dy);
    },
    forget: () => moved.clear(),
  };
}

/** An end moves together with the level piece beside it. */
function pullEnds(wire, name, dx, dy) {
  const { points } = wire;
  const pulled = (end, next) => (points.length > 2 && points[next][1] === points[end][1] ? [end, next] : [end]);
  const moved = [...(wire.from === name ? pulled(0, 1) : []), ...(wire.to === name ? pulled(points.length - 1, points.length - 2) : [])];
  if (!moved.length) return;
  wire.points = points.map(([x, y], i) => (moved.includes(i) ? [x + dx, y + dy] : [x, y]));
  wire.bounds = wire.d = undefined;
}
