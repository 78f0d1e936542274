"""A figure shown as a PNG that carries its words, for those who cannot see it and for pages that cannot draw it."""

import base64
import io
import struct

SHARP = 2  # pixels of the image for each pixel on the page


def show(figure, alt):
    """Display a matplotlib figure in a notebook; `alt` says in words what it shows.

    The words become the image's alternative text and the output's plain text, so they should hold the numbers that
    matter, rounded: a test of the notebook compares those and never the picture.
    """
    from IPython.display import display

    alt = alt.strip()
    if not alt:
        raise ValueError("show needs the picture in words, but alt is empty: say what it shows, with its main numbers")
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=96 * SHARP, metadata={"Software": None})
    (width,) = struct.unpack(">I", png.getvalue()[16:20])  # where a PNG keeps its width
    about = {"alt": alt, "width": width // SHARP}
    image = base64.b64encode(png.getvalue()).decode()
    display({"image/png": image, "text/plain": alt}, metadata={"image/png": about}, raw=True)
