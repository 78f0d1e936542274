// What the bench of the page asks of it.
window.bench = {
  /** Milliseconds from the start of loading to the frame in which the first boxes are there. */
  seen: () =>
    new Promise((done) => {
      const look = () => {
        if (document.querySelector(".ddl-svg .ddl-box")) requestAnimationFrame(() => done(performance.now()));
        else setTimeout(look, 5);
      };
      look();
    }),
  /** Milliseconds of each frame while a hand drags the graph about; null where it does not move. */
  drag: (frames = 150) =>
    new Promise((done) => {
      const svg = document.querySelector(".ddl-svg");
      const { x, y, width, height } = svg.getBoundingClientRect();
      const send = (target, type, frame) => {
        const sway = 8 * ((frame % 120) - 60) * (frame % 240 < 120 ? 1 : -1);
        const place = { clientX: x + width / 2 + sway, clientY: y + height / 2 + (frame % 40) };
        target.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, view: window, ...place }));
      };
      const times = [];
      const places = new Set();
      send(svg, "mousedown", 0);
      const move = (time) => {
        times.push(time);
        places.add(svg.firstChild.getAttribute("transform"));
        send(window, "mousemove", times.length);
        if (times.length <= frames) return requestAnimationFrame(move);
        send(window, "mouseup", times.length);
        done(places.size > frames / 2 ? times.slice(1).map((t, i) => t - times[i]) : null);
      };
      requestAnimationFrame(move);
    }),
};
