"""What positions promise: turns see distances alone, tables go on where they stopped, penalties grow with distance."""

import math

import numpy as np
import pytest

import ddl
from ddl import nn

FORMS = pytest.mark.parametrize("interleaved", [False, True])


def drawn(*shape):
    return ddl.tensor(np.random.default_rng(0).standard_normal(shape))


@FORMS
def test_turned_queries_and_keys_see_their_distance_alone(interleaved):
    """The same two vectors at places p and p + 3 have one product for every p, and others at other distances."""
    rotary, q, k = nn.RotaryEmbedding(8, interleaved=interleaved), drawn(1, 8), drawn(2, 8)[1:]
    at = lambda x, place: rotary(x, place).numpy()[0]
    apart = [at(q, p) @ at(k, p + 3) for p in (0, 1, 50, 4000, 100_000)]
    np.testing.assert_allclose(apart, apart[0], rtol=1e-9)
    others = [at(q, 7) @ at(k, 7 + d) for d in (-3, 0, 1, 2, 4)]
    assert min(abs(other - apart[0]) for other in others) > 1e-3


@FORMS
@pytest.mark.parametrize("length", [1, 2, 7, 300])
def test_a_rotary_continues_at_its_offset_for_any_length(length, interleaved):
    rotary, x = nn.RotaryEmbedding(6, interleaved=interleaved), drawn(2, 3, 300, 6)
    whole = rotary(x)
    np.testing.assert_array_equal(rotary(x[..., :length, :]).numpy(), whole.numpy()[..., :length, :])
    part = rotary(x[..., 300 - length :, :], 300 - length)
    np.testing.assert_allclose(part.numpy(), whole.numpy()[..., 300 - length :, :], rtol=1e-12)


@FORMS
def test_a_turn_keeps_lengths_and_leaves_place_0_as_it_is(interleaved):
    x = drawn(2, 5, 8)
    y = nn.RotaryEmbedding(8, interleaved=interleaved)(x)
    np.testing.assert_allclose((y * y).sum(dim=-1).numpy(), (x * x).sum(dim=-1).numpy(), rtol=1e-12)
    np.testing.assert_array_equal(y.numpy()[:, 0], x.numpy()[:, 0])
    assert (abs(y.numpy()[:, 1:] - x.numpy()[:, 1:]).max(axis=-1) > 1e-3).all()


def test_the_two_forms_are_one_but_for_the_order_of_channels():
    x = drawn(4, 6)
    order = np.arange(6).reshape(2, 3).T.reshape(-1)  # 0 3 1 4 2 5
    halves, pairs = nn.RotaryEmbedding(6)(x).numpy(), nn.RotaryEmbedding(6, interleaved=True)(x[:, order]).numpy()
    np.testing.assert_allclose(halves[:, order], pairs, rtol=1e-12)
    assert abs(halves - nn.RotaryEmbedding(6, interleaved=True)(x).numpy()).max() > 0.1


def test_float32_turns_as_float64_far_along():
    """Angles are reckoned in float64, whatever the dtype: at place 100,000 a float32 angle would be off by 0.004."""
    x = np.random.default_rng(0).standard_normal((3, 8))
    rotary = nn.RotaryEmbedding(8)
    near, exact = rotary(x.astype(np.float32), 100_000), rotary(x, 100_000)
    assert near.dtype == np.float32
    np.testing.assert_allclose(near.numpy(), exact.numpy(), atol=1e-6)


def test_sinusoids_are_the_papers_and_continue():
    C, T = 6, 40
    table = nn.SinusoidalPositions(C)(ddl.zeros(T, C, dtype=np.float64)).numpy()
    for p in range(T):
        for i in range(C // 2):
            angle = p / 10000 ** (2 * i / C)
            assert table[p, 2 * i] == pytest.approx(math.sin(angle), abs=1e-12)
            assert table[p, 2 * i + 1] == pytest.approx(math.cos(angle), abs=1e-12)
    later = nn.SinusoidalPositions(C)(ddl.zeros(3, C, dtype=np.float64), 37)
    np.testing.assert_allclose(later.numpy(), table[37:], atol=1e-12)


def test_learned_positions_are_rows_and_only_those_in_use_learn():
    layer = nn.LearnedPositions(6, 4)
    x = ddl.zeros(2, 3, 4)
    np.testing.assert_array_equal(layer(x, 2).numpy()[0], layer.weight.numpy()[2:5])
    layer(x, 2).sum().backward()
    assert layer.weight.grad.numpy()[:, 0].tolist() == [0, 0, 2, 2, 2, 0]


@pytest.mark.parametrize(
    ("heads", "exponents"),
    [
        (1, [8]),
        (2, [4, 8]),
        (8, [1, 2, 3, 4, 5, 6, 7, 8]),
        (16, [i / 2 for i in range(1, 17)]),
        (3, [4, 8, 2]),  # those of 2 heads, then every other one of 4
        (6, [2, 4, 6, 8, 1, 3]),
        (12, [1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5]),
    ],
)
def test_alibis_slopes_are_the_papers(heads, exponents):
    np.testing.assert_allclose(nn.ALiBi(heads).slopes, [2.0**-e for e in exponents], rtol=1e-12)


def test_alibi_penalises_distance_and_counts_a_cache():
    mask = nn.ALiBi(2)(drawn(4, 8)).numpy()
    assert mask.shape == (2, 4, 4)
    np.testing.assert_array_equal(mask[0] * 16, [[0, -1, -2, -3], [-1, 0, -1, -2], [-2, -1, 0, -1], [-3, -2, -1, 0]])
    np.testing.assert_array_equal(nn.ALiBi(2)(drawn(1, 8), drawn(4, 8)).numpy(), mask[:, 3:])
