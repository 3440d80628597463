"""A step: tasks that are started together, their merged output, and their exit codes.

The daemon only routes. A request to it (start a task, read more of a stream) is an errand; a few
threads with a connection each do the errands. Reading is an errand that puts itself into the queue
again until the stream ends, so a few connections serve hundreds of tasks in turn.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from queue import SimpleQueue
from typing import Any, NamedTuple, Protocol

from rmsd_client.api import Client
from rmsd_client.calls.output import Output
from rmsd_client.console import cli
from rmsd_client.console.stdout import StdoutError
from rmsd_client.errors import (
    EXIT_FAILURE,
    EXIT_NOT_STARTED,
    LATER,
    ApiError,
    ClientError,
)
from rmsd_client.steps.cpu_bind import CpuBind
from rmsd_client.steps.task_ends import TaskEnd, ended_as, told_of, use_of
from rmsd_client.steps.tasks import Task

_MAX_THREADS = 32
_POLL_S = 20.0
_ROUND_S = 1.0  # the longest round in which each stream has its turn, if streams share connections
_PAUSE_S = 0.5  # the pause until the next request to a node that is away
_MAX_LINE = 64 * 1024
# Signals that also apply to tasks that start later.
_ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)

Errand = Callable[[Client], None]


class Sink(Protocol):
    """A place to which the output of tasks goes."""

    def write(self, data: bytes, /) -> object: ...

    def flush(self) -> object: ...


SinkOf = Callable[[Task, str], "tuple[Sink, bytes]"]
"""Returns where a stream ("stdout" or "stderr") of a task goes, and what begins each line."""


def standard_sinks(label: bool) -> SinkOf:
    """Return the streams of this process; with `label` lines begin with the task's rank."""

    def sink_of(task: Task, name: str) -> tuple[Sink, bytes]:
        sink = sys.stdout.buffer if name == "stdout" else sys.stderr.buffer
        return sink, f"{task.rank}: ".encode() if label else b""

    return sink_of


class Stream:
    """One output stream of a task: how far it has been read, and its unfinished last line."""

    def __init__(
        self, task: Task, name: str, sink: Sink, label: bytes, *, unbuffered: bool = False
    ) -> None:
        self.task = task
        self.name = name
        self.offset = 0
        self._sink = sink
        self._label = label
        self._partial = b""
        self._unbuffered = unbuffered
        self._within_line = False  # a part of an unfinished line has been written

    def write(self, output: Output) -> None:
        """Write the complete lines, or unbuffered all; at the end the rest as well. Raises
        OSError."""
        self.offset = output.offset
        data = self._partial + output.data
        whole = output.eof or self._unbuffered or len(data) > _MAX_LINE
        end = len(data) if whole else data.rfind(b"\n") + 1
        self._partial = data[end:]
        text = self._labelled(data[:end], output.eof) if self._label else data[:end]
        if text:
            self._sink.write(text)
            self._sink.flush()

    def _labelled(self, data: bytes, eof: bool) -> bytes:
        """Return the data with the label before each line that begins in it. Only unbuffered may a
        line go on in the next part."""
        lines = data.splitlines(keepends=True)
        text = b"".join(self._label + line for line in lines)
        if self._within_line and lines:
            text = text[len(self._label) :]
        within = not data.endswith(b"\n") if data else self._within_line
        self._within_line = within and self._unbuffered and not eof
        return text + b"\n" if within and not self._within_line else text


class _Signal(NamedTuple):
    """A signal to be passed to all tasks."""

    number: int


class _Retry(NamedTuple):
    """A signal to be passed to these tasks, whose nodes were away."""

    number: int
    tasks: Sequence[Task]


class _Started(NamedTuple):
    """A task has started: signals can be passed to it now."""

    task: Task


class _Done(NamedTuple):
    """A task is over, or lost."""

    rank: int
    end: TaskEnd


class _Broken(NamedTuple):
    """A thread has ended by an error that nothing expects."""

    error: Exception


class Step:
    """Runs commands as `tasks` of a job. `run` once, from the main thread."""

    def __init__(
        self,
        connect: Callable[[], Client],
        job_id: int,
        tasks: Sequence[Task],
        command_of: Callable[[Task], Sequence[str]],
        workdir: str,
        environment_of: Callable[[Task], Mapping[str, str]],
        sink_of: SinkOf,
        step_id: str,
        *,
        program: str = "rrun",
        attempt: int = 0,
        unbuffered: bool = False,
        bind: CpuBind = CpuBind(),  # noqa: B008  (it cannot be changed)
        umask: int | None = None,
        reads: Callable[[Task], bool] = lambda _task: False,
        started: Callable[[Task], None] = lambda _task: None,
        ended: Callable[[Task, TaskEnd], None] = lambda _task, _end: None,
    ) -> None:
        """Prepare a step, which `run` begins.

        unbuffered: output is passed on at once, not line by line. umask: None is that of the job.
            reads: tells whether a task has an input.
        started, ended: called in the main thread, with each task that has begun, and with each
            that is over and its end.
        """
        self._connect = connect
        self._job_id = job_id
        self._tasks = tasks
        self._command_of = command_of
        self._workdir = workdir
        self._environment_of = environment_of
        self._sink_of = sink_of
        self._id = step_id
        self._program = program
        self._attempt_number = attempt
        self._unbuffered = unbuffered
        self._bind = bind
        self._umask = umask
        self._reads = reads
        self._started = started
        self._ended = ended
        self._errands: SimpleQueue[Errand | None] = SimpleQueue()
        self._events: SimpleQueue[_Signal | _Retry | _Started | _Done | _Broken] = SimpleQueue()
        self._ended_by = 0  # the last signal of `_ENDS` that came: no more tasks are started
        self._lock = threading.Lock()  # guards the output, and the fields below
        self._open_streams = {task.rank: 2 for task in tasks}
        self._output_error: OSError | StdoutError | None = None
        self._told: set[str] = set()
        self.ends: dict[int, TaskEnd] = {}  # the ends of tasks that are over, by rank

    @property
    def is_over(self) -> bool:
        """Return whether the ends of all tasks are known."""
        return len(self.ends) == len(self._tasks)

    @property
    def ends_by_task(self) -> list[tuple[Task, TaskEnd]]:
        """Return the tasks that are over, with their ends."""
        return [(task, self.ends[task.rank]) for task in self._tasks if task.rank in self.ends]

    def signal(self, number: int) -> None:
        """Pass a signal to all tasks; may be called from a signal handler."""
        if number in _ENDS:
            self._ended_by = number
        self._events.put(_Signal(number))

    def run(self) -> int:
        """Start the tasks, and wait for them all. Returns the highest exit code.

        Raises:
            OSError, StdoutError: standard output or error cannot be written; the tasks have been
                ended.
            Exception: a thread met an error that nothing expects; the tasks are told to end.
        """
        threads = [
            threading.Thread(target=self._work, daemon=True)
            for _ in range(min(2 * len(self._tasks), _MAX_THREADS))
        ]
        for thread in threads:
            thread.start()
        for task in self._tasks:
            self._errands.put(self._start_errand(task))
        highest = self._watch()
        for _ in threads:
            self._errands.put(None)
        if self._output_error is not None:
            raise self._output_error
        return highest

    def _watch(self) -> int:
        """Pass signals on, in this thread alone, so that no task gets a signal twice, unless its
        node took the signal and did not answer. Returns the highest exit code."""
        by_rank = {task.rank: task for task in self._tasks}
        started: set[int] = set()
        last = 0  # the last signal of `_ENDS`, for tasks whose start is under way
        with self._connect() as client:
            while len(self.ends) < len(self._tasks):
                event = self._events.get()
                if isinstance(event, _Done):
                    if event.rank not in self.ends:
                        self.ends[event.rank] = event.end
                        self._ended(by_rank[event.rank], event.end)
                elif isinstance(event, _Started):
                    started.add(event.task.rank)
                    self._started(event.task)
                    if last:
                        self._send(client, last, [event.task])
                elif isinstance(event, _Broken):
                    self._end_once(client, [one for one in self._tasks if one.rank in started])
                    raise event.error
                elif isinstance(event, _Retry):
                    self._send(client, event.number, _without(event.tasks, self.ends))
                else:
                    tasks = _without(self._tasks, self.ends)
                    if event.number in _ENDS:
                        last = last if last == signal.SIGKILL else event.number
                        tasks = [task for task in tasks if task.rank in started]
                    self._send(client, event.number, tasks)
        return max(end.code for end in self.ends.values())

    def _end_once(self, client: Client, tasks: Sequence[Task]) -> None:
        """Tell tasks to end, each once: nothing waits for them any more."""
        client.retry_for_s = 0.0
        for task in tasks:
            with contextlib.suppress(ClientError):
                client.signal_task(self._job_id, self._id, task.rank, task.node, signal.SIGTERM)

    def _send(self, client: Client, number: int, tasks: Sequence[Task]) -> None:
        """Pass a signal on; if a node is away, try again a little later."""
        away = []
        for task in tasks:
            try:
                client.signal_task(self._job_id, self._id, task.rank, task.node, number)
            except ApiError as error:
                # The task may have ended meanwhile; its streams will show the reason.
                if error.status in LATER:
                    away.append(task)
                    self._notice_once(f"{error}; trying again")
        if away:
            timer = threading.Timer(_PAUSE_S, self._events.put, [_Retry(number, away)])
            timer.daemon = True
            timer.start()

    # ------------------------------------------------------------------ errands, in the threads

    def _work(self) -> None:
        try:
            with self._connect() as client:
                while errand := self._errands.get():
                    errand(client)
        except Exception as error:  # the main thread would wait for this one for ever
            self._events.put(_Broken(error))

    def _start_errand(self, task: Task) -> Errand:
        sent = False

        def start(client: Client) -> None:
            nonlocal sent
            if self._ended_by and not sent:
                self._events.put(_Done(task.rank, TaskEnd(0, self._ended_by)))
                return
            sent = True  # the task may exist from now on, even if the node does not answer
            request = {
                "node": task.node,
                "step": self._id,
                "task": task.rank,
                "argv": list(self._command_of(task)),
                "env": self._environment_of(task),
                "workdir": self._workdir,
                "attempt": self._attempt_number,
            }
            if self._reads(task):
                request["stdin"] = True
            if (bound := self._bind.of(task)) is not None:
                request["bind"] = bound
            if self._umask is not None:
                request["umask"] = self._umask
            if not self._attempt(task, start, lambda: client.start_task(self._job_id, request)):
                return
            self._events.put(_Started(task))
            for name in ("stdout", "stderr"):
                sink, label = self._sink_of(task, name)
                stream = Stream(task, name, sink, label, unbuffered=self._unbuffered)
                self._errands.put(self._read_errand(stream))

        return start

    def _read_errand(self, stream: Stream) -> Errand:
        def read(client: Client) -> None:
            task = stream.task

            def step() -> None:
                output = client.output(
                    self._job_id,
                    stream.name,
                    offset=stream.offset,
                    wait_s=self._poll_s(),
                    node=task.node,
                    step=self._id,
                    task=task.rank,
                )
                self._write(stream, output)
                if output.eof:
                    self._close_stream(task, output)
                else:
                    self._errands.put(read)

            self._attempt(task, read, step)

        return read

    def _attempt(self, task: Task, errand: Errand, action: Callable[[], None]) -> bool:
        """Do the errand. If the node is away, put the errand back; if it cannot be done, give up
        the task.

        The other tasks are ended then: they could wait for this one for ever.
        """
        try:
            action()
        except ClientError as error:
            if isinstance(error, ApiError) and error.status in LATER:
                time.sleep(_PAUSE_S)
                self._errands.put(errand)
                return False
            self._complain(task, error)
            lost = TaskEnd(max(error.exit_code, EXIT_FAILURE))
            self._events.put(_Done(task.rank, lost))
            self._events.put(_Signal(signal.SIGTERM))
            return False
        return True

    def _complain(self, task: Task, error: ClientError) -> None:
        if error.exit_code != EXIT_NOT_STARTED:
            with self._lock:
                cli.complain(self._program, f"task {task.rank} on {task.node}: {error}")
            return
        where = f" on {task.node}" if self._tasks[0].node != self._tasks[-1].node else ""
        self._notice_once(f"{error}{where}")

    def _notice_once(self, text: str) -> None:
        """Print an error as a shell does, once for all tasks of a node."""
        with self._lock:
            if text not in self._told:
                self._told.add(text)
                cli.notice(self._program)(text)

    def _poll_s(self) -> float:
        streams = 2 * len(self._tasks)
        return _POLL_S if streams <= _MAX_THREADS else _ROUND_S * _MAX_THREADS / streams

    def _write(self, stream: Stream, output: Output) -> None:
        with self._lock:
            if self._output_error is not None:
                stream.offset = output.offset  # read on, for the exit codes
                return
            try:
                stream.write(output)
            except (OSError, StdoutError) as error:
                self._output_error = error
                self.signal(signal.SIGTERM)

    def _close_stream(self, task: Task, output: Output) -> None:
        with self._lock:
            self._open_streams[task.rank] -= 1
            over = not self._open_streams[task.rank]
        if over:
            self._events.put(_Done(task.rank, ended_as(output)))


def new_step_id(begin: int) -> str:
    """Return a name for a step that no other step of the job has; it begins with a number."""
    return f"{begin}-{os.urandom(4).hex()}"


def _without(tasks: Sequence[Task], over: Mapping[int, TaskEnd]) -> list[Task]:
    return [task for task in tasks if task.rank not in over]


def end_of(step: Step | None, code: int) -> dict[str, Any]:
    """Return what the daemon is told of the end of a step: that of its worst task and the use of
    all, or the exit code of the program that ran the step, if it has not heard the ends of all
    tasks."""
    if step is None or not step.is_over:
        return {"exit_code": code}
    return {**told_of(step.ends.values()), **use_of(step.ends_by_task)}
