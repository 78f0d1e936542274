"""The pictures of the README, each what a widget leaves in its output: python course/pictures.py"""

from pathlib import Path

import ddl
from ddl.widgets import attend, play, race

HERE = Path(__file__).with_name("pictures")


def shown():
    """The widgets by the names of their pictures."""
    a, b = ddl.Scalar(2.0, "a"), ddl.Scalar(-0.5, "b")
    yield "play", play((a * b + a).tanh() * b)
    yield "attend", attend(text="If the list is empty, it returns None.")
    yield "race", race("valley")


def main():
    HERE.mkdir(exist_ok=True)
    for name, widget in shown():
        (HERE / f"{name}.png").write_bytes(widget.picture(widget.state))


if __name__ == "__main__":
    main()
