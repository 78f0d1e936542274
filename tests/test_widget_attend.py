"""Attention is shown as it happened: beside need_weights, on any model, with masks, and every leak is found."""

import numpy as np
import pytest

import ddl
from ddl import nn
from ddl.models import GPT2, GPT2Config
from ddl.nn import functional as F

pytest.importorskip("anywidget")

from ddl.widgets import Attend, attend
from ddl.widgets.attend import LONGEST, MOST, attentions
from ddl.widgets.language import small, small_tokenizer


@pytest.fixture(autouse=True)
def nobody_listens(monkeypatch):
    monkeypatch.setattr(Attend, "send", lambda self, said, buffers=None: None)


def ask(widget, **what):
    widget._handle_custom_msg({"ask": what, "number": 1}, [])
    return widget.fault


def decoder(**sizes):
    ddl.manual_seed(0)
    sizes = {"vocab_size": 50, "block_size": 80, "n_embd": 16, "n_layer": 2, "n_head": 2} | sizes
    return GPT2(GPT2Config(**sizes))


def by_hand(model, ids):
    """Scores and weights of each block of a decoder, walked through by hand, row by row and head by head."""
    x, found = model.wte(np.array([ids])) + model.wpe.weight[: len(ids)], []
    for block in model.blocks:
        y, H = block.ln_1(x), block.attn.num_heads
        q, k, _ = np.split(block.attn.qkv(y).numpy()[0].astype(np.float64), 3, axis=-1)
        D = q.shape[-1] // H
        scores = np.full((H, len(ids), len(ids)), -np.inf)
        for h in range(H):
            for t in range(len(ids)):
                for s in range(t + 1):
                    scores[h, t, s] = q[t, h * D : (h + 1) * D] @ k[s, h * D : (h + 1) * D] / np.sqrt(D)
        e = np.exp(scores)
        found.append((scores, e / e.sum(-1, keepdims=True)))
        x = block(x)
    return found


def test_the_decoders_weights_and_scores_are_those_by_hand():
    widget = attend(text="The name of the file")
    ids = small_tokenizer().encode("The name of the file")
    for layer, (scores, weights) in zip(widget.state["layers"], by_hand(small(), ids), strict=True):
        np.testing.assert_allclose(layer["weights"], weights, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(layer["scores"], scores, rtol=1e-4, atol=1e-5)
    shown = widget.data["layers"][2]
    assert shown["name"] == "blocks.2.attn"
    assert shown["keys"] == shown["queries"] == ["The", "␣name", "␣of", "␣the", "␣file"]
    np.testing.assert_allclose(shown["weights"], widget.state["layers"][2]["weights"], rtol=6e-4)
    assert [[x is None for x in row] for row in shown["scores"][0]] == (~np.tri(5, dtype=bool)).tolist()
    assert "No query looks at what comes after it" in widget.words
    assert ask(widget, text="Another one") == ""
    assert "".join(widget.data["layers"][0]["keys"]) == "Another␣one"


def test_any_model_with_attention_is_shown():
    ddl.manual_seed(0)
    layer = nn.MultiHeadAttention(8, 2, kv_heads=1, rotary=nn.RotaryEmbedding(4))
    x, mask = ddl.randn(1, 5, 8), np.tri(5, k=1, dtype=bool)
    padding = np.array([[True, True, True, True, False]])

    class Wrapped(nn.Module):
        def __init__(self):
            self.inner = layer

        def forward(self, x):
            return self.inner(x, attn_mask=mask, key_padding_mask=padding)

    widget = attend(Wrapped(), x)
    _, weights = layer(x, attn_mask=mask, key_padding_mask=padding, need_weights=True, average_attn_weights=False)
    (shown,) = widget.state["layers"]
    assert shown["name"] == "inner"
    np.testing.assert_allclose(shown["weights"], weights.numpy()[0], rtol=1e-5, atol=1e-7)
    assert np.isneginf(shown["scores"]).tolist() == np.broadcast_to(~(mask & padding), (2, 5, 5)).tolist()
    assert shown["future"][0]["most"] > 0


def test_float_masks_and_cross_attention_are_shown():
    ddl.manual_seed(0)
    layer = nn.TransformerDecoderLayer(8, 2, 16).eval()
    memory, x = ddl.randn(1, 3, 8), ddl.randn(1, 4, 8)
    bias = np.random.default_rng(0).normal(size=(4, 4)).astype(np.float32)
    model = lambda x: layer(x, memory, tgt_mask=bias, tgt_is_causal=True)
    own, cross = attentions(model, x)
    y = layer.self_attn(x, attn_mask=bias, is_causal=True, need_weights=True, average_attn_weights=False)[1]
    np.testing.assert_allclose(own["weights"], y.numpy()[0], rtol=1e-5, atol=1e-7)
    assert cross["weights"].shape == (2, 4, 3)
    np.testing.assert_allclose(cross["weights"].sum(-1), 1, rtol=1e-6)
    assert attend(model, x).data["layers"][1]["future"] == [None, None]


def leaky(x):
    """Attention as a learner writes it, whose mask lets one key too many through."""
    q, k, v = x * 0.5, x * 1.5, x
    scores = q @ k.mT
    scores = scores.masked_fill(~np.tri(x.shape[1], k=1, dtype=bool), -1e9)
    return F.softmax(scores / 40, dim=-1) @ v


def test_a_leak_in_ones_own_attention_is_found_and_told():
    x = ddl.Tensor(np.random.default_rng(0).normal(size=(1, 5, 3)))
    widget = attend(leaky, x, labels=list("abcde"))
    (shown,) = widget.data["layers"]
    weights = np.array(shown["weights"][0])
    places = [(t, t + 1) for t in range(4)]
    most = max(weights[t, s] for t, s in places)
    assert most > 0
    at = int(np.argmax(np.diagonal(weights, 1)))
    assert shown["future"] == [{"most": most, "query": at, "key": at + 1}]
    assert f"A leak, where this is a decoder: 1 of 1 heads look ahead, most with {most:.4g}" in widget.words
    assert "Both ways: 1 of 1 heads" in attend(leaky, x, causal=False).words
    assert shown["scores"][0][0][3] is None


def test_weights_alone_are_shown():
    rng = np.random.default_rng(0)
    w = rng.random((2, 3, 4, 4)) * np.tri(4)
    w /= w.sum(-1, keepdims=True)
    w[1, 2, 0] = [0.5, 0.25, 0.25, 0]
    told = "1 of 6 heads look ahead, most with 0.25 in layer 1, head 2: query 0, a, looks at key 1, b."
    for weights in (w, ddl.Tensor(w)):
        widget = attend(weights, list("abcd"))
        assert [layer["keys"] for layer in widget.data["layers"]] == [list("abcd")] * 2
        np.testing.assert_allclose([layer["weights"] for layer in widget.data["layers"]], w, rtol=6e-4)
        assert told in widget.words
    assert len(attend(w[0]).data["layers"][0]["weights"]) == 3
    assert attend(w[0, 0]).data["layers"][0]["keys"] == ["0", "1", "2", "3"]
    assert "shows numbers that were given" in ask(widget, text="x")
    turned = attend(w[:, :, ::-1, ::-1], list("abcd"))
    assert widget.picture(widget.state) != turned.picture(turned.state)


def test_long_texts_and_many_heads_are_cut():
    widget = attend(decoder(), list(range(50)) + list(range(30)))
    assert len(widget.data["layers"][0]["keys"]) == LONGEST
    assert f"Queries: {LONGEST}, the first of 80" in widget.words
    many = attend(decoder(n_layer=8, n_head=16), list(range(50)))
    sizes = [np.size(layer["weights"]) for layer in many.data["layers"]]
    assert sum(sizes) <= MOST < sum(sizes) * 2
    assert len(attend(decoder(block_size=7), list(range(20))).data["layers"][0]["keys"]) == 7


def test_the_model_stays_as_it_was():
    model = decoder(dropout=0.5).train()
    before, state = {name: p.numpy().copy() for name, p in model.named_parameters()}, ddl.random.get_state()
    widget = attend(model, [1, 2, 3, 4])
    assert repr(widget) == repr(attend(model, [1, 2, 3, 4]))
    assert all(module.training for module in model.modules())
    assert all(p.grad is None for p in model.parameters())
    assert all(np.array_equal(p.numpy(), before[name]) for name, p in model.named_parameters())
    assert ddl.random.get_state() == state


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: attend(nn.Linear(3, 3), ddl.randn(1, 2, 3)), "found no attention in this model"),
        (lambda: attend(decoder(), "abc"), "pass tokenizer="),
        (lambda: attend(np.ones(3)), r"weights \(T, S\), \(H, T, S\)"),
        (lambda: attend(np.full((2, 2), 2.0)), "from 2 to 2: give what the softmax gave"),
        (lambda: attend(np.full((2, 2), np.nan)), "weights from 0 to 1"),
        (lambda: attend(np.ones((3, 3))), "but some add up to 3: give what the softmax gave"),
        (lambda: attend([["a"]]), "attend shows a tensor, an array or a list of numbers, but"),
        (lambda: attend(np.zeros((65, 65))), "up to 64 tokens"),
        (lambda: attend(np.eye(3), list("ab")), "2 labels for weights of 3 queries and 3 keys"),
        (lambda: attend("gpt2"), "a model that is called with ids"),
    ],
)
def test_what_cannot_be_shown_is_refused(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call()


def test_lists_are_weights_too():
    assert attend([[1, 0], [0.5, 0.5]]).words == attend(np.array([[1, 0], [0.5, 0.5]])).words
