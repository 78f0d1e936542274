"""The GPT-2 decoder: its size, its first loss, that it cannot look ahead, and what it refuses."""

import math

import numpy as np
import pytest

import ddl
from ddl.models import GPT2, GPT2Config
from ddl.nn import functional as F

SEED = GPT2Config(vocab_size=968, block_size=128, n_embd=128, n_layer=4, n_head=4)
TINY = GPT2Config(vocab_size=13, block_size=70, n_embd=16, n_layer=2, n_head=4)


@pytest.fixture
def rng():
    ddl.manual_seed(0)
    return np.random.default_rng(0)


def test_the_seed_configuration_has_933632_parameters():
    with ddl.shapes_only():
        assert GPT2(SEED).num_parameters() == 933_632
        assert GPT2(GPT2Config()).num_parameters() == 124_439_808
    model = GPT2(SEED)
    assert model.num_parameters() == 933_632
    assert sum(p.data.size for p in model.state_dict().values()) == 933_632
    bare = 933_632 - 128 * (2 * 4 + 1) - 4 * (3 * 128 + 128 + 512 + 128)
    assert GPT2(GPT2Config(968, 128, 128, 4, 4, bias=False)).num_parameters() == bare


def test_the_first_loss_is_that_of_a_guess(rng):
    model = GPT2(SEED)
    x, y = rng.integers(0, 968, (2, 8, 128))
    loss = F.cross_entropy(model(x).reshape(-1, 968), y.reshape(-1)).item()
    assert abs(loss - math.log(968)) < 0.1


def test_weights_start_as_gpt2s():
    ddl.manual_seed(0)
    model = GPT2(SEED)
    for path, p in model.named_parameters():
        values = p.numpy()
        if path.endswith("bias"):
            assert (values == 0).all()
        elif ".ln_" in path or path.startswith("ln_f"):
            assert (values == 1).all()
        else:
            std = 0.02 / math.sqrt(8) if path.endswith(("proj.weight", "down.weight")) else 0.02
            assert abs(values.std() / std - 1) < 0.05, path
            assert abs(values.mean()) < 5 * std / math.sqrt(values.size), path
    assert sum(path.endswith(("proj.weight", "down.weight")) for path, _ in model.named_parameters()) == 8


def test_the_head_is_the_embedding(rng):
    model = GPT2(TINY)
    assert [path for path, _ in model.named_parameters()].count("wte.weight") == 1
    assert not any("head" in path for path, _ in model.named_parameters())
    F.cross_entropy(model(np.array([[0]])).reshape(-1, 13), np.array([5])).backward()
    rows = abs(model.wte.weight.grad.numpy()).sum(axis=1)
    assert (rows > 0).all()  # row 0 as an input, every row as an output


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("t", [0, 1, 31, 62, 63, 64, 68])
def test_token_t_plus_1_never_moves_output_t(dtype, t, rng):
    model = GPT2(TINY).to(dtype).eval()
    ids = rng.integers(0, 13, (2, 70))
    before = model(ids).numpy()
    for change in ([t + 1], range(t + 1, 70)):
        other = ids.copy()
        other[:, list(change)] = (other[:, list(change)] + 5) % 13
        after = model(other).numpy()
        np.testing.assert_array_equal(after[:, : t + 1], before[:, : t + 1])
        assert (after[:, t + 1] != before[:, t + 1]).any()


def test_token_t_plus_1_gets_no_gradient_from_output_t(rng):
    """The same, seen from behind: only the past of an output receives anything from it."""
    model = GPT2(TINY).double()
    model(rng.integers(0, 13, (1, 70)))[0, 40].sum().backward()
    reached = abs(model.wpe.weight.grad.numpy()).sum(axis=1) > 0
    assert reached.tolist() == [True] * 41 + [False] * 29


def test_dropout_acts_in_training_only(rng):
    model = GPT2(GPT2Config(13, 8, 16, 2, 4, dropout=0.2))
    ids = rng.integers(0, 13, (1, 8))
    assert (model(ids).numpy() != model(ids).numpy()).any()
    model.eval()
    np.testing.assert_array_equal(model(ids).numpy(), model(ids).numpy())


def test_a_batch_is_its_rows(rng):
    model = GPT2(TINY).double()
    ids = rng.integers(0, 13, (3, 9))
    together = model(ids).numpy()
    for row, expected in zip(ids, together):
        np.testing.assert_allclose(model(row[None]).numpy()[0], expected, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint16, list, ddl.tensor])
def test_ids_may_be_any_integers(kind, rng):
    model = GPT2(TINY)
    ids = rng.integers(0, 13, (1, 5))
    given = ids.tolist() if kind is list else kind(ids)
    np.testing.assert_array_equal(model(given).numpy(), model(ids).numpy())


NONSENSE = {
    "past the context": (lambda m: m(np.zeros((1, 71), int)), "given 71 positions, but its context has 70"),
    "an id too large": (lambda m: m([[0, 13]]), "id 13 was asked for, but the ids of a table of 13 rows are 0 to 12"),
    "a negative id": (lambda m: m([[-1]]), "id -1 was asked for"),
    "floats": (lambda m: m(np.ones((1, 2))), "ids must be integers, but float64 was given"),
    "a list of floats": (lambda m: m([[0.5]]), "ids must be integers, but float64 was given"),
    "no batch": (lambda m: m([1, 2]), r"ids of shape \(B, T\), but \(2,\) was given"),
    "one id": (lambda m: m(3), r"ids of shape \(B, T\), but \(\) was given"),
    "three axes": (lambda m: m(np.zeros((1, 1, 1), int)), r"\(B, T\), but \(1, 1, 1\) was given"),
}  # fmt: skip


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_refused_in_a_sentence(name):
    call, sentence = NONSENSE[name]
    with pytest.raises((ValueError, TypeError, IndexError), match=sentence) as error:
        call(GPT2(TINY))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("size", ["vocab_size", "block_size", "n_embd", "n_layer", "n_head"])
@pytest.mark.parametrize("n", [0, -1, 2.0, 2.5, "2", None, True])
def test_a_config_refuses_a_size_that_is_no_whole_number_of_1_or_more(size, n):
    sizes = {"vocab_size": 13, "block_size": 8, "n_embd": 16, "n_layer": 2, "n_head": 4, size: n}
    with pytest.raises(ValueError) as error:
        GPT2Config(**sizes)
    assert str(error.value) == f"GPT2Config needs {size} to be a whole number of 1 or more, but {n!r} was given"


def test_a_config_refuses_heads_that_do_not_divide_the_width():
    with pytest.raises(ValueError) as error:
        GPT2Config(13, 8, 16, 2, n_head=3)
    assert str(error.value) == "GPT2Config needs an n_embd that n_head divides, but n_embd 16 and n_head 3 were given"


@pytest.mark.parametrize("dropout", [-0.1, 1.5, math.nan, "0.1", None])
def test_a_config_refuses_dropout_outside_0_to_1(dropout):
    with pytest.raises(ValueError) as error:
        GPT2Config(13, 8, 16, 2, 4, dropout=dropout)
    assert str(error.value) == f"GPT2Config needs dropout to lie between 0 and 1, but {dropout!r} was given"
    assert [GPT2Config(13, 8, 16, 2, 4, p).dropout for p in (0, 0.5, 1)] == [0, 0.5, 1]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "Expecting value"),
        ('{"n_embd": 16', "Expecting ',' delimiter"),
        ('{"n_embed": 16}', "unexpected keyword argument 'n_embed'"),
        ("[1, 2]", "must be a mapping"),
        ('{"n_layer": 0}', "GPT2Config needs n_layer to be a whole number"),
        ('{"n_layer": "2"}', "GPT2Config needs n_layer to be a whole number"),
    ],
)
def test_a_config_that_is_none_is_refused_in_a_sentence(tmp_path, content, reason):
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(ValueError, match=r"whose config\.json holds no GPT2Config: ") as error:
        GPT2.from_pretrained(tmp_path)
    assert reason in str(error.value)
    assert "\n" not in str(error.value)
