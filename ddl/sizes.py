"""A size with a name instead of a number: integer polynomials of names, exact under + - * and //.

"B" times "T" divided by "B" is "T", so a reshape can be followed without knowing either. Two sizes are equal when they
are the same polynomial: "B" is never 128. Every name stands for a whole number of 1 or more. What a program outside the
library asks of sizes is noted where the answer might be another: see `assumptions`.
"""

import math
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, NamedTuple

from .assumptions import asked_from_outside, number_unknown, positive, unequal


class Quotient(NamedTuple):
    """A floor division that does not come out even; it takes part in polynomials as a name does."""

    top: Any
    bottom: Any

    def __repr__(self) -> str:
        return f"{_closed(self.top)} // {_closed(self.bottom)}"

    def size(self) -> "Size":
        return Size({(self,): 1})


Atom = str | Quotient
Monomial = tuple[Atom, ...]
Terms = dict[Monomial, int]


def name(text: str) -> "Size":
    """The size called `text`."""
    if not text.isidentifier():
        raise ValueError(f"a size was to be named {text!r}, but a name is a word of letters, digits and underscores")
    return Size({(text,): 1})


class Size:
    """A polynomial with at least one name: {("B", "T"): 2, (): 1} is 2 B T + 1. A constant one is an int instead."""

    __slots__ = ("terms",)
    __array_ufunc__ = None  # numpy's integers defer to ours

    def __init__(self, terms: Terms):
        self.terms = terms

    def __repr__(self) -> str:
        terms = sorted(self.terms, key=lambda t: (-len(t), *((not isinstance(a, str), str(a)) for a in t)))
        return " + ".join(_written(term, self.terms[term]) for term in terms).replace("+ -", "- ")

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, Size) and self.terms == other.terms:
            return True
        if _is_size(other) and asked_from_outside(2):
            unequal(self, other)
        return False

    # ---- arithmetic
    def __add__(self, other: Any) -> Any:
        return _sum(self.terms, _terms(other)) if _is_size(other) else _no_number(self, other)

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if not _is_size(other):
            return _no_number(self, other)
        return _sum(*({_product(s, t): m * n} for s, m in self.terms.items() for t, n in _terms(other).items()))

    __radd__, __rmul__ = __add__, __mul__

    def __floordiv__(self, other: Any) -> Any:
        return _floordiv(self, other) if _is_size(other) else _no_number(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _floordiv(other, self) if _is_size(other) else _no_number(self, other)

    def __mod__(self, other: Any) -> Any:
        return self - (self // other) * other

    def __rmod__(self, other: Any) -> Any:
        return other - (other // self) * self

    def __pow__(self, exponent: Any) -> Any:
        whole = isinstance(exponent, int) and exponent >= 0
        return math.prod([self] * exponent) if whole else _no_number(self, exponent)

    def __truediv__(self, other: Any) -> Any:
        return _no_number(self, other)

    def __rpow__(self, other: Any) -> Any:
        return _no_number(self, other)

    __rtruediv__ = __truediv__

    # ---- order
    def __gt__(self, other: Any) -> bool:
        return positive(self - other)

    def __ge__(self, other: Any) -> bool:
        return positive(self - other + 1)

    def __lt__(self, other: Any) -> bool:
        return positive(other - self)

    def __le__(self, other: Any) -> bool:
        return positive(other - self + 1)

    def sides(self) -> tuple[Any, Any]:
        """Two sizes without a minus sign, whose difference this one is."""
        more = {term: n for term, n in self.terms.items() if n > 0}
        return _sum(more), _sum({term: -n for term, n in self.terms.items() if n < 0})

    # ---- its number
    def at(self, value: int | Mapping[str, int]) -> int:
        """The number that it is where each name has its value, or all of them the same."""
        return sum(n * math.prod(_atom_at(a, value) for a in term) for term, n in self.terms.items())

    def __float__(self) -> float:
        """NaN: only shapes are followed, so a factor such as 1 / sqrt(D) need not be known."""
        if asked_from_outside(2):
            number_unknown(self)
        return math.nan

    def __index__(self) -> int:
        raise TypeError(
            f"a number was asked for where the size is named {self}; a loop over it, or an array of it, needs a number"
        )

    __int__ = __index__

    def __bool__(self) -> bool:
        return not asked_from_outside(2) or unequal(self, 0)


def at(shape: Iterable[Any], value: int | Mapping[str, int]) -> tuple[int, ...]:
    """The shape in numbers, where each name has its value, or all of them the same."""
    return tuple(n.at(value) if isinstance(n, Size) else n for n in shape)


def named(size: Any) -> bool:
    return isinstance(size, Size)


def _atom_at(atom: Atom, value: int | Mapping[str, int]) -> int:
    if isinstance(atom, str):
        return value if isinstance(value, int) else value[atom]
    top, bottom = at(atom, value)
    return top // bottom


def _is_size(x: Any) -> bool:
    return isinstance(x, (Size, Integral))


def _no_number(size: Size, other: Any) -> Any:
    """What comes of a size and a number that is not whole: see `Size.__float__`."""
    if not (_is_size(other) or isinstance(other, float)):
        return NotImplemented
    if asked_from_outside(3):
        number_unknown(size)
    return math.nan


def _terms(x: Any) -> Terms:
    return x.terms if isinstance(x, Size) else {(): int(x)}


def _product(s: Monomial, t: Monomial) -> Monomial:
    return tuple(sorted(s + t, key=str))


def _sum(*polynomials: Terms) -> Any:
    total: Terms = {}
    for terms in polynomials:
        for term, n in terms.items():
            total[term] = total.get(term, 0) + n
    kept = {term: n for term, n in total.items() if n}
    return Size(kept) if any(kept) else kept.get((), 0)


# ---- in words
def _written(term: Monomial, n: int) -> str:
    factors = [str(n)] * (not term or n not in (1, -1)) + [str(a) for a in term]
    product = "*".join(f"({f})" if "/" in f and len(factors) > 1 else f for f in factors)
    return f"-{product}" if n == -1 and term else product


def _closed(x: Any) -> str:
    return str(x) if str(x).isalnum() else f"({x})"


# ---- division
def _floordiv(top: Any, bottom: Any) -> Any:
    """What divides evenly comes out, what is left stays as a quotient."""
    if isinstance(bottom, Size):
        return _by_size(_terms(top), bottom)
    if bottom == 0:
        raise ZeroDivisionError(f"{top} was to be divided by a size of 0")
    if bottom < 0:
        return _floordiv(-top, -bottom)
    bottom = int(bottom)
    return _sum({t: n // bottom for t, n in top.terms.items()}, _terms(_fraction(top, bottom)))


def _fraction(top: Size, bottom: int) -> Any:
    """top // bottom but for what divides evenly; in its lowest terms, so that equal ones look equal."""
    rest = {t: n % bottom for t, n in top.terms.items()}
    common = math.gcd(bottom, *(n for t, n in rest.items() if t))
    rest, bottom = {t: n // common for t, n in rest.items()}, bottom // common
    left = _sum(rest)
    if bottom == 1 or not isinstance(left, Size):
        return left if bottom == 1 else 0
    (term, n), *others = ((t, n) for t, n in left.terms.items() if t)
    inner = term[0]
    if others or n != 1 or len(term) > 1 or isinstance(inner, str) or isinstance(inner.bottom, Size):
        return Quotient(left, bottom).size()
    return (inner.top + left.terms.get((), 0) * inner.bottom) // (inner.bottom * bottom)  # (a // b + c) // d


def _by_size(top: Terms, bottom: Size) -> Any:
    even, rest = map(_sum, _divided(top, bottom.terms))
    if len(bottom.terms) > 1 and rest != 0:
        even, rest = 0, _sum(top)  # by a sum, all or nothing: a part would leave a negative rest
    return even if rest == 0 else even + Quotient(rest, bottom).size()


def _divided(top: Terms, bottom: Terms) -> tuple[Terms, Terms]:
    """Polynomial division by the bottom's leading term: top = even * bottom + rest.

    The leading term has most factors, or among these comes last; products keep this order, so the division ends.
    """
    lead, factor = max(bottom.items(), key=lambda t: (len(t[0]), tuple(map(str, t[0]))))
    even: Terms = {}
    rest = dict(top)
    while found := [(left, t) for t, n in rest.items() if n % factor == 0 and (left := _without(t, lead)) is not None]:
        left, term = found[0]
        n = rest[term] // factor
        even[left] = even.get(left, 0) + n
        for other, m in bottom.items():
            met = _product(left, other)
            rest[met] = rest.get(met, 0) - m * n
        rest = {t: m for t, m in rest.items() if m}
    return even, rest


def _without(term: Monomial, factors: Monomial) -> Monomial | None:
    left = list(term)
    for factor in factors:
        if factor not in left:
            return None
        left.remove(factor)
    return tuple(left)
