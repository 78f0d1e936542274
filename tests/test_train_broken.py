"""NaN and infinity: the loop stops, nothing moved, the last good checkpoint stays, and the culprit is named."""

import os
import re

import numpy as np
import pytest
from runs import OPTIMIZERS, STEPS, run, told

import ddl
from ddl.data import DataLoader
from ddl.nn import Linear, Module, Parameter
from ddl.optim import SGD, AdamW
from ddl.train import NonFiniteLoss, Trainer, evaluate

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def values(trainer):
    """All that a step may move, as bytes."""
    state = {n: {k: np.asarray(v).tobytes() for k, v in s.items()} for n, s in trainer.optimizer.state.items()}
    return {name: p.numpy().tobytes() for name, p in trainer.model.named_parameters()}, state, trainer.optimizer.steps


def breaks_at(step, trainer, f):
    """An on_step that calls f(trainer) after `step` and remembers what the trainer was then."""

    def on_step(t):
        if t.step == step:
            f(t)
            trainer.before = values(t)

    return on_step


def poison(name, value=np.nan):
    return lambda t: dict(t.model.named_parameters())[name].data.flat.__setitem__(2, value)


@pytest.mark.parametrize("kind", OPTIMIZERS)
@pytest.mark.parametrize("name", ["wte.weight", "blocks.0.attn.qkv.weight", "blocks.1.mlp.up.bias", "ln_f.weight"])
def test_a_parameter_set_to_nan_by_hand_is_named(tmp_path, kind, name):
    trainer = run(tmp_path, kind)
    with pytest.raises(NonFiniteLoss) as caught:
        trainer.fit(STEPS, save_every=3, progress=False, on_step=breaks_at(8, trainer, poison(name)))
    assert str(caught.value) == (
        f"the loss of step 9 is nan: {name} is the first parameter with values that are not finite; "
        f"the last good checkpoint is {tmp_path / 'step-6.safetensors'}; try a lower learning rate or max_norm"
    )
    assert trainer.step == len(trainer.history) == 8
    assert values(trainer) == trainer.before
    assert sorted(os.listdir(tmp_path)) == ["step-3.safetensors", "step-6.safetensors"]


def test_the_run_goes_on_from_the_last_good_checkpoint_as_if_nothing_had_been(tmp_path):
    trainer = run(tmp_path)
    with pytest.raises(NonFiniteLoss):
        trainer.fit(STEPS, save_every=3, progress=False, on_step=breaks_at(8, trainer, poison("wpe.weight")))
    whole = run().fit(15, progress=False)
    assert trainer.resume() == 6
    assert told(trainer.fit(15, progress=False)) == told(whole)


def test_of_several_broken_parameters_the_first_in_the_model_is_named():
    trainer = run()
    names = ["blocks.1.ln_1.bias", "blocks.0.mlp.down.weight", "ln_f.bias"]
    break_all = lambda t: [poison(name, np.inf)(t) for name in names]
    with pytest.raises(NonFiniteLoss, match=r"blocks\.0\.mlp\.down\.weight is the first parameter with values"):
        trainer.fit(STEPS, progress=False, on_step=breaks_at(2, trainer, break_all))


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_a_huge_learning_rate(tmp_path, kind):
    trainer = run(tmp_path, kind, schedule=False)
    trainer.fit(4, save_every=2, progress=False)
    for group in trainer.optimizer.param_groups:
        group["lr"] = 1e30
    with pytest.raises(NonFiniteLoss) as caught:
        trainer.fit(STEPS, save_every=1, progress=False)
    said = str(caught.value)
    assert re.search(r"(first parameter with values that are not finite|reaches furthest, to [\d.]+e\+\d+)", said)
    good = int(re.search(r"last good checkpoint is \S*step-(\d+)\.", said)[1])
    assert good in (2, 4, 5)
    for path in tmp_path.iterdir():
        assert all(np.isfinite(t.numpy()).all() for name, t in ddl.load(path).items() if name.startswith("model."))
    again = run(None, kind, schedule=False)
    again.resume(tmp_path / f"step-{good}.safetensors")
    for group in again.optimizer.param_groups:
        group["lr"] = 1e-3
    if good <= 4:
        assert all(np.isfinite(line["loss"]) for line in again.fit(8, progress=False))


class Chain(Module):
    """first -> middle -> root -> last. Where `stretch` is 0 the root's slope is infinite, and 0 * inf comes back."""

    def __init__(self):
        self.first, self.middle = Linear(3, 3), Linear(3, 3)
        self.stretch = Parameter(np.ones(3, np.float32))
        self.last = Linear(3, 1)

    def forward(self, x):
        x = self.middle(self.first(x).tanh())
        return self.last(((x * self.stretch) * (x * self.stretch)).sqrt())


def squares(model, batch):
    x, y = batch
    return ((model(ddl.tensor(x)) - ddl.tensor(y)) ** 2).mean()


class Points:
    def __init__(self, bad=None):
        rng = np.random.default_rng(0)
        self.x, self.y = rng.normal(size=(12, 3)).astype(np.float32), rng.normal(size=(12, 1)).astype(np.float32)
        if bad is not None:
            self.x[bad] = np.nan

    def __len__(self):
        return 12

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def chain(optimizer=SGD, bad=None, **options):
    ddl.manual_seed(3)
    model = Chain()
    loader = DataLoader(Points(bad), 3)
    held_out = DataLoader(Points(), 5)
    return Trainer(model, optimizer(model.parameters(), lr=0.01), loader, held_out, loss=squares, **options)


@pytest.mark.parametrize("max_norm", [1.0, None])
@pytest.mark.parametrize("optimizer", [SGD, AdamW])
def test_a_gradient_that_is_not_finite_is_named_where_it_came_in_and_moves_nothing(optimizer, max_norm):
    trainer = chain(optimizer, max_norm=max_norm)
    flat = lambda t: t.model.stretch.data.fill(0)
    with pytest.raises(NonFiniteLoss) as caught:
        trainer.fit(20, progress=False, on_step=breaks_at(5, trainer, flat))
    assert str(caught.value) == (
        "the gradient of step 6 has norm nan: stretch is where backward first met a gradient that is not finite, "
        "all values still are; try a lower learning rate or max_norm"
    )
    assert values(trainer) == trainer.before
    assert trainer.step == len(trainer.history) == 5


def test_a_gradient_that_is_only_too_large_names_the_largest():
    trainer = chain()
    huge = lambda t: t.model.last.weight.data.__imul__(1e12)
    with pytest.raises(NonFiniteLoss) as caught:
        trainer.fit(20, progress=False, on_step=breaks_at(2, trainer, huge))
    said = str(caught.value)
    assert "the gradient of step 3 has norm inf: all gradients are finite, and " in said
    assert re.search(r"and (first|middle|stretch)\S* reaches furthest, to \d\.?\d*e\+\d+;", said)
    assert values(trainer) == trainer.before


def test_a_batch_that_is_not_finite_blames_no_parameter():
    trainer = chain(bad=7)  # of the third batch
    with pytest.raises(NonFiniteLoss, match=r"the loss of step 3 is nan: all parameters are finite, and .* to \d"):
        trainer.fit(20, progress=False)
    assert trainer.step == 2


def test_a_held_out_loss_that_is_not_finite_stops_the_run_too(tmp_path):
    trainer = chain(folder=tmp_path)
    trainer.held_out = DataLoader(Points(bad=11), 5)
    with pytest.raises(NonFiniteLoss, match="the held-out loss after step 4 is nan: all parameters are finite"):
        trainer.fit(20, eval_every=4, save_every=2, progress=False)
    assert os.listdir(tmp_path) == ["step-2.safetensors"]
    assert "held_out" not in trainer.history[-1]
    assert np.isnan(evaluate(trainer.model, trainer.held_out, squares))


def test_a_broken_state_is_never_saved_and_no_run_ends_well_with_one(tmp_path):
    for folder in (tmp_path, None):
        trainer = chain(folder=folder)
        with pytest.raises(NonFiniteLoss) as caught:
            trainer.fit(6, progress=False, on_step=breaks_at(6, trainer, poison("middle.bias", np.inf)))
        what = "no checkpoint of step 6 was written" if folder else "the run ended, but"
        assert str(caught.value).startswith(f"{what}: middle.bias is the first parameter with values that")
    trainer = chain(folder=tmp_path)
    with pytest.raises(NonFiniteLoss, match=r"middle\.bias"):
        trainer.fit(6, save_every=2, progress=False, on_step=breaks_at(5, trainer, poison("middle.bias")))
    assert sorted(os.listdir(tmp_path)) == ["step-2.safetensors", "step-4.safetensors"]


def test_a_checkpoint_right_before_the_bad_step_is_not_called_good(tmp_path):
    """The state after step 4 was saved, but it is the one that gives NaN: the one before has proved good."""
    trainer = chain(folder=tmp_path)
    flat = lambda t: t.model.stretch.data.fill(0)
    trainer.fit(3, save_every=3, progress=False)
    flat_then_save = lambda t: (flat(t), t.save())
    with pytest.raises(NonFiniteLoss, match=r"last good checkpoint is \S*step-3\.safetensors; try"):
        trainer.fit(20, progress=False, on_step=breaks_at(4, trainer, flat_then_save))
    assert sorted(os.listdir(tmp_path)) == ["step-3.safetensors", "step-4.safetensors"]
    with pytest.raises(ValueError, match="keep 2 or more, the newest may turn out bad"):
        chain(keep=1)
