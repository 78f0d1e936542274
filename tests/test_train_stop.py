"""How a run is stopped: by itself, from another thread, by Ctrl-C and by the stop button of Jupyter."""

import asyncio
import signal
import sys
import threading

import pytest
from runs import STEPS, run, told

from ddl.optim import AdamW


def test_stop_ends_the_run_after_the_step_in_hand_and_fit_goes_on(tmp_path):
    whole = told(run().fit(STEPS, progress=False))
    trainer = run(tmp_path)
    history = trainer.fit(STEPS, save_every=10, progress=False, on_step=lambda t: t.step == 7 and t.stop())
    assert len(history) == trainer.step == 7
    assert [p.name for p in tmp_path.iterdir()] == ["step-7.safetensors"]
    assert told(trainer.fit(STEPS, progress=False)) == whole
    assert trainer.fit(STEPS, progress=False) is trainer.history
    assert trainer.step == STEPS


def test_stop_from_another_thread():
    trainer = run()
    steps = []

    def on_step(t):
        steps.append(t.step)
        if t.step == 3:
            stopper = threading.Thread(target=t.stop)
            stopper.start()
            stopper.join()

    trainer.fit(STEPS, progress=False, on_step=on_step)
    assert steps == [1, 2, 3]


@pytest.fixture
def interrupts():
    """Python's own handler of Ctrl-C, whatever this test was started with."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler


def interrupt_at(step, times=1):
    def on_step(trainer):
        for _ in range(times if trainer.step == step else 0):
            signal.raise_signal(signal.SIGINT)

    return on_step


def test_the_first_interrupt_stops_softly_and_the_handler_comes_back(interrupts, tmp_path):
    trainer = run(tmp_path)
    history = trainer.fit(STEPS, progress=False, on_step=interrupt_at(5))
    assert len(history) == 5
    assert [p.name for p in tmp_path.iterdir()] == ["step-5.safetensors"]
    assert signal.getsignal(signal.SIGINT) is interrupts
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_the_second_interrupt_interrupts_at_once(interrupts):
    trainer = run()
    with pytest.raises(KeyboardInterrupt):
        trainer.fit(STEPS, progress=False, on_step=interrupt_at(5, times=2))
    assert trainer.step == 5
    assert signal.getsignal(signal.SIGINT) is interrupts
    assert told(trainer.fit(STEPS, progress=False)) == told(run().fit(STEPS, progress=False))


def test_no_interrupt_tears_a_step_while_parameters_move(interrupts):
    class Pressed(AdamW):
        def update(self, p, g, state, group):
            if self.steps == 4:
                for _ in range(3):
                    signal.raise_signal(signal.SIGINT)
            super().update(p, g, state, group)

    trainer = run(schedule=False)
    trainer.optimizer.__class__ = Pressed
    history = trainer.fit(STEPS, progress=False)
    assert len(history) == 4
    again = run(schedule=False)
    again.fit(4, progress=False)
    for p, q in zip(trainer.model.parameters(), again.model.parameters()):
        assert p.numpy().tobytes() == q.numpy().tobytes()


def test_the_handler_comes_back_after_an_error(interrupts):
    def on_step(trainer):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run().fit(STEPS, progress=False, on_step=on_step)
    assert signal.getsignal(signal.SIGINT) is interrupts


@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda *_: None], ids=["ignored", "another's"])
def test_a_handler_of_somebody_else_comes_back(interrupts, handler):
    signal.signal(signal.SIGINT, handler)
    try:
        history = run().fit(8, progress=False, on_step=interrupt_at(5))
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, interrupts)
    assert len(history) == (8 if handler is signal.SIG_IGN else 5)


def test_in_a_thread_no_signal_is_touched(interrupts):
    found, done = [], []

    def train():
        trainer = run()
        done.append(trainer.fit(8, progress=True, on_step=lambda t: found.append(signal.getsignal(signal.SIGINT))))

    thread = threading.Thread(target=train)
    thread.start()
    thread.join()
    assert len(done[0]) == 8
    assert set(found) == {interrupts}
    assert told(done[0]) == told(run().fit(8, progress=False))


def test_inside_a_running_event_loop(interrupts):
    """As in a notebook, where an event loop runs and has handlers of its own."""

    async def cell():
        before = signal.getsignal(signal.SIGINT)
        history = run().fit(STEPS, progress=False, on_step=interrupt_at(5))
        assert signal.getsignal(signal.SIGINT) is before
        return history

    outer = asyncio._get_running_loop()  # the browser that other tests share has one in this thread
    asyncio._set_running_loop(None)
    try:
        assert len(asyncio.run(cell())) == 5
    finally:
        asyncio._set_running_loop(outer)


def test_the_stop_button_of_jupyter(tmp_path):
    """A real kernel is interrupted during a cell that trains: the cell ends well, and a later cell goes on."""
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    manager = pytest.importorskip("jupyter_client.manager", reason="jupyter_client is not installed")
    kernel, client = manager.start_new_kernel(kernel_name="python3")
    try:
        setup = f"import sys, time; sys.path[:0] = {sys.path!r}; import runs; trainer = runs.run({str(tmp_path)!r})"
        assert client.execute_interactive(setup, timeout=60)["content"]["status"] == "ok"
        slow = "trainer.fit(1000, on_step=lambda t: (print('at', t.step, flush=True), time.sleep(0.02)))\nprint('kept')"
        pressed = []

        def press(message):
            if "at 3" in message["content"].get("text", "") and not pressed:
                pressed.append(True)
                kernel.interrupt_kernel()

        assert client.execute_interactive(slow, timeout=60, output_hook=press)["content"]["status"] == "ok"
        assert pressed
        check = "step = trainer.step; assert 3 <= step < 900; assert len(trainer.fit(step + 5)) == step + 5"
        assert client.execute_interactive(check, timeout=60, output_hook=press)["content"]["status"] == "ok"
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    assert len(list(tmp_path.iterdir())) == 2
