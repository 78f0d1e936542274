// Keys, where the focus is in the drawing or on nothing that wants them itself.

const PAN = 80;

export function keys(root, drawing, on) {
  const actions = {
    ArrowRight: on.next,
    ArrowLeft: on.back,
    ArrowDown: () => on.move(1),
    ArrowUp: () => on.move(-1),
    Home: on.first,
    End: on.last,
    " ": on.play,
    Enter: on.enter,
    "+": () => on.zoom(1.4),
    "=": () => on.zoom(1.4),
    "-": () => on.zoom(1 / 1.4),
    0: on.fit,
    "/": on.query,
  };
  const pans = { ArrowRight: [-PAN, 0], ArrowLeft: [PAN, 0], ArrowDown: [0, -PAN], ArrowUp: [0, PAN] };
  const heard = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !drawing.contains(event.target)) return;
    const act = event.shiftKey && pans[event.key] ? () => on.pan(...pans[event.key]) : actions[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  root.addEventListener("keydown", heard);
  return () => root.removeEventListener("keydown", heard);
}

export const HELP =
  "Arrow right and left step, arrow down and up go from box to box, Enter opens or closes a scope, space plays, " +
  "Home and End go to the ends, plus, minus and 0 zoom, shift with arrows moves the drawing, / searches.";
