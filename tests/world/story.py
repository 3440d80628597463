"""One story, in a process that is good for nothing but stories afterwards."""

from __future__ import annotations

import gc
import logging
import os
import tempfile
import time
import traceback
import zlib
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import structlog

from rmsd_core.lifecycle import eligibility
from rmsd_core.planning import limits
from rmsd_daemon.api import cancel_parts
from rmsd_daemon.loop import retention
from tests.world.bugs import BUGS
from tests.world.cluster import remember_what_is_the_same
from tests.world.loop import PROCESS
from tests.world.scenario import Scenario
from tests.world.strangers import LIAR

_UNEXPECTED = {
    "pass-failed",
    "request-failed",
    "launch-failed",
    "nodes-repeated",
    "message-unreadable",
}
_MOST_SETTLED = 2
"""The conditions that a call of the core settles in stories, whose jobs are few."""
_MOST_CANCELLED = 2
"""The jobs of a part of a cancel in stories."""
_MOST_JOINING = 2
"""The kinds and sizes of jobs that join the queue with a call of the core in stories."""
_LOOK_EVERY_S = 3.0
"""The shortest pause between looks for what is too old: most of a story is a time without news."""
_kept: list[Scenario] = []  # the dead tasks of these scenarios must not be finalized


@dataclass(slots=True)
class Result:
    """`digest` is of all that was logged, and when. `attempts` are counted by how they ended."""

    seed: int
    failure: str = ""
    digest: int = 0
    cpu_s: float = 0.0
    steps: int = 0
    jobs: int = 0
    kills: int = 0
    attempts: dict[str, int] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)


class _Log:
    """The log of the processes. `unexpected` are the events that no fault explains."""

    def __init__(self, scenario: Scenario, shown: bool) -> None:
        self._scenario, self._shown = scenario, shown
        self.unexpected: list[str] = []
        self.digest = 0

    def __call__(self, _: Any, method: str, event: MutableMapping[str, Any]) -> Any:
        name = event["event"]
        if name in _UNEXPECTED and event.get("agent_id") != LIAR:
            self.unexpected.append(f"{event} {traceback.format_exc()}")
        if name in ("node-dead", "node-gone"):
            self._scenario.invariants.node_lost(event["node"])
        now_s, process = self._scenario.loop.time(), PROCESS.get()
        self.digest = zlib.crc32(f"{now_s} {process} {name}".encode(), self.digest)
        if self._shown:
            print(f"{now_s:10.4f} {process} {method} {event}")
        raise structlog.DropEvent


def warm_up() -> None:
    """Tell one story, so that what every story needs is imported, compiled and remembered once.

    Garbage is not collected from then on: a story is short, and its dead tasks must not be
    finalized.
    """
    remember_what_is_the_same()
    tell(0, None)
    gc.collect()
    gc.freeze()
    gc.disable()


def tell(seed: int, bug: str | None, *, shown: bool = False, script: str | None = None) -> Result:
    """Run one seed here, or a script."""
    result = Result(seed)
    begun_s = time.process_time()
    with tempfile.TemporaryDirectory(prefix="w", dir=_fast_dir()) as root:
        eligibility.MOST_SETTLED = _MOST_SETTLED
        cancel_parts.MOST_AT_ONCE = _MOST_CANCELLED
        retention.SHORTEST_S = _LOOK_EVERY_S
        limits.MOST_JOINING = _MOST_JOINING
        if bug is not None:
            BUGS[bug]()
        scenario = Scenario(seed, Path(root), script)
        _kept.append(scenario)
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
        result.digest = log.digest
        result.cpu_s = time.process_time() - begun_s
        result.steps = scenario.loop.steps
        result.jobs = len(scenario.invariants.acknowledged)
        result.kills = scenario.cluster.kills
        result.attempts = scenario.invariants.attempts
        result.faults = dict(scenario.trouble.faults) | {"send-a-copy": scenario.people.doubled}
        for stranger in (scenario.liar, scenario.hostile):
            if stranger is not None:
                result.faults |= stranger.done
    return result


def tell_apart(seeds: Sequence[int], bug: str | None, script: str | None = None) -> list[Result]:
    """Run the seeds in a child, which begins as this process is; after one that dies, in another.

    Several to a child: a story costs less than the pages of memory that every child copies.
    """
    results: list[Result] = []
    while len(results) < len(seeds):
        results += _in_a_child(seeds[len(results) :], bug, script)
    return results


def _in_a_child(seeds: Sequence[int], bug: str | None, script: str | None) -> list[Result]:
    """Run seeds up to the first one at which the child died."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        with os.fdopen(writing, "wb") as pipe:
            for seed in seeds:
                pipe.write(msgspec.json.encode(_told(seed, bug, script)) + b"\n")
                pipe.flush()
        os._exit(0)  # dead tasks must not be finalized
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        results = [msgspec.json.decode(line, type=Result) for line in pipe]
    os.waitpid(pid, 0)
    if len(results) < len(seeds):
        results.append(Result(seeds[len(results)], "the process died"))
    return results


def _told(seed: int, bug: str | None, script: str | None) -> Result:
    try:
        return tell(seed, bug, script=script)
    except BaseException:
        return Result(seed, traceback.format_exc())


def _fast_dir() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
