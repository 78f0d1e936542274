"""Positions: added, turned, or as a mask."""

from cases.table import N

from ddl import nn, ones

from .table import bad_arguments, bad_inputs, row


def angles(t, x, offset=0):
    T, C = x.shape[-2:]
    places, pairs = t.arange(offset, offset + T, dtype=x.dtype), t.arange(0, C, 2, dtype=x.dtype)
    return places[:, None] / 10000 ** (pairs / C)


def sinusoids(t, twin, x):
    table = t.zeros(x.shape[-2:], dtype=x.dtype)
    table[:, ::2], table[:, 1::2] = angles(t, x).sin(), angles(t, x).cos()
    return x + table


def turned(t, twin, x):
    cos, sin = angles(t, x, 3).cos(), angles(t, x, 3).sin()
    pairs = t.view_as_complex(x.unflatten(-1, (-1, 2))) * t.complex(cos, sin)
    return t.view_as_real(pairs).flatten(-2)


def halves_turned(t, twin, x):
    """The same on channels in the other order."""
    order = t.arange(x.shape[-1]).view(2, -1).T.flatten()
    return turned(t, twin, x[..., order])[..., order.argsort()]


row(
    nn.LearnedPositions,
    "",
    lambda: nn.LearnedPositions(6, 4),
    N(2, 3, 4),
    call=lambda layer, x: layer(x, 2),
    torch=lambda t: t.nn.Embedding(6, 4),
    run=lambda t, twin, x: x + twin(t.arange(2, 5)),
)
row(
    nn.SinusoidalPositions,
    "",
    lambda: nn.SinusoidalPositions(6),
    N(2, 5, 6),
    torch=lambda t: t.nn.Identity(),
    run=sinusoids,
)
row(
    nn.RotaryEmbedding,
    "interleaved",
    lambda: nn.RotaryEmbedding(6, interleaved=True),
    N(2, 2, 5, 6),
    call=lambda layer, x: layer(x, 3),
    torch=lambda t: t.nn.Identity(),
    run=turned,
)
row(
    nn.RotaryEmbedding,
    "halves",
    lambda: nn.RotaryEmbedding(6),
    N(2, 2, 5, 6),
    call=lambda layer, x: layer(x, 3),
    torch=lambda t: t.nn.Identity(),
    run=halves_turned,
)


def penalised(t, twin, scores):
    slopes = t.tensor([1 / 4, 1 / 16, 1 / 64, 1 / 256])[:, None, None]
    return scores - slopes * (t.arange(2, 5)[:, None] - t.arange(5)).abs()


row(
    nn.ALiBi,
    "",
    lambda: nn.ALiBi(4),
    N(2, 4, 3, 5),
    call=lambda layer, scores: scores + layer(scores, scores.mT),
    torch=lambda t: t.nn.Identity(),
    run=penalised,
)
bad_arguments(nn.LearnedPositions, "none", lambda: nn.LearnedPositions(0, 4), "num_embeddings", "0")
bad_arguments(nn.SinusoidalPositions, "odd", lambda: nn.SinusoidalPositions(5), "multiple of 2", "5")
bad_arguments(nn.RotaryEmbedding, "odd", lambda: nn.RotaryEmbedding(3), "multiple of 2", "3")
bad_arguments(nn.RotaryEmbedding, "no width", lambda: nn.RotaryEmbedding(0), "dim", "0")
bad_arguments(nn.RotaryEmbedding, "base", lambda: nn.RotaryEmbedding(4, base=-1.0), "above 0", "-1.0")
bad_arguments(nn.SinusoidalPositions, "base", lambda: nn.SinusoidalPositions(4, base=0), "above 0", "0")
bad_arguments(nn.ALiBi, "negative heads", lambda: nn.ALiBi(-4), "num_heads", "-4")
bad_inputs(nn.LearnedPositions, "too long", lambda: nn.LearnedPositions(4, 2)(ones(5, 2)), "0 to 3", "0 to 4")
bad_inputs(nn.LearnedPositions, "offset", lambda: nn.LearnedPositions(4, 2)(ones(2, 2), 3), "0 to 3", "3 to 4")
bad_inputs(nn.LearnedPositions, "negative offset", lambda: nn.LearnedPositions(4, 2)(ones(2, 2), -1), "-1 to 0")
bad_inputs(nn.LearnedPositions, "width", lambda: nn.LearnedPositions(4, 2)(ones(1, 2, 3)), "(.., T, 2)", "(1, 2, 3)")
bad_inputs(nn.SinusoidalPositions, "width", lambda: nn.SinusoidalPositions(4)(ones(1, 2, 3)), "(.., T, 4)", "(1, 2, 3)")
bad_inputs(nn.SinusoidalPositions, "rank", lambda: nn.SinusoidalPositions(4)(ones(4)), "(.., T, 4)", "(4,)")
bad_inputs(nn.RotaryEmbedding, "width", lambda: nn.RotaryEmbedding(4)(ones(1, 2, 6)), "(.., T, 4)", "(1, 2, 6)")
bad_inputs(nn.ALiBi, "more queries than keys", lambda: nn.ALiBi(2)(ones(5, 4), ones(3, 4)), "(5, 4)", "(3, 4)")
