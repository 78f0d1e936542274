"""What two looks find, and which matrices of a stack start small."""

import numpy as np

from .... import nn
from ...task import Mistake, Task


def copied(ids):
    out = []
    for t, now in enumerate(ids):
        earlier = [s for s in range(t) if ids[s] == now]
        out.append(ids[earlier[-1] + 1] if earlier else -1)
    return out


def found(which=-1, step=1, until=lambda t, T: t, none=-1):
    """The same with another choice among the places, another step from there, or another past."""

    def copy(ids):
        out = []
        for t, now in enumerate(ids):
            places = [s for s in range(until(t, len(ids))) if ids[s] == now and s != t]
            place = places[which] + step if places else None
            out.append(none if place is None or not 0 <= place < len(ids) else ids[place])
        return out

    return copy


def rows():
    """Tokens by what is special about them."""
    return {
        "one token": ([5],),
        "all different": ([3, 1, 4, 0],),
        "two words of three": ([0, 1, 2, 0, 1, 2],),
        "the same token again and again": ([7, 7, 7, 7],),
        "one that was followed by two": ([1, 2, 1, 3, 1, 4, 1],),
        "it comes back much later": ([6, 2, 5, 0, 3, 6, 6],),
        "none": ([],),
    }


def shrink(blocks):
    for block in blocks:
        for p in (block.attn.proj.weight, block.mlp.down.weight):
            p.data = p.numpy() / (2 * len(blocks)) ** 0.5


def by(factor, chosen=("attn.proj.weight", "mlp.down.weight")):
    """The same with another factor for a stack of n, or with other parameters."""

    def smaller(blocks):
        for block in blocks:
            for name, p in block.named_parameters():
                if name in chosen:
                    p.data = (p.numpy() * factor(len(blocks))).astype(p.numpy().dtype)

    return smaller


def right_factor(n):
    return (2 * n) ** -0.5


def after(answer, count, C, H, bias):
    """By how much the answer multiplies each parameter of a stack: the least and the largest factor of its entries."""
    rng = np.random.default_rng(count)
    blocks = [nn.TransformerBlock(C, H, bias=bias) for _ in range(count)]
    named = {f"{name} of block {i}": p for i, block in enumerate(blocks) for name, p in block.named_parameters()}
    for p in named.values():
        p.data = rng.uniform(0.5, 1.5, p.shape).astype(np.float32)
    before = {name: p.numpy().copy() for name, p in named.items()}
    answer(blocks)
    factors = {name: p.numpy() / before[name] for name, p in named.items()}
    return {name: np.array([f.min(), f.max()], f.dtype) for name, f in factors.items()}


TASKS = [
    Task(
        "13.looks",
        "Two looks by hand",
        "copied",
        copied,
        rows,
        (
            "For each place t: the places s before t that hold the same token, ids[s] == ids[t].",
            "Of these take the last, and give the token *after* it. If there are none, −1.",
            "earlier = [s for s in range(t) if ids[s] == ids[t]], and then ids[earlier[-1] + 1] if earlier else -1.",
        ),
        (
            Mistake("the first time it came", "Take the latest of the earlier places.", found(which=0)),
            Mistake("the token itself", "What is found is the same token: copy the one after it.", found(step=0)),
            Mistake("the token before it", "Copy what came after it.", found(step=-1)),
            Mistake(
                "it looks into the future",
                "Only the places before t may be seen, range(t).",
                found(until=lambda t, T: T),
            ),
            Mistake("0 where nothing was found", "0 is a token: −1 says that there is nothing to copy.", found(none=0)),
            Mistake(
                "it does not see the neighbour",
                "Place t − 1 is before t too: range(t) ends there.",
                found(until=lambda t, T: max(t - 1, 0)),
            ),
        ),
        level=2,
    ),
    Task(
        "13.shrink",
        "Which matrices start small",
        "shrink",
        shrink,
        lambda: {
            "no blocks": (0, 4, 1, True),
            "one block": (1, 4, 1, True),
            "two blocks": (2, 4, 2, True),
            "without biases": (3, 4, 2, False),
            "eight blocks": (8, 4, 2, True),
        },
        (
            "Which matrix of each half writes into the stream? `print(nn.TransformerBlock(8, 2))` shows all.",
            "`block.attn.proj.weight` and `block.mlp.down.weight`, for each of L blocks, by 1/√(2L).",
            "for p in (..., ...): p.data = p.numpy() / (2 * len(blocks)) ** 0.5",
        ),
        (
            Mistake("blocks were counted for halves", "L blocks add 2L times: 1/√(2L).", by(lambda n: n**-0.5)),
            Mistake(
                "mean squares for sizes",
                "Mean squares have to add up to 1, so weights are divided by the root, √(2L).",
                by(lambda n: 1 / (2 * n)),
            ),
            Mistake(
                "the MLP was forgotten",
                "Both halves write into the stream: mlp.down as well.",
                by(right_factor, ("attn.proj.weight",)),
            ),
            Mistake(
                "the matrices that read",
                "Those read from the stream, and add nothing to it: take those that write.",
                by(right_factor, ("attn.qkv.weight", "mlp.up.weight")),
            ),
            Mistake(
                "all matrices",
                "Two factors of 1/√(2L) in a row: only the last matrix of each half.",
                by(right_factor, ("attn.qkv.weight", "attn.proj.weight", "mlp.up.weight", "mlp.down.weight")),
            ),
            Mistake("larger", "Divide: the more halves, the less each of them adds.", by(lambda n: (2 * n) ** 0.5)),
        ),
        after,
        level=2,
        rtol=1e-5,
    ),
]
