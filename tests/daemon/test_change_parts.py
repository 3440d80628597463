"""Holds, releases and restarts of large arrays are done in parts, which are stored one after the
other."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from rmsd_core.jobs.array import Array, id_of
from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.inputs import Hold
from rmsd_core.vocabulary import HeldBy, JobState
from rmsd_daemon.api import job_changes
from rmsd_daemon.api.job_changes import JobChanges
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.callers.growth import Growth
from rmsd_daemon.domain.errors import Unauthenticated
from rmsd_daemon.domain.submission import Rules, new_job
from rmsd_daemon.loop.mailbox import Register
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.store.store import Store
from rmsd_wire.api.submission import EmulateSpec, SubmitSpec
from tests.daemon.requests import Request
from tests.daemon.rows import NODE
from tests.daemon.scheduling import NoLinks, scheduling

_RULES = Rules("counted", None, 1 << 20, "/")
_MOST, _COUNT = 3, 20


class _Changes:
    """A scheduler with an array of ann's, all of whose tasks are jobs. parts: the number of inputs
    in each part of a change."""

    def __init__(self, scheduler: Scheduler, history: JobHistory) -> None:
        self.scheduler = scheduler
        self.parts: list[int] = []
        self.array_id = 0
        self._history = history
        self._changes = JobChanges(
            scheduler,
            _RULES,
            Growth(),
            history,
            lambda *_: cast("Any", None),
            lambda _: Role.USER,
            _COUNT,
        )

    @property
    def tasks(self) -> dict[int, Job]:
        array = self.scheduler.core.jobs[self.array_id].array
        assert isinstance(array, Array)
        return array.tasks

    async def submit(self) -> None:
        spec = SubmitSpec(emulate=EmulateSpec(run_s=1e6), array=f"0-{_COUNT - 1}")
        jobs = [new_job(spec, "ann", self.scheduler.clock.now_us(), _RULES)]
        [self.array_id] = await self.scheduler.submit(jobs, None, "", 1 << 20)
        ids = [id_of(self.array_id, rank) for rank in range(_COUNT)]
        await self.scheduler.carry_out(*(Hold(one, HeldBy.USER) for one in ids), audit_entries=[])
        assert len(self.tasks) == _COUNT
        carry_out = self.scheduler.carry_out

        async def counted(*inputs: Any, audit_entries: Any) -> bool:
            self.parts.append(len(inputs))
            return await carry_out(*inputs, audit_entries=audit_entries)

        self.scheduler.carry_out = counted  # type: ignore[method-assign]

    async def ask(self, action: str, still: Callable[[], None] = lambda: None) -> None:
        request = Request(Caller("ann", Role.USER, ""), action=action)
        request["still"] = lambda _: still()
        asked = cast("Any", request)
        asked.match_info = {"id": str(self.array_id)}
        self.parts.clear()
        await self._changes.job_action(asked)

    async def audited(self, action: str) -> int:
        numbers, _ = await self._history.audit_page(0, None, None, 1000)
        entries = [one async for one in self._history.audit(numbers)]
        return sum(one.action == action for one in entries)


@asynccontextmanager
async def _changes(folder: Path, processors: int) -> AsyncIterator[_Changes]:
    async with scheduling(Store(folder / "rmsd.db"), "counted") as scheduler:
        history = JobHistory(scheduler)
        changes = _Changes(scheduler, history)
        scheduler.put(Register(NoLinks(), [{**NODE, "agent_id": "a", "cores": processors}], [], []))
        await scheduler.carry_out(audit_entries=[])
        await changes.submit()
        yield changes
        history.close()


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_changes, "MOST_AT_ONCE", _MOST)


async def test_an_array_is_held_released_and_restarted_in_parts(tmp_path: Path) -> None:
    """A hold of 100,000 tasks was one batch, in which nobody else was answered."""
    async with _changes(tmp_path, 2) as changes:
        for action in ("release", "hold", "release", "requeue"):
            await changes.ask(action)
            assert max(changes.parts) <= _MOST
            assert len(changes.parts) > _COUNT // _MOST
            held = [one for one in changes.tasks.values() if one.conditions.held_by is not None]
            assert len(held) == (18 if action == "hold" else 0)
        states = [one.state for one in changes.tasks.values()]
        assert states.count(JobState.COMPLETING) == 2
        assert await changes.audited("release") == 2


async def test_a_token_that_is_revoked_between_two_parts_changes_nothing_more(
    tmp_path: Path,
) -> None:
    async with _changes(tmp_path, 2) as changes:

        def still() -> None:
            if len(changes.parts) > 1:
                raise Unauthenticated("the token is revoked")

        with pytest.raises(Unauthenticated):
            await changes.ask("release", still)
        held = [rank for rank, one in changes.tasks.items() if one.conditions.held_by is not None]
        assert sorted(held) == list(range(2 * _MOST, _COUNT))
        assert await changes.audited("release") == 1
