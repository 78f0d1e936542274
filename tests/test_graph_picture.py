"""Pictures of graphs: nothing overlaps, nothing is cut off, few wires cross, and the words say the same."""

import io
import itertools
import random
import re
import subprocess
import sys

import pytest

from ddl.graph.picture import LARGEST, _place, describe, draw
from ddl.scalar import Scalar

pytest.importorskip("matplotlib")


def random_graph(seed, size):
    rng = random.Random(seed)
    pool = [Scalar(rng.uniform(-1e3, 1e3), f"input_{i}") for i in range(4)]
    for _ in range(size):
        a, b = rng.choices(pool, k=2)
        pool.append(rng.choice([lambda a, b: a * b, lambda a, b: a + b, lambda a, b: (a * 1e-3).tanh()])(a, b))
    out = Scalar.sum(pool[-3:])
    out.backward()
    return out.graph()


def text_boxes(figure):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    return {
        (i, text.get_text()): text.get_window_extent(renderer)
        for i, text in enumerate(figure.axes[0].texts)
        if text.get_text()
    }


@pytest.mark.parametrize("seed", range(8))
def test_no_two_texts_overlap_and_none_leaves_the_picture(seed):
    figure = draw(random_graph(seed, 4 + 3 * seed), title="a title")
    boxes = text_boxes(figure)
    for (a, box_a), (b, box_b) in itertools.combinations(boxes.items(), 2):
        assert not box_a.shrunk(0.9, 0.9).overlaps(box_b.shrunk(0.9, 0.9)), (a, b)
    width, height = figure.canvas.get_width_height()
    for box in boxes.values():
        assert 0 <= box.x0 < box.x1 <= width
        assert 0 <= box.y0 < box.y1 <= height


@pytest.mark.parametrize("seed", range(8))
def test_no_wire_runs_through_a_box_or_a_label(seed):
    graph = random_graph(seed, 4 + 3 * seed)
    labels = ["0.1234"] * len(graph["edges"])
    boxes, wires, _ = _place([["op", "value 1", "grad 1"]] * len(graph["nodes"]), labels, graph["edges"])
    for (a_left, a_top, a_width, a_height), (b_left, b_top, b_width, b_height) in itertools.combinations(boxes, 2):
        assert (
            a_left + a_width < b_left
            or b_left + b_width < a_left
            or a_top + a_height < b_top
            or b_top + b_height < a_top
        )
    straight = [(a, b) for wire in wires for a, b in zip(wire[2:-1:2], wire[3::2])]
    for (x0, y0), (x1, y1) in straight:  # what is not straight turns where no box is
        assert y0 == y1
        for left, top, width, height in boxes:
            assert x1 <= left or x0 >= left + width or not top < y0 < top + height
    ends = [wire[-1] for wire in wires]
    for (ax, ay), (bx, by) in itertools.combinations(ends, 2):
        assert ax != bx or abs(ay - by) > 9


def test_every_value_gradient_and_slope_is_written_once():
    x, y = Scalar(3.0, "x"), Scalar(-2.0, "y")
    z = (x * x * y).tanh() - y
    z.name = "z"
    z.backward()
    graph = z.graph()
    texts = [text.get_text() for text in draw(graph).axes[0].texts]
    for node in graph["nodes"]:
        assert f"value {node['value']:.4g}" in texts
        assert f"grad  {node['grad'] + 0.0:.4g}" in texts
    slopes = [f"{edge['slope'] + 0.0:.4g}" for edge in graph["edges"]]
    assert all(texts.count(slope) == slopes.count(slope) for slope in slopes)
    assert "z (-)" in texts
    bare = [text.get_text() for text in draw(graph, grad=False, slope=False).axes[0].texts]
    assert not any("grad" in text for text in bare)
    assert not set(slopes) & set(bare)


def test_the_words_hold_all_the_numbers():
    a, b = Scalar(2, "a"), Scalar(3, "b")
    y = (a + b) * b
    y.name = "y"
    (-y) ** 2
    y.backward()
    assert describe(y.graph()).splitlines() == [
        "a = 2, grad 3",
        "b = 3, grad 8",
        "#2 = a + b = 5, grad 3, slopes: a 1, b 1",
        "y = #2 * b = 15, grad 1, slopes: #2 3, b 5",
    ]
    assert describe(y.graph(), grad=False, slope=False).splitlines()[2:] == ["#2 = a + b = 5", "y = #2 * b = 15"]
    assert "#1 = -a = -2, grad 0, slopes: a -1" in describe((-a).graph())
    assert "#1 = a**2 = 4" in describe((a**2).graph())
    assert "#1 = tanh(a) = 0.964" in describe(a.tanh().graph())


def test_the_same_graph_gives_the_same_bytes():
    pictures = []
    for _ in range(2):
        out = io.BytesIO()
        draw(random_graph(3, 12)).savefig(out, format="png", metadata={"Software": None})
        pictures.append(out.getvalue())
    assert pictures[0] == pictures[1]


def test_pyplot_is_left_alone():
    code = (
        "import sys; from ddl.graph.picture import draw; from ddl.scalar import Scalar;"
        "assert 'matplotlib' not in sys.modules; draw((Scalar(1.0) * 2).graph());"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_odd_graphs_are_drawn():
    draw({"nodes": [], "edges": []})
    draw(Scalar(float("nan"), "alone").graph())
    draw(Scalar.dot(range(20), range(20)).graph())


def test_a_graph_too_large_to_read_is_refused():
    x = Scalar(1.0)
    for _ in range(LARGEST):
        x = -x
    with pytest.raises(ValueError, match=r"this graph has 151 nodes and a picture holds 150: draw a smaller"):
        draw(x.graph())


def test_messages_name_no_node_twice():
    names = re.findall(r"^(\S+) =", describe(random_graph(5, 20)), flags=re.M)
    assert len(names) == len(set(names))
