"""Figures as images."""

import struct

import pytest

pytest.importorskip("matplotlib")

from ddl.figures import SHARP, figure, page_width, png


def test_an_image_has_the_size_that_was_asked_for_and_is_the_same_each_time():
    def drawn():
        made = figure(300, 200)
        made.add_subplot().plot([1, 2, 3])
        return png(made, Title="a line")

    image = drawn()
    assert struct.unpack(">II", image[16:24]) == (300 * SHARP, 200 * SHARP)
    assert page_width(image) == 300
    assert b"a line" in image
    assert image == drawn()
