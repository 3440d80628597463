"""The cost on a node of starting a job as its user, and of measuring what jobs use."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from rmsd_agent.guarding import guard
from rmsd_agent.guarding.guard import Guarded
from rmsd_agent.guarding.measuring import Measurements
from rmsd_agent.shepherd.standalone import processes
from tests.bench.measure import Figures, percentile

_STARTS = 300
_USER = "nobody"
_JOBS = 200
_LOOKS = 10

_SHEPHERD = """
import json, os, sys, time
sys.path.insert(0, sys.argv[1])
import shepherd
spec = {"argv": ["/bin/true"], "env": {}, "cwd": "/", "stdout": "/dev/null", "stderr": "",
        "keep_as": "", "user": sys.argv[2] or None, "allow_root": False, "own_output": False,
        "script": False, "max_output_bytes": 0, "max_more_tasks": 0, "cgroup": None,
        "cgroup_home": None}
took_s = []
for _ in range(int(sys.argv[3])):
    begun = time.perf_counter()
    pid, _ = shepherd._spawn(spec, lambda _: None)
    took_s.append(time.perf_counter() - begun)
    os.waitpid(pid, 0)
print(json.dumps(took_s))
"""


def bench() -> Figures:
    """A shepherd starts /bin/true, as itself and (of root) as a user; a guard looks at sleepers."""
    figures = {}
    for user, whose in (("", "its own account"), (_USER, "a user")):
        if not user or os.geteuid() == 0:
            took_s = _starts_s(user)
            figures[f"a shepherd's start of a process as {whose}, median / 95th"] = (
                f"{1e3 * median(took_s):.2f} / {1e3 * percentile(took_s, 95):.2f} ms"
            )
    figures[f"a look at {_JOBS} jobs of two processes with a memory limit"] = _look()
    return figures


def _starts_s(user: str) -> list[float]:
    folder = str(Path(processes.__file__).parent)
    command = [sys.executable, "-I", "-S", "-c", _SHEPHERD, folder, user, str(_STARTS)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    took_s: list[float] = json.loads(done.stdout)
    return took_s


def _look() -> str:
    """The processor time of one look."""
    with contextlib.ExitStack() as stack:
        guarded = []
        for number in range(_JOBS):
            sleeper = subprocess.Popen(
                ["sh", "-c", "sleep 600 & exec sleep 600"], start_new_session=True
            )
            stack.callback(_end, sleeper)
            key = (number, 1, "n1")
            guarded.append(Guarded(key, 1024, 100, {sleeper.pid}, set()))
        took_s = [_look_at(guarded) for _ in range(_LOOKS)]
    return f"{1e3 * median(took_s):.0f} ms of a processor"


def _look_at(guarded: list[Guarded]) -> float:
    look = guard.Look(guarded, Measurements())
    look.run()
    return look.took_s


def _end(sleeper: subprocess.Popen[bytes]) -> None:
    os.killpg(sleeper.pid, 9)
    sleeper.wait()
