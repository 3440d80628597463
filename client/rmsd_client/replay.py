"""The replay driver: jobs with known run times go through the public API, each at its time.

Open loop: what the daemon does with a job does not change when the next one comes. The jobs run on
emulated nodes, as timers or as real processes, and last their run time of *model* time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from rmsd_client.api import Client

_LEAD_S = 0.3  # real seconds between the first submit and the call, to have everything ready
_BATCH = 500  # jobs in one request, when that many arrive at one instant


class ReplayJob(NamedTuple):
    """A job to submit. `submit_s` is on the caller's own time line, the rest as in `SubmitSpec`."""

    submit_s: int
    run_s: int
    size: int
    estimate_s: int
    user: str


class Replayed(NamedTuple):
    """What became of one job; microseconds on the caller's time line. `lost_us` is how long its
    killed trials ran."""

    job_id: int
    state: str
    due_us: int
    submit_us: int
    start_us: int
    end_us: int
    backfilled: bool
    corrections: int
    attempts: int
    lost_us: int


class ModelClock:
    """The daemon's model clock, as its status describes it.

    On the daemon's machine it is read from the clock that both share; elsewhere the arrival of the
    status stands for the instant at which it was made.
    """

    def __init__(self, clock: dict[str, Any]) -> None:
        self.rate: float = clock["rate"]
        self._model_us: int = clock["model_us"]
        shared = clock["boot_id"] == _boot_id()
        self._monotonic_ns: int = clock["monotonic_ns"] if shared else time.monotonic_ns()

    def now_us(self) -> int:
        elapsed_ns = time.monotonic_ns() - self._monotonic_ns
        return self._model_us + round(elapsed_ns * self.rate / 1000)

    def sleep_until(self, instant_us: int) -> None:
        while (left_us := instant_us - self.now_us()) > 0:
            time.sleep(left_us / self.rate / 1e6)


def _boot_id() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def replay(
    client: Client,
    jobs: Sequence[ReplayJob],
    *,
    execute: str = "timer",
    limited: bool = False,
    progress: Callable[[int], None],
) -> list[Replayed]:
    """Submit `jobs` (in order of `submit_s`) and wait until all are over.

    `execute`: "timer" or "process". `limited`: jobs are killed at their estimate. `progress` is
    told the number of jobs submitted plus the number seen to be over.

    Raises:
        ApiError, Unreachable: as the client does. Jobs submitted so far stay with the daemon.
    """
    clock = ModelClock(client.status()["clock"])
    origin_us = clock.now_us() + round(_LEAD_S * 1e6 * clock.rate) - jobs[0].submit_s * 1_000_000
    ids: list[int] = []
    for submit_s, due in groupby(jobs, key=lambda job: job.submit_s):
        clock.sleep_until(origin_us + submit_s * 1_000_000)
        for batch in _batches(list(due)):
            specs = [_spec(job, execute, limited) for job in batch]
            ids.extend(submitted["job_id"] for submitted in client.submit(specs))
            progress(len(ids))
    replayed = []
    for job_id, job in zip(ids, jobs, strict=True):
        replayed.append(_replayed(client.wait(job_id), job, origin_us))
        progress(len(ids) + len(replayed))
    return replayed


def _batches(jobs: list[ReplayJob]) -> Iterator[list[ReplayJob]]:
    return (jobs[at : at + _BATCH] for at in range(0, len(jobs), _BATCH))


def _spec(job: ReplayJob, execute: str, limited: bool) -> dict[str, Any]:
    return {
        "name": "replay",
        "user": job.user,
        "tasks": job.size,
        "time_limit_s": job.estimate_s,
        "emulate": {"run_s": job.run_s, "exec": execute, "limited": limited},
    }


def _replayed(view: dict[str, Any], job: ReplayJob, origin_us: int) -> Replayed:
    return Replayed(
        view["job_id"],
        view["state"],
        job.submit_s * 1_000_000,
        view["submit_us"] - origin_us,
        view["start_us"] - origin_us,
        view["end_us"] - origin_us,
        view["backfilled"],
        view["corrections"],
        view["attempt"],
        round(view["lost_s"] * 1_000_000),
    )
