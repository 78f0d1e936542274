// A formula from the graph's data: MathML of which only mathematics is taken over, or else its LaTeX as text.

const TAGS = new Set(
  ("math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover " +
    "munderover mmultiscripts mprescripts mtable mtr mtd menclose").split(" "),
);
const ATTRIBUTES = new Set(
  ("display displaystyle scriptlevel mathvariant stretchy fence form lspace rspace minsize maxsize separator symmetric largeop " +
    "movablelimits accent accentunder linethickness columnalign rowspacing columnspacing width height depth voffset").split(" "),
);
const MATHML = "http://www.w3.org/1998/Math/MathML";

export function formula({ mathml, tex }) {
  const math = mathml && new DOMParser().parseFromString(mathml, "text/html").querySelector("math");
  if (math) return copied(math);
  const code = document.createElement("code");
  code.textContent = tex ?? "";
  return code;
}

function copied(node) {
  if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data);
  const made = TAGS.has(node.localName) ? document.createElementNS(MATHML, node.localName) : document.createDocumentFragment();
  if (made.setAttribute) {
    for (const { name, value } of node.attributes) if (ATTRIBUTES.has(name)) made.setAttribute(name, value);
  }
  const children = [...node.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE || nodeType === Node.ELEMENT_NODE);
  made.append(...children.filter(({ localName }) => localName !== "script" && localName !== "style").map(copied));
  return made;
}
