"""The corpus: real text, split so that what is held out was never trained on."""

import itertools
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from ddl.text import corpus as module
from ddl.text import standard_library


def paragraphs(document):
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", document) if part.strip()]


def runs(document, length=13):
    words = document.split()
    return [tuple(words[i : i + length]) for i in range(len(words) - length + 1)]


def parts():
    corpus = standard_library()
    return corpus.train, corpus.validation, corpus.held_out


def test_there_are_about_two_million_characters_a_tenth_of_them_held_out_and_a_tenth_to_choose_by():
    train, validation, held_out = (sum(map(len, part)) for part in parts())
    assert 1_600_000 < (total := train + validation + held_out) < 2_600_000
    assert 0.07 < validation / total < 0.14
    assert 0.07 < held_out / total < 0.14


def test_every_paragraph_stands_in_the_corpus_once():
    every = [text for part in parts() for document in part for text in paragraphs(document)]
    assert len(every) > 15_000
    assert len(set(every)) == len(every)


@pytest.mark.parametrize("part", ["validation", "held_out"])
def test_less_than_one_percent_of_held_out_13_grams_occur_in_the_training_text(part):
    learned = {run for document in standard_library().train for run in runs(document)}
    held_out = [run for document in getattr(standard_library(), part) for run in runs(document)]
    assert len(held_out) > 10_000
    assert sum(run in learned for run in held_out) < 0.01 * len(held_out)


def test_documents_are_clean_text_of_some_length():
    for document in itertools.chain(*parts()):
        assert len(document) >= 200
        assert document.endswith("\n")
        assert not re.search(r"\n\n\n|[ \t]\n|\r", document)
        document.encode()


def test_topics_and_modules_are_there_and_test_packages_are_not():
    text = "\n".join(itertools.chain(*parts()))
    assert 'The "if" statement' in text  # a topic
    assert "Return the sample arithmetic mean of data." in text  # statistics
    names = [name for name, _ in module._modules()]
    assert {"module statistics", "module email.message", "module json.decoder"} <= set(names)
    assert not [name for name in names if re.search(r"\b(test|tests|idle_test|site-packages)\b", name)]
    assert len(set(names)) == len(names)


def test_nothing_is_imported_and_any_process_sees_the_same_text():
    code = """if True:
        import sys
        from ddl.text import standard_library
        before = set(sys.modules)
        print(standard_library().sha256, len(set(sys.modules) - before))
    """
    environment = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    printed = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True).split()
    assert printed[0] == standard_library().sha256
    assert int(printed[1]) < 5
    assert re.fullmatch("[0-9a-f]{64}", printed[0])


def test_it_is_read_once():
    assert standard_library() is standard_library()


def test_a_python_without_its_source_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"reads the source of Python's own library, but .* does not hold it"):
        standard_library.__wrapped__()


def test_docstrings_are_taken_in_the_order_of_the_source(tmp_path):
    source = '''"""Module."""
try:
    def f():
        """F."""
        def inner():
            """Inner,

            dedented."""
except ImportError:
    class C:
        """C."""
        x = 1
        async def g(self):
            """G."""
if True: pass
else:
    def h():
        "H."
"""Not a docstring."""
'''
    (tmp_path / "m.py").write_text(source)
    tree = module._parse(tmp_path / "m.py")
    assert list(module._docstrings(tree)) == ["Module.", "F.", "Inner,\n\ndedented.", "C.", "G.", "H."]
