"""Text as numbers: tokenizers, English that every Python carries, and the n-gram models to beat."""

from .bpe import BPETokenizer
from .characters import CharTokenizer
from .corpus import Corpus, standard_library
from .ngrams import NGram
from .split import split_words

__all__ = ["BPETokenizer", "CharTokenizer", "Corpus", "NGram", "split_words", "standard_library"]
