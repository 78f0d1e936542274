"""Batches made ahead: the same batches, their errors with their tracebacks, and no thread left behind."""

import gc
import threading
import time
import traceback
import weakref
from contextlib import suppress

import numpy as np
import pytest

from ddl.data import DataLoader, Dataset
from ddl.data.prefetch import ahead


def threads():
    return [t for t in threading.enumerate() if t.name == "ddl-prefetch"]


@pytest.fixture(autouse=True)
def no_thread_is_left():
    assert threads() == []
    yield
    assert threads() == []


def wait_for(condition):
    until = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.001)


class Watched(Dataset):
    """Remembers what was asked for, and by which thread; sample `bad` cannot be read."""

    def __init__(self, n=30, bad=None):
        self.n, self.bad, self.asked, self.by = n, bad, [], set()

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        self.asked.append(i)
        self.by.add(threading.current_thread().name)
        return self._read(i)

    def _read(self, i):
        if i == self.bad:
            raise OSError(f"sample {i} cannot be read")
        return i


@pytest.mark.parametrize("prefetch", [1, 2, 50])
def test_the_same_batches_epoch_after_epoch_made_by_another_thread(prefetch):
    plain = DataLoader(Watched(), 4, shuffle=True, seed=3)
    fast = DataLoader(Watched(), 4, shuffle=True, seed=3, prefetch=prefetch)
    for _ in range(3):
        ours = []
        for batch in fast:
            ours.append(batch.tolist())
            assert len(threads()) <= 1
        assert ours == [batch.tolist() for batch in plain]
        assert threads() == []
        assert fast.state_dict() == plain.state_dict()
    assert fast.dataset.by == {"ddl-prefetch"}


@pytest.mark.parametrize("prefetch", [1, 3])
def test_so_many_are_ready_and_no_more_are_made(prefetch):
    loader = DataLoader(Watched(), 2, prefetch=prefetch)
    walk = iter(loader)
    next(walk)
    for taken in range(1, 4):
        wait_for(lambda taken=taken: len(loader.dataset.asked) >= 2 * (taken + prefetch))
        time.sleep(0.02)
        assert len(loader.dataset.asked) == 2 * (taken + prefetch)
        assert loader.position == taken
        next(walk)
    walk.close()


def test_what_goes_wrong_in_the_thread_goes_wrong_in_the_loop_with_its_traceback():
    loader = DataLoader(Watched(bad=9), 4, prefetch=5)
    seen = []

    def loop():
        for batch in loader:
            seen.append(batch.tolist())

    with pytest.raises(OSError, match="sample 9 cannot be read") as caught:
        loop()
    assert seen == [[0, 1, 2, 3], [4, 5, 6, 7]]
    told = "".join(traceback.format_exception(caught.value))
    assert "in _read" in told
    assert "for batch in loader" in told
    assert loader.position == 2
    loader.dataset.bad = None
    loader.load_state_dict(loader.state_dict())
    assert next(iter(loader)).tolist() == [8, 9, 10, 11]


def test_an_error_leaves_no_memory_behind():
    class Large:
        pass

    def failing():
        large = Large()
        seen.append(weakref.ref(large))
        yield 1
        raise ValueError("enough")

    seen = []
    gc.disable()
    try:
        with suppress(ValueError):
            list(ahead(failing(), 2))
        assert seen[0]() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("how", ["break", "error", "close", "forgotten", "before the first", "mid-make"])
def test_leaving_early_ends_the_thread(how):
    loader = DataLoader(Watched(1000), 2, prefetch=3)
    if how == "break":
        for _ in loader:
            break
    elif how == "error":
        with suppress(ZeroDivisionError):
            for _ in loader:
                assert len(threads()) == 1
                raise ZeroDivisionError
    elif how == "close":
        endless = loader.forever()
        next(endless), next(endless)
        endless.close()
    elif how == "forgotten":
        walk = iter(loader)
        next(walk)
        del walk
    elif how == "before the first":
        iter(loader)
    else:
        release = threading.Event()
        loader.dataset._read = lambda i: i if i < 2 else release.wait(10)
        walk = iter(loader)
        next(walk)
        threading.Timer(0.05, release.set).start()
        walk.close()
    assert threads() == []
    assert len(loader.dataset.asked) < 20


def test_two_passes_at_once_do_not_disturb_each_other():
    loader = DataLoader(Watched(), 4, shuffle=True, seed=0, prefetch=2)
    pairs = [(a.tolist(), b.tolist()) for a, b in zip(loader, loader)]
    for side in zip(*pairs):
        assert sorted(np.concatenate(side)) == list(range(30))


def test_a_slow_loop_and_a_slow_thread_get_every_batch():
    def slowly(n, pause):
        for i in range(n):
            time.sleep(pause)
            yield i

    assert list(ahead(slowly(20, 0.002), 3)) == list(range(20))
    slow = []
    for i in ahead(iter(range(20)), 3):
        time.sleep(0.002)
        slow.append(i)
    assert slow == list(range(20))
