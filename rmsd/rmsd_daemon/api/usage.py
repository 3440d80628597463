"""The HTTP API that tells what jobs have used."""

from __future__ import annotations

from typing import ClassVar

from aiohttp import web

from rmsd_core.model_time import SECOND_US
from rmsd_daemon.callers.auth import Role
from rmsd_daemon.domain.errors import Malformed
from rmsd_daemon.front.access import caller_of
from rmsd_daemon.front.answers import answer, turn_of
from rmsd_daemon.front.parameters import parse_number
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.store.usage import UsageAsked
from rmsd_wire.api.usage import GROUPS, MOST_ROWS, UsageReply


class UsageApi:
    """The handler of usage."""

    OPERATIONS: ClassVar[tuple[str, ...]] = ("usage",)

    def __init__(self, scheduler: Scheduler, history: JobHistory) -> None:
        self._scheduler = scheduler
        self._history = history

    async def usage(self, request: web.Request) -> web.Response:
        """Tell users what they have used, operators what all have used, or one user."""
        asked = self._asked(request)
        async with turn_of(request):
            usage = await self._history.usage(asked, lambda: request.transport is None)
        if len(usage) > MOST_ROWS:
            raise Malformed(
                f"the usage has more than {MOST_ROWS} rows: ask for a shorter time, or group 'by' "
                "less"
            )
        cores = sum(node.cores for node in self._scheduler.core.nodes.values())
        capacity_s = cores * (asked.until_us - asked.since_us) / SECOND_US
        return answer(
            UsageReply(
                since_us=asked.since_us,
                until_us=asked.until_us,
                capacity_s=capacity_s,
                usage=usage,
            )
        )

    def _asked(self, request: web.Request) -> UsageAsked:
        """Return what is asked for. The end is now at the latest."""
        query, caller = request.query, caller_of(request)
        now_us = self._scheduler.clock.now_us()
        since_us = parse_number("since_us", query.get("since_us", "0"))
        until_us = min(now_us, parse_number("until_us", query.get("until_us", str(now_us))))
        by = {word for word in query.get("by", "user").split(",") if word}
        if unknown := sorted(by.difference(GROUPS)):
            raise Malformed(f"'by' has '{unknown[0]}'; usage is told by {', '.join(GROUPS)}")
        user = query.get("user")
        if not caller.role.covers(Role.OPERATOR):
            user = caller.user
        return UsageAsked(min(since_us, until_us), until_us, user, by)
