// A contribution on its way: a small number that travels its edge from the op back to the parent.
const LASTS = 600; // milliseconds at speed 1

/** `trips` are { wire, text }; returns how to stop them. Where motion is unwanted nothing moves. */
export function travel(layer, trips, speed) {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  layer.selectAll("*").remove();
  if (still || !trips.length) return () => {};
  const chips = trips.map(({ wire, text }) => {
    const path = layer.append("path").attr("d", wire.d).attr("fill", "none").node();
    const chip = layer.append("g").attr("class", "ddl-chip").attr("aria-hidden", "true");
    const width = [...text].length * 6.6 + 10;
    chip.append("rect").attr("x", -width / 2).attr("y", -9).attr("width", width).attr("height", 18).attr("rx", 9);
    chip.append("text").attr("text-anchor", "middle").attr("y", 4).text(text);
    return { path, chip, length: path.getTotalLength() };
  });
  const start = performance.now();
  let frame = requestAnimationFrame(move);
  function move(time) {
    const share = Math.min(Math.max((time - start) / (LASTS / speed), 0), 1);
    for (const { path, chip, length } of chips) {
      const { x, y } = path.getPointAtLength(length * (1 - share));
      chip.attr("transform", `translate(${x},${y})`);
    }
    if (share < 1) frame = requestAnimationFrame(move);
    else layer.selectAll("*").remove();
  }
  return () => {
    cancelAnimationFrame(frame);
    layer.selectAll("*").remove();
  };
}
