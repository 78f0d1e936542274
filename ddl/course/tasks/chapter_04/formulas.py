"""A list of operations as a formula in which nothing is computed twice."""

import ast
from collections import Counter

import numpy as np

from ...task import Malformed, Mistake, Task

PATTERNS = {"matmul": "({} @ {})", "add": "({} + {})", "sub": "({} - {})", "mul": "({} * {})"}
PATTERNS |= {"tanh": "np.tanh({})", "exp": "np.exp({})"}


def lines(rows):
    uses = Counter(i for _, of, _ in rows for i in of)
    return written(rows, lambda place, of: of and uses[place] > 1)


def written(rows, named, swap=False):
    """Lines in which the rows for which `named` is true have a name."""
    texts, found = [], []
    for place, (what, of, _) in enumerate(rows):
        inside = [texts[i] for i in of][:: -1 if swap else 1]
        text = PATTERNS[what].format(*inside) if of else what
        if named(place, of):
            found.append(f"v{place} = {text}")
            text = f"v{place}"
        texts.append(text)
    return [*found, texts[-1]]


def evaluated(answer, rows, arrays):
    """What the lines compute, how many there are, and how many operations are written in them."""
    found = answer(rows)
    if not isinstance(found, list) or not all(isinstance(line, str) for line in found) or not found:
        raise Malformed("a list of lines, each a text, was expected")
    names = {"np": np, **arrays}
    try:
        tree = ast.parse("\n".join(found))
        exec(compile(ast.parse("\n".join(found[:-1])), "lines", "exec"), names)
        value = eval(found[-1], names)
    except Exception as error:
        raise Malformed(f"Python cannot run these lines, {found}: {error}") from error
    operations = sum(isinstance(node, (ast.BinOp, ast.Call)) for node in ast.walk(tree))
    return {"value": np.asarray(value), "lines": len(found), "operations": operations}


def formulas():
    """(rows, arrays) by what is special about them."""
    rng = np.random.default_rng(5)

    def case(inputs, *operations):
        rows = [(name, (), shape) for name, shape in inputs.items()]
        rows += [(what, of, (2, 2)) for what, *of in operations]
        rows = [(what, tuple(of), shape) for what, of, shape in rows]
        return rows, {name: rng.normal(size=shape) for name, shape in inputs.items()}

    square = (2, 2)
    return {
        "one operation": case({"x": square, "y": square}, ("add", 0, 1)),
        "no operation": case({"x": square}),
        "an input twice": case({"x": square}, ("mul", 0, 0)),
        "nothing is used twice": case(
            {"x": square, "w": square, "b": square}, ("matmul", 0, 1), ("add", 3, 2), ("tanh", 4)
        ),
        "the order matters": case({"x": square, "y": square}, ("sub", 0, 1), ("matmul", 2, 1)),
        "an error, squared": case({"x": square, "y": square}, ("sub", 0, 1), ("mul", 2, 2)),
        "a row for two others": case({"x": square}, ("exp", 0), ("tanh", 1), ("sub", 1, 2)),
        "doublings": case({"a": square}, *(("add", i, i) for i in range(10))),
    }


TASKS = [
    Task(
        "04.lines",
        "A formula that says everything once",
        "lines",
        lines,
        formulas,
        (
            "How often does each row occur in the `of` of others? A collections.Counter tells.",
            "Go down the list with the text of each row, as the chapter does. Where an operation is used more than "
            "once, write a line for it, and let its text be its name from there on.",
            "The name is f'v{place}', its line f'v{place} = {text}'. Inputs have names already.",
        ),
        (
            Mistake(
                "twice in one operation counts once",
                "In a + a both places use a: count places, not operations.",
                lambda rows: written(rows, lambda place, of: of and sum(place in of for _, of, _ in rows) > 1),
            ),
            Mistake(
                "everything is written out",
                "Ten doublings become a thousand letters: give a name to what is used more than once.",
                lambda rows: written(rows, lambda place, of: False),
            ),
            Mistake(
                "a name for every operation",
                "What is used once can stand where it is used.",
                lambda rows: written(rows, lambda place, of: of and place < len(rows) - 1),
            ),
            Mistake(
                "inputs get another name",
                "An input has a name already, however often it is used.",
                lambda rows: written(rows, lambda place, _: sum(of.count(place) for _, of, _ in rows) > 1),
            ),
            Mistake(
                "operands exchanged",
                "The first row of `of` goes into the first gap.",
                lambda rows: written(
                    rows, lambda place, of: of and sum(of.count(place) for _, of, _ in rows) > 1, swap=True
                ),
            ),
        ),
        evaluated,
        level=2,
    ),
]
