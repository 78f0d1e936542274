"""A view that asks a model while it trains, in another thread, changes nothing of it: mode, hooks, weights, draws."""

import gc
import json
import threading
import weakref

import numpy as np
import pytest

import ddl
from ddl import nn
from ddl.models import CNN, GPT2, GPT2Config
from ddl.nn import functional as F

pytest.importorskip("anywidget")

from ddl.train import LayerWatch
from ddl.widgets import Sample, attend, boundary, digits, features, lens, play, race, sample
from ddl.widgets.asked import twin, undisturbed
from ddl.widgets.sample import BACK

IMAGE = np.zeros((8, 8))
GPT = GPT2Config(vocab_size=20, block_size=8, n_embd=8, n_layer=1, n_head=2, dropout=0.5)
PLANE = lambda: nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 2))
ASKS = {
    "boundary": (PLANE, boundary, {"zoom": 2}),
    "digits": (lambda: CNN(8, channels=(2, 2)), lambda m: digits(m, IMAGE), {"image": [0.5] * 64}),
    "features": (lambda: CNN(8, channels=(2, 2)), lambda m: features(m, [IMAGE, IMAGE + 1]), {"image": 1}),
    "attend": (lambda: GPT2(GPT), lambda m: attend(m, [1, 2, 3]), {"text": "4 5"}),
    "lens": (lambda: GPT2(GPT), lambda m: lens(m, [1, 2, 3]), {"text": "4 5"}),
    "sample": (lambda: GPT2(GPT), lambda m: sample(m, [1, 2, 3]), {"draw": True}),
    "race": (PLANE, lambda m: race(lambda of: of(ddl.ones(3, 2)).sum(), m, steps=2), {"runner": "SGD", "lr": 0.1}),
}


@pytest.mark.parametrize("name", ASKS)
def test_a_request_in_another_thread_leaves_a_model_that_trains_alone(name, monkeypatch):
    make, show, asked = ASKS[name]
    model = make().train()
    view, seen, within = show(model), [], []
    monkeypatch.setattr(type(view), "send", lambda self, said, buffers=None: None)
    for module in model.modules():
        module.register_forward_hook(lambda *_: seen.append(1))
    before, streams = [p.data for p in model.parameters()], ddl.random.get_state()
    state = {path: t.numpy().copy() for path, t in model.state_dict().items()}
    call = nn.Linear.forward

    def looks(self, x):
        within.append(all(m.training and len(m._hooks.after) == 1 for m in model.modules()))
        within.append(all(p.data is old for p, old in zip(model.parameters(), before)))
        within.append(ddl.random._streams["dropout"].bit_generator.state == streams["dropout"])
        assert not self.training
        return call(self, x)

    monkeypatch.setattr(nn.Linear, "forward", looks)
    thread = threading.Thread(target=view._handle_custom_msg, args=({"ask": asked, "number": 1}, []))
    thread.start(), thread.join()
    assert (view.fault, seen) == ("", [])
    assert within
    assert all(within)
    assert ddl.random.get_state() == streams
    assert all(np.array_equal(t.numpy(), state[path]) for path, t in model.state_dict().items())
    assert all(p.grad is None for p in model.parameters())


def test_a_twin_shares_the_weights_and_nothing_else():
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    model.kept = F.relu(model[0](ddl.ones(2, 3)))  # a result of ops, which has no copy
    model.tied, model.lock = model[0], threading.Lock()
    other = twin(model)
    assert [p.data is q.data for p, q in zip(model.parameters(), other.parameters(), strict=True)] == [True] * 4
    assert other.tied is other[0] is not model[0]
    assert (other.lock, other.kept) == (model.lock, model.kept)
    assert not any(b.data is c.data for b, c in zip(model.buffers(), other.buffers(), strict=True))
    assert (model.training, other.training) == (True, False)


def test_draws_inside_move_nobody_elses_streams_and_meet_those_of_other_threads():
    ddl.manual_seed(1)
    drawn, begun, over = [], threading.Event(), threading.Event()

    def ask():
        with undisturbed(None):
            drawn.append(ddl.rand(2).numpy())
            begun.set(), over.wait(10)
            ddl.manual_seed(5)

    thread = threading.Thread(target=ask)
    thread.start(), begun.wait(10)
    trained = [ddl.rand(2).numpy() for _ in range(2)]
    over.set(), thread.join()
    trained.append(ddl.rand(2).numpy())
    ddl.manual_seed(1)
    assert np.array_equal(trained, [ddl.rand(2).numpy() for _ in range(3)])
    assert np.array_equal(drawn[0], trained[0])


def test_nan_is_told_as_nan_and_the_data_are_json():
    model = GPT2(GPT)
    model.wte.weight.data[1] = np.nan
    view = attend(model, [2, 1, 3])
    assert "The weights hold NaN, in 2 of 2 heads, first in blocks.0.attn, head 0" in view.words
    assert "No query looks" not in view.words
    assert view.data["broken"] in view.words
    for head in view.state["layers"][0]["weights"]:
        assert np.isnan(head).all(-1).tolist() == [False, True, True]
        assert head[0] == pytest.approx([1, 0, 0])
    for each in (view, lens(model, [2, 1, 3])):
        json.dumps(each.data, allow_nan=False)


def test_a_closed_view_lets_go_of_the_model_and_keeps_words_and_picture():
    model = GPT2(GPT)
    view, gone = attend(model, [1, 2]), weakref.ref(model)
    words, picture = view.words, view._repr_mimebundle_()[0]["image/png"]
    view.close()
    del model
    gc.collect()
    assert gone() is None
    assert (repr(view), view._repr_mimebundle_()[0]["image/png"]) == (words, picture)


def test_a_second_watch_of_a_model_closes_the_first():
    model = PLANE()
    first, second = LayerWatch(model, every=1), LayerWatch(model, every=1)
    model(ddl.ones(3, 2)).sum().backward()
    assert (first.report()["looks"], second.report()["looks"]) == (0, 1)
    second.close()
    assert not any(m._hooks and (m._hooks.before or m._hooks.after) for m in model.modules())


def test_scores_of_earlier_tokens_are_kept_up_to_a_bound_and_the_way_back_is_whole(monkeypatch):
    monkeypatch.setattr(Sample, "send", lambda self, said, buffers=None: None)
    view = sample(GPT2(GPT), [1, 2], seed=3)
    seen = [view.data]
    for _ in range(BACK + 3):
        view._handle_custom_msg({"ask": {"draw": True}, "number": 1}, [])
        seen.append(view.data)
    assert len(view.state["before"]) == BACK
    for data in seen[-2::-1]:
        view._handle_custom_msg({"ask": {"back": True}, "number": 1}, [])
        assert (view.fault, view.data) == ("", data)


def test_what_the_player_is_sent_is_bounded():
    x = ddl.ones(32, 32)
    f = lambda x: [x := (x * 0.9).tanh() for _ in range(60)][-1].sum()
    view = play(f, x)
    assert len(view.data["nodes"]) > 120
    assert len(json.dumps(view.data)) < 1_500_000
    assert view.data["nodes"][-1]["value"] is not None
    assert play(lambda x: (x * 0.9).sum(), x).data["nodes"][0]["value"] is not None
