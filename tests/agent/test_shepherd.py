"""A shepherd by itself: the test is its agent, and plain directories are its cgroups."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rmsd_agent import shepherd
from rmsd_agent.shepherd.standalone.shepherd import Shepherd
from rmsd_agent.shepherd.standalone.unit import UnitProcesses
from rmsd_agent.shepherd.standalone.unit_spec import UnitSpec
from tests.waiting import DEADLINE_S, wait_until

pytestmark = pytest.mark.live

IDLE_S = 0.3
START = """
import sys
sys.path.append(sys.argv.pop())
from standalone import main, shepherd
shepherd._IDLE_S = float(sys.argv.pop())
main.begin(main.prepared(*sys.argv[1:]))
"""


class Agent:
    """The agent's side: listens, and talks to the one shepherd that it starts."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.jobs = root / "jobs"
        self.jobs.mkdir(parents=True)
        self._control = root / "control.sock"
        self.listen()
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", START, str(self._control), str(self.jobs),
             str(IDLE_S), str(Path(shepherd.__file__).parent)],
            start_new_session=True,
        )  # fmt: skip
        assert self.answer()["unit"] is None

    def listen(self) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.settimeout(DEADLINE_S)
        self._listener.bind(str(self._control))
        self._listener.listen()

    def answer(self) -> dict[str, Any]:
        """Let it dial in; what it says first."""
        self._link, _ = self._listener.accept()
        self._link.settimeout(DEADLINE_S)
        self._heard = self._link.makefile("rb")
        return self.hear()

    def hang_up(self) -> None:
        self._heard.close()
        self._link.close()
        self._listener.close()
        self._control.unlink()

    def hear(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self._heard.readline())
        return said

    def tell(self, **message: Any) -> None:
        self._link.sendall(json.dumps(message).encode() + b"\n")

    def tell_raw(self, line: bytes) -> None:
        self._link.sendall(line)

    def start(self, commands: str, cgroup: Path | None = None) -> int:
        """Have a unit of shell commands started; its pid."""
        (self.jobs / "1.1.n1/batch").mkdir(parents=True)
        home = self.root / "home"
        for directory in (home, *([] if cgroup is None else [cgroup])):
            directory.mkdir(exist_ok=True)
            for name in ("cgroup.procs", "cgroup.kill"):
                (directory / name).touch()
        where = {} if cgroup is None else {"cgroup": str(cgroup), "cgroup_home": str(home)}
        self.tell(**self.spec("1.1.n1/batch", commands) | where)
        started = self.hear()
        assert started["op"] == "started"
        pid: int = started["pid"]
        return pid

    def spec(self, unit: str, commands: str) -> dict[str, Any]:
        """Return the order to run a unit of shell commands without a cgroup."""
        return {
            "op": "run",
            "unit": unit,
            "argv": ["sh", "-c", commands],
            "cwd": "/",
            "env": {"PATH": os.defpath},
            "stdout": os.devnull,
            "stderr": "",
            "killed_after_s": None,
            "kill_grace_s": 0.0,
            "warn": None,
            "keep_as": "",
            "user": None,
            "allow_root": True,
            "own_output": False,
            "max_output_bytes": 0,
            "script": False,
            "cgroup": None,
            "cgroup_home": None,
        }

    def end(self) -> dict[str, Any]:
        """Return how the unit ended."""
        ended = self.hear()
        assert ended["op"] == "ended"
        status: dict[str, Any] = ended["status"]
        return status

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._heard.close()
        self._link.close()
        self._listener.close()


@pytest.fixture
def agents(tmp_path: Path) -> Iterator[list[Agent]]:
    """Yield two agents, with a shepherd each."""
    made: list[Agent] = []
    try:
        for name in "ab":
            made.append(Agent(tmp_path / name))
        yield made
    finally:
        for agent in made:
            agent.close()


def test_what_left_the_cgroup_is_killed_as_well(agents: list[Agent]) -> None:
    """A plain directory takes `cgroup.kill` as the kernel does, and nobody is in it."""
    agent, _ = agents
    up = agent.root / "up"
    script = f"trap '' TERM; touch {up}; while :; do sleep 0.05; done"
    pid = agent.start(script, agent.root / "cgroup")
    wait_until(up.exists)
    agent.tell(op="stop", cause="user")
    try:
        status = agent.end()
    finally:
        if agent.process.poll() is None and Path(f"/proc/{pid}").exists():
            os.killpg(pid, signal.SIGKILL)
    assert (status["cause"], status["signal"]) == ("user", signal.SIGKILL)
    assert (agent.root / "cgroup/cgroup.kill").read_text() == "1"


@pytest.mark.parametrize(
    ("limit", "kills", "number", "cause"),
    [
        ("104857600\n", 1, "KILL", "memory"),
        ("104857600\n", 0, "KILL", "exit"),
        ("104857600\n", 1, "SEGV", "exit"),  # a task of the job was too large, perhaps
        ("max\n", 1, "KILL", "exit"),  # the machine had none left
        (None, 1, "KILL", "exit"),
    ],
)
def test_it_was_its_memory_if_that_has_a_limit_and_the_kernel_killed_it(
    agents: list[Agent], limit: str | None, kills: int, number: str, cause: str
) -> None:
    agent, _ = agents
    job = agent.root / "job"
    job.mkdir()
    (job / "memory.events").write_text(f"oom 1\noom_kill {kills}\n")
    if limit is not None:
        (job / "memory.max").write_text(limit)
    agent.start(f"kill -{number} $$", job / "batch")
    assert agent.end()["cause"] == cause


@pytest.mark.slow
def test_who_alone_knows_an_end_stays_until_it_is_told(agents: list[Agent]) -> None:
    knows, wrote = agents
    pid, _ = [
        agent.start(f"until [ -e {agent.root}/go ]; do sleep 0.02; done; exit 7")
        for agent in agents
    ]
    (knows.jobs / "1.1.n1/batch/status.json").mkdir()  # a directory: the file cannot be written
    for agent in agents:
        agent.hang_up()
        (agent.root / "go").touch()
    assert wrote.process.wait(DEADLINE_S) == 0
    written = wrote.jobs / "1.1.n1/batch/status.json"
    assert json.loads(written.read_text())["exit_code"] == 7
    wait_until(lambda: not Path(f"/proc/{pid}").exists(), "it knows")
    knows.listen()
    assert knows.answer()["unit"] is None
    assert knows.end()["exit_code"] == 7
    knows.hang_up()
    wait_until(lambda: knows.process.poll() == 0, "it leaves, like any other")
    for agent in agents:
        agent.listen()  # for `close`


def test_who_knows_an_end_that_concerns_nobody_any_more_leaves(agents: list[Agent]) -> None:
    """The state directory was deleted under the shepherd, for example."""
    agent, other = agents
    go = agent.root / "go"
    agent.start(f"until [ -e {go} ]; do sleep 0.02; done")
    (agent.jobs / "1.1.n1/batch/status.json").mkdir()
    agent.hang_up()
    go.touch()
    agent.jobs.rename(agent.root / "elsewhere")
    assert agent.process.wait(DEADLINE_S) == 0
    other.hang_up()
    for one in agents:
        one.listen()  # for `close`


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"\xff\n",
        b"[]\n",
        b'{"op":' + b"[" * 100_000 + b"\n",
        b'{"unit":"1.1.n1/batch"}\n',
        b'{"op":"stop"}\n',
        b'{"op":"signal","signal":"x"}\n',
        b'{"op":"signal","signal":65}\n',
    ],
    ids=[
        "empty",
        "no UTF-8",
        "a list",
        "nested without end",
        "no op",
        "no cause",
        "no number",
        "no signal",
    ],
)
def test_what_no_agent_says_does_not_end_a_shepherd(agents: list[Agent], line: bytes) -> None:
    agent = agents[0]
    agent.start("exit 3")
    assert agent.end()["exit_code"] == 3
    agent.tell_raw(line)
    (agent.jobs / "2.1.n1/batch").mkdir(parents=True)
    agent.tell(**agent.spec("2.1.n1/batch", "exit 4"))
    assert agent.hear()["op"] == "started"
    assert agent.end()["exit_code"] == 4


@pytest.mark.parametrize(
    "changes",
    [
        {"kill_grace_s": "x"},
        {"kill_grace_s": None},
        {"kill_grace_s": float("nan")},
        {"killed_after_s": float("inf")},
        {"warn": {"number": 65, "whom": "main", "at_s": [0.0]}},
        {"warn": {"number": 10, "whom": "main", "at_s": [float("nan")]}},
    ],
)
def test_a_unit_whose_times_cannot_be_waited_for_is_not_begun(
    agents: list[Agent], changes: dict[str, Any]
) -> None:
    agent = agents[0]
    (agent.jobs / "1.1.n1/batch").mkdir(parents=True)
    agent.tell(**agent.spec("1.1.n1/batch", "exit 3") | changes)
    end = agent.end()  # the agent would wait for a missing end for ever
    assert end["cause"] == "launch"
    assert "cannot be" in end["message"]
    agent.tell(**agent.spec("1.1.n1/batch", "exit 4"))
    assert agent.hear()["op"] == "started"
    assert agent.end()["exit_code"] == 4


def test_a_limit_beyond_what_the_system_can_wait_for_is_no_limit(agents: list[Agent]) -> None:
    agent = agents[0]
    (agent.jobs / "1.1.n1/batch").mkdir(parents=True)
    agent.tell(**agent.spec("1.1.n1/batch", "sleep 0.05; exit 3") | {"killed_after_s": 1e15})
    assert agent.hear()["op"] == "started"
    assert agent.end()["exit_code"] == 3


def test_signals_that_come_faster_than_they_can_be_sent_are_sent_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each signal took two looks at processes: thousands of signals, or sixty different ones to
    thousands of processes, kept a unit from its end."""
    done: list[object] = []
    monkeypatch.setattr(
        "rmsd_agent.shepherd.standalone.ending.send_all",
        lambda _find, numbers: done.append(numbers),
    )
    theirs, ours = socket.socketpair()
    one = Shepherd("", "")
    unit: Any = SimpleNamespace(descendants=None, end=lambda cause, _: done.append(cause))
    one.unit, one.agent.sock = unit, ours
    numbers = [signal.SIGCONT, *[signal.SIGWINCH] * 1000, signal.SIGSTOP, signal.SIGCONT]
    orders = [{"op": "signal", "signal": number} for number in numbers]
    orders += [{"op": "stop", "cause": "user"}]
    with theirs, ours:
        theirs.sendall(b"".join(json.dumps(order).encode() + b"\n" for order in orders))
        while "user" not in done:
            one.hear()
    assert done == [[signal.SIGWINCH, signal.SIGSTOP, signal.SIGCONT], "user"]


SPEC = UnitSpec(
    argv=["true"], cwd="/", env={}, stdout="", stderr="", killed_after_s=None, kill_grace_s=5.0
)


def test_what_got_the_pid_of_a_main_process_that_is_over_gets_no_signal_of_the_script() -> None:
    """A unit may outlive its main process, as long as one of its processes cannot be killed."""
    with subprocess.Popen(["sleep", "1000"], start_new_session=True) as process:
        one = Shepherd("", "")
        unit = UnitProcesses("1.1.n1/batch", SPEC, "")
        one.unit, unit.pid, unit.wait_status = unit, process.pid, 0
        one.pass_on([(signal.SIGKILL, "main")])
        process.terminate()
    assert process.returncode == -signal.SIGTERM


def test_the_main_process_gets_a_signal_of_the_script() -> None:
    with subprocess.Popen(["sleep", "1000"], start_new_session=True) as process:
        one = Shepherd("", "")
        unit = UnitProcesses("1.1.n1/batch", SPEC, "")
        one.unit, unit.pid = unit, process.pid
        one.pass_on([(signal.SIGKILL, "main")])
    assert process.returncode == -signal.SIGKILL
