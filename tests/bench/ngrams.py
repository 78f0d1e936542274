"""Print the corpus, its tokens and what n-grams predict on the held-out text: `python tests/bench/ngrams.py`."""

import sys
import time

from ddl.text import BPETokenizer, NGram, standard_library

VOCAB_SIZE = 968


def main() -> None:
    start = time.perf_counter()
    corpus = standard_library()
    read = time.perf_counter()
    tokenizer = BPETokenizer.train(corpus.train, VOCAB_SIZE)
    learned = time.perf_counter()
    train, held_out = (tokenizer.encode_documents(part) for part in (corpus.train, corpus.held_out))
    encoded = time.perf_counter()
    print(f"Python {sys.version.split()[0]}, text {corpus.sha256}")
    print(f"read in {read - start:.1f} s, {tokenizer.vocab_size} tokens learned in {learned - read:.1f} s, ", end="")
    print(f"encoded in {encoded - learned:.1f} s\n")
    print("| text | documents | characters | tokens |\n|---|---|---|---|")
    for name, part, ids in (("training", corpus.train, train), ("held out", corpus.held_out, held_out)):
        print(f"| {name} | {len(part)} | {sum(map(len, part))} | {len(ids)} |")
    print("\n| model | held-out loss, nats a token | discounts | seconds |\n|---|---|---|---|")
    for order, name in enumerate(("unigram", "bigram", "trigram", "4-gram"), 1):
        start = time.perf_counter()
        model = NGram(order).fit(train, tokenizer.vocab_size)
        loss = model.loss(held_out)
        discounts = ", ".join(f"{d:.2f}" for d in model.discounts)
        print(f"| {name} | {loss:.3f} | {discounts} | {time.perf_counter() - start:.1f} |")


if __name__ == "__main__":
    main()
