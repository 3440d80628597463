"""Attempts whose memory the kernel does not tell, beside others."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace

import pytest

from rmsd_agent.guarding import guard, measuring, usage
from rmsd_agent.guarding.guard import Excess, Guard, Guarded
from rmsd_agent.guarding.measuring import Measurements, Unmeasurable
from rmsd_agent.machine.workers import Worker
from rmsd_agent.reports import Key
from rmsd_core.vocabulary import Cause

HUNG, OTHER = (1, 1, "n1"), (2, 1, "n1")


class Kernel:
    """Stands in for what /proc tells of memory; it does not answer for the pids in `silent`."""

    def __init__(self) -> None:
        self.silent: set[int] = set()
        self.used_mib: dict[int, int] = {}
        self.asked: list[int] = []
        self.answer = threading.Event()

    def memory_mib(self, pids: Iterable[int], *_: object) -> int:
        (pid,) = pids
        self.asked.append(pid)
        if pid in self.silent:
            self.answer.wait()
        return self.used_mib.get(pid, 0)


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    made = Kernel()
    monkeypatch.setattr(usage, "memory_mib", made.memory_mib)
    monkeypatch.setattr(guard, "POLL_S", 0.01)
    monkeypatch.setattr(measuring, "WAIT_S", 0.01)
    yield made
    made.answer.set()


@pytest.fixture
def sleeper() -> Iterator[Callable[[], int]]:
    """Start a process; return its pid."""
    started: list[subprocess.Popen[bytes]] = []

    def start() -> int:
        started.append(subprocess.Popen(["sleep", "60"]))
        return started[-1].pid

    yield start
    for child in started:
        child.kill()
        child.wait()


def guarded(key: Key, pid: int, max_processes: int | None = None) -> Guarded:
    return Guarded(key, 100, max_processes, {pid}, set())


async def first_excess(
    todo: list[Guarded], meanwhile: Callable[[list[Excess]], None] = lambda _: None
) -> Excess:
    """Run a guard until something has more than it may; `meanwhile` is called again and again."""
    found: list[Excess] = []
    watcher = Guard(lambda: [] if found else todo, found.append, lambda *_: None)
    watcher.watch()
    async with asyncio.timeout(60):
        while watcher.is_watching:
            meanwhile(found)
            await asyncio.sleep(0.01)
    return found[0]


async def test_others_are_limited_while_one_attempt_cannot_be_measured(
    kernel: Kernel, sleeper: Callable[[], int]
) -> None:
    silent, large = sleeper(), sleeper()
    kernel.silent.add(silent)

    def grow(_: list[Excess]) -> None:
        if kernel.asked.count(large) > 2:
            kernel.used_mib[large] = 101

    todo = [guarded(HUNG, silent), guarded(OTHER, large)]
    excess = await first_excess(todo, grow)
    assert (excess.key, excess.cause) == (OTHER, Cause.MEMORY)
    assert kernel.asked.count(silent) == 1  # no more than one measurement is under way


async def test_what_cannot_be_measured_is_held_to_its_processes(
    kernel: Kernel, sleeper: Callable[[], int]
) -> None:
    silent = sleeper()
    kernel.silent.add(silent)
    todo = [guarded(HUNG, silent)]

    def limit(_: list[Excess]) -> None:
        if kernel.asked:
            todo[:] = [Guarded(HUNG, 100, 1, {silent, todo_pid}, set())]

    todo_pid = sleeper()
    excess = await first_excess(todo, limit)
    assert (excess.key, excess.cause) == (HUNG, Cause.QUOTA)


async def test_what_cannot_be_measured_for_long_is_ended(
    kernel: Kernel, sleeper: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = sleeper()
    kernel.silent.add(silent)
    monkeypatch.setattr(measuring, "PATIENCE_S", 0.1)
    excess = await first_excess([guarded(HUNG, silent)])
    assert (excess.key, excess.cause) == (HUNG, Cause.MEMORY)
    assert "its memory on node n1 cannot be measured" in excess.message


def test_what_was_measured_late_is_measured_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A worker of its own goes on with the measurement, and the next look takes the answer."""
    now_s = 0.0
    clock = SimpleNamespace(monotonic=lambda: now_s, thread_time=lambda: 0.0)
    monkeypatch.setattr(measuring, "time", clock)
    monkeypatch.setattr(measuring, "WAIT_S", 0.01)
    measurements, answer = Measurements(), threading.Event()

    def slow() -> int:
        answer.wait()
        return 7

    assert measurements.measure(HUNG, slow) is None
    assert measurements.measure(HUNG, lambda: 8) is None
    now_s = 61.0
    with pytest.raises(Unmeasurable):
        measurements.measure(HUNG, lambda: 8)
    answer.set()
    measurements.answers_apart[HUNG].result(60)
    assert measurements.measure(HUNG, lambda: 8) == 7
    measurements.answers_apart[HUNG].result(60)
    assert measurements.measure(HUNG, lambda: 9) == 8
    measurements.begin_look({OTHER})
    assert not measurements.answers_apart


@pytest.mark.parametrize("apart", [False, True])
def test_an_attempt_has_its_share_of_a_processor_for_its_measurements(
    monkeypatch: pytest.MonkeyPatch, apart: bool
) -> None:
    """An attempt that is measured at the priority of real time without a pause would keep a
    processor from others. No look at another attempt waits for the measurement."""
    now_s, used_s = 0.0, 0.0
    clock = SimpleNamespace(monotonic=lambda: now_s, thread_time=lambda: used_s)
    monkeypatch.setattr(measuring, "time", clock)
    measurements, answer, asked = Measurements(), threading.Event(), list[Key]()

    def measure(key: Key, cost_s: float) -> int:
        nonlocal used_s
        answer.wait()
        used_s += cost_s
        asked.append(key)
        return len(asked)

    if apart:
        monkeypatch.setattr(measuring, "WAIT_S", 0.01)
        measurements.begin_look({HUNG, OTHER})
        assert measurements.measure(HUNG, lambda: measure(HUNG, 3.0)) is None
        monkeypatch.setattr(measuring, "WAIT_S", 60.0)
        measurements.begin_look({HUNG, OTHER})
    answer.set()
    if apart:
        measurements.answers_apart[HUNG].result(60)
    for at_s in (1.0, 30.0, 59.0):
        now_s = at_s
        assert measurements.measure(HUNG, lambda: measure(HUNG, 3.0)) == 1
        measurements.measure(OTHER, lambda: measure(OTHER, 0.01))
    assert (asked.count(HUNG), asked.count(OTHER)) == (1, 3)
    now_s = 61.0
    measurements.measure(HUNG, lambda: measure(HUNG, 3.0))
    if apart:
        measurements.answers_apart[HUNG].result(60)
    assert asked.count(HUNG) == 2


def test_many_attempts_that_take_almost_too_long_do_not_add_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A user's file server can answer just in time for each attempt, before all others."""
    now_s, takes_s = 0.0, 0.19

    class Slow:
        def result(self, wait_s: float) -> int:
            nonlocal now_s
            now_s += min(wait_s, takes_s)
            if wait_s < takes_s:
                raise TimeoutError
            return 1

        def done(self) -> bool:
            return False

    monkeypatch.setattr(measuring, "time", SimpleNamespace(monotonic=lambda: now_s))
    monkeypatch.setattr(measuring, "Worker", lambda: SimpleNamespace(call=lambda _: Slow()))
    measurements, keys = Measurements(), [(job_id, 1, "n1") for job_id in range(100)]
    for longest_s in (3.0, 1.0):
        measurements.begin_look(set(keys))
        began_s = now_s
        for key in keys:
            measurements.measure(key, lambda: 1)
        assert now_s - began_s < longest_s  # not 19 s


async def test_without_a_thread_to_measure_with_processes_are_counted(
    kernel: Kernel, sleeper: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Worker) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Worker, "__init__", fail)
    todo = [guarded(HUNG, sleeper()), Guarded(OTHER, None, 1, {sleeper(), sleeper()}, set())]
    assert (await first_excess(todo)).key == OTHER
    assert not kernel.asked


def test_a_call_that_never_returns_does_not_keep_the_program_from_its_end() -> None:
    code = """
import threading
from rmsd_agent.machine.workers import Worker
asked = threading.Event()
def hang():
    asked.set()
    threading.Event().wait()
Worker().call(hang)
asked.wait()
"""
    subprocess.run([sys.executable, "-c", code], timeout=60, check=True)


def test_a_worker_makes_its_calls_in_order_and_passes_errors_on() -> None:
    worker, made = Worker(), list[int]()
    answers = [worker.call(lambda number=number: made.append(number)) for number in range(3)]
    failed = worker.call(lambda: 1 // 0)
    worker.end()
    assert isinstance(failed.exception(60), ZeroDivisionError)
    assert [answer.result() for answer in answers] == [None] * 3
    assert made == [0, 1, 2]
