// Lists the sections that hold every word asked for, those with the words in their heading first. PLACES is in places.js.
const MOST = 40;
const AROUND = 90; // characters shown on either side of what was found

function found(asked) {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const holds = (text) => words.every((word) => text.toLowerCase().includes(word));
  const within = PLACES.filter(([, title, , heading, text]) => holds(`${title} ${heading} ${text}`));
  return [...within.filter((place) => holds(place[3])), ...within.filter((place) => !holds(place[3]))];
}

function piece(text, asked) {
  const at = Math.max(text.toLowerCase().indexOf(asked.toLowerCase().split(/\s+/).filter(Boolean)[0]), 0);
  const [from, to] = [Math.max(at - AROUND, 0), Math.min(at + AROUND, text.length)];
  return (from ? "… " : "") + text.slice(from, to) + (to < text.length ? " …" : "");
}

function show(asked) {
  const all = found(asked);
  const items = all.slice(0, MOST).map(([page, title, id, heading, text]) => {
    const [item, link, shown] = ["li", "a", "p"].map((tag) => document.createElement(tag));
    link.href = `${page}.html#${id}`;
    link.textContent = heading === title ? title : `${title}: ${heading}`;
    shown.textContent = piece(text, asked);
    item.append(link, shown);
    return item;
  });
  document.querySelector("main ol").replaceChildren(...items);
  const more = all.length > MOST ? ` The first ${MOST} are shown.` : "";
  document.querySelector("main [role=status]").textContent = asked.trim() ? `${all.length} ${all.length === 1 ? "section" : "sections"} with “${asked.trim()}”.${more}` : "";
}

const asked = document.querySelector("main input");
asked.value = new URLSearchParams(location.search).get("q") ?? "";
asked.addEventListener("input", () => show(asked.value));
document.querySelector("main form").addEventListener("submit", (event) => event.preventDefault());
show(asked.value);
asked.focus();
