"""Generation: the cache changes nothing; temperature, top-k, top-p, stop and any prompt do what they say."""

import numpy as np
import pytest

import ddl
from ddl.models import GPT2, GPT2Config
from ddl.models.sampling import distribution
from ddl.nn import KVCache

CONFIG = GPT2Config(vocab_size=13, block_size=12, n_embd=16, n_layer=2, n_head=4)


@pytest.fixture
def model():
    ddl.manual_seed(3)
    made = GPT2(CONFIG)
    for p in made.parameters():  # far from its start, so that its choices are not all alike
        p.data += 0.3 * np.random.default_rng(1).standard_normal(p.shape).astype(np.float32)
    return made


def rng(seed=0):
    return np.random.default_rng(seed)


# ---- the cache
@pytest.mark.parametrize(("dtype", "close"), [(np.float32, 1e-5), (np.float64, 1e-10)])
@pytest.mark.parametrize("pieces", [[12], [1] * 12, [5, 1, 1, 5], [1, 4, 7]])
def test_cached_logits_are_the_uncached(model, dtype, close, pieces):
    model.to(dtype)
    ids = rng().integers(0, 13, (3, 12))
    whole = model(ids).numpy()
    caches = [KVCache() for _ in model.blocks]
    start = 0
    for n in pieces:
        part = model(ids[:, start : start + n], caches).numpy()
        np.testing.assert_allclose(part, whole[:, start : start + n], rtol=close, atol=close * abs(whole).max())
        start += n
        assert {len(c) for c in caches} == {start}


def test_cached_logits_of_the_seed_configuration_agree_within_1e5():
    ddl.manual_seed(0)
    model = GPT2(GPT2Config(vocab_size=968, block_size=128, n_embd=128, n_layer=4, n_head=4))
    ids = rng().integers(0, 968, (1, 128))
    whole = model(ids).numpy()
    caches = [KVCache() for _ in model.blocks]
    with ddl.no_grad():
        parts = [model(ids[:, :100], caches).numpy()] + [
            model(ids[:, t : t + 1], caches).numpy() for t in range(100, 128)
        ]
    assert abs(np.concatenate(parts, axis=1) - whole).max() < 1e-5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("prompt", [1, 5, 12, 20])
@pytest.mark.parametrize("sampling", [{"temperature": 0}, {}, {"top_k": 4, "top_p": 0.8, "temperature": 1.3}])
def test_cached_and_uncached_generation_pick_the_same_tokens(model, dtype, prompt, sampling):
    model.to(dtype)
    ids = rng(prompt).integers(0, 13, prompt)
    texts = [model.generate(ids, 30, rng=rng(5), use_cache=cache, **sampling).tolist() for cache in (True, False)]
    assert texts[0] == texts[1]
    assert len(texts[0]) == prompt + 30


def test_the_cache_runs_only_what_is_new(model, monkeypatch):
    seen = []
    forward = GPT2.forward
    monkeypatch.setattr(
        GPT2, "forward", lambda self, ids, caches=None: seen.append(len(ids[0])) or forward(self, ids, caches)
    )
    model.generate([1, 2, 3], 12)
    assert seen == [3, *[1] * 9, 12, 12]


def test_the_cache_refuses_to_run_past_the_context(model):
    caches = [KVCache() for _ in model.blocks]
    model(np.zeros((1, 12), int), caches)
    with pytest.raises(ValueError, match="given 13 positions, but its context has 12"):
        model(np.zeros((1, 1), int), caches)


# ---- what generate promises
def test_temperature_0_takes_the_likeliest(model):
    ids = [1, 2, 3]
    text = model.generate(ids, 9, temperature=0)
    for t in range(3, 12):
        assert text[t] == model(text[None, :t]).numpy()[0, -1].argmax()
    assert text.tolist() == model.generate(ids, 9, temperature=0, rng=rng(9)).tolist()


def test_past_the_context_the_last_ids_count(model):
    ids = rng().integers(0, 13, 30)
    assert (
        model.generate(ids, 5, temperature=0)[30:].tolist() == model.generate(ids[-12:], 5, temperature=0)[12:].tolist()
    )
    assert model.generate(ids, 5, temperature=0)[:30].tolist() == ids.tolist()


def test_generation_stops_after_its_token(model):
    free = model.generate([1, 2], 40, rng=rng(1)).tolist()
    stop = free[10]
    first = free.index(stop, 2)
    assert model.generate([1, 2], 40, stop=stop, rng=rng(1)).tolist() == free[: first + 1]
    assert model.generate([stop], 3, stop=stop, rng=rng(1)).size > 1  # the prompt's own does not end it


def test_top_k_and_top_p_keep_to_the_likeliest(model):
    ids = [4, 2]
    for options in ({"top_k": 3}, {"top_p": 0.5}, {"top_k": 2, "top_p": 0.9}):
        text = model.generate(ids, 10, rng=rng(2), **options)
        for t in range(2, 12):
            p = distribution(model(text[None, :t]).numpy()[0, -1], **options)
            assert p[text[t]] > 0
    assert model.generate(ids, 10, top_k=1).tolist() == model.generate(ids, 10, temperature=0).tolist()


def test_the_same_generator_or_seed_writes_the_same_text(model):
    assert model.generate([1], 20, rng=rng(4)).tolist() == model.generate([1], 20, rng=rng(4)).tolist()
    assert model.generate([1], 20, rng=rng(4)).tolist() != model.generate([1], 20, rng=rng(5)).tolist()
    ddl.manual_seed(8)
    a = model.generate([1], 20).tolist()
    ddl.manual_seed(8)
    assert a == model.generate([1], 20).tolist()


def test_generation_is_without_dropout_and_leaves_the_mode_and_no_graph():
    model = GPT2(GPT2Config(13, 12, 16, 2, 4, dropout=0.5))
    assert model.generate([1], 11, temperature=0).tolist() == model.generate([1], 11, temperature=0).tolist()
    assert model.training
    assert model.eval().generate([1], 3).size == 4
    assert not model.training
    assert all(p.grad is None for p in model.parameters())


def test_layers_frozen_in_evaluation_stay_so_and_a_reader_may_train_between_two_tokens(model):
    model.train()
    model.blocks[0].eval()
    modes = [m.training for m in model.modules()]
    assert len(set(modes)) == 2
    model.generate([1], 3)
    assert [m.training for m in model.modules()] == modes
    stream = model.stream([1], 3)
    next(stream)
    assert [m.training for m in model.modules()] == modes, "an unread rest keeps no mode"
    model.eval()
    next(stream)
    assert not any(m.training for m in model.modules())
    model.train()
    assert len(list(stream)) == 1
    assert all(m.training for m in model.modules())


def test_weights_that_are_not_finite_are_named_as_the_reason(model):
    model.ln_f.weight.data[:] = np.nan
    for options in {}, {"temperature": 0}, {"top_k": 2}, {"top_p": 0.5}:
        with pytest.raises(ValueError, match=r"scores whose largest is nan.*NaN or infinity in the model's weights"):
            model.generate([1], 3, **options)


def test_tokens_come_one_by_one(model):
    stream = model.stream([1, 2], 5, rng=rng(6))
    first = next(stream)
    assert [1, 2, first, *stream] == model.generate([1, 2], 5, rng=rng(6)).tolist()


@pytest.mark.parametrize("prompt", [[1, 2], np.array([1, 2]), ddl.tensor([1, 2]), (1, 2)])
def test_a_prompt_may_be_any_integers(model, prompt):
    text = model.generate(prompt, 2, temperature=0)
    assert text.dtype == np.int64
    assert text.tolist() == model.generate([1, 2], 2, temperature=0).tolist()
    assert model.generate(prompt, 0).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("prompt", "options", "error", "sentence"),
    [
        ([], {}, ValueError, "at least one id to continue, but none was given"),
        (np.array([], int), {}, ValueError, "at least one id"),
        ([13], {}, IndexError, "id 13 was asked for"),
        ([1.5], {}, TypeError, "ids must be integers, but float64 was given"),
        ([[1, 2]], {}, ValueError, r"ids of shape \(T,\), but \(1, 2\) was given"),
        (3, {}, ValueError, r"ids of shape \(T,\), but \(\) was given"),
        ([1], {"temperature": -1}, ValueError, "temperature of 0 or more, but -1 was given"),
        ([1], {"temperature": float("nan")}, ValueError, "temperature of 0 or more, but nan was given"),
        ([1], {"temperature": None}, ValueError, "temperature of 0 or more, but None was given"),
        ([1], {"top_k": 0}, ValueError, "top_k to be a whole number of 1 or more, but 0 was given"),
        ([1], {"top_p": 0.0}, ValueError, "top_p above 0, but 0.0 was given"),
        ([1], {"top_k": 2.5}, ValueError, "top_k to be a whole number of 1 or more, but 2.5 was given"),
        ([1], {"top_p": 1.1}, ValueError, "top_p between 0 and 1, but 1.1 was given"),
        ([1], {"stop": 13}, ValueError, "takes stop as an id of 0 to 12, or None, but 13 was given"),
        ([1], {"stop": -1}, ValueError, "takes stop as an id of 0 to 12, or None, but -1 was given"),
        ([1], {"stop": "."}, ValueError, "takes stop as an id of 0 to 12, or None, but '.' was given"),
        ([1], {"max_new_tokens": -1}, ValueError, "max_new_tokens to be a whole number of 0 or more, but -1 was given"),
        (
            [1],
            {"max_new_tokens": 2.5},
            ValueError,
            "a whole number of 0 or more, but 2.5 was given",
        ),
        ([1], {"rng": 0}, TypeError, r"rng as numpy's Generator, but int was given; write np\.random\.default_rng"),
    ],
)
def test_generate_refuses_nonsense_in_a_sentence(model, prompt, options, error, sentence):
    for count in (0, 3):  # also where no token is drawn
        for write in (model.generate, model.stream):  # a stream before its first token
            with pytest.raises(error, match=sentence) as raised:
                write(prompt, **{"max_new_tokens": count, **options})
            assert "\n" not in str(raised.value)


# ---- distribution
LOGITS = np.log(np.array([0.1, 0.4, 0.05, 0.25, 0.2]))


def test_a_distribution_is_the_softmax_of_cooled_scores():
    np.testing.assert_allclose(distribution(LOGITS), [0.1, 0.4, 0.05, 0.25, 0.2])
    np.testing.assert_allclose(distribution(LOGITS + 700), distribution(LOGITS))
    squared = np.exp(LOGITS) ** 2
    np.testing.assert_allclose(distribution(LOGITS, temperature=0.5), squared / squared.sum())
    assert distribution(LOGITS, temperature=0).tolist() == [0, 1, 0, 0, 0]
    np.testing.assert_allclose(distribution(LOGITS, temperature=1e-9), [0, 1, 0, 0, 0])
    np.testing.assert_allclose(distribution(LOGITS, temperature=1e9), [0.2] * 5)


def test_top_k_keeps_k():
    for k in range(1, 8):
        p = distribution(LOGITS, top_k=k)
        assert (p > 0).sum() == min(k, 5)
        assert p.sum() == pytest.approx(1)
    np.testing.assert_allclose(distribution(LOGITS, top_k=2), [0, 0.4 / 0.65, 0, 0.25 / 0.65, 0])


def test_top_p_keeps_the_fewest_that_reach_p():
    for p, kept in ((0.01, 1), (0.39, 1), (0.41, 2), (0.64, 2), (0.66, 3), (0.86, 4), (0.96, 5), (1.0, 5)):
        out = distribution(LOGITS, top_p=p)
        assert (out > 0).sum() == kept, p
        assert out.sum() == pytest.approx(1)
    np.testing.assert_allclose(distribution(LOGITS, top_p=0.6), [0, 0.4 / 0.65, 0, 0.25 / 0.65, 0])


def test_top_k_comes_before_top_p():
    """Of the two likeliest the first alone has 0.4 / 0.65 > 0.6 of what is left."""
    assert distribution(LOGITS, top_k=2, top_p=0.6).tolist() == [0, 1, 0, 0, 0]


def test_ties_and_hidden_tokens():
    assert distribution(np.zeros(4), temperature=0).tolist() == [1, 0, 0, 0]
    assert distribution(np.zeros(4), top_k=2).tolist() == [0.5, 0.5, 0, 0]
    np.testing.assert_allclose(distribution(np.array([0.0, -np.inf, 0.0])), [0.5, 0, 0.5])
    for scores, largest in (([0.0, np.nan], "nan"), ([np.inf, 0.0], "inf"), ([-np.inf, -np.inf], "-inf")):
        with pytest.raises(ValueError, match=f"scores whose largest is {largest}, but it must be finite"):
            distribution(np.array(scores))


def test_draws_follow_the_distribution(model):
    p = distribution(model(np.array([[1]])).numpy()[0, -1], temperature=2.0)
    draws = rng()
    counts = np.bincount([next(model.stream([1], 1, rng=draws, temperature=2.0)) for _ in range(800)], minlength=13)
    assert abs(counts / 800 - p).max() < 0.08
