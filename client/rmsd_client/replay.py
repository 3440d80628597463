"""The replay driver: jobs with known run times go through the public API, each at its time.

Open loop: what the daemon does with a job does not change when the next one comes. The jobs run on
emulated nodes, as timers or as real processes, and last their run time of *model* time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any, NamedTuple

from rmsd_client.api import Client
from rmsd_client.errors import ClientError
from rmsd_core.vocabulary import TERMINAL_STATES

_LEAD_S = 0.3  # real seconds between the first submit and the call, to have everything ready
_GAP_S = 0.05  # real seconds without a submit in which there is time to look for jobs that are over
_LOOK_EVERY_S = 1.0
_LOOK_AT_ONCE = 200  # jobs
_OVER = ",".join(sorted(TERMINAL_STATES))
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


class Replay(NamedTuple):
    """What became of the jobs, in their order, None where that is not known.

    broken: why the replay ended before they were all over; "": it did not. restarts: how often the
    daemon was away, and came back as another process.
    """

    jobs: list[Replayed | None]
    broken: str
    restarts: int


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

    def real_s_until(self, instant_us: int) -> float:
        """Real seconds; below zero when it is past."""
        return (instant_us - self.now_us()) / self.rate / 1e6


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
) -> Replay:
    """Submit `jobs` (in order of `submit_s`) and wait until all are over.

    `execute`: "timer" or "process". `limited`: jobs are killed at their estimate. `progress` is
    told the number of jobs submitted plus the number seen to be over.

    A daemon that is away is waited for as long as the client does (`retry_for_s`). Its model clock
    stands still meanwhile, so the replay goes on where it was. If it stays away, or fails, what is
    known by then is returned.

    Raises:
        ClientError: as the client does, when no job is over yet.
    """
    return _Driver(client, jobs, execute, limited, progress).run()


class _Driver:
    def __init__(
        self,
        client: Client,
        jobs: Sequence[ReplayJob],
        execute: str,
        limited: bool,
        progress: Callable[[int], None],
    ) -> None:
        self._client = client
        self._jobs = jobs
        self._execute = execute
        self._limited = limited
        self._progress = progress
        self._submitted = 0
        self._open: dict[int, int] = {}  # job id -> position in `jobs`, in order of submit
        self._over: list[Replayed | None] = [None] * len(jobs)
        self._restarts = 0
        self._status = client.status()
        self._connections = client.connections
        self._clock = ModelClock(self._status["clock"])
        lead_us = round(_LEAD_S * 1e6 * self._clock.rate)
        self._origin_us = self._clock.now_us() + lead_us - jobs[0].submit_s * 1_000_000
        self._look_at_s = time.monotonic() + _LOOK_EVERY_S

    def run(self) -> Replay:
        broken = ""
        try:
            self._submit_all()
            self._await_all()
        except ClientError as error:
            if not any(self._over):
                raise
            broken = str(error)
        return Replay(self._over, broken, self._restarts)

    def _submit_all(self) -> None:
        for submit_s, due in groupby(self._jobs, key=lambda job: job.submit_s):
            self._sleep_until(self._origin_us + submit_s * 1_000_000)
            for batch in _batches(list(due)):
                self._submit(batch)

    def _submit(self, batch: Sequence[ReplayJob]) -> None:
        specs = [_spec(job, self._execute, self._limited) for job in batch]
        for submitted in self._client.submit(specs):
            self._open[submitted["job_id"]] = self._submitted
            self._submitted += 1
        self._progress(self._done)
        self._follow_clock()

    def _await_all(self) -> None:
        for job_id in list(self._open):
            self._note(self._client.wait(job_id))
            self._follow_clock()

    def _sleep_until(self, instant_us: int) -> None:
        """Looks for jobs that are over where there is time for it, which there need not be."""
        while (left_s := self._clock.real_s_until(instant_us)) > 0:
            if left_s > _GAP_S and time.monotonic() >= self._look_at_s:
                self._look()
            else:
                time.sleep(min(left_s, _LOOK_EVERY_S))

    def _look(self) -> None:
        """What is seen to be over is known whatever becomes of the daemon; and so is a restart,
        before a job is submitted by a clock that stood still."""
        oldest = list(islice(self._open, _LOOK_AT_ONCE))
        for view in self._client.jobs(ids=oldest, states=_OVER) if oldest else ():
            self._note(view)
        self._look_at_s = time.monotonic() + _LOOK_EVERY_S
        self._follow_clock()

    def _note(self, view: dict[str, Any]) -> None:
        at = self._open.pop(view["job_id"])
        self._over[at] = _replayed(view, self._jobs[at], self._origin_us)
        self._progress(self._done)

    @property
    def _done(self) -> int:
        return 2 * self._submitted - len(self._open)

    def _follow_clock(self) -> None:
        """Read the clock again after an outage.

        Raises:
            ClientError: what is there now is set up in another way.
        """
        while self._connections != self._client.connections:
            self._connections = self._client.connections
            status = self._client.status()
            for key, value in _setting(status).items():
                if value != _setting(self._status)[key]:
                    raise ClientError(f"the daemon came back with another {key}: {value}")
            self._restarts += status["pid"] != self._status["pid"]
            self._status = status
            self._clock = ModelClock(status["clock"])


def _setting(status: dict[str, Any]) -> dict[str, Any]:
    """What a replay's figures depend on."""
    return {"recipe": status["recipe"], "rate": status["clock"]["rate"]}


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
