"""einsum: an equation is read and checked, and each operand brought to the axes that stay or meet another's."""

import re
from collections import Counter
from typing import Any

from ..arrays import as_array
from ..core import Tensor
from .contraction import contract
from .diagonals import diagonal
from .reductions import sum
from .shaping import permute, reshape

TERM = re.compile(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*")
UNDER = "0123456789"  # letters for the axes under an ellipsis


def einsum(equation: str, *operands: Any) -> Tensor:
    """The sum of products that `equation` writes with a letter for each axis, as torch.einsum: "bij,bjk->bik".

    A letter that the result lacks is summed over; a letter twice in one term takes the diagonal. Without "->" the
    result has the letters that stand once, in alphabetical order. "..." stands for all other axes, which broadcast.
    Operands meet from left to right, two at a time.
    """
    xs = [x if isinstance(x, Tensor) else Tensor(as_array(x)) for x in operands]
    terms, out, sizes = _read(equation, [x.shape for x in xs])
    xs, terms = zip(*(_narrow(x, term, sizes) for x, term in zip(xs, terms)))
    alone = {c for c, n in Counter(c for t in terms for c in set(t)).items() if n == 1} - set(out)
    xs, terms = zip(*(_plain(x, term, alone) for x, term in zip(xs, terms)))
    if len(xs) == 1:
        return permute(xs[0], dims=tuple(map(terms[0].index, out)))
    return contract(*xs, equation=f"{','.join(terms)}->{out}")


def _read(equation: str, shapes: list[tuple]) -> tuple[list[str], str, dict[str, Any]]:
    """Its terms and result, a letter for each axis, and the size of each letter."""
    wrong = lambda what: ValueError(f"einsum was asked for {equation!r}, but {what}")
    left, arrow, out = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    for term in (*terms, out):
        if not TERM.fullmatch(term):
            raise wrong(f"{term!r} is not made of letters, with '...' at most once")
    if len(terms) != len(shapes):
        raise wrong(f"the number of its terms is {len(terms)} and {len(shapes)} operands were given")
    hidden = [len(shape) - len(term.replace("...", "")) for term, shape in zip(terms, shapes)]
    for k, (n, term, shape) in enumerate(zip(hidden, terms, shapes)):
        if n < 0 or (n and "..." not in term):
            raise wrong(f"{term!r} does not name the {len(shape)} axes of operand {k}, whose shape is {shape}")
    under = UNDER[: max(hidden)]
    terms = [term.replace("...", under[len(under) - n :]) for term, n in zip(terms, hidden)]
    seen = Counter("".join(terms))
    out = (
        out.replace("...", under) if arrow else under + "".join(sorted(c for c in seen if seen[c] == 1 and c.isalpha()))
    )
    for c in out:
        if c not in seen:
            raise wrong(f"letter {c} of the result stands in no operand")
        if out.count(c) > 1:
            raise wrong(f"letter {c} stands twice in the result")
    return terms, out, _sizes(terms, shapes, wrong)


def _sizes(terms: list[str], shapes: list[tuple], wrong: Any) -> dict[str, Any]:
    found: dict[str, tuple[Any, int]] = {}
    for k, (term, shape) in enumerate(zip(terms, shapes)):
        for c, n in zip(term, shape):
            m, first = found.setdefault(c, (n, k))
            if m != n and not (c in UNDER and 1 in (m, n)):
                what = "an axis under '...'" if c in UNDER else f"letter {c}"
                raise wrong(f"{what} is {m} long in operand {first} and {n} in operand {k}")
            if m == 1:
                found[c] = n, k
    return {c: n for c, (n, _) in found.items()}


def _narrow(x: Tensor, term: str, sizes: dict[str, Any]) -> tuple[Tensor, str]:
    """The operand without the axes along which it is one entry for many of another's."""
    kept = [(c, n) for c, n in zip(term, x.shape) if n == sizes[c]]
    if len(kept) < x.ndim:
        x = reshape(x, shape=tuple(n for _, n in kept))
    return x, "".join(c for c, _ in kept)


def _plain(x: Tensor, term: str, alone: set[str]) -> tuple[Tensor, str]:
    """The operand with each letter once, and without those that stand nowhere else."""
    for c in dict.fromkeys(term):
        while term.count(c) > 1:
            a, b = term.index(c), term.rindex(c)
            x = diagonal(x, axis1=a, axis2=b)
            term = term[:a] + term[a + 1 : b] + term[b + 1 :] + c
    if gone := tuple(i for i, c in enumerate(term) if c in alone):
        x = sum(x, axis=gone)
    return x, "".join(c for c in term if c not in alone)
