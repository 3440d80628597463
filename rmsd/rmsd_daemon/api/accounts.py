"""The HTTP API that tells accounts, QOS and shares."""

from __future__ import annotations

from typing import ClassVar

from aiohttp import web

from rmsd_daemon.callers.auth import Role
from rmsd_daemon.domain.accounts import AccountRules
from rmsd_daemon.domain.errors import Malformed
from rmsd_daemon.front.access import caller_of
from rmsd_daemon.front.answers import answer, turn_of
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.accounts import accounts_reply
from rmsd_wire.api.accounts import MOST_ROWS


class AccountsApi:
    """The handler of accounts."""

    OPERATIONS: ClassVar[tuple[str, ...]] = ("accounts",)

    def __init__(self, scheduler: Scheduler, rules: AccountRules) -> None:
        self._scheduler = scheduler
        self._rules = rules

    async def accounts(self, request: web.Request) -> web.Response:
        """Tell all accounts and QOS, and the jobs and the shares of the caller. An operator may ask
        for those of another user, or of all."""
        await self._scheduler.sound()
        query, caller = request.query, caller_of(request)
        is_operator = caller.role.covers(Role.OPERATOR)
        wanted: str | None = query.get("user", caller.user) if is_operator else caller.user
        if is_operator and query.get("all") == "true":
            wanted = None
        async with turn_of(request):
            reply = accounts_reply(
                self._rules,
                self._scheduler.core,
                self._scheduler.live_groups(),
                self._scheduler.clock.now_us(),
                wanted,
                is_operator=is_operator,
            )
        if max(len(reply.associations), len(reply.shares)) > MOST_ROWS:
            raise Malformed(
                f"more than {MOST_ROWS} users have jobs or shares: ask for one 'user' at a time"
            )
        return answer(reply)
