"""A cancel of many jobs is done in parts, which are stored one after the other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from rmsd_core.jobs.phase import Waiting
from rmsd_core.vocabulary import JobState
from rmsd_daemon.api import cancel_parts, cancels
from rmsd_daemon.api.cancels import Cancels
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.callers.growth import Growth
from rmsd_daemon.domain.errors import Unauthenticated
from rmsd_daemon.domain.submission import Rules, new_job
from rmsd_daemon.loop.mailbox import Register
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.store.store import Store
from rmsd_wire.api.submission import ConditionsSpec, EmulateSpec, SubmitSpec
from tests.daemon.requests import Request
from tests.daemon.rows import NODE
from tests.daemon.scheduling import NoLinks, scheduling

_RULES = Rules("counted", None, 1 << 20, "/")
_MOST = 3


class _Queue:
    """A scheduler with jobs of ann's, on a machine of some processors. parts: the number of cancels
    in each part."""

    def __init__(self, scheduler: Scheduler, history: JobHistory) -> None:
        self.scheduler = scheduler
        self.history = history
        self.parts: list[int] = []
        self.between: Callable[[], None] = lambda: None
        self._cancels = Cancels(scheduler, Growth(), history, lambda *_: cast("Any", None))
        carry_out = scheduler.carry_out

        async def counted(*inputs: Any, audit_entries: Any) -> bool:
            self.parts.append(len(inputs))
            done = await carry_out(*inputs, audit_entries=audit_entries)
            self.between()
            return done

        scheduler.carry_out = counted  # type: ignore[method-assign]

    async def submit(self, count: int = 1, user: str = "ann", **fields: Any) -> list[int]:
        spec = SubmitSpec(emulate=EmulateSpec(run_s=1e6), **fields)
        now_us = self.scheduler.clock.now_us()
        jobs = [new_job(spec, user, now_us, _RULES) for _ in range(count)]
        return await self.scheduler.submit(jobs, None, "", 1 << 20)

    async def cancel(
        self, *names: str, ids: list[int] | None = None, still: Callable[[], None] | None = None
    ) -> None:
        request = Request(Caller("ann", Role.USER, ""), jobs=list(names), job_ids=ids or [])
        if still is not None:
            request["still"] = lambda _: still()
        await self._cancels.cancel_all(cast("Any", request))

    async def found(self, ids: list[int]) -> list[tuple[JobState, int]]:
        """Return the state of each job, and how often it was started."""
        jobs = [(await self.history.find(job_id))[0] for job_id in ids]
        return [(job.state, job.attempt) for job in jobs]

    async def audited(self) -> list[str]:
        numbers, _ = await self.history.audit_page(0, None, None, 1000)
        return [one.subject async for one in self.history.audit(numbers) if one.action == "cancel"]


@asynccontextmanager
async def _queue(folder: Path, processors: int) -> AsyncIterator[_Queue]:
    async with scheduling(Store(folder / "rmsd.db"), "counted") as scheduler:
        history = JobHistory(scheduler)
        queue = _Queue(scheduler, history)
        scheduler.put(Register(NoLinks(), [{**NODE, "agent_id": "a", "cores": processors}], [], []))
        await scheduler.carry_out(audit_entries=[])
        queue.parts.clear()
        yield queue
        history.close()


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cancel_parts, "MOST_AT_ONCE", _MOST)


async def test_many_jobs_are_cancelled_in_parts_and_none_starts_on_what_another_leaves(
    tmp_path: Path,
) -> None:
    """All of 10,000 were one batch, in which nobody else was answered."""
    async with _queue(tmp_path, 2) as queue:
        runs = await queue.submit(2)
        waits = await queue.submit(7)
        [held] = await queue.submit(conditions=ConditionsSpec(hold=True))
        ids = [waits[3], *runs, held, *waits[:3], *waits[4:]]
        await queue.cancel(ids=ids)
        assert max(queue.parts) <= _MOST
        assert len(queue.parts) == 4
        assert all(state is JobState.CANCELLED for state, _ in await queue.found([*waits, held]))
        assert all(attempt == 0 for _, attempt in await queue.found([*waits, held]))
        assert sorted(await queue.audited()) == sorted(f"job {one} of ann" for one in ids)


async def test_others_have_their_turns_while_it_is_found_which_jobs_to_cancel_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """10,000 jobs were put in order in one piece, in 0.1 s and more."""
    monkeypatch.setattr(cancel_parts, "LOOKED_AT", 1)
    async with _queue(tmp_path, 2) as queue:
        ids = await queue.submit(20)
        turns = 0
        cancel = asyncio.create_task(queue.cancel(ids=ids))
        while not queue.parts:
            turns += 1
            await asyncio.sleep(0)
        assert turns >= len(ids)
        await cancel


async def test_others_have_their_turns_before_and_after_the_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 10,000 jobs it was found in one piece which go on, in 0.15 s, and that none is left, in
    0.07 s."""
    for module in (cancel_parts, cancels):
        monkeypatch.setattr(module, "LOOKED_AT", 1)
    async with _queue(tmp_path, 2) as queue:
        ids = await queue.submit(20)
        cancel = asyncio.create_task(queue.cancel(ids=ids))
        turns, first_part, last_part = 0, 0, 0
        while not cancel.done():
            turns += 1
            first_part = first_part or (turns if queue.parts else 0)
            last_part = turns if len(queue.parts) < 7 else last_part
            await asyncio.sleep(0)
        assert first_part >= 4 * len(ids)
        assert turns - last_part >= len(ids) // _MOST


async def test_another_caller_is_served_between_two_parts(tmp_path: Path) -> None:
    async with _queue(tmp_path, 1) as queue:
        ids = await queue.submit(20)
        served: list[asyncio.Task[list[int]]] = []
        stored_at: list[int] = []

        def submit_of_bob() -> None:
            if not served:
                bobs = asyncio.create_task(queue.submit(user="bob"))
                bobs.add_done_callback(lambda _: stored_at.append(len(queue.parts)))
                served.append(bobs)

        queue.between = submit_of_bob
        await queue.cancel(ids=ids)
        assert stored_at
        assert stored_at[0] < len(queue.parts)


async def test_a_token_that_is_revoked_between_two_parts_cancels_nothing_more(
    tmp_path: Path,
) -> None:
    async with _queue(tmp_path, 1) as queue:
        [runs, *waits] = await queue.submit(8)

        def still() -> None:
            if len(queue.parts) > 1:
                raise Unauthenticated("the token is revoked")

        with pytest.raises(Unauthenticated):
            await queue.cancel(ids=[runs, *waits], still=still)
        over = [state is JobState.CANCELLED for state, _ in await queue.found([runs, *waits])]
        assert over == [False] * 2 + [True] * 6
        assert len(await queue.audited()) == 6
        await queue.cancel(ids=[runs, *waits])
        assert len(await queue.audited()) == 8


@pytest.mark.parametrize("named", ["{}", "{}_[0-29]"])
async def test_running_tasks_of_an_array_are_cancelled_in_parts(tmp_path: Path, named: str) -> None:
    """40,000 tasks that ran were one batch."""
    async with _queue(tmp_path, 20) as queue:
        [array_id] = await queue.submit(array="0-29")
        [other] = await queue.submit(tasks=20)
        core = queue.scheduler.core
        tasks = core.jobs[array_id].array
        assert tasks is not None
        running = [one.id for one in tasks.tasks.values() if not isinstance(one.phase, Waiting)]
        assert len(running) == 20
        await queue.cancel(named.format(array_id))
        # First what waits, which starts on nothing then.
        assert len(queue.parts) > 20 // _MOST
        assert max(queue.parts) <= _MOST
        states = [core.jobs[one].state for one in running]
        assert states == [JobState.COMPLETING] * 20
        assert sorted(tasks.tasks) == list(range(20))
        assert core.jobs[other].attempt == 0
        assert len(await queue.audited()) == 1
        queue.parts.clear()
        await queue.cancel(named.format(array_id))
        assert len(await queue.audited()) == 1
