"""The reading of the planner's memory. A damaged row is left out: it ends no pass of a scheduler
that goes on with the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

import msgspec
import structlog
from sqlalchemy import Connection, Select, select

from rmsd_core.model_time import NEVER_US
from rmsd_core.planning.planner_memory import PlannerMemory, UserUsage, VirtualJob
from rmsd_daemon.store.tables import PLANNED, USED, USED_IN, VIRTUAL
from rmsd_wire.malformed import MALFORMED

log = structlog.get_logger()

_Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e18)]
_Us = Annotated[int, msgspec.Meta(ge=0, le=NEVER_US)]
_Maybe = int | None
_Planned = tuple[int, int]
_Used = tuple[str, _Seconds, _Us]
_UsedIn = tuple[str, str, _Seconds, _Us]
_Virtual = tuple[int, int, int, int, int, _Maybe, _Maybe, _Maybe]

_PLANNED = select(PLANNED.c.job_id, PLANNED.c.planned_us).order_by(PLANNED.c.job_id)
_USED = select(USED.c.user, USED.c.processor_s, USED.c.at_us).order_by(USED.c.user)
_USED_IN = select(USED_IN).order_by(USED_IN.c.account, USED_IN.c.user)
_VIRTUAL = select(VIRTUAL).order_by(VIRTUAL.c.job_id)


def memory_of(connection: Connection, stored: str | None) -> PlannerMemory:
    """Return the planner's memory: what `meta` has `stored` of it, the planned starts, the usage
    of users and accounts, and the virtual jobs."""
    try:
        memory = msgspec.json.decode(stored or "{}", type=PlannerMemory)
    except MALFORMED as error:
        log.error("planner-damaged", error=str(error))
        memory = PlannerMemory()
    used_in: defaultdict[str, dict[str, UserUsage]] = defaultdict(dict)
    for account, user, *usage in _sound(connection, _USED_IN, _UsedIn):
        used_in[account][user] = UserUsage(*usage)
    return replace(
        memory,
        planned_us=dict(_sound(connection, _PLANNED, _Planned)),
        used={user: UserUsage(*usage) for user, *usage in _sound(connection, _USED, _Used)},
        used_in=dict(used_in),
        virtual={
            job_id: VirtualJob(*job) for job_id, *job in _sound(connection, _VIRTUAL, _Virtual)
        },
    )


def _sound(connection: Connection, query: Select[Any], kind: Any) -> Iterator[Any]:
    """Yield the rows that are of a kind, and report how many are not."""
    damaged, first = 0, ""
    for row in connection.execute(query):
        try:
            yield msgspec.convert(tuple(row), kind)
        except MALFORMED as error:
            damaged, first = damaged + 1, first or str(error)
    if damaged:
        log.error("planner-damaged", error=f"{damaged} rows are left out, the first: {first}")
