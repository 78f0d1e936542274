"""How many windows fit, and how many weights there are."""

from ...task import Mistake, Task, itself, once

FIRST, SECOND, LAST = 3 * 16 * 25 + 16, 16 * 32 * 9 + 32, 32 * 8 * 8 * 10 + 10

TASKS = [
    Task(
        "08.size",
        "How many windows fit",
        "rows",
        15.0,
        once,
        (
            "With its padding the image is 30 + 4 + 4 rows high. At which row does the last window begin, at most?",
            "At row 38 − 9 = 29, if a step ends there. Steps of 2 lead to 0, 2, .., 28.",
            "⌊29 / 2⌋ + 1.",
        ),
        (
            Mistake("padded on one side", "There are p rows of zeros above and p below.", 13.0),
            Mistake(
                "the first window is not counted", "From 0 to 28 in steps of 2 there are 14 steps, 15 places.", 14.0
            ),
            Mistake("rounded up", "A window that would reach beyond the padding does not count: round down.", 16.0),
            Mistake("the stride is left out", "Windows begin at every other row.", 30.0),
            Mistake("without padding", "The zeros around the image are part of what the window slides over.", 11.0),
        ),
        itself,
    ),
    Task(
        "08.params",
        "How many weights look",
        "parameters",
        float(FIRST + SECOND + LAST),
        once,
        (
            "A kernel has k × k weights for each channel that comes in. There is one kernel, and one bias, for each "
            "channel that goes out.",
            "The convolutions keep 32 × 32, since their padding makes up for their windows. Each pooling halves it: "
            "32 channels of 8 × 8 reach the linear layer.",
            "1,216 + 4,640 + 20,490.",
        ),
        (
            Mistake(
                "biases are forgotten",
                "One for each channel, or number, that goes out.",
                float(FIRST + SECOND + LAST - 58),
            ),
            Mistake(
                "one kernel for all channels that come in",
                "A kernel is as deep as its input: it has k × k weights for each channel.",
                float(16 * 25 + 16 + 32 * 9 + 32 + LAST),
            ),
            Mistake(
                "pooled once",
                "Two poolings leave a quarter of each side: 8 × 8.",
                float(FIRST + SECOND + 32 * 16 * 16 * 10 + 10),
            ),
            Mistake(
                "the channels are lost on the way to the linear layer",
                "All channels of all places are laid out in a row: 32 × 8 × 8 numbers.",
                float(FIRST + SECOND + 8 * 8 * 10 + 10),
            ),
        ),
        itself,
    ),
]
