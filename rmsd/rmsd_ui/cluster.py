"""The page of the cluster: its nodes, jobs, partitions and reservations in few numbers, and what
was used of it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import CODES
from rmsd_ui.daemon import DaemonSocket, RefusedError
from rmsd_ui.nodes import nodes_of
from rmsd_ui.shared import Shared

_HOUR_S, _DAY_S, _WEEK_S = 3600, 86400, 7 * 86400
GROUPS = ("user", "account", "partition")
_MOST_ROWS = 10
_KEPT_S = 10.0
"""The time for which usage is shown again: the daemon sums it up from all runs of a week."""
_MOST_RESERVATIONS = 50
HEAT = ("none", "to 25%", "to 50%", "to 75%", "to 99%", "all")
"""The columns of the table of nodes: how many of a node's processors are in use."""


class NodesOf(NamedTuple):
    """The nodes in one state. `heat`: how many of them have each of HEAT."""

    state: str
    nodes: int
    cores: int
    cores_used: int
    heat: list[int]


class UsageShare(NamedTuple):
    """The usage of a user, an account or a partition. Shares are of all processors."""

    name: str
    day_h: float
    day_share: float
    week_h: float
    week_share: float
    jobs: int


class UsageTable(NamedTuple):
    """The usage by user or account. `left_out`: the number of rows with less usage, which are not
    shown."""

    by: str
    rows: list[UsageShare]
    left_out: int


def nodes_by_state(nodes: Iterable[Mapping[str, Any]]) -> list[NodesOf]:
    """Return the nodes in few numbers, the state of the most nodes first."""
    of_state: dict[str, list[Mapping[str, Any]]] = {}
    for node in nodes:
        of_state.setdefault(node["state"], []).append(node)
    found = []
    for state, those in of_state.items():
        heat = Counter(heat_of(node["cores_used"], node["cores"]) for node in those)
        cores = sum(node["cores"] for node in those)
        used = sum(node["cores_used"] for node in those)
        counts = [heat[at] for at in range(len(HEAT))]
        found.append(NodesOf(state, len(those), cores, used, counts))
    return sorted(found, key=lambda one: (-one.nodes, one.state))


def heat_of(used: int, cores: int) -> int:
    """Return the position in HEAT of a node that has `used` of its processors in use."""
    if used <= 0:
        return 0
    if used >= cores:
        return 5
    return min(4, 1 + (4 * used - 1) // cores)


def usage_table(by: str, day: Mapping[str, Any], week: Mapping[str, Any]) -> UsageTable:
    """Return what was used in a day and a week, the largest of the week first."""
    of_day = {row[by]: row for row in day["usage"]}
    rows = [
        UsageShare(
            row[by] or "-",
            _hours(of_day.get(row[by])),
            _share(of_day.get(row[by]), day["capacity_s"]),
            _hours(row),
            _share(row, week["capacity_s"]),
            row["jobs"],
        )
        for row in week["usage"]
    ]
    rows.sort(key=lambda row: (-row.week_h, row.name))
    return UsageTable(by, rows[:_MOST_ROWS], max(0, len(rows) - _MOST_ROWS))


def _hours(row: Mapping[str, Any] | None) -> float:
    return row["processor_s"] / _HOUR_S if row else 0.0


def _share(row: Mapping[str, Any] | None, capacity_s: float) -> float:
    return row["processor_s"] / capacity_s if row and capacity_s else 0.0


class ClusterSource:
    """Asks the daemon what the page of the cluster shows."""

    def __init__(self, daemon: DaemonSocket, shared: Shared) -> None:
        self._daemon = daemon
        self._shared = shared
        self._usage: list[UsageTable] = []
        self._usage_until_s = 0.0

    async def values(self, status: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the page.

        Raises:
            RefusedError: the daemon refuses, or does not answer.
        """
        nodes, partitions, reservations, (usage, refused) = await asyncio.gather(
            nodes_of(self._daemon, self._shared),
            self._daemon.get("/v1/partitions"),
            self._daemon.get("/v1/reservations"),
            self._used(status["clock"]["model_us"]),
        )
        reserved = reservations["reservations"]
        return {
            "jobs": [(CODES.get(state, ""), state, n) for state, n in status["jobs"].items() if n],
            "states": nodes_by_state(nodes),
            "heat": HEAT,
            "partitions": partitions["partitions"],
            "usage": usage,
            "usage_refused": refused,
            "reservations": reserved[:_MOST_RESERVATIONS],
            "reservations_left_out": max(0, len(reserved) - _MOST_RESERVATIONS),
        }

    async def _used(self, now_us: int) -> tuple[list[UsageTable], str]:
        """Return what was used, or why the daemon does not tell: usage has too many rows."""
        if time.monotonic() < self._usage_until_s:
            return self._usage, ""
        try:
            self._usage = [await self._used_by(by, now_us) for by in GROUPS]
        except RefusedError as error:
            if error.status == 503:
                raise
            return [], str(error)
        self._usage_until_s = time.monotonic() + _KEPT_S
        return self._usage, ""

    async def _used_by(self, by: str, now_us: int) -> UsageTable:
        day, week = [
            await self._daemon.get(
                "/v1/usage", {"by": by, "since_us": str(max(0, now_us - ago_s * SECOND_US))}
            )
            for ago_s in (_DAY_S, _WEEK_S)
        ]
        return usage_table(by, day, week)
