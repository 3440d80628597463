"""The requests of rrun for its tasks: signals in every stage of a start, environment, words."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from rmsd_client.api import Client
from rmsd_client.calls.answers import fields
from rmsd_client.slurm.steps.steps import file_sinks
from rmsd_client.steps.step import Sink, SinkOf, Step, standard_sinks
from rmsd_client.steps.tasks import Task, task_environment
from tests.waiting import DEADLINE_S, wait_until

from .small_server import Answer, Request, json_answer, serve_unix

_MEANWHILE_S = 0.3  # in which a signal is sent too early, if it is
_LET_DOWN_S = 50.0  # after which a task that should get a signal ends without one
_EMPTY: dict[str, object] = {"int": 0, "float": 0.0, "str": "", "bool": False}
_RUNNING = {
    **{
        name: [] if kind[0] == "[" else _EMPTY.get(kind) for name, kind in fields("JobView").items()
    },
    "job_id": 7,
    "cpus_per_task": 1,
    "nodelist": "n1",
    "node_cpus": [2],
}


class _Nodes:
    """Answers as daemon and agents do: tasks run until they get a signal, or for `lasts_s`.

    `on_start` and `on_signal` are called first, with how often the task was started, or sent a
    signal, before; a status that they return is the answer.
    """

    def __init__(
        self,
        on_start: Callable[[int], int | None] = lambda _: None,
        on_signal: Callable[[int], int | None] = lambda _: None,
        lasts_s: float = _LET_DOWN_S,
    ) -> None:
        self._on_start = on_start
        self._on_signal = on_signal
        self._lasts_s = lasts_s
        self._asked: Counter[tuple[str, int]] = Counter()
        self._signals: dict[int, int] = {}
        self._changed = threading.Condition()
        self.started: list[dict[str, object]] = []
        self.passed: list[tuple[int, int]] = []  # rank and signal

    def respond(self, request: Request) -> Answer:
        if re.fullmatch(r"/v1/jobs/7(\?inside=true|/steps.*)?", request.target):
            return json_answer({"schema": "", "job": _RUNNING, "number": 0})
        if request.method == "POST":
            return self._start(json.loads(request.body))
        if request.method == "DELETE":
            found = re.search(r"/(\d+)\?.*signal=(\d+)", request.target)
            assert found
            return self._stop(int(found[1]), int(found[2]))
        found = re.search(r"task=(\d+)", request.target)
        assert found
        return self._output(int(found[1]))

    def _count(self, what: str, rank: int) -> int:
        self._asked[what, rank] += 1
        return self._asked[what, rank] - 1

    def _start(self, spec: dict[str, int]) -> Answer:
        status = self._on_start(self._count("start", spec["task"]))
        if status is not None:
            return json_answer({"title": "", "detail": "away"}, status)
        self.started.append({**spec})
        return json_answer({}, 201)

    def _stop(self, rank: int, number: int) -> Answer:
        status = self._on_signal(self._count("signal", rank))
        if status is None and rank not in [spec["task"] for spec in self.started]:
            status = 404
        if status is not None:
            return json_answer({"title": "", "detail": "away"}, status)
        with self._changed:
            self.passed.append((rank, number))
            self._signals[rank] = number
            self._changed.notify_all()
        return json_answer({})

    def _output(self, rank: int) -> Answer:
        with self._changed:
            self._changed.wait_for(lambda: rank in self._signals, self._lasts_s)
            number = self._signals.get(rank)
        end = {"X-RMS-Exit-Code": "0"} if number is None else {"X-RMS-Signal": str(number)}
        return Answer(body=b"", headers={"X-RMS-Offset": "0", "X-RMS-EOF": "1", **end})


def _step(path: Path, tasks: int = 1, sink_of: SinkOf | None = None) -> Step:
    return Step(
        connect=lambda: Client(f"unix:{path}", retry_for_s=float("inf")),
        job_id=7,
        tasks=[Task(rank, "n1", 0, rank) for rank in range(tasks)],
        command_of=lambda _task: ["true"],
        workdir="/",
        environment_of=lambda task: task_environment(task, tasks, "s", {}),
        sink_of=sink_of or standard_sinks(False),
        step_id="s",
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_after_the_end_nothing_is_started(short_dir: Path, number: int) -> None:
    nodes = _Nodes()
    step = _step(short_dir / "s", tasks=40)
    step.signal(number)
    with serve_unix(short_dir / "s", nodes.respond):
        assert step.run() == 128 + number
    assert (nodes.started, nodes.passed) == ([], [])


def test_a_warning_keeps_no_task_from_its_start(short_dir: Path) -> None:
    nodes = _Nodes(lasts_s=0.0)
    step = _step(short_dir / "s", tasks=3)
    step.signal(signal.SIGUSR1)
    with serve_unix(short_dir / "s", nodes.respond):
        step.run()
    assert sorted(str(spec["task"]) for spec in nodes.started) == ["0", "1", "2"]


@pytest.mark.parametrize("numbers", [[signal.SIGTERM], [signal.SIGINT, signal.SIGKILL]])
def test_of_signals_during_a_start_the_last_reaches_the_task_once(
    short_dir: Path, numbers: list[int]
) -> None:
    def on_start(_: int) -> None:
        for number in numbers:
            step.signal(number)
        time.sleep(_MEANWHILE_S)

    nodes = _Nodes(on_start)
    step = _step(short_dir / "s")
    with serve_unix(short_dir / "s", nodes.respond):
        assert step.run() == 128 + numbers[-1]
    assert nodes.passed == [(0, numbers[-1])]


def test_a_signal_while_the_node_is_away_reaches_the_task_that_it_starts(short_dir: Path) -> None:
    """Nobody knows whether the first request for it was taken."""

    def on_start(before: int) -> int | None:
        if before:
            return None
        step.signal(signal.SIGINT)
        time.sleep(_MEANWHILE_S)
        return 504

    nodes = _Nodes(on_start)
    step = _step(short_dir / "s")
    with serve_unix(short_dir / "s", nodes.respond):
        assert step.run() == 130
    assert nodes.passed == [(0, signal.SIGINT)]


@pytest.mark.parametrize("status", [503, 504, 507])
def test_a_start_that_may_do_another_time_is_asked_for_again(short_dir: Path, status: int) -> None:
    nodes = _Nodes(on_start=lambda before: status if before < 2 else None, lasts_s=0.0)
    with serve_unix(short_dir / "s", nodes.respond):
        assert _step(short_dir / "s").run() == 0
    assert len(nodes.started) == 1


@pytest.mark.parametrize("status", [503, 507])
def test_a_signal_to_a_node_that_is_away_is_sent_again(
    short_dir: Path, capsys: pytest.CaptureFixture[str], status: int
) -> None:
    """The node is away a second time as well. A task that the signal has reached does not get it
    again. The user is told once."""

    def on_signal(before: int) -> int | None:
        return status if before < 2 else None

    nodes = _Nodes(on_signal=on_signal)
    step = _step(short_dir / "s", tasks=2)

    def respond(request: Request) -> Answer:
        with lock:
            if request.method == "GET" and len(nodes.started) == 2 and not sent:
                sent.append(signal.SIGHUP)
                step.signal(signal.SIGHUP)
        return nodes.respond(request)

    lock = threading.Lock()
    sent: list[int] = []
    with serve_unix(short_dir / "s", respond):
        assert step.run() == 129
    assert sorted(nodes.passed) == [(0, signal.SIGHUP), (1, signal.SIGHUP)]
    assert capsys.readouterr().err == "rrun: away; trying again\n"


# ---------------------------------------------------------------- what JSON cannot carry

_RRUN = str(Path(sys.executable).with_name("rrun")).encode()
_JOB = {b"RMS_JOB_ID": b"7", b"RMS_NODELIST": b"n1", b"RMS_TASKS_PER_NODE": b"2"}


def _rrun(
    path: Path, *words: bytes, cwd: bytes | Path = b"/", **environ: bytes
) -> subprocess.CompletedProcess[str]:
    server = {b"RMSD_SERVER": f"unix:{path}".encode(), b"RMSD_ODD": b"\xff"}
    odd = {name.encode(): value for name, value in environ.items()}
    environment = {**os.environb, **_JOB, **server, **odd}
    return subprocess.run(
        [_RRUN, *words], env=environment, cwd=cwd, capture_output=True, text=True, timeout=60
    )


def test_without_a_current_directory(short_dir: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    environment = {**os.environb, **_JOB, b"RMSD_SERVER": f"unix:{short_dir}/s".encode()}
    done = subprocess.run(
        ["sh", "-c", f"rmdir {gone}; exec {_RRUN.decode()} true"],
        env=environment, cwd=gone, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    said = "rrun: error: the current directory does not exist any more; say --chdir=/DIR\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_a_variable_that_is_not_utf8_is_told_once(short_dir: Path) -> None:
    nodes = _Nodes(lasts_s=0.0)
    with serve_unix(short_dir / "s", nodes.respond):
        done = _rrun(short_dir / "s", b"true", ODD=b"\xff", EVEN=b"\xc3\xbc")
    warning = "rrun: warning: 'ODD': the variable is not UTF-8 and is not passed on\n"
    assert (done.returncode, done.stderr) == (0, warning)
    environments = [spec["env"] for spec in nodes.started]
    assert len(environments) == 2
    for environment in environments:
        assert isinstance(environment, dict)
        assert environment["EVEN"] == "ü"
        assert "ODD" not in environment


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([b"echo", b"\xff"], "the command is not UTF-8 text: '\\udcff'"),
        ([b"-D", b"/\xff", b"true"], "the directory is not UTF-8 text: '/\\udcff'"),
    ],
)
def test_words_that_are_not_utf8_are_named(
    short_dir: Path, words: list[bytes], message: str
) -> None:
    with serve_unix(short_dir / "s", _Nodes().respond) as server:
        done = _rrun(short_dir / "s", *words)
    assert (done.returncode, done.stderr) == (2, f"rrun: error: {message}\n")
    assert server.requests == []


def test_an_unexpected_error_of_a_thread_ends_the_step_and_its_tasks(short_dir: Path) -> None:
    """The step waited for ever for the task of the thread that was gone."""
    nodes = _Nodes()
    sinks = standard_sinks(False)

    def sink_of(task: Task, name: str) -> tuple[Sink, bytes]:
        if task.rank == 1:
            wait_until(lambda: len(nodes.started) == 2)
            raise ValueError("embedded null byte")
        return sinks(task, name)

    step = _step(short_dir / "s", tasks=2, sink_of=sink_of)
    raised: list[Exception] = []

    def run() -> None:
        try:
            step.run()
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    with serve_unix(short_dir / "s", nodes.respond):
        thread.start()
        thread.join(DEADLINE_S)
    assert [str(error) for error in raised] == ["embedded null byte"]
    assert (1, signal.SIGTERM) in nodes.passed


@pytest.mark.parametrize(
    ("pattern", "name"),
    [("²", "x"), ("9" * 5000, "x"), ("%²t", "x"), ("%x", "a\0b"), ("%x", "\ud800")],
)
def test_no_pattern_and_no_name_of_a_job_ends_a_thread_of_srun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, name: str
) -> None:
    """A lying daemon, or `srun -o ²`, ended the thread, and srun waited for ever."""
    monkeypatch.chdir(tmp_path)
    job = {"job_id": 7, "name": name, "user": "ann"}
    sink, _ = file_sinks(job, {"output": pattern}, "0")(Task(0, "n1", 0, 0), "stdout")
    sink.write(b"line\n")
    sink.flush()
