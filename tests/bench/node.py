"""The cost on a node of starting a job as its user, of many running jobs, and of measuring them."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import psutil

import rmsd_agent.shepherd
from rmsd_agent.guarding import guard
from rmsd_agent.guarding.guard import Guarded
from rmsd_agent.guarding.measuring import Measurements
from rmsd_wire.link import LaunchedReport
from tests.agent.rig import Rig
from tests.bench.measure import Figures, percentile
from tests.waiting import wait_until

_STARTS = 300
_USER = "nobody"
_JOBS = 200
_RUNNING = 256
_LOOKS = 10

_SHEPHERD = """
import json, os, sys, time
sys.path.insert(0, sys.argv[1])
from standalone import spawning
order = {"unit": "1.1.n1/batch", "argv": ["/bin/true"], "env": {}, "cwd": "/",
         "stdout": "/dev/null", "stderr": "", "keep_as": "", "user": sys.argv[2] or None,
         "allow_root": False, "own_output": False, "script": False, "max_output_bytes": 0,
         "killed_after_s": None, "kill_grace_s": 0.0, "warn": None, "cgroup": None,
         "cgroup_home": None}
took_s = []
for _ in range(int(sys.argv[3])):
    begun = time.perf_counter()
    started = spawning.spawn(json.dumps(order).encode(), sys.argv[4], "", [os.getpid(), 0])
    took_s.append(time.perf_counter() - begun)
    os.waitpid(started.unit.pid, 0)
    os.unlink(started.unit.directory + "/running.json")
print(json.dumps(took_s))
"""


def bench() -> Figures:
    """Measure a shepherd that starts /bin/true, as itself and (of root) as a user, an agent with
    many running jobs, and a guard that looks at sleepers."""
    figures = {}
    for user, whose in (("", "its own account"), (_USER, "a user")):
        if not user or os.geteuid() == 0:
            took_s = _starts_s(user)
            figures[f"a shepherd's start of a process as {whose}, median / 95th"] = (
                f"{1e3 * median(took_s):.2f} / {1e3 * percentile(took_s, 95):.2f} ms"
            )
    figures |= _running_jobs()
    figures[f"a look at {_JOBS} jobs of two processes with a memory limit"] = _look()
    return figures


def _starts_s(user: str) -> list[float]:
    folder = str(Path(rmsd_agent.shepherd.__file__).parent)
    with tempfile.TemporaryDirectory(prefix="rmsd-") as jobs:
        Path(jobs, "1.1.n1/batch").mkdir(parents=True)
        command = [sys.executable, "-I", "-S", "-c", _SHEPHERD, folder, user, str(_STARTS), jobs]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    took_s: list[float] = json.loads(done.stdout)
    return took_s


def _running_jobs() -> Figures:
    """Launch many jobs at once on an agent without anything to do, and measure the memory of its
    processes (PSS: what is shared counts once) when all of them run."""
    rig = Rig()
    try:
        rig.start()
        begun_s = time.monotonic()
        for job_id in range(1, _RUNNING + 1):
            rig.launch(job_id, "exec sleep 600", time_limit_s=600.0)
        wait_until(lambda: len({one.job_id for one in rig.peer.all(LaunchedReport)}) == _RUNNING)
        took_s = time.monotonic() - begun_s
        assert rig.agent is not None
        agent_mib = _pss_mib(psutil.Process(rig.agent.pid))
        nursery_mib = sum(map(_pss_mib, rig.nurseries()))
        each_mib = [_pss_mib(shepherd) for shepherd in rig.shepherds()]
    finally:
        rig.close()
    return {
        f"{_RUNNING} jobs launched at once, until all run": f"{took_s:.1f} s",
        f"memory of an agent with {_RUNNING} running jobs, all its processes (target: 400 MiB)": (
            f"{agent_mib + nursery_mib + sum(each_mib):.0f} MiB "
            f"(agent {agent_mib:.0f}, nursery {nursery_mib:.1f}, "
            f"each of {len(each_mib)} shepherds {median(each_mib):.2f})"
        ),
    }


def _pss_mib(process: psutil.Process) -> float:
    for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    raise AssertionError("the kernel tells no PSS")


def _look() -> str:
    """Return the processor time of one look."""
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
