"""A figure shown as a PNG that carries its words, for those who cannot see it and for pages that cannot draw it."""

import base64

from ..figures import page_width, png


def show(figure, alt):
    """Display a matplotlib figure in a notebook; `alt` says in words what it shows.

    The words become the image's alternative text and the output's plain text, so they should hold the numbers that
    matter, rounded: a test of the notebook compares those and never the picture.
    """
    from IPython.display import display

    alt = alt.strip()
    if not alt:
        raise ValueError("show needs the picture in words, but alt is empty: say what it shows, with its main numbers")
    image = png(figure)
    about = {"alt": alt, "width": page_width(image)}
    display({"image/png": base64.b64encode(image).decode(), "text/plain": alt}, metadata={"image/png": about}, raw=True)
