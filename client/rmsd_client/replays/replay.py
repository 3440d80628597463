"""The replay driver: jobs with known run times go through the public API, each at its time.

Open loop: the daemon's treatment of a job does not change when the next one comes. In a closed loop
a job may follow another one: it comes when its user, after a think time, would submit it. The jobs
run on emulated nodes, as timers or as real processes, and last their run time of *model* time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import islice
from typing import Any, NamedTuple

from rmsd_client.api import Client
from rmsd_client.errors import ClientError
from rmsd_core.vocabulary import TERMINAL_STATES
from rmsd_process.model_clock import ModelClock

_LEAD_S = 0.3  # real seconds between the first submit and the call, to have everything ready
_GAP_S = 0.05  # real seconds without a submit in which there is time to look for jobs that are over
_LOOK_EVERY_S = (
    5.0  # a look takes the daemon some milliseconds, which are seconds of the jobs' time
)
_FOLLOW_GAP_S, _FOLLOW_EVERY_S = 0.01, 0.02  # the same in a closed loop
_PAUSES = 9  # the driver's pause after a look, as a multiple of the look's duration
_LOOK_AT_ONCE = 200  # jobs; their numbers must fit into a request line
_OVER = ",".join(sorted(TERMINAL_STATES))
BATCH = 500  # jobs in one request, when that many arrive at one instant


class ReplayJob(NamedTuple):
    """A job to submit. `submit_s` is on the caller's own time line. It does not matter if the job
    `follows` an earlier one (its position; -1: none): the job is then submitted `think_s` after the
    end of that one. The rest as in `SubmitSpec`.
    """

    submit_s: int
    run_s: int
    size: int
    estimate_s: int
    user: str
    follows: int = -1
    think_s: int = 0


class Replayed(NamedTuple):
    """The result of one job; microseconds on the caller's time line. `lost_us` is how long its
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
    """The results of the jobs, in their order, None if not known.

    broken: why the replay ended before all jobs were over; "": it did not. restarts: how often the
    daemon was away, and came back as another process.
    """

    jobs: list[Replayed | None]
    broken: str
    restarts: int


def _clock(status: dict[str, Any]) -> ModelClock:
    told = status["clock"]
    return ModelClock(told["rate"], told["model_us"], told["monotonic_ns"], told["boot_id"])


def replay(
    client: Client,
    jobs: Sequence[ReplayJob],
    *,
    execute: str = "timer",
    limited: bool = False,
    progress: Callable[[int], None],
) -> Replay:
    """Submit `jobs` (in order of `submit_s`, the first follows none) and wait until all are over.

    `execute`: "timer" or "process". `limited`: jobs are killed at their estimate. `progress` is
    called with the number of jobs submitted plus the number seen to be over.

    The replay waits for a daemon that is away as long as the client does (`retry_for_s`). The model
    clock stands still meanwhile, so the replay goes on where it was. If the daemon stays away, or
    fails, the results so far are returned.

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
        self._due: list[tuple[int, int]] = []  # a heap: (due, position), on the caller's time line
        self._due_us = [0] * len(jobs)
        self._followers: dict[int, list[int]] = {}
        self._open: dict[int, int] = {}  # job id -> position in `jobs`, in order of submit
        self._over: list[Replayed | None] = [None] * len(jobs)
        self._restarts = 0
        self._status = client.status()
        self._connections = client.connections
        self._clock = _clock(self._status)
        lead_us = round(_LEAD_S * 1e6 * self._clock.rate)
        self._origin_us = round(self._clock.now_us()) + lead_us - jobs[0].submit_s * 1_000_000
        for at, job in enumerate(jobs):
            if job.follows < 0:
                self._becomes_due(at, job.submit_s * 1_000_000)
            else:
                self._followers.setdefault(job.follows, []).append(at)
        closed = bool(self._followers)
        self._look_every_s = _FOLLOW_EVERY_S if closed else _LOOK_EVERY_S
        self._gap_s = _FOLLOW_GAP_S if closed else _GAP_S
        self._look_at_s = time.monotonic() + self._look_every_s

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
        while self._submitted < len(self._jobs):
            self._sleep()
            batch = [heappop(self._due)[1]]
            while self._left_s() <= 0 and len(batch) < BATCH:
                batch.append(heappop(self._due)[1])
            self._submit(batch)

    def _submit(self, batch: Sequence[int]) -> None:
        specs = [spec_of(self._jobs[at], self._execute, self._limited) for at in batch]
        for at, submitted in zip(batch, self._client.submit(specs), strict=True):
            self._open[submitted["job_id"]] = at
        self._submitted += len(batch)
        self._progress(self._done)
        self._follow_clock()

    def _await_all(self) -> None:
        for job_id in list(self._open):
            self._note(self._client.wait(job_id))
            self._follow_clock()

    def _sleep(self) -> None:
        """Sleep until the next job is due. Meanwhile look for jobs that are over, if there is time.
        In a closed loop always look, since followers of these jobs may be due earlier."""
        while (left_s := self._left_s()) > 0:
            if left_s > self._gap_s and time.monotonic() >= self._look_at_s:
                self._look()
            else:
                time.sleep(min(left_s, self._look_every_s))

    def _left_s(self) -> float:
        """Return the real seconds until the next job is due, as far as that is known."""
        if not self._due:
            return math.inf
        return self._clock.real_s_until(self._origin_us + self._due[0][0])

    def _becomes_due(self, at: int, due_us: int) -> None:
        self._due_us[at] = due_us
        heappush(self._due, (due_us, at))

    def _look(self) -> None:
        """Look for jobs that are over. Their ends stay known if the daemon fails later. A restart
        of the daemon is noticed before a job is submitted by a clock that stood still."""
        begun_s = time.monotonic()
        if self._followers:
            looked_at = [job_id for job_id, at in self._open.items() if at in self._followers]
        else:
            looked_at = list(islice(self._open, _LOOK_AT_ONCE))
        for some in _batches(looked_at):
            for view in self._client.jobs(ids=some, states=_OVER):
                self._note(view)
        now_s = time.monotonic()
        self._look_at_s = now_s + max(self._look_every_s, _PAUSES * (now_s - begun_s))
        self._follow_clock()

    def _note(self, view: dict[str, Any]) -> None:
        at = self._open.pop(view["job_id"])
        over = replayed_from(view, self._due_us[at], self._origin_us)
        self._over[at] = over
        for follower in self._followers.get(at, ()):
            think_us = max(0, self._jobs[follower].think_s) * 1_000_000
            self._becomes_due(follower, over.end_us + think_us)
        self._progress(self._done)

    @property
    def _done(self) -> int:
        return 2 * self._submitted - len(self._open)

    def _follow_clock(self) -> None:
        """Read the clock again after an outage.

        Raises:
            ClientError: the daemon is set up in another way now.
        """
        while self._connections != self._client.connections:
            self._connections = self._client.connections
            status = self._client.status()
            for key, value in setting_in(status).items():
                if value != setting_in(self._status)[key]:
                    raise ClientError(f"the daemon came back with another {key}: {value}")
            self._restarts += status["pid"] != self._status["pid"]
            self._status = status
            self._clock = _clock(status)


def setting_in(status: dict[str, Any]) -> dict[str, Any]:
    """Return the settings on which a replay's figures depend."""
    return {"recipe": status["recipe"], "rate": status["clock"]["rate"]}


def _batches(ids: list[int]) -> Iterator[list[int]]:
    return (ids[at : at + _LOOK_AT_ONCE] for at in range(0, len(ids), _LOOK_AT_ONCE))


def spec_of(job: ReplayJob, execute: str, limited: bool) -> dict[str, Any]:
    return {
        "name": "replay",
        "user": job.user,
        "tasks": job.size,
        "time_limit_s": job.estimate_s,
        "emulate": {"run_s": job.run_s, "exec": execute, "limited": limited},
    }


def replayed_from(view: dict[str, Any], due_us: int, origin_us: int) -> Replayed:
    never = view["start_us"] is None  # the job was cancelled while it waited
    return Replayed(
        view["job_id"],
        view["state"],
        due_us,
        view["submit_us"] - origin_us,
        view["end_us" if never else "start_us"] - origin_us,
        view["end_us"] - origin_us,
        view["backfilled"],
        view["corrections"],
        view["attempt"],
        round(view["lost_s"] * 1_000_000),
    )
