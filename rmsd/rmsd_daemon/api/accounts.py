"""The HTTP API that tells accounts, QOS and shares."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from aiohttp import web

from rmsd_core.jobs.job import Job
from rmsd_daemon.callers.auth import Role
from rmsd_daemon.domain.accounts import AccountRules, JobGroup
from rmsd_daemon.domain.turns import Turn
from rmsd_daemon.front.access import caller_of
from rmsd_daemon.front.answers import answer, turn_of
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.accounts import InUse, accounts_reply

_AT_ONCE = 1000
"""The groups of jobs, or the jobs, that are counted before other callers have their turn (some 5
ms)."""
_One = TypeVar("_One")


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
        live = list(self._scheduler.live_groups().items())
        holders = self._scheduler.core.holders()
        in_use = await count_in_use(self._rules, wanted, live, holders, turn_of(request))
        async with turn_of(request):
            reply = accounts_reply(
                self._rules,
                self._scheduler.core,
                in_use,
                self._scheduler.clock.now_us(),
                wanted,
                is_operator=is_operator,
            )
        return answer(reply)


async def count_in_use(
    rules: AccountRules, user: str | None, live: Sequence[tuple[JobGroup, int]],
    holders: Sequence[Job], turn: Turn,
) -> InUse:  # fmt: skip
    """Count the jobs that there are, by group, and those that hold processors, in the caller's
    turns. Raises Malformed if too many users have some."""
    in_use = InUse(rules, user)
    await _add_in_parts(in_use.add_live, live, turn)
    await _add_in_parts(in_use.add_holders, holders, turn)
    return in_use


async def _add_in_parts(
    add: Callable[[Sequence[_One]], None], all_of_them: Sequence[_One], turn: Turn
) -> None:
    for at in range(0, len(all_of_them), _AT_ONCE):
        async with turn:
            began_s = time.monotonic()
            add(all_of_them[at : at + _AT_ONCE])
            turn.worked(time.monotonic() - began_s)
