"""How a text becomes tokens: its bytes, joined by one merge after the other, until none fits."""

from itertools import cycle, pairwise

from ..figures import COLORS, figure, png
from ..text import split_words
from .base import Widget
from .language import check_tokenizer, drawable, piece, small_tokenizer, written

TEXT = "The tokenizer tokenizes naïve text: שלום, 👩‍🔬!"
LONGEST = 2000  # bytes of a text, as each is an element of the page
LISTED = 60  # lines of a table in words
WIDE, ROWS = 84, 14  # of the picture: characters in a row of tokens, and rows


class Tokens(Widget, bundle="tokens"):
    """A text's tokens, with their ids and bytes, and the merges that made them, step by step.

    `tokens(text, tokenizer)` shows texts of up to 2,000 bytes, and the tokenizer of the small decoder where none is
    given. One that has no merges, such as CharTokenizer, shows its tokens alone.
    """

    def __init__(self, text=TEXT, tokenizer=None):
        self.tokenizer = small_tokenizer() if tokenizer is None else tokenizer
        check_tokenizer("tokens", tokenizer)
        super().__init__(self.change(text))

    def change(self, text):
        if not isinstance(text, str):
            raise TypeError(f"tokens takes a text, but got {text!r}")
        ids = [int(i) for i in self.tokenizer.encode(text)]  # what is no text at all is refused here
        if (size := len(text.encode())) > LONGEST:
            raise ValueError(f"tokens shows texts of up to {LONGEST:,} bytes, but {size:,} were given: cut the text")
        words, steps = [[i] for i in ids], []
        if isinstance(getattr(self.tokenizer, "merges", None), list):
            words = [list(word.encode()) for word in split_words(text)]
            steps = merge_steps(words, self.tokenizer.merges)
        seen = sorted({i for word in words for i in word} | {step["new"] for step in steps} | {*ids})
        pieces = {i: piece(self.tokenizer, i) for i in seen}
        return {
            "text": text,
            "words": words,
            "steps": steps,
            "ids": ids,
            "pieces": {str(i): {"text": written(of), "bytes": of.hex(" ").upper()} for i, of in pieces.items()},
        }

    def describe(self, state):
        ids, steps, pieces = state["ids"], state["steps"], state["pieces"]
        name = lambda i: pieces[str(i)]["text"]
        lines = [summary(state), "", "place  id: token (bytes)"]
        lines += [f"{at}  {i}: {name(i)} ({pieces[str(i)]['bytes']})" for at, i in enumerate(ids[:LISTED])]
        lines += [f"and {len(ids) - LISTED} tokens more"] if len(ids) > LISTED else []
        lines += ["", "merges, in the order in which they were learned"] if steps else []
        for step in steps[:LISTED]:
            parts = f"{name(step['left'])} + {name(step['right'])}"
            lines.append(f"{parts} = {name(step['new'])} (id {step['new']}), places: {step['places']}")
        lines += [f"and {len(steps) - LISTED} merges more"] if len(steps) > LISTED else []
        return "\n".join(lines)

    def picture(self, state):
        chips = [[_drawn(state["pieces"][str(i)]), str(i)] for i in state["ids"]]
        rows, room = [[]], WIDE
        for chip in chips:
            width = max(map(len, chip)) + 1.6
            if width > room and rows[-1]:
                rows.append([])
                room = WIDE
            rows[-1].append((WIDE - room, width, *chip))
            room -= width
        more = sum(map(len, rows[ROWS:]))
        return _draw(rows[:ROWS], summary(state) + (f" Not drawn: {more} tokens." if more else ""))


def tokens(text=TEXT, tokenizer=None):
    """A `Tokens` of a text: its tokens, and the merges that made them, step by step."""
    return Tokens(text, tokenizer)


def merge_steps(words, merges):
    """The merges that happen in `words` (lists of bytes), earliest learned first: what each joins, and where."""
    ranks = {tuple(pair): rank for rank, pair in enumerate(merges)}
    words, steps = [*map(list, words)], []
    while found := {ranks[pair] for word in words for pair in pairwise(word) if pair in ranks}:
        left, right = merges[min(found)]
        step = {"left": left, "right": right, "new": 256 + min(found), "places": 0}
        for word in words:
            i = 0
            while i < len(word) - 1:
                if word[i] == left and word[i + 1] == right:
                    word[i : i + 2] = [step["new"]]
                    step["places"] += 1
                i += 1
        steps.append(step)
    return steps


def summary(state):
    text, ids, steps = state["text"], state["ids"], state["steps"]
    size = len(text.encode())
    how = f" by {len(steps)} merges in {len(state['words'])} words" if steps else ""
    each = f", {size / len(ids):.3g} bytes each" if ids else ""
    return f"{len(text)} characters, {size} bytes, became {len(ids)} tokens{how}{each}."


def _drawn(piece):
    return drawable(piece["text"], f"<{piece['bytes']}>")


def _draw(rows, title):
    image = figure(700, 70 + 46 * len(rows))
    axes = image.add_subplot(xlim=(0, WIDE), ylim=(len(rows) - 0.05, -0.1))
    axes.axis("off")
    axes.set_title(title, loc="left", fontsize=10)
    colors = cycle(COLORS)
    for y, row in enumerate(rows):
        for x, width, text, number in row:
            color = next(colors)
            axes.add_patch(_box(x, y, width, color))
            middle = {"x": x + width / 2 - 0.2, "ha": "center", "va": "center", "parse_math": False}
            axes.text(y=y + 0.28, s=text, family="DejaVu Sans Mono", size=9, **middle)
            axes.text(y=y + 0.62, s=number, size=7, color=color, **middle)
    return png(image)


def _box(x, y, width, color):
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    return Rectangle((x, y + 0.05), width - 0.4, 0.78, facecolor=to_rgba(color, 0.13), edgecolor=color)
