"""A cache of keys and values changes nothing: step by step or in pieces, attention gives what it gives at once."""

import numpy as np
import pytest

import ddl
from ddl import nn

B, T, C, H = 2, 9, 16, 4
PIECES = {"one by one": [1] * T, "pieces": [4, 1, 3, 1], "at once": [T]}
POSITIONS = {
    "none": dict,
    "rotary": lambda: {"rotary": nn.RotaryEmbedding(C // H)},
    "rotary, interleaved": lambda: {"rotary": nn.RotaryEmbedding(C // H, interleaved=True)},
    "alibi": lambda: {"alibi": nn.ALiBi(H)},
}


def drawn(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def layer(**options):
    ddl.manual_seed(1)
    return nn.MultiHeadAttention(C, H, is_causal=True, **options).double().eval()


def in_pieces(call, pieces):
    """(start, stop, what the call gives on these places) of each piece in turn, with one cache."""
    cache, start = nn.KVCache(), 0
    for n in pieces:
        yield start, start + n, call(slice(start, start + n), cache)
        start += n
        assert len(cache) == start


def agree(found, expected):
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("pieces", PIECES.values(), ids=PIECES)
@pytest.mark.parametrize("kv_heads", [H, 2, 1])
@pytest.mark.parametrize("position", POSITIONS)
def test_cached_attention_is_the_uncached_at_every_step(position, kv_heads, pieces):
    attention, x = layer(kv_heads=kv_heads, **POSITIONS[position]()), ddl.tensor(drawn(B, T, C))
    whole = attention(x)
    for start, stop, y in in_pieces(lambda at, cache: attention(x[:, at], cache=cache), pieces):
        agree(y, whole[:, start:stop])


@pytest.mark.parametrize("pieces", PIECES.values(), ids=PIECES)
@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("kind", ["keep", "add", "padding", "all"])
def test_masks_beside_a_cache_count_what_it_holds(kind, position, pieces):
    attention, x = layer(kv_heads=2, **POSITIONS[position]()), ddl.tensor(drawn(B, T, C))
    keep, add = drawn(T, T, seed=1) < 0.5, drawn(B, H, T, T, seed=2)
    real = np.arange(T) >= [[0], [3]]  # the second row is padded on its left
    masks = {
        "keep": lambda at: {"attn_mask": keep[at, : at.stop]},
        "add": lambda at: {"attn_mask": add[..., at, : at.stop]},
        "padding": lambda at: {"key_padding_mask": real[:, : at.stop]},
        "all": lambda at: {"attn_mask": add[..., at, : at.stop], "key_padding_mask": real[:, : at.stop]},
    }[kind]
    whole, weights = attention(x, need_weights=True, average_attn_weights=False, **masks(slice(0, T)))
    call = lambda at, cache: attention(
        x[:, at], cache=cache, need_weights=True, average_attn_weights=False, **masks(at)
    )
    for start, stop, (y, p) in in_pieces(call, pieces):
        agree(y, whole[:, start:stop])
        agree(p, weights[:, :, start:stop, :stop])


@pytest.mark.parametrize("norm_first", [True, False])
def test_a_decoder_layer_with_a_cache_is_the_one_without(norm_first):
    ddl.manual_seed(2)
    decoder = nn.TransformerDecoderLayer(C, H, 32, norm_first=norm_first, kv_heads=2, is_causal=True).double().eval()
    x, memory = ddl.tensor(drawn(B, T, C)), ddl.tensor(drawn(B, 5, C, seed=3))
    whole = decoder(x, memory)
    for start, stop, y in in_pieces(lambda at, cache: decoder(x[:, at], memory, cache=cache), [1] * T):
        agree(y, whole[:, start:stop])


def test_a_cache_holds_no_graph_and_only_the_key_heads():
    attention, cache = layer(kv_heads=1), nn.KVCache()
    attention(ddl.tensor(drawn(B, T, C), requires_grad=True), cache=cache)
    assert cache.k.shape == cache.v.shape == (B, 1, T, C // H)
    assert cache.k.node is None
    assert cache.v.node is None


@pytest.mark.parametrize(
    ("masks", "sentence"),
    [
        ({"attn_mask": np.ones((1, 2), bool)}, r"attn_mask that broadcasts to \(2, 4, 1, 3\), but \(1, 2\) was given"),
        ({"key_padding_mask": np.ones((2, 2), bool)}, r"key_padding_mask that broadcasts to \(2, 3\), but \(2, 2\)"),
    ],
)
def test_a_refused_mask_leaves_the_cache_as_it_was(masks, sentence):
    attention, cache, x = layer(), nn.KVCache(), ddl.tensor(drawn(B, 3, C))
    attention(x[:, :2], cache=cache)
    with pytest.raises(ValueError, match=sentence):
        attention(x[:, 2:], cache=cache, **masks)
    assert len(cache) == 2
    agree(attention(x[:, 2:], cache=cache), attention(x)[:, 2:])


def test_a_cache_of_another_batch_is_refused():
    attention, cache = layer(), nn.KVCache()
    attention(ddl.tensor(drawn(2, 3, C)), cache=cache)
    with pytest.raises(ValueError, match=r"KVCache holds keys .*\(2, 4, 3, 4\), but keys of shape \(1, 4, 1, 4\)"):
        attention(ddl.tensor(drawn(1, 1, C)), cache=cache)
