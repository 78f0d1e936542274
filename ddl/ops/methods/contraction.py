"""Methods that multiply vectors and matrices."""

from typing import TYPE_CHECKING, Any

from .. import contraction
from ..operators import Operators

if TYPE_CHECKING:
    from ...core import Tensor


class Contraction(Operators):
    """`matmul` takes any ranks; the others take one, and say so."""

    def matmul(self, other: Any) -> "Tensor":
        """The matrix product over the last two axes; a vector is a row on the left, a column on the right."""
        return contraction.matmul(self, other)

    def mm(self, mat2: Any) -> "Tensor":
        return _ranked("mm", self, 2, mat2, 2)

    def bmm(self, mat2: Any) -> "Tensor":
        """(B, n, k) times (B, k, m)."""
        if self.shape[:1] != tuple(mat2.shape[:1]):
            raise ValueError(f"bmm needs as many matrices on either side, but {self.shape} and {mat2.shape} were given")
        return _ranked("bmm", self, 3, mat2, 3)

    def mv(self, vec: Any) -> "Tensor":
        return _ranked("mv", self, 2, vec, 1)

    def dot(self, tensor: Any) -> "Tensor":
        return _ranked("dot", self, 1, tensor, 1)

    def outer(self, vec2: Any) -> "Tensor":
        """Each entry of one vector times each of the other: (n,), (m,) -> (n, m)."""
        if self.ndim != 1 or vec2.ndim != 1:
            raise ValueError(f"outer needs two vectors, but {self.shape} and {tuple(vec2.shape)} were given")
        return self.reshape(-1, 1) * vec2  # type: ignore[attr-defined]


def _ranked(name: str, x: Any, m: int, y: Any, n: int) -> "Tensor":
    if (x.ndim, y.ndim) != (m, n):
        raise ValueError(
            f"{name} needs {m} and {n} axes, but {x.shape} and {tuple(y.shape)} were given; matmul takes any"
        )
    return contraction.matmul(x, y)
