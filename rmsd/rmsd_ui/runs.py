"""The runs that the Gantt chart of the dashboard shows: bounded questions to the daemon."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

from rmsd_client.console.cli import plural
from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import STARTED_STATES, TERMINAL_STATES
from rmsd_lab_cli.pictures.observed import Observed, View
from rmsd_lab_cli.pictures.reserved import present_as_changes, reserved_times
from rmsd_ui.daemon import DaemonSocket, RefusedError
from rmsd_ui.nodes import nodes_of
from rmsd_ui.shared import Shared

MOST_RUNNING, MOST_OVER, MOST_PLANNED, MOST_AGAIN = 2000, 2000, 500, 100
"""The most jobs of a chart: that run, that are over, that are planned, and whose earlier attempts
are asked for."""
_IN_QUESTION = 250
"""The most numbers of jobs in one question, whose line must not be too long."""
_AT_ONCE = 8
_ONLY_PRESENT = (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
_COUNTED = "counted"
_Started = tuple[int, int, str]
"""A job, the number of its latest attempt, and its state."""


class Runs(NamedTuple):
    """The runs of a time. `left_out`: sentences that say what is not among them."""

    observed: Observed
    until_us: int
    left_out: list[str]


class RunsSource:
    """Asks the daemon for runs. Attempts that were asked for before are remembered as long as
    their job is shown: a page that follows what changes would ask for them twice a second."""

    def __init__(self, daemon: DaemonSocket, shared: Shared) -> None:
        self._daemon = daemon
        self._shared = shared
        self._remembered: dict[_Started, Sequence[View]] = {}

    async def runs_of(self, status: Mapping[str, Any], past_s: float, ahead_s: float) -> Runs:
        """Return the runs between `past_s` before the daemon's present and `ahead_s` behind it.

        Raises:
            RefusedError: the daemon refuses, or does not answer.
        """
        daemon = self._daemon
        now_us = status["clock"]["model_us"]
        since_us = max(0, now_us - round(past_s * SECOND_US))
        until_us = now_us + round(ahead_s * SECOND_US)
        left_out: list[str] = []
        nodes, changes, plan, running, over = await asyncio.gather(
            nodes_of(daemon, self._shared),
            _reservation_changes(daemon, since_us, left_out),
            daemon.get("/v1/plan", {"limit": str(MOST_PLANNED), "until_us": str(until_us)}),
            newest(daemon, STARTED_STATES, MOST_RUNNING),
            newest(daemon, TERMINAL_STATES, MOST_OVER, ended_since_us=str(since_us)),
        )
        for found, most, what in ((running, MOST_RUNNING, "run"), (over, MOST_OVER, "ended")):
            if found["before"] is not None:
                left_out.append(f"More than {most:,} jobs {what}: the newest of them are shown.")
        starts = _planned(plan, left_out)
        listed = {start["job_id"] for start in starts}
        views = [*over["jobs"], *running["jobs"]]
        known = {view["job_id"] for view in views}
        views += await _jobs(daemon, sorted(listed - known))
        reserved = reserved_times(changes, since_us, until_us)
        if (shown := len(reserved.views)) < reserved.total:
            left_out.append(
                f"Of {reserved.total:,} advance reservations the latest {shown:,} are shown."
            )
        observed = Observed(
            "",
            status["recipe"],
            status["capacity"] == _COUNTED,
            now_us,
            {node["name"]: node["cores"] for node in nodes},
            views,
            await self._attempts(views, left_out),
            starts,
            reserved.views,
        )
        return Runs(observed, until_us, left_out)

    async def _attempts(
        self, views: Sequence[View], left_out: list[str]
    ) -> dict[int, Sequence[View]]:
        """Return the attempts of the newest jobs that were started again, or wait for that."""
        again = sorted(
            (view["job_id"], view["attempt"], view["state"])
            for view in views
            if view["attempt"] > 1 or (view["attempt"] and view["start_us"] is None)
        )
        if len(again) > MOST_AGAIN:
            left_out.append(
                f"Of {len(again):,} jobs that were started again, the earlier attempts of the "
                f"newest {MOST_AGAIN} are shown."
            )
        turns = asyncio.Semaphore(_AT_ONCE)

        async def asked(started: _Started) -> tuple[_Started, Sequence[View]]:
            if (remembered := self._remembered.get(started)) is not None:
                return started, remembered
            async with turns:
                told = await self._daemon.get(f"/v1/jobs/{started[0]}/attempts")
                return started, told["attempts"]

        found = dict(await asyncio.gather(*map(asked, again[max(0, len(again) - MOST_AGAIN) :])))
        self._remembered = found
        return {job_id: attempts for (job_id, _, _), attempts in found.items()}


async def _reservation_changes(
    daemon: DaemonSocket, since_us: int, left_out: list[str]
) -> Sequence[View]:
    """Return what the daemon tells of reservations since a time: of an older daemon, and where
    there were too many, those that are not over."""
    try:
        told = await daemon.get("/v1/reservation-changes", {"since_us": str(since_us)})
    except RefusedError as error:
        if error.status not in _ONLY_PRESENT:
            raise
        left_out.append("Advance reservations that are over are not shown.")
        present = await daemon.get("/v1/reservations")
        return present_as_changes(present["reservations"])
    changes: list[View] = told["changes"]
    return changes


async def newest(
    daemon: DaemonSocket, states: frozenset[str], most: int, **query: str
) -> dict[str, Any]:
    """Return the newest jobs that are in one of the states."""
    wanted = {"states": ",".join(sorted(states)), "limit": str(most), **query}
    return await daemon.get("/v1/jobs", wanted)


def _planned(plan: Mapping[str, Any], left_out: list[str]) -> list[View]:
    """Return the expected starts, and add what is left out of them."""
    starts: list[View] = plan["starts"]
    if plan["more"]:
        total = len(starts) + plan["more"]
        left_out.append(f"Of {total:,} expected starts the first {len(starts):,} are shown.")
    if plan["later"]:
        later = plural(plan["later"], "job")
        left_out.append(f"{later} are expected to start after the shown time.")
    if plan["left_out"]:
        left_out.append(f"{plural(plan['left_out'], 'waiting job')} without an expected start.")
    return starts


async def _jobs(daemon: DaemonSocket, ids: Sequence[int]) -> list[View]:
    """Return the jobs of these numbers."""
    views: list[View] = []
    for at in range(0, len(ids), _IN_QUESTION):
        numbers = ",".join(map(str, ids[at : at + _IN_QUESTION]))
        told = await daemon.get("/v1/jobs", {"ids": numbers, "states": "all"})
        views += told["jobs"]
    return views
