"""The growth of the database by users' requests: it never shrinks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rmsd_core.jobs.conditions import Dependency
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Ineligible
from rmsd_core.jobs.request import processors
from rmsd_core.machine.partitions import Partition
from rmsd_core.vocabulary import Relation
from rmsd_daemon.api.job_changes import JobChanges
from rmsd_daemon.api.job_io import JobIoApi
from rmsd_daemon.api.submits import Submits
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.callers.growth import CHANGE_BYTES, ENTRY_BYTES, Growth
from rmsd_daemon.domain.errors import DaemonError
from rmsd_daemon.domain.partitions import Partitions
from rmsd_daemon.domain.submission import Rules, new_job
from rmsd_daemon.front.problems import problem_of
from rmsd_daemon.front.request_limits import RequestLimits
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.setup.partitions import ALL_NODES, PartitionSettings
from rmsd_daemon.store.store import Store
from rmsd_wire.api.submission import ConditionsSpec, SubmitSpec
from tests.daemon.requests import Request
from tests.daemon.scheduling import scheduling

SLOWLY = 1e-6  # bytes a second: nobody is given anything back while a test lasts


ANN, BOB = Caller("ann", Role.USER, "", grant="t"), Caller("bob", Role.USER, "")
OPERATOR = Caller("ann", Role.OPERATOR, "")


async def is_refused(call: Any) -> bool:
    """Return whether a call is answered that the user has added too much."""
    try:
        await call
    except DaemonError as error:
        refusal = error
    else:
        return False
    assert problem_of(refusal).status == 429
    assert "added too much to the daemon's database" in str(refusal)
    assert refusal.retry_after_s
    return True


async def test_a_user_adds_so_much_to_the_database_at_most(tmp_path: Path) -> None:
    """One user filled a disk with 126 GB an hour, by submits and cancels."""
    text = "c" * 4000
    store = Store(tmp_path / "rmsd.db")
    async with scheduling(store, "counted") as scheduler:
        history = JobHistory(scheduler)
        submits = Submits(
            scheduler,
            Rules("counted", None, 1 << 20, "/"),
            RequestLimits(1 << 20, 100, 1000, 1e6),
            Growth(at_once=100_000, per_s=SLOWLY),
            history,
            lambda _: Role.USER,
        )

        def submit(caller: Caller, jobs: int = 1) -> Any:
            job = {"emulate": {"run_s": 1.0}, "comment": text}
            return submits.submit(cast("Any", Request(caller, jobs=[job] * jobs)))

        count = 0
        while not await is_refused(submit(ANN)):
            count += 1
            assert count < 100_000 / len(text)
        assert count > 5
        for _ in range(2):
            assert not await is_refused(submit(BOB, 5))
        assert await is_refused(submit(BOB))
        for _ in range(count + 10):
            assert not await is_refused(submit(OPERATOR))
        history.close()


NAMES = "n" * 200 + "[1-1000]"
"""Names of nodes that there are not, which a job may exclude: 200 kB, in 208 characters."""


@pytest.mark.parametrize(("array", "most"), [("", 6), ("0-9", 1)])
async def test_the_names_that_lists_of_nodes_stand_for_count(
    tmp_path: Path, array: str, most: int
) -> None:
    """A job has them in its row and in the event of its submit, and each task in its row; an update
    has them again. A submit of 300 bytes added 400 kB, and counted as 5 kB."""
    store = Store(tmp_path / "rmsd.db")
    async with scheduling(store) as scheduler:
        history = JobHistory(scheduler)
        growth, rules = Growth(at_once=2 << 20, per_s=SLOWLY), Rules("nodes", None, 1 << 20, "/")
        limits, role_of = RequestLimits(1 << 20, 100, 1000, 1e6), lambda _: Role.USER
        submits = Submits(scheduler, rules, limits, growth, history, role_of)
        held = {"conditions": {"hold": True}, "array": array, "emulate": {"run_s": 1.0}}

        def submit(exclude: str) -> Any:
            job = {**held, "exclude": exclude}
            return submits.submit(cast("Any", Request(ANN, jobs=[job])))

        done = 0
        while not await is_refused(submit(NAMES)):
            done += 1
            assert done <= most
        assert done == most
        history.close()


async def test_the_names_in_a_request_count_for_each_partition(tmp_path: Path) -> None:
    """Fifty jobs for 16 partitions were 320 MB of names in one transaction."""
    made = [PartitionSettings(Partition(f"p{at}"), ALL_NODES) for at in range(16)]
    parts = Partitions(lambda *_: True, tuple(made))
    rules = Rules("nodes", None, 1 << 20, "/", partitions=parts)
    store = Store(tmp_path / "rmsd.db")
    async with scheduling(store) as scheduler:
        history = JobHistory(scheduler)
        limits = RequestLimits(1 << 20, 100, 1000, 1e6)
        submits = Submits(scheduler, rules, limits, Growth(), history, lambda _: Role.USER)
        names = ",".join(one.name for one in parts.in_force)
        job = {"exclude": "n[1-1000]", "partition": names, "script": "#!/bin/sh"}
        with pytest.raises(DaemonError, match="more than 50000 nodes, those for each partition"):
            await submits.submit(cast("Any", Request(ANN, jobs=[job] * 4)))
        history.close()


async def test_the_names_of_a_changed_list_count(tmp_path: Path) -> None:
    store = Store(tmp_path / "rmsd.db")
    async with scheduling(store) as scheduler:
        history = JobHistory(scheduler)
        growth, rules = Growth(at_once=2 << 20, per_s=SLOWLY), Rules("nodes", None, 1 << 20, "/")
        changes = JobChanges(
            scheduler, rules, growth, history, lambda *_: cast("Any", None), 10, 10
        )
        spec = SubmitSpec(conditions=ConditionsSpec(hold=True), script="#!/bin/sh", exclude=NAMES)
        new = new_job(spec, "ann", scheduler.clock.now_us(), rules)
        [job_id] = await scheduler.submit([new], None, "", 10)

        def update(**fields: Any) -> Any:
            request = Request(ANN, **fields)
            request.match_info = {"id": str(job_id)}
            return changes.update_job(cast("Any", request))

        assert not await is_refused(update(exclude=NAMES.replace("1000", "999")))  # twice 200 kB
        done = 0
        while not await is_refused(update(comment=str(done))):  # once 200 kB
            done += 1
            assert done < 20
        assert 5 < done < 10
        history.close()


async def test_tasks_with_a_users_token_add_so_much_to_the_audit_trail_at_most() -> None:
    entries = 0

    async def record(*_: object) -> None:
        nonlocal entries
        entries += 1

    steps = JobIoApi(
        cast("Any", SimpleNamespace(record=record, clock=SimpleNamespace(now_us=int))),
        cast("Any", type("", (), {"session_of": staticmethod(lambda _: None)})),
        JobHistory(cast("Any", None)),
        Growth(at_once=10 * ENTRY_BYTES, per_s=SLOWLY),
        lambda _: Role.USER,
        as_users=True,
    )
    job = Job(1, "ann", 0, processors(1), 1)

    def ask(caller: Caller) -> Any:
        request = cast("Any", Request(caller))
        return steps.put_on_record(request, "start-task", job, "task 0 of ", "n1")

    refused = [await is_refused(ask(ANN)) for _ in range(15)]
    assert (refused.index(True), entries) == (11, 11)
    assert not await is_refused(ask(Caller("root", Role.OPERATOR, "")))


@pytest.mark.parametrize(("dependencies", "most"), [(0, 21), (100, 4)])
async def test_holds_and_releases_add_so_much_to_the_database_at_most(
    tmp_path: Path, dependencies: int, most: int
) -> None:
    """A held job may be released and held for ever; each time adds events and an audit entry. The
    events have all dependencies of the job, which did not count."""
    store = Store(tmp_path / "rmsd.db")
    async with scheduling(store, "counted") as scheduler:
        history = JobHistory(scheduler)
        growth = Growth(at_once=20 * CHANGE_BYTES, per_s=SLOWLY)
        rules = Rules("counted", None, 1 << 20, "/")
        changes = JobChanges(
            scheduler, rules, growth, history, lambda *_: cast("Any", None), 10, 10
        )
        spec = SubmitSpec(conditions=ConditionsSpec(hold=True, begin_in_s=1e6), script="#!/bin/sh")
        held = new_job(spec, "ann", scheduler.clock.now_us(), rules)
        awaited = new_job(spec, "ann", scheduler.clock.now_us(), rules)
        [other] = await scheduler.submit([awaited], None, "", 10)
        after = tuple(Dependency(Relation.AFTER_ANY, other, n) for n in range(dependencies))
        assert held.details.conditions is not None
        conditions = held.details.conditions._replace(dependencies=after)
        held.job.phase = Ineligible(conditions)
        [job_id] = await scheduler.submit([held], None, "", 10)

        def change(caller: Caller, action: str) -> Any:
            request = Request(caller, action=action)
            request.match_info = {"id": str(job_id)}
            return changes.job_action(cast("Any", request))

        done = 0
        while not await is_refused(change(ANN, ("release", "hold")[done % 2])):
            done += 1
            assert done < 100
        assert done == most  # one beyond: what is owed is looked at before each
        for _ in range(20):
            assert not await is_refused(change(OPERATOR, "release"))
            assert not await is_refused(change(OPERATOR, "hold"))
        history.close()


async def test_what_is_added_is_forgotten_with_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 1000.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now_s)
    growth = Growth(at_once=10_000, per_s=1000)
    growth.jobs(ANN, 1000, 1)
    growth.check(ANN)
    growth.jobs(ANN, 1000, 1)  # 12 kB
    with pytest.raises(DaemonError) as refused:
        growth.check(ANN)
    assert refused.value.retry_after_s
    now_s += refused.value.retry_after_s
    growth.check(ANN)
