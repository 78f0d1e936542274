"""Layers watched while they train: the numbers are right, alarms name what is wrong, the model is left as it was."""

import json
import tracemalloc

import numpy as np
import pytest

import ddl
from ddl import nn
from ddl.nn import functional as F
from ddl.train import LayerWatch
from ddl.train.layers import HISTORY, LAYERS, SHARE
from ddl.train.measures import BINS, POWERS, few, spread

X = np.random.default_rng(0).normal(size=(64, 8)).astype(np.float32)
Y = np.random.default_rng(1).integers(0, 3, 64)


def small(*between, scale=1.0):
    ddl.manual_seed(0)
    layers = [layer for kind in between for layer in (nn.Linear(8, 8), kind())]
    model = nn.Sequential(*layers, nn.Linear(8, 3))
    for p in model.parameters():
        p.data *= scale
    return model


def train(model, steps, lr=0.1, params=None):
    optimizer = ddl.optim.SGD(params or model.parameters(), lr=lr)
    return [_step(optimizer, model) for _ in range(steps)]


def _step(optimizer, model):
    loss = F.cross_entropy(model(ddl.Tensor(X)), Y)
    optimizer.backward_step(loss)
    return loss.item()


def seen(model, steps, **how):
    with LayerWatch(model, every=1) as watch, np.errstate(all="ignore"):
        train(model, steps, **how)
    return watch.report()


def rms(x):
    return np.sqrt((np.asarray(x, np.float64) ** 2).mean())


def test_the_numbers_are_those_of_a_step_by_hand():
    model, twin = small(nn.ReLU), small(nn.ReLU)
    hidden = twin[0](ddl.Tensor(X))
    active = hidden.relu()
    logits = twin[2](active)
    loss = F.cross_entropy(logits, Y)
    grads = ddl.grad(loss, [hidden, active, logits, *twin.parameters()])
    layers = seen(model, 1)["layers"]
    outputs = [hidden, active, logits]
    assert [layer["output"]["rms"] for layer in layers] == pytest.approx([rms(x.data) for x in outputs], rel=1e-3)
    assert [layer["gradient"]["rms"] for layer in layers] == pytest.approx([rms(g.data) for g in grads[:3]], rel=1e-3)
    parameters = [p for layer in layers for p in layer["parameters"]]
    for told, p, g in zip(parameters, twin.parameters(), grads[3:], strict=True):
        size, slope = np.linalg.norm(p.data), np.linalg.norm(g.data)
        assert (told["norm"], told["gradient"]) == pytest.approx((size, slope), rel=1e-3)
        assert told["update"] == pytest.approx(0.1 * slope / size, rel=2e-3)
    weights = np.sqrt(sum(np.linalg.norm(p.data) ** 2 for p in twin[2].parameters()))
    slopes = np.sqrt(sum(np.linalg.norm(g.data) ** 2 for g in grads[5:]))
    assert layers[2]["update"] == pytest.approx(0.1 * slopes / weights, rel=2e-3)
    assert layers[1]["output"]["zeros"] == pytest.approx(100 * (hidden.data <= 0).mean(), rel=1e-3)
    edges = 10.0 ** np.linspace(*POWERS, BINS + 1)
    assert layers[0]["output"]["counts"] == np.histogram(np.abs(hidden.data), edges)[0].tolist()


def test_a_spread_counts_everything_that_is_finite():
    told = spread(np.array([0.0, -1e-30, 1e30, 1.0, -1.0, np.nan, np.inf]))
    assert (told["counts"][0], told["counts"][-1], sum(told["counts"]), told["zeros"]) == (1, 1, 4, 20.0)
    assert spread(np.zeros(0)) == {"counts": [0] * BINS, "zeros": 0.0}


def test_the_entries_looked_at_are_few_and_from_every_column():
    x = np.broadcast_to(np.arange(512.0), (1024, 512))
    assert few(x).size <= 4096
    assert np.unique(few(x)).size > 500
    assert few(x[:3, :5]).tolist() == x[:3, :5].ravel().tolist()


def kinds(report):
    return [(alarm["kind"], alarm["layer"]) for alarm in report["alarms"]]


def test_a_healthy_model_raises_no_alarm():
    assert kinds(seen(small(nn.ReLU, nn.GELU), 5)) == []


@pytest.mark.parametrize(
    ("make", "kind", "layer", "cause"),
    [
        (lambda: small(*[nn.Sigmoid] * 5), "vanishing", "0", "slopes of Sigmoid"),
        (lambda: small(*[nn.Identity] * 8, scale=0.2), "vanishing", "0", "larger initialisation"),
        (lambda: small(*[nn.Identity] * 8, scale=8), "exploding", "0", "smaller initialisation"),
        (lambda: small(nn.ReLU, scale=1e5), "exploding", "0", "inputs, are too large"),
    ],
)
def test_gradients_and_outputs_of_the_wrong_size_are_named(make, kind, layer, cause):
    found = [alarm for alarm in seen(make(), 1, lr=1e-9)["alarms"] if alarm["kind"] == kind]
    assert any(alarm["layer"] == layer and cause in alarm["words"] for alarm in found)


def test_a_step_that_is_too_large_is_named():
    (alarm,) = seen(small(nn.GELU), 1, lr=30)["alarms"]
    assert (alarm["kind"], "learning rate is likely too high" in alarm["words"]) == ("exploding", True)


@pytest.mark.filterwarnings("ignore:overflow|invalid")
@pytest.mark.parametrize("lr", [1e10, 1e20, 1e38])
def test_a_step_far_too_large_ends_no_training(lr):
    alarms = seen(small(nn.ReLU), 3, lr=lr)["alarms"]
    assert {alarm["kind"] for alarm in alarms} & {"exploding", "NaN"}


def test_dead_units_are_counted_once_they_were_silent_at_a_hundred_samples():
    model = small(nn.ReLU)
    model[0].bias.data[:6] = -100
    assert seen(model, 1)["layers"][1]["dead"] == 0
    report = seen(model, 2)
    assert report["layers"][1]["dead"] == 75
    assert ("dead", "1") in kinds(report)
    assert "75% of the units of 1 (ReLU) are dead" in report["alarms"][-1]["words"]


def test_channels_of_convolutions_are_units():
    ddl.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU())
    model[0].bias.data[0] = -100
    with LayerWatch(model, every=1) as watch:
        model(ddl.rand(2, 1, 12, 12)).sum().backward()
    assert watch.report()["layers"][1]["dead"] == 25


@pytest.mark.parametrize(("place", "words"), [(0, "weight of 0 (Linear) holds NaN"), (2, "weight of 2 (Linear) holds")])
def test_weights_that_are_not_finite_are_named(place, words):
    model = small(nn.ReLU)
    model[place].weight.data[0, 0] = np.nan
    report = seen(model, 1)
    assert kinds(report) == [("NaN", str(place))]
    assert words in report["alarms"][0]["words"]
    json.dumps(report, allow_nan=False)


def test_outputs_and_gradients_that_are_not_finite_are_named_where_they_began():
    class Root(nn.Module):
        def forward(self, x):
            return (x - x).sqrt() if self.slope else (x * 0 - 1).log() + 1

    model = nn.Sequential(nn.Linear(8, 8), Root(), nn.Linear(8, 3))
    for slope, words in ((False, "1 (Root) is the first layer to give NaN"), (True, "that comes back to 0 (Linear)")):
        model[1].slope = slope
        with LayerWatch(model, every=1) as watch, np.errstate(all="ignore"):
            F.cross_entropy(model(ddl.Tensor(X)), Y).backward()
        (alarm,) = watch.report()["alarms"]
        assert words in alarm["words"]


class Forgetful(nn.Module):
    """One layer that is never called, one whose output is detached, one that trains."""

    def __init__(self):
        self.unused, self.cut, self.used = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 3)

    def forward(self, x):
        return self.used(self.cut(x).detach())


def test_parameters_that_never_moved_are_named_with_the_cause():
    report = seen(Forgetful(), 3)
    told = {alarm["layer"]: alarm["words"] for alarm in report["alarms"]}
    assert told.keys() == {"unused", "cut"}
    assert all("no gradient arrives" in words for words in told.values())
    model = small(nn.ReLU)
    report = seen(model, 3, params=list(model[2].parameters()))
    assert kinds(report) == [("never moved", "0"), ("never moved", "0")]
    assert "not among the optimizer's parameters" in report["alarms"][0]["words"]
    model = small(nn.ReLU)
    model[2].weight.data[:] = 0
    report = seen(model, 3, params=[model[0].weight, model[0].bias, model[2].bias])
    assert "its gradient is exactly 0" in report["alarms"][0]["words"]
    assert "was optimizer.step() called" in seen(small(nn.ReLU), 3, lr=0)["alarms"][0]["words"]
    frozen = small(nn.ReLU)
    frozen[0].requires_grad_(False)
    assert kinds(seen(frozen, 4)) == []


def test_what_is_watched_trains_as_if_it_were_not():
    model, twin = small(nn.ReLU, nn.Tanh), small(nn.ReLU, nn.Tanh)
    watch = LayerWatch(model, every=2)
    assert train(model, 4) == train(twin, 4)
    watch.close()
    assert train(model, 3) == train(twin, 3)
    assert watch.step == 4
    for module in model.modules():
        assert module._hooks is None or not (module._hooks.before or module._hooks.after or module._hooks.backward)
    assert all(p.node.told == () for p in model.parameters())


@pytest.mark.parametrize("zeroed", ["before", "after"])
def test_gradients_are_seen_wherever_a_loop_drops_them(zeroed):
    model = small(nn.ReLU)
    optimizer = ddl.optim.SGD(model.parameters(), lr=0.1)
    with LayerWatch(model, every=1) as watch:
        for _ in range(2):
            if zeroed == "before":
                optimizer.zero_grad()
            F.cross_entropy(model(ddl.Tensor(X)), Y).backward()
            optimizer.step()
            if zeroed == "after":
                optimizer.zero_grad()
    assert all(p["gradient"] > 0 for layer in watch.report()["layers"] for p in layer["parameters"])


def test_every_step_that_is_due_and_no_evaluation_is_looked_at():
    model, looks = small(nn.ReLU), []
    with LayerWatch(model, every=3, on_look=lambda report: looks.append(report["step"])):
        for _ in range(7):
            train(model, 1)
            with ddl.no_grad():
                model(ddl.Tensor(X))
    assert looks == [1, 4, 7]


def test_without_every_looking_waits_until_it_has_paid_for_itself(monkeypatch):
    clock = iter(np.arange(0, 1e6, 1.0))
    monkeypatch.setattr("ddl.train.layers.time.perf_counter", lambda: next(clock))
    looks = []
    with LayerWatch(small(nn.ReLU), on_look=lambda report: looks.append(report["step"])) as watch:
        train(watch.model, 2000)
    assert looks[0] == 1
    ticks = 1 + 2 * 3 + 1  # to begin, forward and backward of three layers, and to tell
    assert set(np.diff(looks)) == {ticks / SHARE}


def test_a_report_is_bounded_and_so_is_what_is_kept():
    model = nn.Sequential(*(nn.Linear(8, 8) for _ in range(LAYERS + 20)))
    report = seen(model, HISTORY + 5, lr=1e-3)
    assert (len(report["layers"]), report["left_out"]) == (LAYERS, 20)
    assert len(json.dumps(report)) < 200_000
    assert HISTORY // 2 <= len(report["steps"]) <= HISTORY
    assert {len(row) for layer in report["layers"] for row in layer["history"].values()} == {len(report["steps"])}


def test_memory_does_not_grow_with_the_steps():
    model = small(nn.ReLU)
    with LayerWatch(model, every=2):
        tracemalloc.start()
        train(model, 300)
        before = tracemalloc.get_traced_memory()[0]
        train(model, 2000)
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
    assert grown < 20_000


def test_a_layer_that_is_called_several_times_is_told_as_one():
    layer = nn.Linear(8, 8)
    model = nn.Sequential(layer, layer)
    with LayerWatch(model, every=1) as watch:
        (model(ddl.Tensor(X)) ** 2).sum().backward()
    (told,) = watch.report()["layers"]
    once = layer(ddl.Tensor(X))
    assert told["output"]["rms"] == pytest.approx(rms([once.data, layer(once).data]), rel=1e-3)


def test_what_was_seen_can_be_forgotten():
    model = small(nn.ReLU)
    with LayerWatch(model, every=1) as watch:
        train(model, 3)
        watch.start_anew()
        assert (watch.report()["layers"], watch.report()["step"]) == ([], 0)
        train(model, 1)
    assert watch.report()["layers"][0]["parameters"][0]["compared"] == 1


def test_what_cannot_be_watched_is_refused():
    with pytest.raises(TypeError, match=r"a module are watched, but list was given; give a nn\.Module"):
        LayerWatch([])
    with pytest.raises(ValueError, match="every"):
        LayerWatch(nn.Linear(2, 2), every=0)
