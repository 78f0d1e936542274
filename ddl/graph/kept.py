"""What ops keep for their gradients, each array counted once."""

from typing import Any

from ..arrays import owner


class Kept:
    """Arrays that some op keeps; `lasting` is memory that is there anyway: inputs, parameters, constants."""

    def __init__(self) -> None:
        self.arrays: dict[int, Any] = {}  # by identity, and alive, so that no identity is used twice
        self.lasting: set[int] = set()

    def add(self, saved: Any) -> Any:
        """The bytes of those arrays among `saved` that are not kept yet."""
        total: Any = 0
        for array in saved or ():
            if hasattr(array, "nbytes") and owner(array) not in self.lasting and owner(array) not in self.arrays:
                self.arrays[owner(array)] = array
                total = total + array.nbytes
        return total
