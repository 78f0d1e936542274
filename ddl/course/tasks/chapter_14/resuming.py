"""A run that is taken up again: what has to be kept of it."""

import copy

import numpy as np

from ...task import Mistake, Task


class Run:
    """A training run in small: noisy gradients of a bowl, momentum, and a rate that falls."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.w = self.rng.normal(size=3)
        self.v = np.zeros(3)
        self.step = 0

    def advance(self, steps):
        for _ in range(steps):
            g = self.w + 0.1 * self.rng.normal(size=3)
            self.v *= 0.9
            self.v += g
            self.w -= 0.1 / (1 + self.step) * self.v
            self.step += 1


def keep(run):
    return {"w": run.w.copy(), "v": run.v.copy(), "step": run.step, "rng": run.rng.bit_generator.state}


def take_up(run, kept):
    run.w, run.v, run.step = kept["w"].copy(), kept["v"].copy(), kept["step"]
    run.rng.bit_generator.state = kept["rng"]


def without(*names):
    """The same with something forgotten."""

    def taken(run, kept):
        before = copy.deepcopy({name: vars(run)[name] for name in names})
        take_up(run, kept)
        vars(run).update(before)

    return keep, taken


def kept_by_name(run):
    return {"w": run.w, "v": run.v, "step": run.step, "rng": run.rng.bit_generator.state}


def handed_over(run, kept):
    run.w, run.v, run.step = kept["w"], kept["v"], kept["step"]
    run.rng.bit_generator.state = kept["rng"]


def continued(answer, seed, fresh_seed, before, after):
    """The weights where a run goes on by itself, and where it is taken up by a fresh one, twice."""
    kept_of, taken = answer
    run = Run(seed)
    run.advance(before)
    kept = kept_of(run)
    run.advance(after)
    found = {"the run itself": run.w.copy()}
    for name in ("taken up", "taken up once more"):
        fresh = Run(fresh_seed)
        taken(fresh, kept)
        fresh.advance(after)
        found[name] = np.array(fresh.w, float)
    return found


TASKS = [
    Task(
        "14.resume",
        "To the last bit",
        ("keep", "take_up"),
        (keep, take_up),
        lambda: {
            "nothing done yet, and nothing after": (0, 0, 0, 0),
            "kept at the end": (1, 2, 4, 0),
            "kept at the start": (3, 4, 0, 5),
            "in the middle": (5, 6, 4, 5),
            "late, and a long way to go": (7, 8, 20, 30),
            "the same seed": (9, 9, 6, 6),
        },
        (
            "Read `advance`: what does a step read, besides numbers written in the code?",
            "w, v, step and the state of rng, `run.rng.bit_generator.state`. Arrays change in place: copy them.",
            "Copy twice: in `keep`, or the run goes on changing what was kept; in `take_up`, or the one that takes it "
            "up does. The state of rng can be set: run.rng.bit_generator.state = kept['rng'].",
        ),
        (
            Mistake(
                "the weights alone",
                "Velocity, step and random numbers decide the next step as well as the weights do.",
                without("v", "step", "rng"),
            ),
            Mistake("the velocity is forgotten", "Momentum begins again at 0: keep v.", without("v")),
            Mistake(
                "the step is forgotten",
                "The rate falls with the step: begun again at 0 it is too large.",
                without("step"),
            ),
            Mistake(
                "the random numbers are forgotten",
                "The noise, in a real run the shuffle and dropout, has to go on where it was: keep the state of rng.",
                without("rng"),
            ),
            Mistake(
                "what is kept goes on changing",
                "`keep` took the arrays themselves, and the run, which goes on, changes them in place: copy them.",
                (kept_by_name, take_up),
            ),
            Mistake(
                "it can be taken up only once",
                "`take_up` handed over the kept arrays themselves, and the first to take them up changed them: copy.",
                (keep, handed_over),
            ),
        ),
        continued,
        level=3,
        rtol=0,
        atol=0,
    ),
]
