"""Shapes and strides, found on paper."""

from ...task import Mistake, Task, itself, once

SHAPES = {"a + b": (4, 5, 3), "b + c": (5, 3), "a * c": (4, 1, 3), "b[:, 0] - b": (5, 5)}
WALK = {"strides": (2, 12, 4), "start": 4, "number": 10}

TASKS = [
    Task(
        "03.shapes",
        "Which shape comes out",
        "shapes",
        SHAPES,
        once,
        (
            "Write the two shapes below each other, aligned at the right, with 1 in front of the shorter one.",
            "a + b: (4, 1, 3) above (1, 5, 1). On each axis take the larger one.",
            "b[:, 0] has the shape (5,). Below (5, 1) it stands as (1, 5): each of five meets each of five.",
        ),
        (
            Mistake(
                "number by number where a column meets a row",
                "(5,) is aligned at the right, so it stands as (1, 5), and (1, 5) with (5, 1) gives (5, 5).",
                SHAPES | {"b[:, 0] - b": (5,)},
            ),
            Mistake(
                "a column stays a column",
                "(5,) is aligned at the right, so it stands as (1, 5), and (1, 5) with (5, 1) gives (5, 5).",
                SHAPES | {"b[:, 0] - b": (5, 1)},
            ),
            Mistake(
                "an axis of size 1 is dropped",
                "Broadcasting drops no axis: what has size 1 in both keeps size 1.",
                SHAPES | {"a * c": (4, 3)},
            ),
            Mistake(
                "aligned at the left",
                "Shapes are aligned at the right: the 5 of b stands below the 1 of a, not below its 4.",
                SHAPES | {"a + b": (4, 1, 3)},
            ),
        ),
        itself,
    ),
    Task(
        "03.strides",
        "Where does it lie",
        "walk",
        WALK,
        once,
        (
            "x has the strides (12, 4, 1): one further along an axis passes all that lies to the right of it.",
            "transpose(2, 0, 1) only puts the strides into another order: (1, 12, 4). No number moves.",
            "[::2] doubles the first stride. [:, :, 1:] starts one step of the last axis later, and that is 4 numbers.",
        ),
        (
            Mistake(
                "the strides of a fresh array",
                "That is an array of this shape in its own memory; a view walks through that of x.",
                {"strides": (4, 2, 1), "start": 0, "number": 10},
            ),
            Mistake(
                "the step is forgotten",
                "[::2] takes every other one: its stride is twice as long.",
                WALK | {"strides": (1, 12, 4)},
            ),
            Mistake(
                "starts at 0",
                "1: leaves out the first along the last axis, whose stride is 4: so the view starts at 4.",
                WALK | {"start": 0},
            ),
            Mistake(
                "starts at 1",
                "One step along the last axis is its stride, 4 numbers, and not one number.",
                WALK | {"start": 1},
            ),
            Mistake(
                "counted in bytes",
                "numpy's own .strides are in bytes, 8 for each of these numbers; here they are in numbers.",
                WALK | {"strides": (16, 96, 32)},
            ),
            Mistake(
                "the axes back in the order of x",
                "transpose(2, 0, 1) puts the last axis first, and its stride with it.",
                WALK | {"strides": (12, 4, 2)},
            ),
        ),
        itself,
    ),
]
