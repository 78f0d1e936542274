"""What comes next: a model's distribution, cooled and cut by hand, and the token that a seeded number draws from it."""

import numpy as np

from ..figures import COLORS, figure, png
from ..models import distribution
from ..models.sampling import check_sampling
from .asked import host, undisturbed
from .base import Widget
from .language import as_ids, drawable, given, read, spelled, typed

TEXT = "This function returns the"
WHOLE = 2048  # a vocabulary up to this size is sent whole
TOP, BINS = 1000, 64  # of a larger one these likeliest tokens, and the others in so many groups of near scores
ROWS = 20  # tokens in words and picture
LONGEST = 2000  # tokens of a text
BACK = 20  # tokens whose scores are kept for a way back


class Sample(Widget, bundle="sample"):
    """The next token's distribution, on which temperature, top_k and top_p are sliders; drawing goes on with the text.

    The model runs once a token, never for a slider. `seed` fixes the numbers that tokens are drawn with, as
    `model.generate(ids, n, rng=np.random.default_rng(seed))` does. The scores of up to 2,048 tokens are sent whole; of
    more the 1,000 likeliest, and the others in 64 groups, exact at temperature 1.
    """

    def __init__(self, model=None, text=TEXT, tokenizer=None, temperature=0.8, top_k=None, top_p=0.95, seed=0):
        text = TEXT if text is None else text
        self.model, self.tokenizer = given("sample", model, tokenizer, text)
        settings = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
        super().__init__(self.begun(text, settings, seed))

    def begun(self, text, settings, seed):
        ids = read("sample", self.tokenizer, text)
        if len(ids) > LONGEST:
            raise ValueError(f"sample takes up to {LONGEST:,} tokens, but {len(ids):,} were given: cut the text")
        return self.with_settings(
            self.scored({"text": text, "ids": ids, "first": len(ids), "before": ()}), settings, seed
        )

    def scored(self, state):
        return state | {"logits": next_scores(self.model, state["ids"])}

    def with_settings(self, state, settings, seed):
        check_sampling(**settings, owner="sample")
        drawn = uniform(seed, len(state["ids"]) - state["first"])
        return state | {"settings": settings, "seed": seed, "u": drawn, "p": distribution(state["logits"], **settings)}

    def change(self, text=None, add=None, draw=False, back=False, seed=None, **settings):
        state = self.state
        settings, seed = state["settings"] | settings, state["seed"] if seed is None else seed
        if text is not None:
            return self.begun(text if self.tokenizer is not None else as_ids(text), settings, seed)
        if back and len(state["ids"]) > state["first"]:
            state = self.one_back(state)
        if draw:
            add = drawn(self.with_settings(state, settings, seed))
        if add is not None:
            V = len(state["logits"])
            if not isinstance(add, int) or not 0 <= add < V:
                raise ValueError(f"token {add!r} was to be added, but this model's tokens are 0 to {V - 1}")
            before = (*state["before"], state["logits"])[-BACK:]
            state = self.scored(state | {"ids": [*state["ids"], add], "before": before})
        return self.with_settings(state, settings, seed)

    def one_back(self, state):
        """The state without its last token; scores of more than BACK tokens ago are asked for anew."""
        state = state | {"ids": state["ids"][:-1]}
        if not state["before"]:
            return self.scored(state)
        *before, logits = state["before"]
        return state | {"before": tuple(before), "logits": logits}

    def plain(self, state):
        z = state["logits"]
        order = np.argsort(-z.astype(np.float64), kind="stable")
        top = order if len(z) <= WHOLE else order[:TOP]
        names = spelled(self.tokenizer, top.tolist())
        return {
            "text": typed(state["text"]),
            "tokens": spelled(self.tokenizer, state["ids"]),
            "first": state["first"],
            "top": [[i, brief(z[i]), name] for i, name in zip(top.tolist(), names)],
            "rest": grouped(z[order[len(top) :]]),
            "settings": state["settings"],
            "u": state["u"],
            "seed": state["seed"],
        }

    def describe(self, state):
        z, p, settings = state["logits"].astype(np.float64), state["p"], state["settings"]
        own = distribution(state["logits"])
        name = lambda i: spelled(self.tokenizer, [int(i)])[0]
        token = drawn(state)
        lines = [
            f"{len(state['ids'])} tokens so far, {len(state['ids']) - state['first']} of them added: "
            f"{''.join(spelled(self.tokenizer, state['ids'][-LONGEST:]))[-400:]}",
            f"temperature {settings['temperature']:.4g}, top_k {settings['top_k'] or 'all'}, "
            f"top_p {settings['top_p'] or 1}: {np.count_nonzero(p)} of {len(p)} tokens can be drawn",
            f"entropy {spread(p):.4g} nats = {spread(p) / np.log(2):.4g} bits; "
            f"the model's own {spread(own):.4g} nats = {spread(own) / np.log(2):.4g} bits",
            f"the seeded number {state['u']:.4g} draws token {token}, {name(token)}, of probability {p[token]:.4g}",
            "",
            "token: score, the model's own probability, probability to be drawn",
        ]
        order = np.argsort(-z, kind="stable")[:ROWS]
        lines += [f"{name(i)} ({i}): {z[i]:.4g}, {own[i]:.4g}, {p[i]:.4g}" for i in order]
        others = 1 - p[order].sum()
        return "\n".join([*lines, f"{len(p) - len(order)} others together: {max(others, 0):.4g}"])

    def picture(self, state):
        z, p, own = state["logits"].astype(np.float64), state["p"], distribution(state["logits"])
        order = np.argsort(-z, kind="stable")[:ROWS]
        names = [drawable(spelled(self.tokenizer, [int(i)])[0], f"id {i}") for i in order]
        image = figure(700, 110 + 19 * len(order))
        axes = image.add_subplot()
        axes.barh(range(len(order)), p[order], color=COLORS[0], label="drawn with, after the settings")
        axes.barh(
            range(len(order)), own[order], fill=False, edgecolor=COLORS[1], linewidth=1.4, label="the model's own"
        )
        axes.set_yticks(range(len(order)), names, family="DejaVu Sans Mono", parse_math=False)
        axes.invert_yaxis()
        axes.set_xlabel("probability of the next token")
        axes.legend(loc="lower right")
        tail = "".join(drawable(name, "…") for name in spelled(self.tokenizer, state["ids"][-12:]))
        axes.set_title(f"…{tail}  →  ?    entropy {spread(p):.3g} nats", loc="left", fontsize=10, parse_math=False)
        return png(image)


def sample(model=None, text=TEXT, tokenizer=None, temperature=0.8, top_k=None, top_p=0.95, seed=0):
    """A `Sample` of a model on a text: the next token's distribution, to be cooled, cut and drawn from."""
    return Sample(model, text, tokenizer, temperature, top_k, top_p, seed)


def next_scores(model, ids):
    """The scores (V,) after the ids, from one run of the model on the last of them that fit."""
    limit = getattr(getattr(model, "config", None), "block_size", len(ids))
    with undisturbed(model) as asked:
        logits = asked(np.array([ids[-limit:]]))
    if getattr(logits, "ndim", 0) != 3:
        raise ValueError(f"sample takes a model of ids (1, T) that gives logits (1, T, V), but it gave {logits!r}")
    return host(logits[0, -1])


def uniform(seed, place):
    """The number that draws token `place`: what numpy's generator of that seed gives then."""
    if not isinstance(seed, int) or seed < 0:
        raise ValueError(f"a seed is a whole number of 0 or more, but {seed!r} was given")
    return float(np.random.default_rng(seed).random(place + 1)[place])


def drawn(state):
    """The token on which the number falls where all tokens lie side by side, by id, each as wide as it is probable."""
    sums = state["p"].cumsum()
    return int((sums / sums[-1]).searchsorted(state["u"], side="right"))


def spread(p):
    """The entropy in nats."""
    p = p[p > 0]
    return float(0.0 - (p * np.log(p)).sum())


def brief(x):
    """A float32 in the fewest digits that tell it from others."""
    return float(str(np.float32(x)))


def grouped(z):
    """Scores, highest first, as pairs of a score and of how many tokens have about that: their sum of exp is kept."""
    parts = np.array_split(z.astype(np.float64), min(BINS, len(z))) if len(z) else []
    return [[float(np.log(np.exp(part - part[0]).mean()) + part[0]), len(part)] for part in parts]
