"""Chapter 1: one number at a time."""

from ..task import Mistake, Task

NUMBERS = lambda: {"small": (2.0, 3.0), "negative": (-1.5, 4.0), "a zero": (0.0, 7.0), "both the same": (3.0, 3.0)}

TASKS = [
    Task(
        "01.product",
        "The slopes of a product",
        "product_slopes",
        lambda a, b: (b, a),
        NUMBERS,
        (
            "Move a by h and leave b alone: by how much does a * b move?",
            "(a + h) * b is a * b + h * b, so for each step of a the product moves b steps.",
            "Return two numbers, first the slope in a, then the slope in b: each is the other factor.",
        ),
        (
            Mistake(
                "each factor is its own slope", "When a moves, the product moves b times as far.", lambda a, b: (a, b)
            ),
            Mistake(
                "the slopes of a sum",
                "A sum moves one step for each step; a product does not.",
                lambda a, b: (1.0, 1.0),
            ),
        ),
    ),
]
