"""A long text as a dataset: every stretch of ids, and the same stretch one token later."""

import operator

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from .datasets import Dataset

Ints = NDArray[np.int64]


class Windows(Dataset):
    """Pairs (x, y) of `block_size` ids, where y is x one token later; window i starts at token i * stride.

    The tokens are kept as they are, memory-mapped or not, and never copied: windows are views where the tokens are
    int64, and copies of the window alone where they are not. An array of indices gives a whole batch, (B, block_size).
    """

    def __init__(self, tokens: ArrayLike, block_size: int, stride: int = 1):
        self.tokens = np.asarray(tokens)
        self.block_size, self.stride = operator.index(block_size), operator.index(stride)
        if self.tokens.ndim != 1 or (self.tokens.size and self.tokens.dtype.kind not in "iu"):
            raise TypeError(
                f"Windows takes a row of integer ids, but got {self.tokens.dtype} of shape {self.tokens.shape}"
            )
        if self.block_size < 1 or self.stride < 1:
            raise ValueError(f"Windows needs a block_size and a stride of 1 or more, but got {block_size} and {stride}")
        if len(self.tokens) <= self.block_size:
            raise ValueError(
                f"windows of {block_size} tokens and the one after need {self.block_size + 1} tokens, but the text has "
                f"{len(self.tokens)}; give a longer text or a smaller block_size"
            )
        self._windows = sliding_window_view(self.tokens, self.block_size + 1)[:: self.stride]

    def __len__(self) -> int:
        return len(self._windows)

    def __getitem__(self, index: int | slice | Ints) -> tuple[Ints, Ints]:
        window = self._windows[index].astype(np.int64, copy=False)
        return window[..., :-1], window[..., 1:]

    def batch(self, indices: ArrayLike) -> tuple[Ints, Ints]:
        """The windows at `indices`, gathered at once; DataLoader asks for its batches this way."""
        return self[np.asarray(indices)]
