"""A view that asks a model while it trains, in another thread, changes nothing of it: mode, hooks, weights, draws."""

import threading

import numpy as np
import pytest

import ddl
from ddl import nn
from ddl.models import CNN, GPT2, GPT2Config
from ddl.nn import functional as F

pytest.importorskip("anywidget")

from ddl.widgets import attend, boundary, digits, features, lens, race, sample
from ddl.widgets.asked import twin, undisturbed

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
