"""The driver of a paced replay: jobs go through the public API to a daemon whose clock waits for
everybody (`rmsd start --rate paced`).

Every submit says when its jobs arrive. The daemon's clock goes on to that instant when all that
happens before it is done, and does not go on before the driver has said when the next jobs come.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rmsd_client.api import Client
from rmsd_client.calls.calls import ApiCalls, query_of
from rmsd_client.connection.http import idempotency_key
from rmsd_client.errors import ClientError
from rmsd_client.replays.replay import (
    Replay,
    Replayed,
    ReplayJob,
    replayed_from,
    setting_in,
    spec_of,
)

_HELD_S = 3600.0  # the longest way of the clock from one submit to the next, in real seconds
_LOOK_S = 1.0  # real seconds between two looks at how many jobs are over
_MOST = 1000  # jobs in one request


def replay_paced(
    client: Client, jobs: Sequence[ReplayJob], *, limited: bool, progress: Callable[[int], None]
) -> Replay:
    """Submit `jobs` (in order of `submit_s`; none follows another) and return what becomes of them.

    `limited`: jobs are killed at their estimate. `progress` is called with the number of jobs
    submitted plus the number known to be over. A daemon that is away is waited for as long as the
    client does (`retry_for_s`), and goes on where it was.

    Raises:
        ClientError: as the client does; or some jobs can never start.
    """
    return _PacedDriver(client, jobs, limited=limited, progress=progress).run()


class _PacedDriver:
    def __init__(
        self,
        client: Client,
        jobs: Sequence[ReplayJob],
        *,
        limited: bool,
        progress: Callable[[int], None],
    ) -> None:
        self._client = client
        self._calls = ApiCalls(client.connection)
        self._jobs = jobs
        self._limited = limited
        self._progress = progress
        self._status = client.status()
        self._connections = client.connections
        self._restarts = 0
        self._ids: list[int] = []
        self._look_at_s = time.monotonic() + _LOOK_S
        # On a clock that has not begun, the times of the trace are the daemon's.
        now_us, first_us = self._status["clock"]["model_us"], jobs[0].submit_s * 1_000_000
        self._origin_us = max(0, now_us - first_us)

    def run(self) -> Replay:
        for submit_s, arriving in groupby(self._jobs, key=lambda job: job.submit_s):
            for some in _portions(list(arriving)):
                self._submit(self._origin_us + submit_s * 1_000_000, some)
        self._run_out()
        return Replay(self._results(), "", self._restarts)

    def _submit(self, at_us: int, jobs: Sequence[ReplayJob]) -> None:
        specs = [spec_of(job, "timer", self._limited) for job in jobs]
        headers = {"Idempotency-Key": idempotency_key()}
        body = {"jobs": specs, "at_us": at_us}
        reply = self._calls.ask("SubmitReply", "POST", "/v1/jobs", body, headers, _HELD_S)
        self._ids += [submitted["job_id"] for submitted in reply["jobs"]]
        self._note_restart()
        if time.monotonic() >= self._look_at_s:
            counts: Mapping[str, int] = self._client.status()["jobs"]
            self._tell_progress(sum(counts.values()))
            self._look_at_s = time.monotonic() + _LOOK_S

    def _run_out(self) -> None:
        """Have the clock go on until nothing is left to happen.

        Raises:
            ClientError: jobs wait then.
        """
        target = f"/v1/run-out{query_of(wait_s=_LOOK_S)}"
        while True:
            reply = self._calls.ask("RunOutReply", "POST", target, wait_s=_LOOK_S)
            self._note_restart()
            self._tell_progress(reply["live"])
            if reply["over"]:
                break
        if live := reply["live"]:
            raise ClientError(f"nothing runs, and {live:,} jobs wait that the daemon cannot start")

    def _tell_progress(self, live: int) -> None:
        self._progress(2 * len(self._ids) - min(live, len(self._ids)))

    def _results(self) -> list[Replayed | None]:
        due_us = {
            job_id: job.submit_s * 1_000_000
            for job_id, job in zip(self._ids, self._jobs, strict=True)
        }
        over: dict[int, Replayed] = {}
        for page in self._client.job_pages(states="all"):
            for view in page:
                if (job_id := view["job_id"]) in due_us:
                    over[job_id] = replayed_from(view, due_us[job_id], self._origin_us)
            if len(over) == len(due_us):
                break
        return [over.get(job_id) for job_id in self._ids]

    def _note_restart(self) -> None:
        """Look, after a new connection, whether another process answers now.

        Raises:
            ClientError: the daemon is set up in another way now.
        """
        while self._connections != self._client.connections:
            self._connections = self._client.connections
            status: dict[str, Any] = self._client.status()
            if setting_in(status) != setting_in(self._status):
                raise ClientError("the daemon came back with another recipe or clock")
            self._restarts += status["pid"] != self._status["pid"]
            self._status = status


def _portions(jobs: list[ReplayJob]) -> Iterator[list[ReplayJob]]:
    return (jobs[at : at + _MOST] for at in range(0, len(jobs), _MOST))
