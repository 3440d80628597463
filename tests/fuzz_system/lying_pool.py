"""An agent that tells a shepherd what no agent of this version would."""

from __future__ import annotations

import json
import random
import shutil
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import rmsd_agent.shepherd
from tests.fuzz_system.judge import Judge
from tests.fuzz_system.system import HOSTILE, System
from tests.fuzz_system.transcript import ROOT, Act
from tests.fuzz_system.values import Values

_WITHIN_S = 60.0
_SHEPHERD = Path(rmsd_agent.shepherd.__file__).parent
_WORK = ROOT.decode() + "/w"
_ALONE = """
import sys
sys.path.insert(0, sys.argv[1])
from standalone import main
main.begin(main.prepared(*sys.argv[2:]))
"""
"""A shepherd without a nursery."""


class LyingPool:
    """A party of which each act is an order to a shepherd, which then must run another unit well.

    A shepherd that has begun a unit may be busy with it, and one that was told to quit may leave:
    these are replaced.
    """

    def __init__(self, system: System, judge: Judge) -> None:
        self.name = "lying pool"
        self._system = system
        self._judge = judge
        self._folder = system.root / "pool"
        (self._folder / "jobs").mkdir(parents=True, mode=0o711)
        self._log = self._folder / "shepherd.log"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._folder / "c"))
        self._listener.listen()
        self._listener.settimeout(_WITHIN_S)
        self._process: subprocess.Popen[bytes] | None = None
        self._sock: socket.socket | None = None
        self._heard = b""

    def act(self, number: int, rng: random.Random) -> Act:
        values = Values(rng, rng.choice((0.02, 0.3)))
        kind, line = _line(values, number)
        return Act(self.name, number, kind, "", "shepherd", [line])

    def perform(self, act: Act) -> str:
        """Give an order, and return whether the shepherd goes on."""
        try:
            self._ready()
            assert self._sock is not None
            for name in (f"a{act.number}", f"p{act.number}"):
                (self._folder / "jobs" / name / "batch").mkdir(parents=True)
            self._sock.sendall(self._system.filled(act.said[0]))
            said = self._until({"started", "ended", "refused", "unable"}, 0.3)
            if said is not None and said["op"] == "started":
                self._until({"ended"}, 3.0)
            probe = _spec(f"p{act.number}/batch") | {"op": "run"}
            self._sock.sendall(self._system.filled(json.dumps(probe).encode()) + b"\n")
            ended = self._until({"ended"}, _WITHIN_S, f"p{act.number}/batch")
        except OSError as error:
            return self._failed(act, f"{type(error).__name__}: {error}")
        finally:
            for name in (f"a{act.number}", f"p{act.number}"):
                shutil.rmtree(self._folder / "jobs" / name, ignore_errors=True)
        if ended is None:
            return self._failed(act, "it does not run units any more")
        if ended["status"]["exit_code"] != 0:
            return self._failed(act, f"a unit ended with {ended['status']}")
        return "goes on"

    def close(self) -> None:
        self._listener.close()
        self._replace()

    # ------------------------------------------------------------ inside

    def _failed(self, act: Act, why: str) -> str:
        log = self._log.read_text(errors="replace")[-1500:] if self._log.exists() else ""
        if act.kind != "run" or "Traceback" in log:
            last = log.strip().rpartition("\n")[2]
            self._judge.found("shepherd", f"{why}: {last}\n{log}", act)
        self._replace()
        return "replaced"

    def _ready(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self._replace()
        command = [sys.executable, "-I", "-S", "-c", _ALONE, str(_SHEPHERD),
                   str(self._folder / "c"), str(self._folder / "jobs")]  # fmt: skip
        with self._log.open("wb") as out:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=out,
                                             env={}, start_new_session=True)  # fmt: skip
        self._sock, _ = self._listener.accept()
        self._until({"here"}, _WITHIN_S)

    def _replace(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        if self._sock is not None:
            self._sock.close()
        self._process, self._sock, self._heard = None, None, b""

    def _until(self, ops: set[str], within_s: float, unit: str = "") -> dict[str, Any] | None:
        """Return the next message of one of these kinds (of this unit), or None if none comes in
        time. Raises OSError: the shepherd has gone."""
        assert self._sock is not None
        until_s = time.monotonic() + within_s
        while True:
            while b"\n" in self._heard:
                line, _, self._heard = self._heard.partition(b"\n")
                said: dict[str, Any] = json.loads(line)
                if said["op"] in ops and unit in ("", said.get("unit")):
                    return said
            if (left_s := until_s - time.monotonic()) <= 0:
                return None
            self._sock.settimeout(left_s)
            with suppress(TimeoutError):
                data = self._sock.recv(1 << 16)
                if not data:
                    raise ConnectionResetError("the shepherd hung up")
                self._heard += data


def _spec(unit: str) -> dict[str, Any]:
    """Return the order to run a unit that does nothing."""
    return {
        "unit": unit, "argv": ["true"], "cwd": "/", "env": {"PATH": "/usr/bin:/bin"},
        "stdout": "/dev/null", "stderr": "", "killed_after_s": 5.0, "kill_grace_s": 0.1,
        "warn": None, "keep_as": "", "user": HOSTILE, "allow_root": False,
        "own_output": False, "max_output_bytes": 0, "max_more_tasks": 0, "script": False,
        "cgroup": None, "cgroup_home": None,
    }  # fmt: skip


_UNTOUCHED = ("op", "unit", "user", "allow_root", "script", "cgroup", "cgroup_home", "own_output",
              "keep_as")  # fmt: skip
"""Fields of what a shepherd of root does with its own rights: these stay as they are."""


def _line(values: Values, number: int) -> tuple[str, bytes]:
    """Make up an order. Return what it is called, and its bytes."""
    rng = values.rng
    messages: list[dict[str, Any]] = [
        _spec(f"a{number}/batch") | {"op": "run"},
        {"op": "stop", "cause": rng.choice(("user", "limit", values.text()))},
        {"op": "signal", "signal": rng.choice((15, 0, -1, 65, 10**6, "x", None))},
        {"op": "x"},
    ]
    said = rng.choice(messages)
    kind = said["op"]
    for field in list(said):
        if field not in _UNTOUCHED and values.chance(values.odd):
            said[field] = values.anything()
    if values.chance(0.3):
        said.pop(rng.choice(list(said)))
    line = values.json(said) + b"\n"
    if values.chance(0.7):
        return kind, line
    odd = {
        "bent": values.bent(line.replace(b"true", b"x")) + b"\n",
        "garbage": rng.randbytes(30) + b"\n",
        "no object": values.json(rng.choice(([], 1, None, "x"))) + b"\n",
        "nested": values.nested() + b"\n",
        "empty": b"\n",
    }
    name = rng.choice(list(odd))
    return name, odd[name]
