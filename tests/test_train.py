"""The loop: what it does, what it reports, what it leaves as it was; and evaluation."""

import math
import sys

import numpy as np
import pytest
from runs import CONFIG, STEPS, TOKENS, T, V, run, told

import ddl
from ddl import random
from ddl.data import DataLoader, Windows
from ddl.memory import keep_freed_memory
from ddl.models import GPT2, GPT2Config
from ddl.nn import functional as F
from ddl.optim import AdamW
from ddl.train import Trainer, evaluate, next_token_loss


def test_the_history_says_what_happened():
    trainer = run()
    history = trainer.fit(23, eval_every=5, progress=False)
    assert history is trainer.history
    assert [line["step"] for line in history] == list(range(1, 24))
    assert [line["step"] for line in history if "held_out" in line] == [5, 10, 15, 20, 23]
    assert [line["tokens"] for line in history] == [9 * T] * 19 + [T] + [9 * T] * 3  # 172 windows in batches of 9
    assert [round(line["lr"], 6) for line in history[:4]] == [0.0025, 0.005, 0.0075, 0.01]
    assert all(line["seconds"] > 0 and line["norm"] > 0 for line in history)
    assert history[-1]["held_out"] == evaluate(trainer.model, trainer.held_out)


def test_the_loop_is_the_loop_one_would_write():
    trainer = run()
    history = trainer.fit(25, progress=False)
    same = run()
    batches = same.loader.forever()
    for line in history:
        same.model.train()
        x, y = next(batches)
        loss = F.cross_entropy(same.model(x).reshape(-1, V), y.reshape(-1))
        same.optimizer.zero_grad()
        loss.backward()
        norm = ddl.optim.clip_grad_norm_(list(same.model.parameters()), 1.0)
        same.optimizer.step()
        same.schedule.step()
        assert (loss.item(), norm) == (line["loss"], line["norm"])


def test_without_max_norm_nothing_is_clipped_and_the_norm_is_still_told():
    loose, tight = (run(kind="sgd", max_norm=limit).fit(6, progress=False) for limit in (None, 1e-3))
    assert loose[0] | {"seconds": 0} == tight[0] | {"seconds": 0}
    assert loose[5]["loss"] < tight[5]["loss"] - 0.01


def test_a_text_is_learned_by_heart():
    """From near ln V to a loss under 0.05, and every parameter moved."""
    text = "A quick brown fox jumps over the lazy dog; the dog dreams of foxes, and sleeps on."
    letters = sorted(set(text))
    ids = np.array([letters.index(c) for c in text])
    ddl.manual_seed(0)
    model = GPT2(GPT2Config(len(letters), block_size=20, n_embd=32, n_layer=2, n_head=2))
    before = {name: p.numpy().copy() for name, p in model.named_parameters()}
    pages = DataLoader(Windows(ids, 20, stride=20), 4)  # four pages, each with a first letter of its own
    history = Trainer(model, AdamW(model.parameters(), lr=1e-2), pages).fit(80, progress=False)
    assert abs(history[0]["loss"] - math.log(len(letters))) < 0.1
    assert evaluate(model, pages) < 0.05
    assert [name for name, p in model.named_parameters() if (p.numpy() == before[name]).all()] == []
    written = model.generate(ids[:1], 20, temperature=0.0)
    assert "".join(letters[i] for i in written) == text[:21]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"eval_every": 2}, r"fit was asked to evaluate every 2 steps; give Trainer\(held_out=\.\.\)"),
        ({"save_every": 3}, r"fit was asked to save every 3 steps; give Trainer\(folder=\.\.\)"),
    ],
)
def test_what_would_lose_work_is_refused(options, sentence):
    whole = run()
    trainer = Trainer(whole.model, whole.optimizer, whole.loader)
    with pytest.raises(ValueError, match=sentence):
        trainer.fit(4, progress=False, **options)
    assert trainer.step == 0


@pytest.mark.parametrize("steps", [-1, 2.5, "10", None])
def test_fit_takes_a_whole_number_of_steps(steps):
    trainer = run()
    with pytest.raises(ValueError) as caught:
        trainer.fit(steps, progress=False)
    assert str(caught.value) == f"fit needs steps to be a whole number of 0 or more, but {steps!r} was given"
    for name in ("eval_every", "save_every"):
        with pytest.raises(ValueError, match=f"fit needs {name} to be a whole number of 0 or more, but -5 was given"):
            trainer.fit(4, progress=False, **{name: -5})
    assert trainer.step == 0
    assert trainer.fit(0, progress=False) == []
    assert len(trainer.fit(np.int64(2), eval_every=0, progress=False)) == 2


@pytest.mark.parametrize(
    ("loader", "given"), [(Windows(TOKENS, T), "Windows"), ([TOKENS], "list"), (None, "NoneType"), (TOKENS, "ndarray")]
)
def test_a_trainer_wants_batches(loader, given):
    whole = run()
    with pytest.raises(TypeError) as caught:
        Trainer(whole.model, whole.optimizer, loader)
    assert str(caught.value) == (
        f"Trainer takes its batches from a DataLoader, but {given} was given; write DataLoader(dataset, batch_size)"
    )


def test_held_out_samples_are_batches_too():
    """Found out at the start, not after the last step."""
    whole = run()
    with pytest.raises(
        TypeError, match=r"Trainer\(held_out=\.\.\) takes batches, but Windows was given; write DataLoader"
    ):
        Trainer(whole.model, whole.optimizer, whole.loader, Windows(TOKENS, T))
    with pytest.raises(ValueError, match=r"Trainer\(held_out=\.\.\) was given no samples"):
        Trainer(whole.model, whole.optimizer, whole.loader, [])
    batches = list(whole.held_out)
    Trainer(whole.model, whole.optimizer, whole.loader, batches).fit(1, progress=False)


@pytest.mark.parametrize("max_norm", [0, -1.0, math.nan])
def test_a_norm_that_would_turn_the_gradient_round_is_refused(max_norm):
    with pytest.raises(ValueError, match=f"Trainer needs max_norm to be above 0, or None, but {max_norm} was given"):
        run(max_norm=max_norm)


# Reporting


def test_the_bar_shows_steps_time_left_loss_held_out_and_speed(capsys):
    pytest.importorskip("tqdm", reason="tqdm is not installed")
    trainer = run()
    trainer.fit(7, progress=False)
    trainer.fit(STEPS, eval_every=5)
    last = capsys.readouterr().err.replace("\r", "\n").strip().splitlines()[-1]
    assert f"{STEPS}/{STEPS}" in last
    assert "<00:00" in last
    assert all(word in last for word in ("loss 3.", ", held out 3.", " tokens/s"))


def test_without_tqdm_there_are_plain_lines(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    clock = iter(range(0, 1000, 2))
    monkeypatch.setattr("ddl.progress.time.monotonic", lambda: next(clock))
    trainer = run()
    trainer.fit(2, progress=False)
    trainer.fit(9, eval_every=4)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(", loss")[0] for line in lines] == [
        "step 5/9, 0:08 left",
        "step 8/9, 0:02 left",
        "step 9/9, 0:00 left",
    ]
    assert "held out" in lines[1]
    assert lines[1].endswith(" tokens/s")


def test_in_a_notebook_the_bar_is_plain_output_and_nothing_goes_to_stderr():
    """A real kernel: JupyterLab shows what goes to stderr in red."""
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    manager = pytest.importorskip("jupyter_client.manager", reason="jupyter_client is not installed")
    kernel, client = manager.start_new_kernel(kernel_name="python3")
    seen = {"stdout": "", "stderr": ""}

    def hook(message):
        if message["msg_type"] == "stream":
            seen[message["content"]["name"]] += message["content"]["text"]

    cell = f"import sys; sys.path[:0] = {sys.path!r}; import runs; runs.run().fit(3)\n"
    try:
        for without in ("", "sys.modules['tqdm'] = None\n"):
            seen.update(stdout="", stderr="")
            reply = client.execute_interactive(f"import sys\n{without}{cell}", timeout=60, output_hook=hook)
            assert reply["content"]["status"] == "ok"
            assert seen["stderr"] == ""
            assert "3/3" in seen["stdout"]
            assert " tokens/s" in seen["stdout"]
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)


def test_silence_where_no_progress_is_wanted(capsys):
    run().fit(4, progress=False)
    assert capsys.readouterr() == ("", "")


def test_reporting_does_not_slow_with_the_length_of_the_run():
    trainer = run()
    trainer.fit(1, progress=False)
    line = trainer.history[0]

    class Long(list):
        def __getitem__(self, i):
            assert isinstance(i, slice) or i in (0, -1)
            return super().__getitem__(i)

        def __iter__(self):
            raise AssertionError("the whole history was walked")

        __reversed__ = __iter__

    trainer.history = Long([line] * 50)
    assert trainer._words().startswith("loss 3.")


# Evaluating


def by_hand(model, tokens, block_size):
    """The mean over windows, one at a time."""
    losses = []
    with ddl.no_grad():
        for x, y in Windows(tokens, block_size):
            losses.append(F.cross_entropy(model(x[None])[0], y).item())
    return np.mean(losses)


@pytest.mark.parametrize("batch_size", [1, 4, 9, 32, 100])
@pytest.mark.parametrize("options", [{}, {"shuffle": True, "seed": 1}, {"drop_last": True}])
def test_evaluate_is_the_mean_over_all_windows(batch_size, options):
    ddl.manual_seed(4)
    model = GPT2(CONFIG).double()
    loader = DataLoader(Windows(TOKENS[:110], T), batch_size, **options)  # 102 windows
    assert evaluate(model, loader) == pytest.approx(by_hand(model.eval(), TOKENS[:110], T), rel=1e-12)


def test_evaluate_takes_any_batches_and_refuses_none():
    model = GPT2(CONFIG)
    loader = DataLoader(Windows(TOKENS, T), 9)
    assert evaluate(model, list(loader)) == evaluate(model, loader)
    assert evaluate(model, [list(batch) for batch in loader]) == evaluate(model, loader)
    for empty in ([], iter([])):
        with pytest.raises(ValueError, match="evaluate was given no samples; give a loader of one batch or more"):
            evaluate(model, empty)
    with pytest.raises(TypeError, match="evaluate takes batches, but Windows was given; write DataLoader"):
        evaluate(model, Windows(TOKENS, T))


def test_evaluate_leaves_modes_streams_gradients_and_the_loader_as_they_were():
    trainer = run()
    trainer.fit(3, progress=False)
    model, loader = trainer.model, trainer.loader
    model.train()
    model.blocks[0].eval()  # frozen by hand
    modes = [m.training for m in model.modules()]
    gradient = model.wte.weight.grad
    before = repr((random.get_state(), loader.state_dict(), vars(loader), trainer.held_out.state_dict()))
    first, second = evaluate(model, loader), evaluate(model, trainer.held_out)
    assert [m.training for m in model.modules()] == modes
    assert len(set(modes)) == 2
    assert repr((random.get_state(), loader.state_dict(), vars(loader), trainer.held_out.state_dict())) == before
    assert model.wte.weight.grad is gradient
    assert (evaluate(model, loader), evaluate(model, trainer.held_out)) == (first, second)

    class Fault(Exception):
        pass

    def faulty(model, batch):
        assert not any(m.training for m in model.modules())
        raise Fault

    with pytest.raises(Fault):
        evaluate(model, loader, faulty)
    assert [m.training for m in model.modules()] == modes
    assert next_token_loss(model, next(iter(loader))).requires_grad, "ops are recorded again"


def test_evaluating_on_the_training_batches_does_not_move_the_run(tmp_path):
    whole = told(run().fit(STEPS, progress=False))

    def training_loss_too(folder):
        trainer = run(folder)
        trainer.held_out = trainer.loader
        return trainer

    first = training_loss_too(tmp_path)
    first.fit(7, eval_every=2, progress=False)
    second = training_loss_too(tmp_path)
    second.resume()
    history = second.fit(STEPS, eval_every=3, progress=False)
    assert [line["loss"] for line in history] == [line["loss"] for line in whole]


def test_dropout_is_on_in_training_and_off_in_evaluation():
    trainer = run()
    batch = Windows(TOKENS, T).batch(np.arange(20))
    losses = {next_token_loss(trainer.model, batch).item() for _ in range(3)}
    assert len(losses) == 3
    assert len({evaluate(trainer.model, [batch]) for _ in range(3)}) == 1
    trainer.model.eval()
    again = run()
    again.model.eval()  # the loop switches training on
    assert again.fit(2, progress=False)[1]["loss"] == run().fit(2, progress=False)[1]["loss"]


# Memory


def test_keep_freed_memory_changes_no_result_and_asks_only_glibc(monkeypatch):
    import ctypes

    before = np.arange(1000.0).sum()
    assert keep_freed_memory() is keep_freed_memory() is None
    assert np.arange(1000.0).sum() == before

    def no_library(name):
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", no_library)
    keep_freed_memory()  # musl
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    keep_freed_memory()  # a libc without mallopt
    for platform in ("win32", "darwin"):
        monkeypatch.setattr(sys, "platform", platform)
        monkeypatch.setattr(ctypes, "CDLL", lambda name: pytest.fail("no C library is opened here"))
        keep_freed_memory()
    assert "whole process" in keep_freed_memory.__doc__
