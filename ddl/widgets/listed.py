"""Words as a picture, for what is too large to be drawn."""

import io

from .base import SHARP

LINES = 40


def listed(words):
    """The first lines of the words, and how many more there are, as a PNG."""
    from matplotlib.figure import Figure

    lines = words.splitlines()
    shown = [line if len(line) <= 100 else f"{line[:99]}…" for line in lines[:LINES]]
    shown += [f"and {len(lines) - LINES:,} lines more"] if len(lines) > LINES else []
    figure, png = Figure(figsize=(9, 0.2 * len(shown) + 0.3), facecolor="white"), io.BytesIO()
    figure.text(
        0.02,
        1 - 0.15 / figure.get_figheight(),
        "\n".join(shown),
        family="DejaVu Sans Mono",
        size=9,
        va="top",
        parse_math=False,
    )
    figure.savefig(png, format="png", dpi=96 * SHARP, metadata={"Software": None})
    return png.getvalue()
