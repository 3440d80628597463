"""The jobs that end, told by the daemon's events, and their roads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from itertools import islice
from typing import Any

from rmsd_cli.spans.road import JobSpan, is_over, road
from rmsd_client.api import Client
from rmsd_client.errors import ApiError
from rmsd_client.events import Events
from rmsd_core.vocabulary import TERMINAL_STATES

Json = dict[str, Any]
Roads = Mapping[str, Sequence[JobSpan]]

_AT_A_TIME = 200
"""The jobs whose roads are sent together."""


class EndFollower:
    """Sends the roads of the jobs that end. After a break, or once more has changed than the events
    tell, it looks for those that ended meanwhile.

    send: takes the roads of some jobs, by the names of their traces. since_us: the model time from
    which on the jobs that have ended are sent, if they end before the first event.
    """

    def __init__(self, send: Callable[[Roads], None], since_us: int) -> None:
        self._send = send
        self._latest_us = since_us

    def follow(self, events: Events, client: Client) -> None:
        """Follow the events until their stream ends. Raises ClientError."""
        self._catch_up(client)
        for event in events:
            if event.states is None:
                self._catch_up(client)
            else:
                self._tell(client, [n for n, state in event.states.items() if _is_end(state)])

    def _catch_up(self, client: Client) -> None:
        """Send the jobs that have ended since the latest one that was sent."""
        states = ",".join(TERMINAL_STATES)
        for page in client.job_pages(states=states, ended_since_us=self._latest_us):
            self._tell(client, [job["job_id"] for job in page])

    def _tell(self, client: Client, job_ids: Iterable[int]) -> None:
        for some in _portions(job_ids):
            jobs = [job for job in client.jobs(ids=some, states="all") if is_over(job)]
            if not jobs:
                continue
            steps = _by_job(client.steps([job["job_id"] for job in jobs])[0])
            self._send({_trace(job): self._road(client, job, steps) for job in jobs})
            self._latest_us = max(self._latest_us, *(job["end_us"] for job in jobs))

    @staticmethod
    def _road(client: Client, job: Json, steps: Mapping[int, list[Json]]) -> list[JobSpan]:
        try:
            attempts = client.attempts(job["job_id"]) if job["attempt"] else []
        except ApiError as error:
            if error.status != HTTPStatus.NOT_FOUND:
                raise
            attempts = []  # the job has just been deleted, since it is old
        return road(job, attempts, steps.get(job["job_id"], []))


def _is_end(state: str) -> bool:
    return state in TERMINAL_STATES


def _trace(job: Json) -> str:
    """Return the name of a job's trace: no other job of any cluster is likely to have it."""
    return f"rmsd {job['job_id']} {job['submit_us']} {job['user']}"


def _by_job(steps: Iterable[Json]) -> dict[int, list[Json]]:
    found: dict[int, list[Json]] = {}
    for step in steps:
        found.setdefault(step["job_id"], []).append(step)
    return found


def _portions(job_ids: Iterable[int]) -> Iterator[list[int]]:
    rest = iter(job_ids)
    while some := list(islice(rest, _AT_A_TIME)):
        yield some
