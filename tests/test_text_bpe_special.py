"""What stands around the merges of a tokenizer: special tokens, decoding, and the file it is kept in."""

import json
import os

import numpy as np
import pytest

from ddl.text import BPETokenizer

STORY = (
    "The cat's cattle can't catch the café's 1234 cats; naïve 猫 and 🐈 watch, watched, watching.\n\n  The end. " * 3
)
END = "<|endoftext|>"


@pytest.fixture(scope="module")
def story():
    return BPETokenizer.train(STORY, 320)


# Special tokens


def test_special_tokens_are_never_made_from_plain_text(story):
    mark = story.special_tokens[END]
    text = f"cat{END}cat"
    assert mark not in story.encode(text)
    assert story.decode(story.encode(text)) == text
    for allowed in ("all", [END], {END}, END):
        assert story.encode(text, allowed_special=allowed) == [*story.encode("cat"), mark, *story.encode("cat")]
        assert story.decode(story.encode(text, allowed_special=allowed)) == text


def test_only_the_allowed_special_tokens_are_made_and_the_longest_first():
    tokenizer = BPETokenizer([], special_tokens=["<a>", "<a><b>", "."])
    assert tokenizer.encode("<a><b><a>", allowed_special="all") == [257, 256]
    assert tokenizer.encode(".<a>", allowed_special=["<a>"]) == [ord("."), 256]
    assert tokenizer.encode("x.y", allowed_special=["."]) == [ord("x"), 258, ord("y")]


def test_an_unknown_special_token_is_refused(story):
    with pytest.raises(ValueError, match=r"'<pad>' was asked for as a special token, but this tokenizer has"):
        story.encode("cat", allowed_special=["<pad>"])


def test_one_text_is_one_text_wherever_several_are_taken(story):
    assert story.encode_documents("the cat").tolist() == story.encode_documents(["the cat"]).tolist()
    assert list(BPETokenizer([], "<s>").special_tokens) == ["<s>"]
    assert list(BPETokenizer.train("aa<s>aa", 258, "<s>").special_tokens) == ["<s>"]


@pytest.mark.parametrize("special", [["<a>", "<a>"], [""], ""])
def test_special_tokens_are_different_and_not_empty(special):
    with pytest.raises(ValueError, match="special tokens must be different and not empty"):
        BPETokenizer([], special_tokens=special)


def test_a_tokenizer_without_special_tokens():
    tokenizer = BPETokenizer.train(STORY, 300, special_tokens=())
    assert tokenizer.vocab_size == 300
    assert tokenizer.decode(tokenizer.encode(STORY, allowed_special="all")) == STORY


def test_documents_end_with_the_special_token(story):
    ids = story.encode_documents(["cat", "", "the end"])
    mark = story.special_tokens[END]
    assert ids.dtype == np.int64
    assert ids.tolist() == [*story.encode("cat"), mark, mark, *story.encode("the end"), mark]
    for none in [], iter(()):
        assert (story.encode_documents(none).dtype, story.encode_documents(none).tolist()) == (np.int64, [])


# Decoding


def test_half_a_character_decodes_to_the_replacement_character(story):
    assert story.decode(list("é".encode())[:1]) == "\ufffd"
    assert story.decode(np.array([0x63, 0xFF, 0x61], np.uint16)) == "c\ufffda"


@pytest.mark.parametrize("wrong", [-1, 311, 10**9])
def test_an_id_out_of_range_is_refused(story, wrong):
    with pytest.raises(IndexError, match=f"given id {wrong}, but this vocabulary has ids 0 to 310"):
        story.decode([97, wrong])


@pytest.mark.parametrize("wrong", [[1.5], [[1, 2]], ["a"], 7])
def test_decode_takes_a_list_of_ids_only(story, wrong):
    with pytest.raises(TypeError, match="decode takes a list of ids, but got"):
        story.decode(wrong)


# Files


def test_a_saved_tokenizer_comes_back(story, tmp_path):
    story.save(tmp_path / "tokenizer.json")
    loaded = BPETokenizer.load(tmp_path / "tokenizer.json")
    assert (loaded.merges, loaded.special_tokens, loaded.tokens) == (story.merges, story.special_tokens, story.tokens)
    assert loaded.encode(STORY) == story.encode(STORY)
    assert os.listdir(tmp_path) == ["tokenizer.json"]


def test_a_file_is_never_half_written(story, tmp_path, monkeypatch):
    path = tmp_path / "tokenizer.json"
    story.save(path)
    whole = path.read_bytes()

    def full(handle):
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        BPETokenizer.train("other text, other text", 260).save(path)
    assert path.read_bytes() == whole


FOREIGN = ["", "{", "[]", "7", '{"model": {}}', '{"merges": []}']
SAVED_BY_ANOTHER = [
    {"merges": 5},
    {"merges": [[1]]},
    {"merges": [5]},
    {"merges": [[97, None]]},
    {"special_tokens": [7]},
]
FOREIGN += [json.dumps({"merges": [], "special_tokens": []} | content) for content in SAVED_BY_ANOTHER]


@pytest.mark.parametrize("content", FOREIGN)
def test_a_foreign_file_is_refused(tmp_path, content):
    path = tmp_path / "other.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"given .*other\.json, which BPETokenizer\.save did not write"):
        BPETokenizer.load(path)


def test_a_merge_of_ids_that_are_not_there_yet_is_refused(tmp_path):
    merges, path = [[97, 98], [300, 97]], tmp_path / "bad.json"
    sentence = "merge 1 joins ids 300 and 97, but a merge can only join ids made before it"
    with pytest.raises(ValueError, match=sentence):
        BPETokenizer(merges)
    path.write_text(json.dumps({"merges": merges, "special_tokens": []}))
    with pytest.raises(ValueError, match=r"bad\.json, which BPETokenizer\.save did not write") as raised:
        BPETokenizer.load(path)
    assert sentence in str(raised.value.__cause__)
