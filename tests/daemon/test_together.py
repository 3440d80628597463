"""Small writes that come together are one commit, which others wait for."""

from __future__ import annotations

import asyncio

from rmsd_daemon.callers.audit import Entry, Refusals
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.domain.errors import NotStored
from rmsd_daemon.domain.together import Together


async def test_refusals_of_many_users_are_never_more_than_one_commit_at_a_time() -> None:
    """Each refusal had its own commit: with a slow disk, the submits of others waited for 140 of
    them."""
    began, gate, under_way, most = asyncio.Event(), asyncio.Event(), 0, 0
    sizes: list[int] = []

    async def record(said: list[Entry]) -> None:
        nonlocal under_way, most
        sizes.append(len(said))
        under_way += 1
        most = max(most, under_way)
        began.set()
        await gate.wait()
        under_way -= 1

    refusals = Refusals(record)
    callers = [Caller(f"user{number}", Role.USER, "") for number in range(100)]

    def refuse(caller: Caller) -> asyncio.Task[None]:
        return asyncio.create_task(refusals(caller, "", "GET /v1/jobs/1", "no"))

    first = refuse(callers[0])
    await began.wait()
    others = [refuse(caller) for caller in callers[1:]]
    await asyncio.sleep(0)
    others[0].cancel()  # the client is gone; the entry is committed nevertheless
    gate.set()
    await asyncio.gather(first, *others[1:])
    assert (most, sizes) == (1, [1, 99])


async def test_a_failure_is_told_to_all_whose_commit_it_was_and_to_nobody_else() -> None:
    done: list[list[int]] = []
    began = asyncio.Event()

    async def commit(items: list[int]) -> None:
        began.set()
        await asyncio.sleep(0)
        if 2 in items:
            raise NotStored("full")
        done.append(items)

    together = Together(commit)
    first = asyncio.create_task(together.put(1))
    await began.wait()
    failing = [asyncio.create_task(together.put(item)) for item in (2, 3)]
    results = await asyncio.gather(first, *failing, return_exceptions=True)
    assert results[0] is None
    assert [type(one) for one in results[1:]] == [NotStored, NotStored]
    await together.put(4)
    assert done == [[1], [4]]
