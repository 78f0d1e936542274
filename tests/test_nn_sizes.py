"""Every size that a layer's constructor takes: what could not be meant is refused, numpy's integers are taken."""

import inspect

import numpy as np
import pytest

from ddl import nn

# A size that fits, for each argument that is one.
SIZES = {
    "in_features": 3, "out_features": 2, "num_embeddings": 4, "embedding_dim": 6, "dim": 4, "num_groups": 2,
    "num_channels": 4, "num_features": 4, "input_size": 3, "hidden_size": 2, "num_layers": 1, "embed_dim": 8,
    "num_heads": 2, "n_embd": 8, "n_head": 2, "d_model": 8, "nhead": 2, "dim_feedforward": 12, "in_channels": 4,
    "out_channels": 6, "kernel_size": 3, "groups": 1,
}  # fmt: skip
NO_SIZES = {"dim", "ignore_index"}  # in a layer that takes an axis, or the number of a class


def sizes_of(layer):
    """The arguments of the constructor that are whole numbers, and whether each must be given."""
    for name, p in inspect.signature(layer).parameters.items():
        if p.annotation in (int, "int"):
            yield name, p.default is p.empty


LAYERS = {
    layer
    for layer in vars(nn).values()
    if inspect.isclass(layer) and issubclass(layer, nn.Module) and any(needed for _, needed in sizes_of(layer))
} - {nn.Unflatten}  # its dim is an axis
CASES = [
    (layer, name)
    for layer in sorted(LAYERS, key=lambda layer: layer.__name__)
    for name, needed in sizes_of(layer)
    if needed or name not in NO_SIZES
]


def made(layer, **sizes):
    needed = [name for name, p in inspect.signature(layer).parameters.items() if p.default is p.empty]
    return layer(**{name: SIZES[name] for name in needed if name in SIZES} | sizes)


@pytest.mark.parametrize("bad", [-1, 0, 1.5, "w", None, True, float("nan"), [2.5]], ids=repr)
@pytest.mark.parametrize(("layer", "name"), CASES, ids=[f"{layer.__name__}-{name}" for layer, name in CASES])
def test_a_size_that_could_not_be_meant_is_refused_in_a_sentence(layer, name, bad):
    with pytest.raises((ValueError, TypeError), match=r"^[A-Z]\w+ needs .* but .* given$") as error:
        made(layer, **{name: bad})
    said = str(error.value)
    assert str(bad) in said or "2.5" in said
    assert said.split()[0] == layer.__name__


@pytest.mark.parametrize(("layer", "name"), CASES, ids=[f"{layer.__name__}-{name}" for layer, name in CASES])
def test_numpys_integers_are_sizes(layer, name):
    size = SIZES[name]
    a, b = made(layer, **{name: np.int64(size)}), made(layer, **{name: size})
    assert [p.shape for p in a.parameters()] == [p.shape for p in b.parameters()]
    assert repr(a) == repr(b)


@pytest.mark.parametrize(
    "layer",
    [
        lambda n: nn.Conv1d(1, 1, n(3), stride=n(2), padding=n(1), dilation=n(1)),
        lambda n: nn.MaxPool1d(n(2), stride=(n(1),)),
        lambda n: nn.AvgPool1d(n(2), padding=n(1)),
        lambda n: nn.AdaptiveAvgPool1d(n(2)),
        lambda n: nn.AdaptiveMaxPool1d([n(2)]),
        lambda n: nn.Upsample(n(3)),
        lambda n: nn.Unflatten(n(2), (n(2), n(-1))),
        lambda n: nn.Flatten(n(1), n(2)),
    ],
)
def test_numpys_integers_say_how_windows_slide(layer):
    a, b, x = layer(np.int64), layer(int), np.arange(8.0).reshape(1, 1, 8)
    if isinstance(b, nn.Conv1d):
        a.load_state_dict(b.state_dict())
    np.testing.assert_array_equal(a(x).numpy(), b(x).numpy())


def test_the_layers_with_sizes_are_found():
    names = {layer.__name__ for layer in LAYERS}
    assert {"Linear", "Embedding", "LSTMCell", "MultiHeadAttention", "TransformerDecoderLayer", "GroupNorm"} <= names
