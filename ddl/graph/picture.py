"""A small computation as a picture, values and gradients in boxes and local derivatives on the edges; and in words."""

from itertools import pairwise

from .layout import layered

FONT, SIZE = "DejaVu Sans Mono", 9.0  # matplotlib brings this font along, so a picture is the same everywhere
LETTER, LINE = 0.63 * SIZE, 1.4 * SIZE  # the width of its letters and the height of its lines, in points
PAD, HEAD, MARGIN = 6.0, 6.0, 10.0
INK, BLUE, RUST = "#222222", "#00588a", "#9c3d00"  # colour-blind eyes tell them apart, and small text stays readable
FILLS = {"given": "#e1edf6", "made": "#ffffff", "result": "#fdeed3"}
LARGEST = 150


def draw(graph, title="", grad=True, slope=True):
    """A matplotlib Figure of a graph's data, such as `Scalar.graph()` gives; pyplot is left alone.

    Each box says what made the number, its value and its gradient; each edge carries the local derivative. Given
    numbers have round blue boxes, the result a box with a thick frame. `grad=False` and `slope=False` leave those out.
    Raises ValueError above 150 nodes: nobody could read that.
    """
    from matplotlib.figure import Figure

    nodes, edges = graph["nodes"], graph["edges"]
    if len(nodes) > LARGEST:
        raise ValueError(f"this graph has {len(nodes)} nodes and a picture holds {LARGEST}: draw a smaller expression")
    texts = [[_title(node), f"value {_short(node['value'])}"] for node in nodes]
    for text, node in zip(texts, nodes):
        text += [f"grad  {_short(node['grad'])}"] if grad else []
    labels = [_short(edge["slope"]) if slope else "" for edge in edges]
    boxes, wires, (width, height) = _place(texts, labels, edges)

    top = 2 * LINE if title else 0.0
    figure = Figure(figsize=(width / 72, (height + top + 2 * MARGIN) / 72), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height + MARGIN, -top - MARGIN))
    axes.axis("off")
    axes.text(MARGIN, -top + LINE / 2, title, family=FONT, size=SIZE + 1, weight="bold", color=INK, va="center")
    for wire, label in zip(wires, labels):
        _draw_wire(axes, wire, label)
    starts = {edge["from"] for edge in edges}
    for i, (box, text, node) in enumerate(zip(boxes, texts, nodes)):
        _draw_box(axes, box, text, "made" if node["op"] and i in starts else "result" if node["op"] else "given")
    return figure


def describe(graph, grad=True, slope=True):
    """The same in words, a line a number, oldest first: how it was made, value, gradient, local derivatives."""
    names = [node["name"] or f"#{node['id']}" for node in graph["nodes"]]
    lines = []
    for node, name in zip(graph["nodes"], names):
        into = [edge for edge in graph["edges"] if edge["to"] == node["id"]]
        parents = [names[edge["from"]] for edge in into]
        slopes = ", ".join(f"{parent} {_short(edge['slope'])}" for parent, edge in zip(parents, into))
        made = f" = {_written(node['op'], parents)}" if node["op"] else ""
        line = f"{name}{made} = {_short(node['value'])}"
        line += f", grad {_short(node['grad'])}" if grad else ""
        lines.append(line + (f", slopes: {slopes}" if slope and slopes else ""))
    return "\n".join(lines)


def _written(op, parents):
    if op in ("+", "-", "*", "/", "**"):
        return f" {op} ".join(parents)
    if op == "neg":
        return f"-{parents[0]}"
    return f"{parents[0]}{op}" if op.startswith("**") else f"{op}({', '.join(parents)})"


def _title(node):
    name, op = node["name"], node["op"]
    return f"{name} ({op})" if name and op else name or op or "number"


def _short(number):
    return f"{number + 0.0:.4g}"  # adding 0.0 turns -0 into 0


def _place(texts, labels, edges):
    """Boxes (left, top, width, height), wires as stops (x, y) that turn only between columns, and the whole's size."""
    arriving = [[e for e, edge in enumerate(edges) if edge["to"] == i] for i in range(len(texts))]
    heights = [max(len(text), len(into)) * LINE + 2 * PAD for text, into in zip(texts, arriving)]
    columns, middles, lanes = layered(heights, [(edge["from"], edge["to"]) for edge in edges])
    ports = {}
    for i, into in enumerate(arriving):
        into.sort(key=lambda e: (lanes[e] or [middles[edges[e]["from"]]])[-1])
        ports |= {e: middles[i] + (p - (len(into) - 1) / 2) * LINE for p, e in enumerate(into)}
    ys = [[middles[edge["from"]], *lanes[e], ports[e]] for e, edge in enumerate(edges)]
    hops = [[] for _ in range(max(columns, default=0) + 1)]  # by column: what enters it, (edge, y before, y in it)
    for e, edge in enumerate(edges):
        for column, (before, after) in enumerate(pairwise(ys[e]), columns[edge["from"]] + 1):
            hops[column].append((e, before, after))

    across, right = _across(columns, texts, [[labels[e] for e in into] for into in arriving], hops)
    starts, ends = [across[columns[edge["from"]]] for edge in edges], [across[columns[edge["to"]]] for edge in edges]
    wires = [[(left + width, y[0])] for (_, _, left, width), y in zip(starts, ys)]
    for (turn, turned, _, _), entering in zip(across, hops):
        for e, before, after in entering:
            wires[e] += [(turn, before), (turned, after)]
    wires = [[*wire, (left, wire[-1][1])] for wire, (_, _, left, _) in zip(wires, ends)]
    boxes = [(across[c][2], y - h / 2, across[c][3], h) for c, y, h in zip(columns, middles, heights)]
    depth = max([y + h for _, y, _, h in boxes] + [y + LINE / 2 for stops in ys for y in stops], default=0.0)
    return boxes, wires, (right + MARGIN, depth)


def _across(columns, texts, labels, hops):
    """By column: where wires begin and end to turn, the left edge of its boxes and their width; and the right end."""
    across, x = [], MARGIN
    for column, entering in enumerate(hops):
        here = [i for i, c in enumerate(columns) if c == column]
        steepest = max((abs(after - before) for _, before, after in entering), default=0.0)
        turned = x + min(max(24.0, 0.4 * steepest), 90.0)
        strip = max((len(label) for i in here for label in labels[i]), default=0) * LETTER + 2 * PAD + HEAD
        left = turned + strip if column else x
        width = max((len(line) for i in here for line in texts[i]), default=0) * LETTER + 2 * PAD
        across.append((x, turned, left, width))
        x = left + width
    return across, x


def _draw_wire(axes, wire, label):
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    points, codes = [wire[0]], [Path.MOVETO]
    for (x0, y0), (x1, y1) in zip(wire[1:-1:2], wire[2:-1:2]):
        points += [(x0, y0), ((x0 + x1) / 2, y0), ((x0 + x1) / 2, y1), (x1, y1)]
        codes += [Path.LINETO, *[Path.CURVE4] * 3]
    x, y = wire[-1]
    axes.add_patch(PathPatch(Path([*points, (x - HEAD, y)], [*codes, Path.LINETO]), fc="none", ec="#666666", lw=1.1))
    axes.add_patch(Polygon([(x, y), (x - HEAD, y - HEAD / 2), (x - HEAD, y + HEAD / 2)], fc="#666666", ec="none"))
    if label:
        back = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
        middle = x - HEAD - PAD / 2 - len(label) * LETTER / 2
        axes.text(middle, y, label, family=FONT, size=SIZE, color=BLUE, ha="center", va="center_baseline", bbox=back)


def _draw_box(axes, box, text, kind):
    from matplotlib.patches import FancyBboxPatch

    left, top, width, height = box
    style = f"round,pad=0,rounding_size={8 if kind == 'given' else 1.5}"
    thick = 2.2 if kind == "result" else 1.1
    axes.add_patch(FancyBboxPatch((left, top), width, height, boxstyle=style, fc=FILLS[kind], ec=INK, lw=thick))
    first = top + height / 2 - (len(text) - 1) / 2 * LINE
    for row, (line, color) in enumerate(zip(text, (INK, INK, RUST))):
        weight = "normal" if row else "bold"
        axes.text(left + PAD, first + row * LINE, line, family=FONT, size=SIZE, weight=weight, color=color, va="center")
