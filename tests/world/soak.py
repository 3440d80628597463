"""Many seeds, each forked; what failed, and a record of the run."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
import traceback
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from tests.world.bugs import BUGS
from tests.world.loop import PROCESS
from tests.world.scenario import Scenario

_UNEXPECTED = {"pass-failed", "request-failed", "send-failed", "hello-repeated", "frame-malformed"}


@dataclass(slots=True)
class Result:
    seed: int
    failure: str = ""
    steps: int = 0
    jobs: int = 0
    kills: int = 0


class _Log:
    """What the processes log. `unexpected` are the events that no fault explains."""

    def __init__(self, scenario: Scenario, shown: bool) -> None:
        self._scenario, self._shown = scenario, shown
        self.unexpected: list[str] = []

    def __call__(self, _: Any, method: str, event: dict[str, Any]) -> Any:
        if event["event"] in _UNEXPECTED:
            self.unexpected.append(f"{event} {traceback.format_exc()}")
        if self._shown:
            print(f"{self._scenario.loop.time():10.4f} {PROCESS.get()} {method} {event}")
        raise structlog.DropEvent


def run_one(seed: int, bug: str | None, *, shown: bool = True) -> int:
    """Run one seed here, in a process that is good for nothing else afterwards."""
    result = _run(seed, bug, shown)
    print(json.dumps(asdict(result)), flush=True)
    sys.stdout.flush()
    os._exit(1 if result.failure else 0)  # dead tasks must not be finalized


def _run(seed: int, bug: str | None, shown: bool) -> Result:
    result = Result(seed)
    with tempfile.TemporaryDirectory(prefix="w", dir=_fast_dir()) as root:
        if bug is not None:
            BUGS[bug]()
        scenario = Scenario(seed, Path(root))
        log = _Log(scenario, shown)
        structlog.configure(processors=[log], cache_logger_on_first_use=False)
        problems: list[str] = []
        scenario.loop.set_exception_handler(lambda _, context: problems.append(repr(context)))
        logging.disable(logging.CRITICAL)
        try:
            scenario.run()
        except BaseException:
            problems.append(traceback.format_exc(limit=-6))
        result.failure = "\n".join([*log.unexpected, *problems])[-3000:]
        result.steps = scenario.loop.steps
        result.jobs = len(scenario.invariants.acknowledged)
        result.kills = scenario.cluster.kills
    return result


def _fast_dir() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _fork(seed: int, bug: str | None) -> Result:
    """Run a seed in a child."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            data = json.dumps(asdict(_run(seed, bug, shown=False))).encode()
        except BaseException:
            data = json.dumps(asdict(Result(seed, traceback.format_exc()))).encode()
        os.write(writing, data[:60_000])
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    os.waitpid(pid, 0)
    return Result(**json.loads(data)) if data else Result(seed, "the process died")


def soak(seeds: range, bug: str | None, record: str | None) -> int:
    """Run them all on all processors; 1 if one failed."""
    began = datetime.now(UTC)
    total = Result(-1)
    failed: list[Result] = []
    with ProcessPoolExecutor() as pool:
        for done, result in enumerate(pool.map(partial(_fork, bug=bug), seeds), 1):
            total.steps += result.steps
            total.jobs += result.jobs
            total.kills += result.kills
            if result.failure:
                failed.append(result)
                print(f"seed {result.seed}: {result.failure}\nagain: {_again(result.seed, bug)}")
            if result.failure and bug is not None:
                pool.shutdown(wait=False, cancel_futures=True)
                break  # it is found
            if sys.stderr.isatty():
                print(f"\r{done} of {len(seeds)}, {len(failed)} failed", end="", file=sys.stderr)
    summary = {
        "schema": "rmsd.soak/1",
        "commit": _commit(),
        "first_seed": seeds.start,
        "seeds": len(seeds),
        "failed": [result.seed for result in failed],
        "began": began.isoformat(timespec="seconds"),
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        "steps": total.steps,
        "jobs": total.jobs,
        "kills": total.kills,
    }
    print(json.dumps(summary, indent=2))
    if record:
        Path(record).write_text(json.dumps(summary, indent=2) + "\n")
    return 1 if failed else 0


def _again(seed: int, bug: str | None) -> str:
    return f"python -m tests.world --seed {seed}" + (f" --bug {bug}" if bug else "")


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    return told.stdout.strip() or "unknown"
