"""Where a token stands: added to what it is (learned, sinusoidal), as a turn (rotary), or as a penalty on distance."""

from typing import Any

from .. import fused
from ..checks import above, positive
from ..core import Tensor
from ..ops import concatenate
from .functional.inputs import as_tensor
from .linear import Embedding
from .module import Module


def _check_pairs(layer: str, base: float, **width: int) -> None:
    positive(layer, **width)
    for name, n in width.items():
        if n % 2:
            raise ValueError(f"{layer} has pairs of channels, so {name} must be a multiple of 2, but {n} was given")
    above(layer, 0, base=base)


def _of_width(layer: Module, x: Any, width: int) -> Tensor:
    x = as_tensor(x, next(layer.parameters(), None))
    if x.ndim < 2 or x.shape[-1] != width:
        raise ValueError(
            f"{type(layer).__name__} takes inputs of shape (.., T, {width}), but {tuple(x.shape)} was given"
        )
    return x


class LearnedPositions(Embedding):
    """x (.., T, C) plus rows offset .. offset + T - 1 of a table that is learned, for up to `num_embeddings` places."""

    def forward(self, x: Any, offset: int = 0) -> Any:
        x = _of_width(self, x, self.embedding_dim)
        T = x.shape[-2]
        if offset < 0 or offset + T > self.num_embeddings:
            raise ValueError(
                f"LearnedPositions knows places 0 to {self.num_embeddings - 1}, "
                f"but places {offset} to {offset + T - 1} were given"
            )
        return x + self.weight[offset : offset + T]


class SinusoidalPositions(Module):
    """x (.., T, C) plus sin and cos of p / base^(2i / C) at channels 2i and 2i + 1, for any place p.

    Vaswani et al. 2017, section 3.5.
    """

    def __init__(self, embedding_dim: int, base: float = 10000.0):
        _check_pairs("SinusoidalPositions", base, embedding_dim=embedding_dim)
        self.embedding_dim, self.base = embedding_dim, base

    def forward(self, x: Any, offset: int = 0) -> Any:
        x = _of_width(self, x, self.embedding_dim)
        cos, sin = fused.waves(x, offset=offset, base=self.base)
        return x + concatenate(sin[..., None], cos[..., None], axis=-1).reshape(x.shape[-2:])

    def extra_repr(self) -> str:
        return f"{self.embedding_dim}"


class RotaryEmbedding(Module):
    """Queries or keys (.., T, dim), each pair turned by its place's angle, so that their products see distances only.

    Places begin at `offset`, which is how much a cache holds already. Su et al. 2021; a pair is (2i, 2i + 1) where
    interleaved, as they have it, else (i, i + dim / 2), as GPT-NeoX and LLaMA do.
    """

    def __init__(self, dim: int, base: float = 10000.0, interleaved: bool = False):
        _check_pairs("RotaryEmbedding", base, dim=dim)
        self.dim, self.base, self.interleaved = dim, base, interleaved

    def forward(self, x: Any, offset: int = 0) -> Any:
        x = _of_width(self, x, self.dim)
        return fused.rope(x, offset=offset, base=self.base, interleaved=self.interleaved)

    def extra_repr(self) -> str:
        return f"{self.dim}, base={self.base}, interleaved={self.interleaved}"


class ALiBi(Module):
    """The mask to add to scores: -slope |i - j|, (H, T, S) for queries (.., T, D) and keys (.., S, D).

    The queries are the last T of S places. Slopes are 2^(-8 / n), its square, .. for a power n of two; other head
    counts take theirs from the powers about them. Press et al. 2022, whose appendix has the slopes; theirs is causal,
    where |i - j| is i - j.
    """

    def __init__(self, num_heads: int):
        positive("ALiBi", num_heads=num_heads)
        self.num_heads, self.slopes = num_heads, tuple(slopes(int(num_heads)))

    def forward(self, query: Any, key: Any = None) -> Any:
        query = as_tensor(query)
        key = query if key is None else as_tensor(key)
        if query.ndim < 2 or key.ndim < 2 or query.shape[-2] > key.shape[-2]:
            raise ValueError(
                "ALiBi takes queries (.., T, D) that are the last of the keys (.., S, D), "
                f"but queries {tuple(query.shape)} and keys {tuple(key.shape)} were given"
            )
        return fused.alibi(query, key, slopes=self.slopes)

    def extra_repr(self) -> str:
        return f"{self.num_heads}"


def slopes(heads: int) -> list[float]:
    """ALiBi's slope of each head."""
    power = 1 << heads.bit_length() - 1  # the largest power of two that is not above
    if power == heads:
        return [2 ** (-8 * i / heads) for i in range(1, heads + 1)]
    return slopes(power) + slopes(2 * power)[::2][: heads - power]
