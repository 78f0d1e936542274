"""A stopwatch, tried on a machine whose times are known."""

import statistics

from ...task import Mistake, Task


class Machine:
    """A host and a device with a queue; its clock goes forward when something is done, and only then.

    Call number k keeps the device busy for `work[k]`, the host for 1; `pending` is work from earlier.
    """

    def __init__(self, work, pending=0.0):
        self.work, self.now, self.done, self.calls = [*work], 0.0, pending, 0

    def f(self):
        busy = self.work[min(self.calls, len(self.work) - 1)]
        self.calls += 1
        self.now += 1.0
        self.done = max(self.done, self.now) + busy

    def wait(self):
        self.now = max(self.now, self.done)

    def clock(self):
        return self.now


def stopwatch(f, wait, clock, rounds):
    f()
    times = []
    for _ in range(rounds):
        wait()
        start = clock()
        f()
        wait()
        times.append(clock() - start)
    return statistics.median(times)


def measured(answer, rounds, work, pending):
    machine = Machine(work, pending)
    return float(answer(machine.f, machine.wait, machine.clock, rounds))


def other(warm=1, before=True, after=True, middle=statistics.median):
    def answer(f, wait, clock, rounds):
        for _ in range(warm):
            f()
        times = []
        for _ in range(rounds):
            if before:
                wait()
            start = clock()
            f()
            if after:
                wait()
            times.append(clock() - start)
        return middle(times)

    return answer


TASKS = [
    Task(
        "09.stopwatch",
        "Find the bug: a stopwatch",
        "stopwatch",
        stopwatch,
        lambda: {
            "a host without a device": (3, [0.0], 0.0),
            "10 each": (3, [10.0], 0.0),
            "the first takes 500": (3, [500.0, 10.0], 0.0),
            "the first takes 500, one round": (1, [500.0, 10.0], 0.0),
            "one is disturbed": (5, [10.0, 10.0, 90.0, 10.0, 11.0, 12.0], 0.0),
            "earlier work is pending": (1, [0.0], 70.0),
            "an even number of rounds": (4, [5.0, 5.0, 7.0, 6.0, 8.0], 0.0),
        },
        (
            "Let each case say what is wrong: work that is not finished, a slow first call, one that was disturbed.",
            "Wait before you look at the clock, at both ends: before the start for what is pending, at the end for f.",
            "f(); then rounds times: wait(), start, f(), wait(), clock() - start; the median of these.",
        ),
        (
            Mistake(
                "nothing is waited for at the end",
                "f only puts its work into the queue: wait for it before you look at the clock.",
                other(after=False),
            ),
            Mistake(
                "begun while earlier work was under way",
                "What is pending when the clock starts is measured too: wait before the start as well.",
                other(before=False),
            ),
            Mistake(
                "the first call counts",
                "The first call is another one: make it before you measure.",
                other(warm=0),
            ),
            Mistake(
                "the mean",
                "One disturbed call pulls the mean up: the median hardly notices.",
                other(middle=statistics.mean),
            ),
            Mistake(
                "the least",
                "The median was asked for: what one may expect, not the best that was seen.",
                other(middle=min),
            ),
        ),
        measured,
        level=2,
    ),
]
