"""What is read off a graph."""

from ...task import Mistake, Task, itself, once

ARRAY = 4 * 1000 * 250  # bytes

TASKS = [
    Task(
        "04.read",
        "A slope off the list",
        "slope",
        24.0,
        once,
        (
            "First the values: #2 is 6, #3 is 4, #4 is 24, #5 is 21. Then from the last row up.",
            "#4 gets 1. It sends 6 to #3 and 4 to #2. What does #3 send, and to whom?",
            "#2 gets 4 from #4 and 6 from #3, in all 10. a gets 3 · 10 from #2, and −6 from #3.",
        ),
        (
            Mistake(
                "one of two messages",
                "#2 is used twice, by #3 and by #4, and both send something back: they add up.",
                6,
            ),
            Mistake("the other of two messages", "#2 is used by #4 as well, and what comes from there counts.", 12),
            Mistake("the sign of the difference", "#3 is #2 − #0: what it sends to #0 carries a minus.", 36),
            Mistake("one way only", "a is used by #2 and by #3: both ways count.", 30),
            Mistake("the value, not the slope", "That is what comes out. How fast does it change with a?", 21),
        ),
        itself,
    ),
    Task(
        "04.kept",
        "What has to stay",
        "nbytes",
        3.0 * ARRAY,
        once,
        (
            "Go through the operations. tanh and exp keep what they gave; both products keep what went in.",
            "h is asked for twice and kept once. So is e. x, w and v are there anyway.",
            "h, e and h * e: three arrays of 1000 × 250 numbers, 4 bytes each.",
        ),
        (
            Mistake("kept twice", "An array that two rules ask for is kept once.", 5 * ARRAY),
            Mistake("one for each operation", "x @ w is asked for by nobody: tanh keeps its result.", 4 * ARRAY),
            Mistake("numbers, not bytes", "A float32 takes 4 bytes.", 3 * ARRAY // 4),
            Mistake("the last product is forgotten", "A matrix product keeps both inputs: h * e is one.", 2 * ARRAY),
            Mistake(
                "the inputs are counted",
                "x, w and v are there whether anybody keeps them or not.",
                3 * ARRAY + 4 * (1000 * 50 + 50 * 250 + 250),
            ),
        ),
        itself,
    ),
]
