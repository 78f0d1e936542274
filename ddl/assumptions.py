"""What is taken for granted about named sizes: an order that cannot be proved gets the likely answer, which is kept.

A fact is a polynomial p of sizes of which p >= 0 is known. Further orders are proved from the facts at hand, so that
no answer contradicts an earlier one where that can be seen. That two sizes differ is taken for granted where they are
not the same polynomial; it is a fact of its own kind, as is a number that was taken of a name and is not known.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

LIKELY = 64  # what a name is taken to be where its order to another size is open
TRIES = 16  # how often `settled` runs what it was given
NO_CHOICE = "no choice depends on the number"  # a sentence that begins so is about a size whose number was asked for
NUMBER_READ = "a number read from"  # a sentence that begins so is about a tensor's value, which Python was given

T = TypeVar("T")


class Assumptions:
    """The facts that were taken for granted, and the answers that were given to open questions, each in order."""

    def __init__(self, answers: list[tuple[bool, bool]]):
        self.facts: dict[Any, None] = {}
        self.unequal: dict[Any, None] = {}  # polynomials p of which p != 0 is taken for granted
        self.unknown: dict[Any, None] = {}  # sizes of which code outside the library took a number
        self.answers = answers  # (answer, whether it is a second guess)
        self.asked = 0

    def __iter__(self) -> Iterator[str]:
        yield from map(_sentence, self.facts)
        for p in self.unequal:
            yield _sentence(p, "!=")
        for p in self.unknown:
            yield f"{NO_CHOICE} {p}"

    def hold(self, numbers: Any) -> bool:
        """Whether all that was said of sizes is so of these numbers."""
        return all(p.at(numbers) >= 0 for p in self.facts) and all(p.at(numbers) for p in self.unequal)

    def answer(self, likely: bool) -> bool:
        if self.asked == len(self.answers):
            self.answers.append((likely, False))
        self.asked += 1
        return self.answers[self.asked - 1][0]

    def other_answers(self) -> list[tuple[bool, bool]]:
        """The same answers up to the last one that is a first guess, and that one turned round; none if none is."""
        kept = self.answers[: self.asked]
        while kept and kept[-1][1]:
            kept.pop()
        return kept[:-1] + [(not answer, True) for answer, _ in kept[-1:]]


class _Current(threading.local):
    known: Assumptions | None = None


_current = _Current()


@contextmanager
def assumptions(answers: Any = ()) -> Iterator[Assumptions]:
    """Collect what is taken for granted about named sizes inside the block, as sentences: "T <= 128"."""
    before, _current.known = _current.known, Assumptions(list(answers))
    try:
        yield _current.known
    finally:
        _current.known = before


def settled(run: Callable[[], T]) -> tuple[T, Assumptions]:
    """run(), and what it took for granted; where it raises after likely answers, others are tried, latest first.

    So a check such as `if T > 8: raise` does not stop what works for some T. If none helps, the first error counts.
    """
    answers: list[tuple[bool, bool]] = []
    first = None
    for _ in range(TRIES):
        with assumptions(answers) as known:
            try:
                return run(), known
            except Exception as error:
                first = first or _with_note(error, known)
        answers = known.other_answers()
        if not answers:
            break
    try:
        raise first  # type: ignore[misc]
    finally:
        del first  # its traceback holds this frame


def _with_note(error: Exception, known: Assumptions) -> Exception:
    if said := ", ".join(known):
        error.add_note(f"taken for granted: {said}")
    return error


# ---- what is not the same
def unequal(a: Any, b: Any) -> bool:
    """Whether a and b differ: they do where they are not the same polynomial, which is then taken for granted."""
    p = a - b
    if isinstance(p, int):
        return p != 0
    if _current.known is not None and not (_decided(p) or _decided(-p)):
        _current.known.unequal[p] = None
    return True


def number_unknown(size: Any) -> None:
    """A number of a named size was asked for and is not known; that nothing is chosen by it is taken for granted."""
    if _current.known is not None:
        _current.known.unknown[size] = None


def asked_from_outside(depth: int) -> bool:
    """Whether code outside the library asks, so many calls above.

    Of the library's own questions about equality none decides what becomes of a shape, but for those of `unequal`.
    """
    return not str(sys._getframe(depth).f_globals.get("__name__")).startswith(f"{__package__}.")


# ---- order
def positive(p: Any) -> bool:
    """Whether p > 0 for all sizes of 1 or more that fit the facts; where that is open, the likely answer."""
    if isinstance(p, int):
        return p > 0
    if (proved := _decided(p)) is not None:
        return proved
    answer, known = p.at(LIKELY) > 0, _current.known
    if known is not None:
        answer = known.answer(answer)
        known.facts[p - 1 if answer else -p] = None
    return answer


def at_most(a: Any, b: Any) -> Any:
    """The smaller of two sizes; where their order is open a, and that a <= b is taken for granted."""
    room = b - a
    within = room >= 0 if isinstance(room, int) else _decided(room + 1)
    if within is None and _current.known is not None:
        _current.known.facts[room] = None
    return b if within is False else a


def _decided(p: Any) -> bool | None:
    facts = [*(_current.known.facts if _current.known else ()), *_facts_about(p)]
    return True if _proved(p, facts) else False if _proved(1 - p, facts) else None


def _facts_about(p: Any) -> Iterator[Any]:
    """What a floor division says: q = a // b means b q <= a <= b q + b - 1, for b > 0."""
    for quotient in {atom for term in p.terms for atom in term if not isinstance(atom, str)}:
        if _least(quotient.bottom) > 0:
            rest = quotient.top - quotient.bottom * quotient.size()
            yield from (f for f in (rest, quotient.bottom - 1 - rest) if not isinstance(f, int))


def _proved(p: Any, facts: list[Any]) -> bool:
    """Whether p > 0 follows: from sizes being 1 or more, alone or with one of the facts."""
    return _least(p) > 0 or any(
        _least(p - -(n // -m) * fact) > 0
        for fact in facts
        for term, n in p.terms.items()
        if n < 0 and (m := fact.terms.get(term, 0)) < 0
    )


def _least(p: Any) -> float:
    """A number that p never falls below, for names of 1 or more; minus infinity where that is not seen."""
    if isinstance(p, int):
        return p
    total = 0
    for term, n in p.terms.items():
        low = 1
        for atom in term:
            if not isinstance(atom, str):
                if _least(atom.top) < 0 or _least(atom.bottom) <= 0:
                    return float("-inf")
                low = 0
        if n < 0 and term:
            return float("-inf")
        total += n * low
    return total


def _sentence(fact: Any, sign: str = ">=") -> str:
    """A fact p >= 0, or p != 0, without minus signs."""
    more, less = fact.sides()
    if sign == "!=" and isinstance(more, int):
        more, less = less, more
    return f"{more} {sign} {less}" if sign == "!=" or isinstance(less, int) else f"{less} <= {more}"
