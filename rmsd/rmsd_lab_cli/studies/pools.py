"""Many runs at a time, on processes of this machine; `dask_pool` has them on a cluster.

However many runs there are, a few more than are being made are in memory.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Protocol, TypeVar

from rmsd_cli.errors import CommandError
from rmsd_cli.termination import ended_in_order, undisturbed

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 2
"""Tasks handed out for each that can be made at a time, so that no worker waits for the next."""


class WorkerPool(Protocol):
    """A pool of workers that carry out tasks."""

    def run(
        self,
        work: Callable[[Task], Result],
        tasks: Sequence[Task],
        done: Callable[[Task, Result], None],
    ) -> None:
        """Make `work` of every task, begun in their order, and hand each result to `done`, in this
        process and as they come.

        Raises:
            CommandError: raised by `work`, or its process was killed. The other tasks are given
                up then, as they are at an interruption.
        """


class ProcessPool:
    """Up to so many processes of this machine at a time."""

    def __init__(self, processes: int) -> None:
        self._processes = processes

    @ended_in_order()
    def run(
        self,
        work: Callable[[Task], Result],
        tasks: Sequence[Task],
        done: Callable[[Task, Result], None],
    ) -> None:
        """Carry out the tasks in processes of this machine; see `WorkerPool`.

        A signal interrupts the wait for the next result, and nothing else. An executor and its
        futures have locks in Python, which stay locked for ever if an exception comes while one is
        held.
        """
        if not tasks:
            return
        processes = min(self._processes, len(tasks))
        remaining = iter(tasks)
        running: dict[Future[Result], Task] = {}
        over: SimpleQueue[Future[Result]] = SimpleQueue()
        finished = False
        with undisturbed(), _terminal_signals_blocked():
            executor = ProcessPoolExecutor(
                processes, multiprocessing.get_context("spawn"), _begin_worker
            )
        try:
            while True:
                with undisturbed():
                    _hand_out(executor, work, remaining, running, over, AHEAD * processes)
                if not running:
                    break
                ended = next_results(over, len(running))
                with undisturbed():
                    # runs that succeeded count nevertheless
                    for future in sorted(ended, key=_failed):
                        done(running.pop(future), future.result())
            finished = True
        except BrokenProcessPool:
            raise CommandError("a run's process was killed; is there enough memory?") from None
        finally:
            with undisturbed():
                if not finished:
                    for process in multiprocessing.active_children():
                        process.terminate()
                # Waited for, since the interpreter's exit trips over an executor that is just
                # ending.
                executor.shutdown(cancel_futures=True)


def next_results(over: SimpleQueue[Future[Result]], most: int) -> list[Future[Result]]:
    """Return futures that are over, at most `most`. Waits until there is one."""
    ended = [over.get()]
    while len(ended) < most and not over.empty():
        ended.append(over.get())
    return ended


def _failed(future: Future[Result]) -> bool:
    return future.exception() is not None


def _begin_worker() -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when its parent ends, however that came about. Nothing waits for its result
    any more."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _hand_out(
    executor: ProcessPoolExecutor,
    work: Callable[[Task], Result],
    remaining: Iterator[Task],
    running: dict[Future[Result], Task],
    over: SimpleQueue[Future[Result]],
    most: int,
) -> None:
    """Hand out tasks until `most` are running or none remains. Each future goes to `over` once its
    task is made or has failed."""
    while len(running) < most:
        task = next(remaining, None)
        if task is None:
            return
        with _terminal_signals_blocked():
            future = executor.submit(work, task)
        running[future] = task
        future.add_done_callback(over.put)


@contextmanager
def _terminal_signals_blocked() -> Iterator[None]:
    """Block the terminal's signals for processes that begin meanwhile: workers and Python's
    resource tracker. A terminal signals the whole group, and the parent handles the signal for all.
    The parent receives its own signals afterwards."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
