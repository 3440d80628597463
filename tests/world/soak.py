"""Many seeds, each in a process of its own; what failed, and a record of the run."""

from __future__ import annotations

import os
import platform
import time
import zlib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from rmsd_agent.machine.inventory import real_node
from rmsd_cli.progress import Progress
from tests.recorded import commit
from tests.world.story import Result, tell, tell_apart, warm_up

_KEEP_EVERY = 200
_TO_A_CHILD = 25


@dataclass(slots=True)
class Record:
    """The record of the seeds from `first_seed` on. `run_s` leaves out the time between runs, where
    one was resumed; `cpu_s` is the sum over the stories. Everything else but `machine` is the same
    for the same seeds and commit; `digest` is of what all stories logged."""

    schema: str
    commit: str
    machine: dict[str, Any]
    first_seed: int
    seeds: int = 0
    failed: list[int] = field(default_factory=list)
    digest: int = 0
    began: str = ""
    ended: str = ""
    run_s: float = 0.0
    cpu_s: float = 0.0
    steps: int = 0
    jobs: int = 0
    kills: int = 0
    attempts: dict[str, int] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)

    def add(self, result: Result) -> None:
        self.seeds += 1
        self.digest = zlib.crc32(str(result.digest).encode(), self.digest)
        self.steps += result.steps
        self.cpu_s = round(self.cpu_s + result.cpu_s, 3)
        self.jobs += result.jobs
        self.kills += result.kills
        _add_up(self.attempts, result.attempts)
        _add_up(self.faults, result.faults)
        if result.failure:
            self.failed.append(result.seed)

    def text(self) -> str:
        return msgspec.json.format(msgspec.json.encode(self)).decode() + "\n"


def _add_up(total: dict[str, int], more: dict[str, int]) -> None:
    for kind, count in more.items():
        total[kind] = total.get(kind, 0) + count


class CannotResume(Exception):
    """The record is not of such a run; the message says why."""


def run_one(seed: int, bug: str | None, script: str | None = None) -> int:
    """Run one seed here, or a script, and show its log."""
    result = tell(seed, bug, shown=True, script=script)
    print(msgspec.json.encode(result).decode(), flush=True)
    os._exit(1 if result.failure else 0)  # dead tasks must not be finalized


def soak(seeds: range, bug: str | None, path: Path | None, *, resume: bool) -> int:
    """Run them all on all processors; 1 if one failed. With `bug`, only until one fails.

    Raises:
        CannotResume: the record at `path` is not of these seeds, or of another commit.
    """
    record = Record("rmsd.soak/1", commit(), _machine(), seeds.start, began=_now())
    if resume and path is not None and path.exists():
        record = _resumed(path, record)
    begun_s = time.monotonic() - record.run_s

    def keep() -> None:
        record.ended, record.run_s = _now(), round(time.monotonic() - begun_s, 1)
        if path is not None:
            path.write_text(record.text())

    left = range(seeds.start + record.seeds, seeds.stop)
    many = 1 if bug is not None else _TO_A_CHILD  # an injected bug stays in the process
    blocks = [left[at : at + many] for at in range(0, len(left), many)]
    with ProcessPoolExecutor(initializer=warm_up) as pool, Progress("stories", len(left)) as bar:
        told = chain.from_iterable(pool.map(partial(tell_apart, bug=bug), blocks))
        for done, result in enumerate(told, 1):
            record.add(result)
            bar.update(done)
            if result.failure:
                again = _again(result.seed, bug)
                print(f"seed {result.seed}: {result.failure}\nagain: {again}", flush=True)
                if bug is not None:
                    pool.shutdown(cancel_futures=True)
                    break  # the bug is found
            if record.seeds % _KEEP_EVERY == 0:
                keep()
    keep()
    print(record.text(), end="")
    return 1 if record.failed else 0


def _resumed(path: Path, new: Record) -> Record:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Record)
    except msgspec.MsgspecError as error:
        raise CannotResume(f"{path} is not the record of a soak: {error}") from error
    if (found.commit, found.first_seed) != (new.commit, new.first_seed):
        raise CannotResume(
            f"{path} is of commit {found.commit} from seed {found.first_seed} on, this is "
            f"{new.commit} from {new.first_seed} on; start anew without --resume"
        )
    return found


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _again(seed: int, bug: str | None) -> str:
    return f"python -m tests.world --seed {seed}" + (f" --bug {bug}" if bug else "")


def _machine() -> dict[str, Any]:
    node = real_node("")
    return {
        "cpu": node.cpu_model,
        "cpus": node.cores,
        "os": node.os,
        "python": platform.python_version(),
    }
