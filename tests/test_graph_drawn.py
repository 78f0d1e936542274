"""Pictures of graphs: nothing overlaps or is cut off, what flows where can be seen, and no name is more than text."""

import io
import itertools
import random
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hostile import NAMES

import ddl
from ddl import nn
from ddl.graph import Edge, Graph, Node, draw
from ddl.graph.drawing import LARGEST, Drawing
from ddl.graph.folding import fold
from ddl.graph.painter import paint
from ddl.graph.shapes import THEMES, Path, Text
from ddl.graph.signs import outline
from ddl.graph.text import of_data
from ddl.graph.words import plain
from ddl.scalar import Scalar

pytest.importorskip("matplotlib")
SVG = "{http://www.w3.org/2000/svg}"


def random_scalars(seed, size):
    rng = random.Random(seed)
    pool = [Scalar(rng.uniform(-1e3, 1e3), f"input_{i}") for i in range(4)]
    for _ in range(size):
        a, b = rng.choices(pool, k=2)
        pool.append(rng.choice([lambda a, b: a * b, lambda a, b: a + b, lambda a, b: (a * 1e-3).tanh()])(a, b))
    out = Scalar.sum(pool[-3:])
    out.backward()
    return of_data(out.graph())


@pytest.fixture(autouse=True)
def _seeded():
    ddl.manual_seed(0)


def xor():
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1), nn.Sigmoid())
    x, y = ddl.tensor([[0.0, 0], [0, 1], [1, 0], [1, 1]]), ddl.tensor([[0.0], [1], [1], [0]])
    return ddl.trace(lambda x, y: ((net(x) - y) ** 2).mean(), x, y).walk_back()


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 4, bias=False) for _ in range(3))

    def forward(self, x):
        scores = self.q(x) @ self.k(x).mT / 2
        return scores.masked_fill(ddl.tensor(~np.tri(6, dtype=bool)), -np.inf).softmax(-1) @ self.v(x)


def head():
    return ddl.trace(Head(), ddl.randn(6, 8))


def block():
    return ddl.trace(nn.TransformerBlock(64, 4), ddl.Spec(("B", "T", 64)))


def hostile():
    """Every name as an input's, a parameter's, an op's and a scope's, with values that no scale holds."""
    graph, odd = Graph(), [np.nan, np.inf, -np.inf, 1e300, -1e-300, 0.0]
    for name in NAMES:
        i = len(graph.nodes)
        graph.nodes += [
            Node(i, "input", "", name, (2, 3), np.dtype("f8"), value=np.array(odd).reshape(2, 3)),
            Node(i + 1, "parameter", "", name, (40, 30), np.dtype("f8"), value=np.resize(odd, (40, 30))),
            Node(i + 2, "op", "add", name, (40, 30), np.dtype("f8"), scope=name or "a", settings={"why": name}),
            Node(i + 3, "op", "mul", name, (), np.dtype("f8"), scope=name or "a", value=np.float64("nan"), grad=1e300),
        ]
        graph.edges += [Edge(i, i + 2, 0), Edge(i + 1, i + 2, 1)]
        graph.edges += [Edge(i + 2, i + 3, 0, slope=1e300), Edge(i + 2, i + 3, 1, slope=float("nan"))]
        graph.inputs.append(i)
        graph.outputs.append(i + 3)
    return graph


GALLERY = {
    **{f"scalars {seed}": (lambda seed=seed: random_scalars(seed, 4 + 3 * seed), {}) for seed in range(8)},
    "xor": (xor, {}),
    "head": (head, {}),
    "head folded": (head, {"depth": 0}),
    "linear": (lambda: ddl.trace(nn.Linear(5, 3), ddl.randn(6, 5)), {}),
    "block": (block, {}),
    "block open": (block, {"open": ["attn", "mlp"]}),
    "block all open": (block, {"depth": 9}),
    "hostile": (hostile, {"depth": 9}),
    "hostile folded": (hostile, {"depth": 0}),
    "nothing": (Graph, {}),
}
both_ways = pytest.mark.parametrize("direction", ["right", "down"])
gallery = pytest.mark.parametrize("name", GALLERY)


def drawing(name, **how):
    make, folding = GALLERY[name]
    return Drawing(fold(make(), **folding), **how)


def text_boxes(figure):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    return [(text.get_text(), text.get_window_extent(renderer)) for text in figure.axes[0].texts if text.get_text()]


@both_ways
@gallery
@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
def test_no_two_texts_overlap_and_none_leaves_the_picture(name, direction):
    make, folding = GALLERY[name]
    figure = draw(make(), title="a title", direction=direction, **folding)
    boxes = sorted(text_boxes(figure), key=lambda box: box[1].x0)
    for i, (a, box_a) in enumerate(boxes):
        for b, box_b in boxes[i + 1 :]:
            if box_b.x0 > box_a.x1:
                break
            assert not box_a.shrunk(0.9, 0.8).overlaps(box_b.shrunk(0.9, 0.8)), (a, b)
    width, height = figure.canvas.get_width_height()
    for text, box in boxes:
        assert 0 <= box.x0 < box.x1 <= width, text
        assert 0 <= box.y0 < box.y1 <= height, text


@both_ways
@gallery
def test_texts_fit_their_boxes(name, direction):
    for mark in paint(drawing(name, direction=direction)).marks:
        if mark.about and isinstance(mark.parts[0], Path):
            xs, ys = zip(*corners(mark.parts[0]))
            for text in (part for part in mark.parts if isinstance(part, Text)):
                left = text.x - text.width / 2 if text.centred else text.x
                assert min(xs) < left
                assert left + text.width < max(xs), text.text
                assert min(ys) < text.y - 4 < text.y + 4 < max(ys)


def corners(path):
    return [point for _, *xy in path.steps for point in zip(xy[::2], xy[1::2])]


@both_ways
@gallery
def test_boxes_keep_apart_and_wires_run_between_them(name, direction):
    plan = drawing(name, direction=direction).plan(direction == "right")
    boxes = [room for *_, room in plan.boxes]
    for (a, b, length, breadth), (c, d, long, broad) in itertools.combinations(boxes, 2):
        assert a + length <= c or c + long <= a or b + breadth <= d or d + broad <= b
    for run in plan.runs:
        for (begin, at), (end, still) in zip(run.stops[::2], run.stops[1::2]):  # turns are where no box is
            assert at == still
            for along, across, length, breadth in boxes:
                assert end <= along + 0.01 or begin >= along + length - 0.01 or not across < at < across + breadth
    ends = [run.stops[-1] for run in plan.runs]
    for (ax, ay), (bx, by) in itertools.combinations(ends, 2):
        assert ax != bx or abs(ay - by) > 9


@both_ways
@gallery
def test_a_box_is_in_the_frames_of_its_scopes_and_in_no_other(name, direction):
    plan = drawing(name, direction=direction).plan(direction == "right")
    for box, path, (along, across, length, breadth) in plan.boxes:
        around = []
        for scope, _, (a, b, long, broad) in plan.frames:
            apart = a + long <= along or along + length <= a or b + broad <= across or across + breadth <= b
            if not apart:
                assert a < along < along + length < a + long
                assert b < across < across + breadth < b + broad
                around.append(scope)
        assert all(box in list(scope.boxes()) for scope in around)
        assert (around[-1].path if around else "") == path


@gallery
def test_every_wire_leads_from_box_to_box(name):
    """Pieces that end where the next begins, at the border of a frame, make up the wires of the folded graph."""
    drawn = drawing(name, direction="right")
    plan = drawn.plan(True)
    rooms = [(box, room) for box, _, room in plan.boxes]
    begins = lambda run: [
        box for box, (a, b, w, h) in rooms if (a + w, b + h / 2) == pytest.approx(run.stops[0], abs=1e-6)
    ]
    onward = {}
    for run in plan.runs:
        onward.setdefault((run.edges[0].start, *np.round(run.stops[0], 3)), []).append(run)
    found = []
    for run in plan.runs:
        if start := begins(run):
            waiting = [run]
            while waiting:
                piece = waiting.pop()
                if piece.end is None:
                    after = onward[piece.edges[0].start, *np.round(piece.stops[-1], 3)]
                    waiting += after
                else:
                    found.append((id(start[0]), id(piece.end), piece.edges[0].start))
    boxes = drawn.folded.boxes
    assert sorted(found) == sorted((id(boxes[w.start]), id(boxes[w.end]), w.edges[0].start) for w in drawn.folded.wires)


@pytest.mark.parametrize("theme", THEMES)
@gallery
def test_every_text_stands_out_from_what_is_behind_it(name, theme):
    scene = paint(drawing(name, theme=theme))
    behind = [("", scene.page, (0, 0, *scene.size))]
    for part in (part for mark in scene.marks for part in mark.parts):
        if isinstance(part, Path):
            (xs, ys) = zip(*corners(part))
            behind.append((part.stroke, part.fill, (min(xs), min(ys), max(xs), max(ys))))
        else:
            x = part.x if part.centred else part.x + 1
            fill = next(f for _, f, (a, b, c, d) in reversed(behind) if f and a <= x <= c and b <= part.y <= d)
            assert contrast(part.color, fill) >= 4.5, (part.text, part.color, fill)


def contrast(a, b):
    """Of WCAG 2.2."""

    def light(color):
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        return sum(
            weight * (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4)
            for weight, x in zip((0.2126, 0.7152, 0.0722), parts)
        )

    dim, bright = sorted((light(a), light(b)))
    return (bright + 0.05) / (dim + 0.05)


@gallery
def test_svg_is_shapes_and_words_alone(name):
    make, folding = GALLERY[name]
    root = ET.fromstring(make().to_svg(title='<b onload="x">&', **folding))
    allowed = {"svg", "title", "desc", "rect", "g", "path", "text"}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= allowed
    attributes = {key for element in root.iter() for key in element.attrib}
    assert not {key for key in attributes if key.startswith("on") or "href" in key}
    assert root.find(f"{SVG}title").text == '<b onload="x">&'
    assert root.get("role") == "img"


@gallery
def test_svg_says_what_the_figure_says(name):
    drawn = drawing(name)
    graph, folding = drawn.folded.graph, GALLERY[name][1]
    svg = [element.text or "" for element in ET.fromstring(graph.to_svg(**folding)).iter(f"{SVG}text")]
    assert svg == [text for mark in paint(drawn).marks for text in texts(mark)]
    figure = [text.get_text() for text in draw(graph, **folding).axes[0].texts]
    assert figure == [text for text in svg if text]


def texts(mark):
    return [part.text for part in mark.parts if isinstance(part, Text)]


def test_names_are_whole_where_one_points_and_in_the_words():
    graph = hostile()
    root = ET.fromstring(graph.to_svg(depth=9))
    titles = "\n".join(element.text or "" for element in root.iter(f"{SVG}title"))
    for name in NAMES:
        assert plain(name).strip() in titles
        assert plain(name).strip() in root.find(f"{SVG}desc").text
    assert "x" * 500 in titles
    assert max(map(len, (element.text or "" for element in root.iter(f"{SVG}text")))) < 90


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


def on_wires(graph, **folding):
    """What stands on the wires, by the names of both ends."""
    drawn = Drawing(fold(graph, **folding))
    called = lambda i: graph.nodes[i].name or graph.nodes[i].op
    labels = ((wire.edges[0], drawn.label(list(wire.edges))) for wire in drawn.folded.wires)
    return {(called(e.start), called(e.end)): [text for _, text in said] for e, said in labels if said}


def test_wires_say_which_input_they_bring_where_no_box_does():
    assert on_wires(ddl.trace(lambda x, y: (x - y) + x * y, ddl.ones(2), ddl.ones(2))) == {
        ("x", "sub"): ["1st"], ("y", "sub"): ["2nd"],
    }  # fmt: skip
    graph = ddl.trace(lambda a, b: (a @ b.mT).masked_fill(b > 0, 1.0), ddl.ones(2, 2), ddl.ones(2, 2))
    assert on_wires(graph) == {
        ("a", "matmul"): ["1st"], ("swapaxes", "matmul"): ["2nd"], ("b", "gt"): ["1st"], ("0", "gt"): ["2nd"],
        ("gt", "where"): ["if"], ("1.0", "where"): ["then"], ("matmul", "where"): ["else"],
    }  # fmt: skip
    assert on_wires(block(), open=["attn"]) == {("swapaxes", "scaled_dot_product_attention"): ["v"]}
    assert [">q</text>" in block().to_svg(open=names) for names in (["attn"], [])] == [True, False]
    assert ">which input it is</text>" in xor().to_svg()


def test_a_fork_says_how_much_of_a_gradient_comes_back_along_each_wire():
    graph = ddl.trace(lambda x: (x.exp() + x.tanh()).sum(), ddl.tensor([0.0, 1.0])).walk_back()
    expected = {"exp": np.hypot(1.0, np.e), "tanh": np.hypot(1.0, 1 - np.tanh(1.0) ** 2)}
    assert on_wires(graph) == {("x", op): [f"|g| {length:.3g}"] for op, length in expected.items()}
    assert "adds up to grad" in graph.to_svg()
    assert "|g|" not in graph.to_svg(grad=False)
    assert "|g|" not in xor().to_svg()


def test_numbers_and_gradients_of_small_tensors_are_written_out():
    graph = xor()
    (weight,) = [node for node in graph.nodes if node.name == "net.0.weight"]
    svg = graph.to_svg()
    for x in (*weight.value.ravel().tolist(), *np.asarray(weight.grad).ravel().tolist()):
        assert f">{x:.3g}</text>" in svg
    assert ">grad<" not in graph.to_svg(grad=False)


def fills(graph):
    return [p.get("fill") for p in ET.fromstring(graph.to_svg(theme="light")).iter(f"{SVG}path")]


def test_a_heat_map_shows_its_tensor():
    x = np.zeros((5, 6), np.float32)
    x[1, 2], x[3, 4] = 2.0, -2.0
    graph = ddl.trace(lambda x: x * 1.0, ddl.tensor(x))
    light = THEMES["light"]
    assert [fills(graph).count(light[name]) for name in ("above", "below", "zero")] == [2 + 1, 2 + 1, 2 * 28]
    assert ">-2 … 2</text>" in graph.to_svg()
    other = ddl.trace(lambda x: x * 1.0, ddl.tensor(x[::-1].copy()))
    assert fills(other) != fills(graph)
    assert other.to_png() != graph.to_png()
    large = ddl.trace(lambda x: x * 1.0, ddl.zeros(100, 100)).to_svg()
    assert "1 row in 7 and 1 column in 5" in large


def test_what_is_no_number_has_a_sign_of_its_own():
    x = np.ones((5, 5))
    plain = ddl.trace(lambda x: x * 1.0, ddl.tensor(x)).to_svg().count("<path")
    x[0, 0], x[1, 1], x[2, 2] = np.nan, np.inf, -np.inf
    svg = ddl.trace(lambda x: x * 1.0, ddl.tensor(x)).to_svg()
    assert svg.count("<path") == plain + 2 * 3 + 3  # in both maps, and in the legend
    assert [word for word in (">nan<", ">inf<", ">-inf<") if word not in svg] == []


def test_kinds_are_told_apart_without_colour():
    shapes = [
        [(part.steps, part.dashed) for part in outline(THEMES["light"], kind, (0, 0, 80, 40))]
        for kind in ("input", "parameter", "constant", "op", "scope")
    ]
    assert all(a != b for a, b in itertools.combinations(shapes, 2))
    for kind in ("input", "parameter", "operation", "result"):
        assert f">{kind}</text>" in xor().to_svg()
    assert ">folded scope</text>" in block().to_svg()
    assert ">folded scope</text>" not in block().to_svg(depth=9)


def test_the_same_graph_gives_the_same_bytes():
    graph = xor()
    assert graph.to_png() == graph.to_png()
    assert graph.to_svg() == graph.to_svg()
    pictures = []
    for _ in range(2):
        out = io.BytesIO()
        draw(random_scalars(3, 12)).savefig(out, format="png", metadata={"Software": None})
        pictures.append(out.getvalue())
    assert pictures[0] == pictures[1]


def test_a_png_holds_the_graph_in_words():
    from PIL import Image

    graph = xor()
    about = Image.open(io.BytesIO(graph.to_png(title="XOR"))).info
    assert (about["Title"], about["Description"]) == ("XOR", graph.to_text())
    Image.open(io.BytesIO(hostile().to_png(depth=0))).verify()


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


def test_pictures_run_to_the_right_where_that_fits_a_page_and_else_down():
    size = lambda graph, **how: ET.fromstring(graph.to_svg(**how)).get("viewBox").split()[2:]
    wide = lambda width, height: float(width) > float(height)
    assert not wide(*size(block()))
    assert wide(*size(block(), direction="right"))
    assert wide(*size(of_data(((Scalar(1.0) * 2) * 3).graph())))


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"theme": "pink"}, "theme 'pink': the themes are light, dark"),
        ({"direction": "up"}, "run 'up': it runs 'right'"),
    ],
)
def test_what_no_picture_has_is_refused(how, sentence):
    with pytest.raises(ValueError, match=sentence):
        block().to_svg(**how)


def test_a_graph_too_large_to_read_is_refused():
    x = Scalar(1.0)
    for _ in range(LARGEST):
        x = -x
    with pytest.raises(ValueError, match=r"this graph has 151 nodes and a picture holds 150: draw a smaller"):
        draw(x.graph())
    deep = ddl.trace(nn.Sequential(*[nn.TransformerBlock(8, 2) for _ in range(5)]), ddl.Spec(("B", "T", 8)))
    with pytest.raises(
        ValueError, match=r"this graph has 196 boxes and a picture holds 150: close scopes with depth=0"
    ):
        deep.to_svg(depth=9)
    deep.to_svg()
