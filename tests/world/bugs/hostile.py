"""Bugs by which a hostile user may do more than a user may."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rmsd_daemon.callers.auth import Caller
from rmsd_daemon.callers.tokens import Tokens
from rmsd_daemon.domain import texts
from rmsd_daemon.domain.rates import Rates
from rmsd_daemon.domain.shares import Shares
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.filters import Filter
from rmsd_daemon.store.idempotency import IdempotencyKeys


def _show_all_to_all() -> None:
    """Let every user see and end all jobs."""
    Caller.sees = lambda *_: True


def _list_all_to_all() -> None:
    """Put the jobs of others into a list of jobs."""
    Filter.seen_by = lambda self, _: self


def _count_no_jobs() -> None:
    """Let a user have any number of jobs."""
    Shares.take = lambda *_: None


def _count_no_requests() -> None:
    """Let a user send any number of requests."""
    Rates.wait_s = lambda *_: 0.0


def _let_dead_tokens_in() -> None:
    """Let a token hold, whether it is revoked, expired or not."""
    Tokens.state = lambda *_: "valid"


def _forget_bodies() -> None:
    """Take a repeated key for the first request, whatever this one says."""
    repeated = IdempotencyKeys.repeated

    async def whatever(self: IdempotencyKeys, key: str, _: str) -> list[int] | None:
        known = self._find(key)
        return await repeated(self, key, known.digest if known else "")

    IdempotencyKeys.repeated = whatever


def _share_keys() -> None:
    """Let all users share one set of keys."""
    submit = Scheduler.submit

    async def shared(self: Scheduler, jobs: Any, key: str | None, *rest: Any) -> list[int]:
        return await submit(self, jobs, key and key.partition(":")[2], *rest)

    Scheduler.submit = shared


def _take_any_text() -> None:
    """Texts of a submit may be as long as one likes, and hold anything."""
    texts.check_texts = lambda _: None


BUGS: dict[str, Callable[[], None]] = {
    "show-all-to-all": _show_all_to_all,
    "list-all-to-all": _list_all_to_all,
    "count-no-jobs": _count_no_jobs,
    "count-no-requests": _count_no_requests,
    "let-dead-tokens-in": _let_dead_tokens_in,
    "forget-bodies": _forget_bodies,
    "share-keys": _share_keys,
    "take-any-text": _take_any_text,
}
