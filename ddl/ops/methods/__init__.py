"""What a tensor can be asked: Python's operators and PyTorch's methods, each one call of an op."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backward import backward
from ..shaping import astype, move
from .attach import attach, either_name
from .contraction import Contraction
from .elementwise import Elementwise
from .reductions import Reductions
from .selection import Selection
from .shaping import Shaping

if TYPE_CHECKING:
    from ...core import Tensor


class Methods(Elementwise, Reductions, Shaping, Selection, Contraction):
    """All methods of Tensor."""

    if TYPE_CHECKING:  # given to Tensor by ddl.fused
        softmax: Callable[..., "Tensor"]
        log_softmax: Callable[..., "Tensor"]

    # ---- gradients
    def backward(self, gradient: Any = None, retain_graph: bool = True, create_graph: bool = False) -> None:
        """Add d self / d leaf to the `grad` of every leaf that requires one.

        `gradient` (the shape of self) may be left out for a tensor of one element, whose gradient is then 1. The graph
        is kept, so a second call accumulates; `retain_graph=False` frees it on the way, and a later call then raises.
        """
        backward(self, gradient, retain_graph, create_graph)  # type: ignore[arg-type]

    # ---- in place
    def copy_(self, value: Any) -> "Tensor":
        """Overwrite the values, broadcasting; the tensor stays the same object."""
        self.write(..., value)
        return self  # type: ignore[return-value]

    def zero_(self) -> "Tensor":
        return self.copy_(0)

    # ---- dtype, device
    def astype(self, dtype: Any, copy: bool = True) -> "Tensor":
        """The same values in another dtype; self where nothing changes and no copy is asked for."""
        same = np.dtype(dtype) == self.dtype and not copy
        return self if same else astype(self, dtype=np.dtype(dtype))  # type: ignore[return-value]

    def to(self, target: Any) -> "Tensor":
        """The same values in another dtype, or on another device ("cpu", "gpu")."""
        if target in ("cpu", "gpu", "cuda"):
            here = "gpu" if target == "cuda" else target
            return self if self.device in (here, "spec") else move(self, device=here, origin=self.device)  # type: ignore[return-value]
        return self.astype(target, copy=False)

    def float(self) -> "Tensor":
        return self.astype(np.float32, copy=False)

    def double(self) -> "Tensor":
        return self.astype(np.float64, copy=False)

    def long(self) -> "Tensor":
        return self.astype(np.int64, copy=False)


attach(Methods)
