"""A long row of tokens cut into rows with their targets, and a word cut into pairs."""

from collections import Counter
from itertools import pairwise

import numpy as np

from ...task import Mistake, Task, parts


def rows(ids, T):
    n = (len(ids) - 1) // T
    return ids[: n * T].reshape(n, T), ids[1 : n * T + 1].reshape(n, T)


def both(answer, ids, T):
    return parts(answer(ids, T), "x", "y")


def long_rows():
    """(ids, T) by what is special about them."""
    draw = np.random.default_rng(11).integers
    return {
        "one row and a token": (np.array([3, 1, 4, 1, 5]), 4),
        "exactly two rows": (draw(0, 50, 8), 4),
        "two rows and a token": (draw(0, 50, 9), 4),
        "a rest": (draw(0, 50, 15), 4),
        "rows of one token": (draw(0, 50, 6), 1),
        "not enough for a row": (np.array([7, 8, 9]), 4),
        "always the same token": (np.full(11, 5), 3),
    }


def rolled_rows(ids, T):
    x, _ = rows(ids, T)
    return x, np.roll(x, -1, axis=1)


def rolled_text(ids, T):
    n = len(ids) // T
    return ids[: n * T].reshape(n, T), np.roll(ids[: n * T], -1).reshape(n, T)


def with_gaps(ids, T):
    n = len(ids) // (T + 1)
    block = ids[: n * (T + 1)].reshape(n, T + 1)
    return block[:, :-1], block[:, 1:]


def one_too_few(ids, T):
    x, y = rows(ids, T)
    kept = max(len(ids) // T - 1, 0)
    return x[:kept], y[:kept]


def join(ids, pair, new):
    out = []
    for i in ids:
        if out and (out[-1], i) == pair:
            out[-1] = new
        else:
            out.append(i)
    return out


def encode(data, table):
    return by(data, table, lambda known: min(known, key=table.get))


def by(data, table, choose, times=1000):
    """Joins, one after the other, of the pair that `choose` picks among those that stand side by side."""
    ids = list(data)
    while times and (known := [pair for pair in pairwise(ids) if pair in table]):
        first = choose(known)
        ids, times = join(ids, first, table[first]), times - 1
    return ids


def from_left(data, table):
    return by(data, table, lambda known: known[0])


def newest(data, table):
    return by(data, table, lambda known: max(known, key=table.get))


def once(data, table):
    return by(data, table, lambda known: min(known, key=table.get), times=1)


def most_frequent(data, table):
    return by(data, table, lambda known: min(known, key=lambda pair: (-Counter(known)[pair], table[pair])))


def from_the_right(data, table):
    ids = list(data)
    while known := [pair for pair in pairwise(ids) if pair in table]:
        first = min(known, key=table.get)
        ids = join(ids[::-1], first[::-1], table[first])[::-1]
    return ids


def longest(data, table):
    """From the left, each time the longest token that fits."""
    spelled = {i: bytes([i]) for i in range(256)}
    for (left, right), new in table.items():
        spelled[new] = spelled[left] + spelled[right]
    ids, at = [], 0
    while at < len(data):
        ids.append(max((i for i in spelled if data.startswith(spelled[i], at)), key=lambda i: len(spelled[i])))
        at += len(spelled[ids[-1]])
    return ids


def numbered(*pairs):
    """Pairs of texts or of numbers as a table, numbered from 256 on."""
    byte = lambda part: ord(part) if isinstance(part, str) else part
    return {(byte(left), byte(right)): new for new, (left, right) in enumerate(pairs, 256)}


def words():
    """(data, table) by what is special about them."""
    there = numbered("th", (256, "e"), "re", "he", "in", (260, "g"), (257, 258), (" ", 257))
    return {
        "no pairs": (b"rose", {}),
        "a single byte": (b"e", there),
        "one pair, once": (b"rose", numbered("ro")),
        "a pair of a pair": (b" the", there),
        "the later pair stands first": (b"abc", numbered("bc", "ab")),
        "an odd number of the same": (b"aaaaa", numbered("aa")),
        "four of the same": (b"aaaaaaa", numbered("aa", (256, 256))),
        "a rare pair learned early": (b"abcbcb", numbered("ab", "bc", "cb")),
        "there and in the string": (b"thereinthestring", there),
        "one way and the other": (b"abcxyz", numbered("bc", "ab", "xy", "yz")),
        "a longer token would fit": (b"abcd", numbered("ab", "bc", ("a", 257))),
        "bytes of another script": ("שלום".encode(), numbered((215, 169), (215, 156), (215, 149), (256, 257))),
    }


TASKS = [
    Task(
        "10.rows",
        "Find the bug: the last target of each row",
        "rows",
        rows,
        long_rows,
        (
            "Print x above y for ids = np.arange(9) and T = 4, and read the last column.",
            "The target of a row's last token is the first token of the next row; so the text needs one token more "
            "than the rows have.",
            "n = (len(ids) - 1) // T; x = ids[: n * T] and y = ids[1 : n * T + 1], both as (n, T).",
        ),
        (
            Mistake(
                "the row's own first token comes last",
                "np.roll brings a row's first token to its end. The last target is the token after the row.",
                rolled_rows,
            ),
            Mistake(
                "the text's first token comes last",
                "After the last token there is none. A row whose last target is missing is left out.",
                rolled_text,
            ),
            Mistake(
                "not shifted", "The target is the token after the one that is seen.", lambda i, T: (rows(i, T)[0],) * 2
            ),
            Mistake(
                "shifted the other way", "y is one token later than x, not earlier.", lambda i, T: rows(i, T)[::-1]
            ),
            Mistake(
                "pairs are lost between the rows",
                "The token after a row is the row's last target, and the next row's first token as well.",
                with_gaps,
            ),
            Mistake(
                "one row too few",
                "A last row is complete as soon as there is one token after it.",
                one_too_few,
            ),
        ),
        both,
        level=2,
    ),
    Task(
        "10.encode",
        "Find the bug: from left to right",
        "encode_word",
        encode,
        words,
        (
            "Which pair was learned first? Compare what comes for b'abc' with the pairs bc = 256 and ab = 257.",
            "Again and again: of all pairs that stand side by side and are in the table, take the one with the "
            "smallest number, and join it wherever it stands, from the left.",
            "while known := [table[p] for p in pairwise(ids) if p in table]: new = min(known); then a walk from the "
            "left, which joins where table.get((joined[-1], i)) == new.",
        ),
        (
            Mistake(
                "from left to right",
                "The first pair on the left need not be the first that was learned.",
                from_left,
            ),
            Mistake(
                "the newest pair first",
                "Joins go in the order in which they were learned: small numbers first.",
                newest,
            ),
            Mistake(
                "one join alone", "What was joined may be joined again: go on until no pair is in the table.", once
            ),
            Mistake(
                "the most frequent pair of this word",
                "How often a pair occurs was counted when it was learned; encoding keeps to that order.",
                most_frequent,
            ),
            Mistake("joined from the right", "In `aaa` the left two are joined.", from_the_right),
            Mistake(
                "the longest token that fits",
                "That cuts words in another way than the model was trained on. Joins go in the order of learning.",
                longest,
            ),
        ),
        level=2,
    ),
]
