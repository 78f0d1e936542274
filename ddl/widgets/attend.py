"""Where attention looks: every head's weights and scores, masks, and whether a query sees what comes after it."""

import numpy as np

from ..arrays import is_array
from ..core import Tensor
from ..graph import trace
from .asked import host, undisturbed
from .attend_picture import drawn
from .base import Widget
from .cells import array_of
from .language import as_ids, given, read, short, spelled, typed

TEXT = "The first argument is the name of the file"
LONGEST = 64  # tokens
MOST = 66_000  # weights that are sent, of all heads together: a longer text is cut
LISTED = 64  # heads in words
NEAR = 0.02  # of 1 is what weights in half precision add up to
HIDDEN = -1e4  # a score this low stands for what a mask hides


class Attend(Widget, bundle="attend"):
    """The attention of a model, head by head and query by query, before and after the softmax.

    `attend(model, text)` runs the model once and finds in what it computed each scaled_dot_product_attention and each
    softmax of as many rows and columns as there are tokens, whoever wrote it. `text` may also be ids, or an input
    (1, T, C) with `labels` for its places. `attend(weights, labels)` shows weights (T, S), (heads, T, S) or (layers,
    heads, T, S). Weight on the future is an alarm unless `causal=False`. Shown are up to 64 tokens, the first of a
    longer text, and up to 66,000 weights.
    """

    def __init__(self, model=None, text=None, tokenizer=None, labels=None, causal=True):
        self.model, self.tokenizer, self.labels, self.causal = None, tokenizer, labels, causal
        if _is_numbers(model) or isinstance(model, (list, tuple)):
            super().__init__(self.of_weights(array_of("attend", model), text if labels is None else labels))
            return
        self.model, self.tokenizer = given("attend", model, tokenizer, text if text is not None else TEXT)
        super().__init__(self.of_text(TEXT if text is None else text))

    def of_text(self, text):
        if _is_numbers(text) and getattr(text, "ndim", 0) > 1:
            inputs, labels, size = text[:1], self.labels, text.shape[1]
            make = lambda n: inputs[:, :n]
        else:
            ids = read("attend", self.tokenizer, text)
            labels, size = self.labels or spelled(self.tokenizer, ids), len(ids)
            make = lambda n: np.array([ids[:n]])
        limit = getattr(getattr(self.model, "config", None), "block_size", LONGEST)
        n = min(size, LONGEST, limit)
        layers = attentions(self.model, make(n))
        while n > 1 and sum(layer["weights"].size for layer in layers) > MOST:
            n = n * 3 // 4
            layers = attentions(self.model, make(n))
        return {"text": None if _is_numbers(text) else text, "size": size} | self.judged(layers, labels)

    def of_weights(self, weights, labels):
        if weights.ndim not in (2, 3, 4) or not weights.size:
            raise ValueError(f"attend takes weights (T, S), (H, T, S) or (L, H, T, S), but {weights.shape} was given")
        if not (np.isfinite(weights).all() and weights.min() >= 0 and weights.max() <= 1 + 1e-6):
            raise ValueError(
                f"attend takes weights from 0 to 1, but they go from {weights.min():.4g} to {weights.max():.4g}: "
                "give what the softmax gave"
            )
        sums = weights.sum(-1, dtype=np.float64)
        if (odd := sums[(sums != 0) & (abs(sums - 1) > NEAR)]).size:
            raise ValueError(
                f"attend takes weights that add up to 1 for each query, or to 0 where it sees nothing, but some add up "
                f"to {odd[0]:.4g}: give what the softmax gave"
            )
        T, S = weights.shape[-2:]
        if max(T, S) > LONGEST or weights.size > MOST:
            raise ValueError(
                f"attend shows up to {LONGEST} tokens and {MOST:,} weights, but the shape {weights.shape} was given"
            )
        if labels is not None and len(labels) not in (T, S):
            raise ValueError(f"attend was given {len(labels)} labels for weights of {T} queries and {S} keys")
        several = weights.reshape((1,) * (4 - weights.ndim) + weights.shape)
        layers = [{"name": f"layer {i}", "weights": of, "scores": None} for i, of in enumerate(several)]
        return {"text": None, "size": T} | self.judged(layers, labels)

    def judged(self, layers, labels):
        labels = [str(label) for label in (range(LONGEST) if labels is None else labels)]
        name = lambda n: labels[:n] if len(labels) >= n else [*map(str, range(n))]
        for layer in layers:
            layer["queries"], layer["keys"] = map(name, layer["weights"].shape[-2:])
            layer["future"] = [ahead(of) for of in layer["weights"]]
        return {"layers": layers, "alarm": self.causal}

    def change(self, text):
        if self.model is None or self.state["text"] is None:
            raise ValueError("this view shows numbers that were given, and no model that could read another text")
        return self.of_text(text if self.tokenizer is not None else as_ids(text))

    def plain(self, state):
        rounded = lambda x: [*map(rounded, x)] if isinstance(x, list) else None if x != x else short(x)
        layers = []
        for layer in state["layers"]:
            scores = layer["scores"]
            layers.append(
                layer
                | {"weights": rounded(layer["weights"].tolist())}
                | {"scores": None if scores is None else rounded(np.where(scores > HIDDEN, scores, np.nan).tolist())}
            )
        text = None if state["text"] is None else typed(state["text"])
        return {"layers": layers, "alarm": state["alarm"], "broken": broken(state), "text": text, "size": state["size"]}

    def describe(self, state):
        layers = state["layers"]
        first = layers[0]
        T, heads = first["weights"].shape[-2], sum(len(layer["weights"]) for layer in layers)
        cut = f", the first of {state['size']}" if state["size"] > T else ""
        lines = [f"Heads: {heads}, in layers: {len(layers)}. Queries: {T}{cut}.", verdict(state), ""]
        lines += ["head: mean weight on the query itself, on the one before, on the first key; most on the future"]
        lines += [habit(layer, h) for layer in layers for h in range(len(layer["weights"]))][:LISTED]
        lines += [f"and {heads - LISTED} heads more"] if heads > LISTED else []
        query = first["queries"][-1]
        lines += ["", f"{first['name']}, head 0: query {T - 1}, {query}, looks at key: weight (score)"]
        scores = np.full_like(first["weights"], np.nan) if first["scores"] is None else first["scores"]
        for s, (key, w, score) in enumerate(zip(first["keys"], first["weights"][0, -1], scores[0, -1])):
            told = "" if score != score else f" ({score:.4g})" if score > HIDDEN else " (masked)"
            lines += [f"{s} {key}: {w:.4g}{told}"]
        return "\n".join(lines)

    def picture(self, state):
        return drawn(state["layers"], verdict(state))


def attend(model=None, text=None, tokenizer=None, labels=None, causal=True):
    """An `Attend` of a model on a text, or of weights: where every head looks, before and after the softmax."""
    return Attend(model, text, tokenizer, labels, causal)


def attentions(model, inputs):
    """Each attention in what model(inputs) computes: its name, its weights and scores (heads, T, S)."""
    with undisturbed(model) as asked:
        graph = trace(asked, inputs)
    T, found = inputs.shape[1], []
    for node in graph.nodes:
        if node.op == "scaled_dot_product_attention":
            weights, scores = looked(node, [host(of.value) for of in graph.parents(node)])
        elif node.op == "softmax" and node.shape[-2:] == (T, T) and node.settings["axis"] in (-1, len(node.shape) - 1):
            weights, scores = host(node.value), host(graph.parents(node)[0].value)
        else:
            continue
        shape = (-1, *weights.shape[-2:])
        name = node.scope or "attention"
        same = sum(each["name"].split(" #")[0] == name for each in found)
        named = f"{name} #{same + 1}" if same else name
        found.append({"name": named, "weights": weights.reshape(shape), "scores": scores.reshape(shape)})
    if not found:
        raise ValueError(
            f"attend found no attention in this model: no scaled_dot_product_attention, and no softmax of {T} by {T}; "
            "give it the weights themselves: attend(weights, labels)"
        )
    return found


def looked(node, given):
    """The weights and the scores of a fused attention: softmax of the scores, where a hidden one is -inf."""
    q, k, *more = (of.astype(np.float64) if of.dtype.kind == "f" else of for of in given)
    scores = q @ k.swapaxes(-1, -2) * node.settings["scale"]
    for mask in more[1:]:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    if node.settings["is_causal"]:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    most = scores.max(-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        e = np.exp(scores - np.where(most <= HIDDEN, 0, most))  # of a row that holds NaN all is NaN, as in the softmax
    total = e.sum(-1, keepdims=True)
    return e / np.where(total == 0, 1, total), scores


def ahead(weights):
    """The largest weight on a key that comes after its query, and where; None where keys are not the queries."""
    if weights.shape[0] != weights.shape[1]:
        return None
    later = np.nan_to_num(np.triu(weights, 1))
    t, s = np.unravel_index(later.argmax(), later.shape)
    return {"most": short(later[t, s]), "query": int(t), "key": int(s)}


def habit(layer, h):
    """What a head mostly looks at, in a line."""
    w, future = layer["weights"][h], layer["future"][h]
    before = np.diagonal(w, -1).mean() if len(w) > 1 else 0.0
    most = "none" if future is None else f"{future['most']:.4g}"
    return f"{layer['name']} {h}: {w.diagonal().mean():.4g}, {before:.4g}, {w[:, 0].mean():.4g}; {most}"


def broken(state):
    """Which heads hold NaN, in a sentence; "" where none does."""
    heads = [(layer["name"], h, w) for layer in state["layers"] for h, w in enumerate(layer["weights"])]
    found = [(name, h) for name, h, w in heads if np.isnan(w).any()]
    if not found:
        return ""
    name, h = found[0]
    where = f"{len(found)} of {len(heads)} heads, first in {name}, head {h}"
    return f"The weights hold NaN, in {where}: where these look cannot be told."


def verdict(state):
    """Whether anybody looks ahead, in a sentence; of NaN nobody knows."""
    places = [(layer, h, of) for layer in state["layers"] for h, of in enumerate(layer["future"]) if of]
    leaks = [place for place in places if place[2]["most"] > 0]
    if said := broken(state):
        return said
    if not places:
        return "Keys are not the queries here, so there is no future to hide."
    if not leaks:
        return f"No query looks at what comes after it: all weight on the future is 0 (heads: {len(places)})."
    layer, h, of = max(leaks, key=lambda place: place[2]["most"])
    pair = f"query {of['query']}, {layer['queries'][of['query']]}, looks at key {of['key']}, {layer['keys'][of['key']]}"
    what = "A leak, where this is a decoder" if state["alarm"] else "Both ways"
    where = f"most with {of['most']:.4g} in {layer['name']}, head {h}: {pair}"
    return f"{what}: {len(leaks)} of {len(places)} heads look ahead, {where}."


def _is_numbers(x):
    return isinstance(x, Tensor) or is_array(x)
