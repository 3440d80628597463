"""Threads for calls that may never return, such as reads of /proc of a process that hangs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

_Answer = TypeVar("_Answer")
_Call = tuple[Callable[[], Any], "Future[Any]"]


class Worker:
    """A thread that makes one call after the other.

    The thread is a daemon thread: the program ends although a call has not returned.

    Raises:
        RuntimeError: no thread can be started now.
    """

    def __init__(self) -> None:
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        threading.Thread(target=_work, args=(self._calls,), daemon=True).start()

    def call(self, what: Callable[[], _Answer]) -> Future[_Answer]:
        """Have the thread call `what` after all earlier calls; return its answer to come."""
        answer: Future[_Answer] = Future()
        self._calls.put((what, answer))
        return answer

    def end(self) -> None:
        """End the thread after the calls that it has been given."""
        self._calls.put(None)


def _work(calls: SimpleQueue[_Call | None]) -> None:
    while (call := calls.get()) is not None:
        what, answer = call
        if answer.set_running_or_notify_cancel():
            try:
                answer.set_result(what())
            except BaseException as error:
                answer.set_exception(error)
        del call, what, answer  # keep nothing alive while the thread waits
