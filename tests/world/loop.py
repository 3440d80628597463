"""An event loop on virtual time: several processes, a step at a time, and any can be killed."""

from __future__ import annotations

import asyncio
import heapq
import random
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from functools import partial
from typing import Any

PROCESS: ContextVar[Process | None] = ContextVar("process", default=None)
"""The process whose code runs; None: the world's own code runs."""

_STEP_S = 50e-6
"""The most that a step takes."""
THREAD_S = 0.003
"""The most that a thread takes to do what it is asked, when the disk is quick."""


class Process:
    """Callbacks and tasks that were made in its context, until it is killed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.dead = False
        self.steps_to_live: int | None = None
        self.clock_ahead_s = 0.0
        self.at_death: list[Callable[[], object]] = []

    def __repr__(self) -> str:
        return self.name


_MOST_STEPS = 1_000_000
"""A story has some ten thousand steps. One that has so many more does not end."""


class Quiet(Exception):
    """Nothing is left to happen."""


class Endless(Exception):
    """Things happen again and again."""


class VirtualLoop(asyncio.BaseEventLoop):
    """Time passes when nothing is ready. Of several processes that are ready, chance says whose
    step is next; the steps of one are in order.

    after_step: called after every step of a process. thread_s: the most that a thread takes to do
    what it is asked.
    """

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self._rng = rng
        self._now_s = 1000.0
        self.steps = 0
        self.thread_s = THREAD_S
        self._held: dict[str, list[Callable[[], object]]] = {}  # see `hold`
        self.after_step: Callable[[Process], None] = lambda _: None
        self.kill: Callable[[Process], None] = lambda _: None
        self.network: Any = None
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._timers_made = 0
        self._graveyard: list[asyncio.Task[Any]] = []
        self.set_task_factory(self._make_task)

    def time(self) -> float:
        return self._now_s

    def spawn(self, process: Process, main: Callable[[], Any]) -> asyncio.Task[Any]:
        """Begin a process."""
        context = copy_context()
        context.run(PROCESS.set, process)
        return self.create_task(main(), context=context)

    # A task of a dead process must not be collected: that would run its `finally`.
    def _make_task(self, loop: Any, coro: Any, **options: Any) -> asyncio.Task[Any]:
        task = asyncio.Task(coro, loop=loop, **options)
        self._graveyard.append(task)
        return task

    # ------------------------------------------------------------ steps

    def _run_once(self) -> None:
        ready: Any = self._ready  # type: ignore[attr-defined]  # of asyncio's base class
        self._bring_what_is_due(ready)
        if not ready:
            self._sleep()
            self._bring_what_is_due(ready)
        handle = self._choose(ready)
        process = _process_of(handle)
        if handle._cancelled or (process is not None and process.dead):
            return
        self._now_s += self._rng.random() * _STEP_S
        handle._run()
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise Endless(f"the story goes on after {_MOST_STEPS} steps")
        if process is not None and not process.dead:
            self.after_step(process)
            if process.steps_to_live is not None:
                process.steps_to_live -= 1
                if process.steps_to_live < 0:
                    self.kill(process)

    def _choose(self, ready: Any) -> Any:
        if len(ready) == 1:
            return ready.popleft()
        at = int(self._rng.random() * len(ready))
        if at:
            wanted = _process_of(ready[at])
            at = next(i for i, handle in enumerate(ready) if _process_of(handle) is wanted)
        handle = ready[at]
        del ready[at]
        return handle

    def call_at(
        self, when: float, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._timers_made += 1
        heapq.heappush(self._timers, (when, self._timers_made, handle))  # compared in C
        return handle

    def call_later(
        self, delay: float, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self._now_s + delay, callback, *args, context=context)

    def _bring_what_is_due(self, ready: Any) -> None:
        timers, now_s = self._timers, self._now_s
        while timers and (timers[0][0] <= now_s or timers[0][2]._cancelled):
            handle = heapq.heappop(timers)[2]
            if not handle._cancelled:
                ready.append(handle)

    def _sleep(self) -> None:
        if not self._timers:
            raise Quiet
        self._now_s = max(self._now_s, self._timers[0][0])

    def _write_to_self(self) -> None:
        """Do nothing: there is nothing to wake."""

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        process = PROCESS.get()
        if process is None or not process.dead:
            super().call_exception_handler(context)

    # ------------------------------------------------------------ what touches the world

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:
        """Run the function as if in a thread: at some instant soon, and told a little later."""
        future = self.create_future()
        threads = getattr(executor, "_thread_name_prefix", "")

        def tell(how: Callable[..., None], what: Any) -> None:
            if threads in self._held:
                self._held[threads].append(partial(how, future, what))
            else:
                self.call_later(self._rng.random() * self.thread_s, how, future, what)

        def run() -> None:
            try:
                result = func(*args)
            except Exception as error:
                tell(_fail, error)
            else:
                tell(_succeed, result)

        self.call_later(self._rng.random() * self.thread_s, run)
        return future

    def hold(self, threads: str) -> list[Callable[[], object]]:
        """Keep back what threads of this name have done, until `release`; return what is kept."""
        return self._held.setdefault(threads, [])

    def release(self, threads: str) -> None:
        """Tell what was kept back, and keep nothing back any more."""
        for tell in self._held.pop(threads):
            self.call_soon(tell)

    async def create_unix_server(
        self, protocol_factory: Any, path: Any = None, *, sock: Any = None, **_: Any
    ) -> Any:
        if sock is not None:
            return await self.create_server(protocol_factory, sock=sock)
        return self.network.listen(str(path), protocol_factory)

    async def create_server(self, protocol_factory: Any, *_: Any, sock: Any, **__: Any) -> Any:
        path = sock.getsockname()
        sock.close()
        return self.network.listen(path, protocol_factory)

    async def create_unix_connection(self, protocol_factory: Any, path: Any, **_: Any) -> Any:
        return await self.network.connect(str(path), protocol_factory)

    def add_signal_handler(self, sig: int, callback: Any, *args: Any) -> None:
        """Do nothing: no process sends signals here."""

    def remove_signal_handler(self, sig: int) -> bool:  # noqa: ARG002
        return True


def _succeed(future: asyncio.Future[Any], result: Any) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[Any], error: BaseException) -> None:
    if not future.done():
        future.set_exception(error)


def _process_of(handle: asyncio.Handle) -> Process | None:
    context: Context = handle._context  # type: ignore[attr-defined]
    return context.get(PROCESS)
