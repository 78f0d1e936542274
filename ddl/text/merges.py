"""Byte-pair encoding's two algorithms: learn which neighbours to merge, and merge them in a new word."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

Pair = tuple[int, int]
BYTES = 256  # ids 0 to 255 are the bytes; merge number r makes the id 256 + r


def learn_merges(words: Mapping[bytes, int], count: int) -> list[Pair]:
    """At most `count` merges, each of the pair of neighbours that is most frequent in `words` (word -> occurrences).

    A tie goes to the smaller pair of ids. Overlapping pairs all count: "aaa" holds (a, a) twice.
    Stops early when no pair occurs twice.
    """
    spellings = {word: list(word) for word in words}
    totals: Counter[Pair] = Counter()
    homes: defaultdict[Pair, set[bytes]] = defaultdict(set)  # pair -> the words that hold it, or once did
    for word, ids in spellings.items():
        for pair in pairwise(ids):
            totals[pair] += words[word]
            homes[pair].add(word)
    queue = [(-total, pair) for pair, total in totals.items()]
    heapify(queue)
    merges: list[Pair] = []
    while queue and len(merges) < count:
        negative, best = heappop(queue)
        if -negative != totals[best]:  # an old pair only ever loses, so its true place is further back
            heappush(queue, (-totals[best], best))
            continue
        if totals[best] < 2:
            break
        new = BYTES + len(merges)
        merges.append(best)
        born: set[Pair] = set()
        for word in homes.pop(best):
            for pair in pairwise(spellings[word]):
                totals[pair] -= words[word]
            spellings[word] = _replace(spellings[word], best, new)
            for pair in pairwise(spellings[word]):
                totals[pair] += words[word]
                if new in pair:
                    homes[pair].add(word)
                    born.add(pair)
        for pair in born:
            heappush(queue, (-totals[pair], pair))
    return merges


def _replace(ids: list[int], pair: Pair, new: int) -> list[int]:
    """`ids` with every `pair`, taken from the left, replaced by `new`."""
    left, right = pair
    out: list[int] = []
    i, last = 0, len(ids) - 1
    while i <= last:
        if ids[i] == left and i < last and ids[i + 1] == right:
            out.append(new)
            i += 2
        else:
            out.append(ids[i])
            i += 1
    return out


def apply_merges(word: bytes, merges: Sequence[Pair], ranks: Mapping[Pair, int]) -> list[int]:
    """The ids of one word: the earliest merge that fits is done first, everywhere, from the left, until none fits.

    A merge can only call up later ones, so each is visited once: the time is close to linear in the word's length.
    `ranks` is `merges` turned round, pair -> place.
    """
    ids = list(word)
    end = len(ids)
    after = list(range(1, end + 1))
    before = list(range(-1, end - 1))
    places: defaultdict[int, list[int]] = defaultdict(list)  # merge -> where its left half stands
    for i, pair in enumerate(pairwise(ids)):
        if pair in ranks:
            places[ranks[pair]].append(i)
    queue = list(places)
    heapify(queue)
    while queue:
        rank = heappop(queue)
        left, right = merges[rank]
        for i in sorted(places.pop(rank)):
            j = after[i]
            if ids[i] != left or j == end or ids[j] != right:  # a neighbour was merged first
                continue
            ids[i], ids[j] = BYTES + rank, -1
            after[i] = after[j]
            if after[i] < end:
                before[after[i]] = i
            for start in (before[i], i):
                if start < 0 or after[start] == end:
                    continue
                later = ranks.get((ids[start], ids[after[start]]))
                if later is not None:
                    if later not in places:
                        heappush(queue, later)
                    places[later].append(start)
    return [i for i in ids if i >= 0]
