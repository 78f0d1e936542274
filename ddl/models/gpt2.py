"""The GPT-2 decoder (Radford et al. 2019): embeddings, pre-norm blocks, a last norm, a head tied to the embedding."""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import random
from ..arrays import to_device
from ..checkpoint import load
from ..checks import divides, is_whole, positive, whole
from ..core import no_grad
from ..nn import Dropout, Embedding, KVCache, LayerNorm, Module, TransformerBlock, evaluating, init
from ..nn import functional as F
from ..nn.functional.linear import ids as as_ids
from ..ops.selection import check_ids
from .sampling import check_sampling, distribution


@dataclass(frozen=True)
class GPT2Config:
    """The sizes of a decoder; the defaults are GPT-2's smallest, of 124,439,808 parameters."""

    vocab_size: int = 50257
    block_size: int = 1024
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    dropout: float = 0.0
    bias: bool = True

    def __post_init__(self) -> None:
        sizes = ("vocab_size", "block_size", "n_embd", "n_layer", "n_head")
        positive("GPT2Config", **{name: getattr(self, name) for name in sizes})
        if not divides(self.n_head, self.n_embd):
            raise ValueError(
                f"GPT2Config needs an n_embd that n_head divides, but n_embd {self.n_embd} and n_head {self.n_head} "
                "were given"
            )
        if not isinstance(self.dropout, (int, float)) or not 0 <= self.dropout <= 1:
            raise ValueError(f"GPT2Config needs dropout to lie between 0 and 1, but {self.dropout!r} was given")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class GPT2(Module):
    """ids (B, T) -> logits (B, T, V): at each place the scores of the token that comes next.

    Weights start in N(0, 0.02), those that write into the residual stream in N(0, 0.02 / sqrt(2 n_layer)), biases at 0.
    """

    def __init__(self, config: GPT2Config):
        self.config = config
        narrow = partial(init.normal, std=0.02)
        residual = partial(init.normal, std=0.02 / math.sqrt(2 * config.n_layer))
        self.wte = Embedding(config.vocab_size, config.n_embd, weight_init=narrow)
        self.wpe = Embedding(config.block_size, config.n_embd, weight_init=narrow)
        self.dropout = Dropout(config.dropout)
        self.blocks = [
            TransformerBlock(
                config.n_embd,
                config.n_head,
                config.dropout,
                config.bias,
                weight_init=narrow,
                proj_init=residual,
                bias_init=init.zeros,
            )
            for _ in range(config.n_layer)
        ]
        self.ln_f = LayerNorm(config.n_embd, bias=config.bias)

    @classmethod
    def from_pretrained(cls, folder: str | Path) -> "GPT2":
        """The decoder that a folder holds, in float32 and evaluation mode: config.json and model.safetensors."""
        folder = Path(folder)
        if not (folder / "config.json").is_file():
            raise FileNotFoundError(f"GPT2.from_pretrained was given {folder}, which has no config.json")
        try:
            config = GPT2Config(**json.loads((folder / "config.json").read_bytes()))
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"GPT2.from_pretrained was given {folder}, whose config.json holds no GPT2Config: {error}"
            ) from error
        model = cls(config)
        model.load_state_dict(load(folder / "model.safetensors"))
        return model.eval()  # type: ignore[return-value]

    def forward(self, ids: Any, caches: list[KVCache] | None = None) -> Any:
        ids = as_ids(ids, self.wte.weight)
        past = len(caches[0]) if caches else 0
        if ids.ndim != 2:
            raise ValueError(f"GPT2 takes ids of shape (B, T), but {tuple(ids.shape)} was given")
        T, limit = ids.shape[-1], self.config.block_size
        if past + T > limit:
            raise ValueError(
                f"GPT2 was given {past + T} positions, but its context has {limit}; "
                f"pass the last {limit} ids, as generate does"
            )
        x = self.wte(ids) + self.wpe.weight[past : past + T]  # (B, T, C)
        x = self.dropout(x)
        each: Sequence[KVCache | None] = caches or [None] * len(self.blocks)
        for block, cache in zip(self.blocks, each):
            x = block(x, cache)
        return F.linear(self.ln_f(x), self.wte.weight)  # (B, T, V)

    def generate(
        self,
        ids: Any,
        max_new_tokens: int,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        stop: int | None = None,
        rng: np.random.Generator | None = None,
        use_cache: bool = True,
    ) -> np.ndarray:
        """`ids` (T,) continued by up to `max_new_tokens`, ending after the token `stop`: (T + new,).

        `distribution` says what temperature, top_k and top_p do. Past the context the last block_size ids are kept, and
        their cache is made anew.
        """
        sampling = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
        prompt = self._prompt(ids)
        tokens = list(self.stream(prompt, max_new_tokens, stop, rng, use_cache, **sampling))
        return np.array(prompt + tokens, np.int64)

    def _prompt(self, ids: Any) -> list[int]:
        prompt = np.asarray(to_device(as_ids(ids, self.wte.weight), "cpu"))
        if prompt.ndim != 1:
            raise ValueError(f"generate takes ids of shape (T,), but {prompt.shape} was given")
        if not prompt.size:
            raise ValueError("generate needs at least one id to continue, but none was given")
        check_ids(prompt, self.config.vocab_size)
        return prompt.tolist()

    def stream(
        self,
        ids: Any,
        max_new_tokens: int,
        stop: int | None = None,
        rng: np.random.Generator | None = None,
        use_cache: bool = True,
        **sampling: Any,
    ) -> Iterator[int]:
        """The new tokens of `generate`, one by one as they are drawn."""
        seen = self._prompt(ids)
        self._check_wishes(max_new_tokens, stop, rng)
        check_sampling(**sampling)
        rng = random.stream("sampling") if rng is None else rng
        return self._draw(seen, max_new_tokens, stop, rng, use_cache, sampling)

    def _check_wishes(self, max_new_tokens: int, stop: int | None, rng: np.random.Generator | None) -> None:
        """Refuse before the first token what would fail, or be ignored, in the middle of the text."""
        whole("generate", 0, max_new_tokens=max_new_tokens)
        V = self.config.vocab_size
        if stop is not None and not (is_whole(stop) and 0 <= stop < V):
            raise ValueError(f"generate takes stop as an id of 0 to {V - 1}, or None, but {stop!r} was given")
        if rng is not None and not isinstance(rng, np.random.Generator):
            raise TypeError(
                f"generate takes rng as numpy's Generator, but {type(rng).__name__} was given; "
                "write np.random.default_rng(seed)"
            )

    def _draw(
        self,
        seen: list[int],
        count: int,
        stop: int | None,
        rng: np.random.Generator,
        use_cache: bool,
        sampling: dict[str, Any],
    ) -> Iterator[int]:
        caches = None
        for _ in range(count):
            logits, caches = self._next_logits(seen, caches, use_cache)
            token = int(rng.choice(len(logits), p=distribution(logits, **sampling)))
            seen.append(token)
            yield token
            if token == stop:
                return

    def _next_logits(
        self, seen: list[int], caches: list[KVCache] | None, use_cache: bool
    ) -> tuple[np.ndarray, list[KVCache] | None]:
        """The scores after `seen`, evaluated without dropout; only what the caches lack is run."""
        limit = self.config.block_size
        fits = len(seen) <= limit
        if use_cache and (caches is None or not fits):
            caches = [KVCache() for _ in self.blocks]
        new = seen[len(caches[0]) :] if caches and fits else seen[-limit:]
        with evaluating(self), no_grad():  # around one token, as who reads a stream may train between two
            logits = self([new], caches)
        return logits[0, -1].to("cpu").numpy(), caches
