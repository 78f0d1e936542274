"""The logit lens: what a decoder would say next after each block, if the stream went to its last layer from there."""

import numpy as np

from ..figures import figure, png
from ..nn import functional as F
from .asked import host, undisturbed
from .base import Widget
from .language import as_ids, drawable, given, read, short, spelled, typed

TEXT = "If the argument is not a string, the function raises"
LONGEST = 24  # positions that are shown, the last of the text
DRAWN = 12  # positions in the picture
BROKEN = "Where there is NaN no token is likeliest and no rank is one: look for NaN or infinity in the model's weights."
BEST = 5  # tokens told of each place


class Lens(Widget, bundle="lens"):
    """Layers by positions: the next token that each block's residual stream speaks for (nostalgebraist 2020).

    The stream after the embedding and after each block goes through the model's own last norm and head. `rank` is where
    the model's final answer stands, 1 for first. Shown are the last 24 positions, of which the model sees all before.
    """

    def __init__(self, model=None, text=TEXT, tokenizer=None):
        text = TEXT if text is None else text
        self.model, self.tokenizer = given("lens", model, tokenizer, text)
        lacking = [name for name in ("wte", "blocks", "ln_f") if not hasattr(self.model, name)]
        if lacking:
            kind = type(self.model).__name__
            raise TypeError(f"lens takes a decoder such as ddl.models.GPT2, but {kind} has no {lacking[0]}")
        super().__init__(self.change(text))

    def change(self, text):
        text = text if self.tokenizer is not None or not isinstance(text, str) else as_ids(text)
        ids = read("lens", self.tokenizer, text)
        limit = getattr(getattr(self.model, "config", None), "block_size", len(ids))
        rows = layers_of(self.model, ids[-limit:])
        return {"text": text, "ids": ids[-limit:][-LONGEST:], "before": max(len(ids) - LONGEST, 0)} | {
            name: np.stack([row[name] for row in rows]) for name in rows[0]
        }

    def plain(self, state):
        known = lambda x: short(x) if np.isfinite(x) else None
        names = {int(i): spelled(self.tokenizer, [int(i)])[0] for i in np.unique(state["best"])}
        cell = lambda at: {
            "best": [[names[int(i)], known(p)] for i, p in zip(state["best"][at], state["p"][at])],
            "nats": known(state["nats"][at]),
            "rank": int(state["rank"][at]),
            "final": known(state["final"][at]),
        }
        L, T = state["nats"].shape
        return {
            "text": typed(state["text"]),
            "tokens": spelled(self.tokenizer, state["ids"]),
            "before": state["before"],
            "layers": layer_names(L),
            "cells": [[cell((layer, t)) for t in range(T)] for layer in range(L)],
        }

    def describe(self, state):
        data = self.plain(state)
        tokens, cells = data["tokens"], data["cells"]
        cut = f", after {data['before']} that are not shown" if data["before"] else ""
        lines = [f"Positions: {len(tokens)}{cut}: {' | '.join(tokens)}"]
        say = lambda x: "NaN" if x is None else f"{x:.4g}"
        lines += ["What each layer would say comes next: token probability (entropy in nats; rank of the final answer)"]
        for name, row in zip(data["layers"], cells):
            said = [f"{c['best'][0][0]} {say(c['best'][0][1])} ({say(c['nats'])}; {c['rank']})" for c in row]
            lines += ["", f"{name}: " + " | ".join(said)]
        last = [f"{name} {say(p)}" for name, p in cells[-1][-1]["best"]]
        settled = next(layer for layer in range(len(cells)) if all(row[-1]["rank"] == 1 for row in cells[layer:]))
        if any(cell["best"][0][1] is None for row in cells for cell in row):
            return "\n".join([*lines, "", BROKEN])
        lines += ["", f"At the last position the likeliest are {', '.join(last)}."]
        return "\n".join([*lines, f"The final answer there is first from here on: {data['layers'][settled]}."])

    def picture(self, state):
        data = self.plain(state)
        tokens, cells = data["tokens"][-DRAWN:], [row[-DRAWN:] for row in data["cells"]]
        image = figure(700, 110 + 30 * len(cells))
        axes = image.add_subplot()
        shares = np.array([[cell["best"][0][1] for cell in row] for row in cells], float)
        shown = axes.imshow(shares, cmap="Blues", vmin=0, vmax=1.4, aspect="auto")
        for y, x in np.ndindex(shares.shape):
            name = drawable(cells[y][x]["best"][0][0], "…")
            name = name if len(name) <= 7 else f"{name[:6]}…"
            axes.text(x, y, name, ha="center", va="center", fontsize=8, color="black", parse_math=False)
        names = [drawable(token, "…") for token in tokens]
        axes.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize=8, parse_math=False)
        axes.set_yticks(range(len(cells)), data["layers"], fontsize=8)
        axes.set_xlabel("token that was read")
        bar = image.colorbar(shown, label="probability", boundaries=np.linspace(0, 1, 101))
        bar.set_ticks([0, 0.5, 1])
        return png(image)


def lens(model=None, text=TEXT, tokenizer=None):
    """A `Lens` on a decoder and a text: the next token that each block speaks for, at each position."""
    return Lens(model, text, tokenizer)


def layers_of(model, ids):
    """What is told of the stream after the embedding and after each block, at the last LONGEST places, from one run.

    Only these places go through the last norm and the head, and the logits (T, V) of one layer at a time are held.
    """
    streams = []
    with undisturbed(model) as asked:
        for block in asked.blocks[:1]:
            block.register_forward_pre_hook(lambda _, inputs: streams.append(inputs[0][:, -LONGEST:]))
        for block in asked.blocks:
            block.register_forward_hook(lambda _, inputs, out: streams.append(out[:, -LONGEST:]))
        asked(np.array([ids]))
        spoken = lambda x: host(F.linear(asked.ln_f(x), asked.wte.weight))[0].astype(np.float64)
        final = spoken(streams[-1]).argmax(-1)
        return [told(spoken(x), final) for x in streams]


def told(logits, final):
    """Of logits (T, V): the best tokens with their p, the entropy, and the rank and probability of the final answer."""
    z = logits - logits.max(-1, keepdims=True)
    logs = z - np.log(np.exp(z).sum(-1, keepdims=True))
    p, best = np.exp(logs), np.argsort(-logits, -1, kind="stable")[:, :BEST]
    at = lambda x, places: np.take_along_axis(x, places, -1)
    return {
        "best": best,
        "p": at(p, best),
        "nats": 0.0 - (p * np.where(p > 0, logs, 0)).sum(-1),
        "rank": 1 + (logits > at(logits, final[:, None])).sum(-1),
        "final": at(p, final[:, None])[:, 0],
    }


def layer_names(count):
    return ["embedding", *(f"after block {i}" for i in range(count - 1))]
