"""Lists with each waiting task of an array on a row of its own: a page costs what it has."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from rmsd_core.jobs.array import id_of
from rmsd_core.jobs.job import Job
from rmsd_core.vocabulary import LIVE_STATES, JobState
from rmsd_daemon.api.cancels import Cancels
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.callers.growth import Growth
from rmsd_daemon.domain.submission import Details, Rules, new_job
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries.filters import Filter
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.queries.names import narrowed
from rmsd_daemon.queries.views import TaskViews, job_view
from rmsd_daemon.store.store import Store
from rmsd_wire.api.submission import EmulateSpec, SubmitSpec
from tests.daemon.requests import Request
from tests.daemon.scheduling import scheduling

ANN = Caller("ann", Role.USER, "")
_RULES = Rules("counted", None, 1 << 20, "/")
_TASKS = 3000
_PAGE = 100


async def _submit(scheduler: Scheduler, *specs: SubmitSpec) -> list[int]:
    now_us = scheduler.clock.now_us()
    made = [new_job(spec, "ann", now_us, _RULES) for spec in specs]
    return await scheduler.submit(made, None, "", 1 << 20)


async def _pages(history: JobHistory, wanted: Filter) -> list[list[int]]:
    pages, before = [], wanted.before
    while before is not None:
        some = Filter(
            wanted.states, ids=wanted.ids, limit=_PAGE, before=before, ranges=wanted.ranges,
            tasks=wanted.tasks, expands=wanted.expands,
        )  # fmt: skip
        page, before = await history.page(some)
        pages.append(page)
    return pages


async def test_pages_of_waiting_tasks_have_each_task_once_and_look_at_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the 100 pages of an array of 100,000 tasks had numbered all of its tasks: half of the
    daemon's time, in stretches of 60 ms."""
    async with scheduling(Store(tmp_path / "rmsd.db"), "counted") as scheduler:
        history = JobHistory(scheduler)
        emulated = EmulateSpec(run_s=1.0)
        array = SubmitSpec(emulate=emulated, array=f"0-{2 * (_TASKS - 1)}:2")
        plain = SubmitSpec(emulate=emulated)
        one, array_id, other = await _submit(scheduler, plain, array, plain)
        cancels = Cancels(scheduler, Growth(), history, lambda *_: cast("Any", None))
        await cancels.cancel_all(cast("Any", Request(ANN, jobs=[f"{array_id}_[20,40-59]"])))
        gone = {id_of(array_id, rank) for rank in (10, *range(20, 30))}
        tasks = [i for i in range(id_of(array_id, 0), id_of(array_id, _TASKS)) if i not in gone]
        looked_at: list[int] = []
        holds = Filter.holds

        def counted(wanted: Filter, job: Job, details: Details) -> bool:
            looked_at.append(job.id)
            return holds(wanted, job, details)

        monkeypatch.setattr(Filter, "holds", counted)
        for wanted, expected in (
            (Filter(LIVE_STATES, expands=True), [one, *tasks, other]),
            (await narrowed(Filter(LIVE_STATES), f"{array_id}_[0-9999]", history), tasks),
        ):
            looked_at.clear()
            pages = await _pages(history, wanted)
            assert [job_id for page in reversed(pages) for job_id in page] == expected
            # A page looks at one job more than it has, to know whether there are others.
            assert len(looked_at) <= len(expected) + len(pages) + len(gone)
        history.close()


async def test_the_view_of_a_task_in_a_list_is_its_view(tmp_path: Path) -> None:
    async with scheduling(Store(tmp_path / "rmsd.db"), "counted") as scheduler:
        history = JobHistory(scheduler)
        emulated = EmulateSpec(run_s=1.0)
        specs = [
            SubmitSpec(emulate=emulated, array="1-9:2", stdout="o/%A_%a", stderr="/e/%j"),
            SubmitSpec(emulate=emulated, array="1-4%2", name="b", stdin="in.%a"),
        ]
        ids = await _submit(scheduler, *specs, specs[0])
        cancels = Cancels(scheduler, Growth(), history, lambda *_: cast("Any", None))
        await cancels.cancel_all(cast("Any", Request(ANN, jobs=[f"{ids[0]}_5"])))
        task_views, core = TaskViews(), scheduler.core
        waiting = 0
        for job_id in range(1, ids[2] + 6):
            job, details = await history.find(job_id)
            if job.task is None or job.state is not JobState.PENDING:
                continue
            waiting += 1
            now_us = job.submit_us + job_id
            asked = (job, details, core.reason(job), now_us)
            assert task_views.view(*asked) == job_view(*asked)
        assert waiting == 4 + 4 + 5
        history.close()
