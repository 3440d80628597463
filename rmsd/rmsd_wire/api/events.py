"""The data of the events that `GET /v1/events` sends."""

from __future__ import annotations

import msgspec


class ChangedJob(msgspec.Struct, frozen=True):
    """A job that has changed, and its state now."""

    job_id: int
    state: str


class JobsChanged(msgspec.Struct, frozen=True):
    """The data of an event `jobs`: the jobs that have changed since the event before. The data of
    an event `anew` is an empty object: more has changed than is told, so read everything again."""

    jobs: list[ChangedJob]


class NodesChanged(msgspec.Struct, frozen=True):
    """The data of an event `nodes`: the names of the nodes that have changed since the event
    before, other than by jobs. Some of them may be gone."""

    nodes: list[str]
