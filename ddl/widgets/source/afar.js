// What can be read from afar: titles as large on the screen as ever, of the largest things first, as many as have room.
import { cut } from "./words.js";

const SIZE = 12; // pixels on the screen
const LETTER = 0.61; // of that
const FEWEST = { framed: 1, boxed: 6 }; // letters, below which a title is left out where it would have to be cut
const MOST = 60; // titles
const ALONE = 14; // letters that a box with a name of its own may have, however small it is

/**
 * { name, text, x, y, size } in the plane's lengths; frames are titled inside their tops, boxes in their middles.
 * `own(name)` says whether a box is a result or has a name of its own.
 */
export function titlesOf(frames, boxes, k, titleOf, own = () => false) {
  const size = SIZE / k;
  const area = ({ w, h }) => w * h;
  const taken = [];
  const titles = [];
  const all = [...frames, ...boxes];
  const [begin, end] = [Math.min(...all.map(({ x }) => x)), Math.max(...all.map(({ x, w }) => x + w))];
  const put = ({ name, x, y, w, h }, framed) => {
    if (titles.length >= MOST) return;
    const fits = Math.floor((w * (framed ? 1 : 2)) / (size * LETTER)) - 1; // a box may be half as wide as its title
    const room = !framed && own(name) ? Math.max(fits, ALONE) : fits;
    const title = titleOf(name);
    if (room < Math.min(title.length, framed ? FEWEST.framed : FEWEST.boxed)) return;
    const text = cut(title, room);
    const wide = [...text].length * size * LETTER;
    const left = framed ? x + size / 3 : Math.max(Math.min(x + (w - wide) / 2, end - wide), begin);
    const middle = framed ? y + size * 0.8 : y + h / 2;
    const place = { x: left, y: middle - size * 0.6, w: wide, h: size * 1.2 };
    if (!text.trim() || taken.some((other) => meet(place, other))) return;
    taken.push(place);
    titles.push({ name, text, x: left, y: middle, size });
  };
  for (const frame of [...frames].sort((a, b) => area(b) - area(a))) put(frame, true);
  const order = new Map(boxes.map((box) => [box, Number(own(box.name))]));
  for (const box of [...boxes].sort((a, b) => order.get(b) - order.get(a) || area(b) - area(a))) put(box, false);
  return titles;
}

const meet = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
