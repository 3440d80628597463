"""Files of an agent's state directory that are damaged before the agent is started again."""

from __future__ import annotations

import json
import random
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from rmsd_agent.state.journal import Line
from rmsd_agent.state.records import ClaimedUnit, SavedAttempt, UnitStatus
from tests.fuzz_system.judge import Judge
from tests.fuzz_system.system import HOSTILE, System
from tests.fuzz_system.transcript import ROOT, Act
from tests.fuzz_system.values import DEAD_PIDS, Hints, Values

_UP_WITHIN_S = 120.0
_NODES = {"b1", "b2"}
_KINDS = {
    "status.json": UnitStatus,
    "running.json": ClaimedUnit,
    "attempt.json": SavedAttempt,
    "ended.jsonl": Line,
}


class DamagedFiles:
    """A party of which each act ends the agent, damages files, and starts the agent again."""

    def __init__(self, system: System, judge: Judge) -> None:
        self.name = "damaged files"
        self._system = system
        self._judge = judge

    def act(self, number: int, rng: random.Random) -> Act:
        """Make up damage. `said` has by turns a path below the state directory and its content."""
        values = Values(rng, rng.choice((0.0, 0.05, 0.3)), _hints())
        said: list[bytes] = []
        kind = ""
        for _ in range(rng.choice((1, 3, 6))):
            kind, path, content = _file(values)
            said += [path.encode(errors="replace"), content]
        how = rng.choice(("SIGTERM", "SIGKILL"))
        return Act(self.name, number, kind, how, "b", said)

    def perform(self, act: Act) -> str:
        """Do the damage, and return whether the agent came up."""
        agent = self._system.damaged
        if agent.exit_code is None:
            agent.end(signal.Signals[act.how])
        for path, content in zip(act.said[::2], act.said[1::2], strict=True):
            with suppress(OSError):
                _put(agent.state / path.decode(), self._system.filled(content))
        agent.start()
        until_s = time.monotonic() + _UP_WITHIN_S
        while time.monotonic() < until_s and not self._judge.over.is_set():
            if agent.exit_code is not None:
                return self._failed(act, "b ended")
            if self._system.nodes_up() >= _NODES and self._says_so():
                time.sleep(2)  # let jobs come, and shepherds that were lied to
                return "up" if agent.exit_code is None else self._failed(act, "b ended soon")
            time.sleep(0.1)
        return self._failed(act, "b's nodes do not come up")

    def close(self) -> None:
        """Do nothing: there is nothing to give back."""

    def _says_so(self) -> bool:
        """Return whether the agent that runs now has a link: its nodes may look up for a moment."""
        lines = self._system.damaged.log.read_bytes().splitlines()[-50:]
        last = [line for line in lines if b'"starting"' in line or b'"link-up"' in line]
        return bool(last) and b'"link-up"' in last[-1]

    def _failed(self, act: Act, why: str) -> str:
        if self._judge.over.is_set():
            return "over"
        agent = self._system.damaged
        self._judge.found("damaged files", f"{why}: {agent.last_words()}", act)
        if agent.exit_code is None:
            agent.end(signal.SIGKILL)
        agent.state.rename(agent.state.with_name(f"b-{time.monotonic_ns()}"))
        agent.start()
        return "failed"


def _put(path: Path, content: bytes) -> None:
    """Have a file with this content there; for "DIRECTORY" a directory, for "GONE" nothing."""
    matches = list(_matching(path))
    for one in matches:
        if one.is_dir() and not one.is_symlink():
            shutil.rmtree(one)
        else:
            one.unlink(missing_ok=True)
        if content == b"DIRECTORY":
            one.mkdir()
        elif content != b"GONE":
            one.parent.mkdir(parents=True, exist_ok=True)
            one.write_bytes(content)


def _matching(path: Path) -> Iterator[Path]:
    """Return the files that a path with a "*" names, or the path itself."""
    text = str(path)
    if "*" not in text:
        yield path
        return
    at = next(parent for parent in path.parents if "*" not in str(parent))
    yield from at.glob(str(path.relative_to(at)))


def _hints() -> Hints:
    return {
        "shepherd": lambda v: [v.rng.choice(DEAD_PIDS), v.rng.randint(0, 9)],
        "pid": lambda v: v.rng.choice((None, *DEAD_PIDS)),
        "cgroup": lambda _: None,
        "user": lambda _: HOSTILE,
        "node": lambda v: v.rng.choice(("b1", "b1", "b2", "gone")),
        "job_id": lambda v: v.rng.choice((1, 7, 900, 1 << 40)),
        "workdir": lambda _: f"{ROOT.decode()}/w",
        "stdout": lambda _: "/dev/null",
        "stderr": lambda _: "",
        "noted_s": lambda v: v.rng.choice((0.0, time.time(), 1e300)),
        "ended_s": lambda v: v.rng.choice((0.0, time.time(), 1e300, -1e300)),
        "ended_mono_s": lambda v: v.rng.choice((0.0, 5.0, 1e300)),
        "boot_id": lambda v: v.rng.choice((_boot_id(), "")),
        "message": lambda v: v.rng.choice(("", v.text(65_536))),
    }


def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _file(values: Values) -> tuple[str, str, bytes]:
    """Make up a file. Return what it is called, its path and its content."""
    rng = values.rng
    job = rng.choice(("7.1.b1", "900.1.b2", "*", "*"))
    name = rng.choice((*_KINDS, *_KINDS, "agent.json", "script", "control.sock", "jobs-entry"))
    path = {
        "status.json": f"jobs/{job}/batch/status.json",
        "running.json": f"jobs/{job}/batch/running.json",
        "attempt.json": f"jobs/{job}/attempt.json",
        "script": f"jobs/{job}/batch/script",
        "jobs-entry": "jobs/"
        + rng.choice((values.word(), values.text(200), "7.1.b1", "dropped.x")),
    }.get(name, name)
    return name, path.replace("\0", "0"), _content(values, name)


def _content(values: Values, name: str) -> bytes:
    if kind := _KINDS.get(name):
        made: Any = values.of(kind)
    else:
        made = {"agent_id": values.rng.choice(("b" * 32, values.text())), "epoch": values.whole()}
    record = values.json(made) + b"\n"
    if values.chance(0.7):
        return record
    return values.rng.choice(
        (b"", b"\n", b"\0" * 5000, b"\xff\xfe", values.bent(record), record[: len(record) // 2],
         record * 3, values.nested(), values.rng.randbytes(3000), b"DIRECTORY", b"GONE",
         json.dumps([1]).encode(), record + values.rng.randbytes(20), b"x" * (3 << 20))
    )  # fmt: skip
