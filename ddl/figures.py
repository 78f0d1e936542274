"""Matplotlib figures as PNG images, without pyplot and its global state."""

import io
import struct

SHARP = 2  # pixels of an image for each pixel on the page
COLORS = ("#00588a", "#b34700", "#007a5a", "#a0457f", "#6b6b00", "#555555")  # told apart by colour-blind eyes too
STRIPED = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))  # and on grey paper, in the same order


def figure(width, height):
    """An empty figure of so many pixels on the page, whose parts keep out of each other's way."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width / 96, height / 96), layout="constrained", facecolor="white")


def png(figure, **about):
    """The bytes of a figure's image, the same for the same figure; `about` is kept in it, as Title and Description."""
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=96 * SHARP, metadata={"Software": None, **about})
    return image.getvalue()


def page_width(image):
    """How many pixels on the page a PNG's bytes are meant to fill."""
    (width,) = struct.unpack(">I", image[16:20])  # where a PNG keeps its width
    return width // SHARP
