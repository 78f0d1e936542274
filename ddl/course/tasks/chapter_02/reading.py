"""What can be found on paper: a perceptron's first steps, who gets a gradient, exclusive or by hand."""

from ...task import Mistake, Task, itself, once, parts

CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def sides(network):
    """On which side each corner comes out: +1, -1, or 0 for a score of 0, which takes none."""

    def score(weights, xs):
        w1, w2, b = weights
        return w1 * xs[0] + w2 * xs[1] + b

    neurons = parts(network, "first", "second", "last").values()
    first, second, last = (tuple(parts(neuron, "w1", "w2", "b").values()) for neuron in neurons)
    sign = lambda s: int(s > 0) - int(s < 0)
    return {str(x): sign(score(last, [sign(score(h, x)) for h in (first, second)])) for x in CORNERS}


def hears(hidden_weights, hidden_biases, last_weights, last_bias):
    """Which parameters get a gradient, group by group."""
    return {
        "hidden weights": hidden_weights,
        "hidden biases": hidden_biases,
        "last weights": last_weights,
        "last bias": last_bias,
    }


TASKS = [
    Task(
        "02.follow",
        "Follow the perceptron",
        "end",
        {"w1": -2.0, "w2": 1.0, "b": 1.0, "mistakes": 3},
        once,
        (
            "Begin with w = (0, 0) and b = 0. The first score is 0, and a score of 0 counts as wrong.",
            "After the first point w = (1, 2) and b = 1. The next has score 3 and label −1: wrong again.",
            "Of the first pass A, B and C are wrong and D is right; the second pass has no mistake.",
        ),
        (
            Mistake(
                "a score of 0 taken as right",
                "A score of 0 takes no side: it counts as wrong, or nothing would ever begin.",
                {"w1": 0.0, "w2": 0.0, "b": 0.0, "mistakes": 0},
            ),
            Mistake(
                "the label left out",
                "A point of label −1 is taken away from the weights: w + y·x, with y = −1.",
                {"w1": 2.0, "w2": 1.0, "b": 3.0, "mistakes": 3},
            ),
            Mistake(
                "moved by every point",
                "A point that is right already changes nothing.",
                {"w1": -2.0, "w2": 2.0, "b": 2.0, "mistakes": 3},
            ),
            Mistake(
                "the bias moved without its label",
                "The bias moves by y: up for a point of +1, down for a point of −1.",
                {"w1": -2.0, "w2": 1.0, "b": 3.0, "mistakes": 3},
            ),
        ),
        itself,
    ),
    Task(
        "02.hears",
        "Who hears anything",
        "hears",
        hears(True, True, False, True),
        once,
        (
            "Go forward first: what are the four hidden values if their scores are all 0?",
            "A last weight v has the slope (p − t)·h. A hidden bias has (p − t)·v·(1 − h²).",
            "h is 0, so nothing reaches the last weights. v is not 0 and 1 − h² is 1, so the hidden ones hear.",
        ),
        (
            Mistake(
                "as if all were zero",
                "In the chapter the last weights were 0 as well, and nothing passed through them; here they are not.",
                hears(False, False, False, True),
            ),
            Mistake(
                "everybody",
                "The slope of a last weight is (p − t) times its hidden value: what is that value?",
                hears(True, True, True, True),
            ),
            Mistake(
                "the last layer alone",
                "The hidden neurons stand at tanh 0, where the slope is 1: it is not they who block the way.",
                hears(False, False, True, True),
            ),
            Mistake(
                "no hidden weights",
                "A hidden weight has the slope of its bias times its input, and the inputs are −1 and 1.",
                hears(False, True, False, True),
            ),
        ),
        itself,
    ),
    Task(
        "02.xor",
        "Exclusive or, by hand",
        "network",
        [(1, 1, 1), (1, 1, -1), (1, -1, -1)],
        once,
        (
            "Let the first hidden neuron say whether any input is true, and the second whether both are.",
            "Any: x₁ + x₂ + 1. Both: x₁ + x₂ − 1. Exclusive or: any, but not both.",
            "The last neuron weighs the first with 1 and the second with −1; now choose its bias.",
        ),
        (
            Mistake(
                "the bias of the last neuron is missing",
                "Where both hidden neurons agree their difference is 0, which takes no side: the bias has to decide.",
                [(1, 1, 1), (1, 1, -1), (1, -1, 0)],
            ),
            Mistake(
                "turned round",
                "It is true where it should be false, everywhere: turn the sign of the last neuron's three numbers.",
                [(1, 1, 1), (1, 1, -1), (-1, 1, 1)],
            ),
            Mistake(
                "or",
                "With both inputs true it should be false: let the neuron that says both speak against it.",
                [(1, 1, 1), (1, 1, -1), (1, 0, 0)],
            ),
            Mistake(
                "and",
                "With one input true it should be true: let the neuron that says any speak for it.",
                [(1, 1, 1), (1, 1, -1), (0, 1, 0)],
            ),
        ),
        sides,
        level=2,
    ),
]
