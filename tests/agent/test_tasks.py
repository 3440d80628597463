"""The tasks of an attempt: how many there may be, and what is kept of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from rmsd_agent.attempts import specs
from rmsd_agent.attempts.attempt import HeldAttempts, NodeAttempt
from rmsd_agent.attempts.attempts import Attempts
from rmsd_agent.attempts.errors import TaskOver, TooManyTasks
from rmsd_agent.attempts.tasks import Tasks
from rmsd_agent.shepherd.standalone.unit_spec import UnitSpec
from rmsd_agent.state.files import write_record
from rmsd_agent.state.records import SavedAttempt, status_now
from rmsd_agent.units.overdue import Overdue
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, Launch, Report, WarnSignal
from rmsd_wire.link_calls import StartTask
from tests.agent.parts import KEY, attempts_in


@pytest.mark.parametrize("cores", [1, 300])
def test_a_job_has_so_many_tasks_at_a_time(tmp_path: Path, cores: int) -> None:
    """Each task has a shepherd, which is not the job's to pay for."""
    launch = Launch(1, 1, "n1", False, 0, None, 1.0, cores)
    attempt = NodeAttempt(SavedAttempt(launch, 0.0, None, ""), tmp_path)
    held, unused = HeldAttempts(), cast("Any", None)
    held.add(attempt)
    for number in range(max(256, cores)):
        held.add_unit(attempt, f"s.{number}")
    task = StartTask(1, 1, 1, "n1", "s", attempt.most_tasks + 1, ["true"], {}, "")
    with pytest.raises(TooManyTasks, match="as many as may run"):
        Tasks(held, unused, unused, unused).start(KEY, task)


async def test_ended_tasks_beyond_a_number_are_deleted_and_what_they_used_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job may start tasks without end, and the disk and the memory are the node's."""
    monkeypatch.setattr("rmsd_agent.attempts.attempt.MAX_TASKS", 1)
    kept = 4
    used = msgspec.structs.replace(status_now(Cause.EXIT), cpu_s=1.0, max_rss_mib=3)

    async def end_tasks(agent: Attempts, tasks: range) -> None:
        for task in tasks:
            call = StartTask(1, 1, 1, "n1", "s", task, ["true"], {}, "")
            unit = agent.tasks.start(KEY, call)
            assert unit.make_spec is not None
            write_record(unit.dir / "status.json", used)
            agent.unit_ended(unit.name, used)
            assert unit.make_spec is None
        if agent.cleaner.cleaning is not None:
            await agent.cleaner.cleaning

    agent = attempts_in(tmp_path, lambda *_: None)
    agent.launch(KEY, Launch(1, 1, "n1", False, 0, None, 1.0, 1), 1.0, model_now_us=0)
    await end_tasks(agent, range(10))
    names = {f"s.{task}" for task in range(10 - kept, 10)}
    assert {path.name for path in (tmp_path / "1.1.n1").iterdir() if path.is_dir()} == names
    attempt = agent.attempt(KEY)
    assert attempt is not None
    assert set(attempt.units) == names
    assert len(agent.held_here.units) == kept

    sent: list[Report] = []
    later = attempts_in(tmp_path, lambda *_: None, sent.append)
    later.recover()
    await end_tasks(later, range(10, 12))
    sent.clear()
    later.stop(KEY, Cause.USER)
    (exited,) = sent
    assert isinstance(exited, ExitedReport)
    assert (exited.cpu_s, exited.max_rss_mib) == (12.0, 3)


async def test_a_task_whose_record_is_deleted_is_not_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that starts a task may come again when the task has ended long ago."""
    monkeypatch.setattr("rmsd_agent.attempts.attempt.MAX_TASKS", 1)
    monkeypatch.setattr("rmsd_agent.attempts.tasks.ENDED_TASKS", 1)
    monkeypatch.setattr("rmsd_agent.attempts.tasks.REMEMBERED_TASKS", 2)
    agent = attempts_in(tmp_path, lambda *_: None)
    agent.launch(KEY, Launch(1, 1, "n1", False, 0, None, 1.0, 1), 1.0, model_now_us=0)

    async def start_and_end(task: int) -> None:
        unit = agent.tasks.start(KEY, StartTask(1, 1, 1, "n1", "s", task, ["true"], {}, ""))
        agent.unit_ended(unit.name, status_now(Cause.EXIT))
        if agent.cleaner.cleaning is not None:
            await agent.cleaner.cleaning

    for task in range(3):
        await start_and_end(task)
    for task in range(2):
        with pytest.raises(TaskOver, match=f"task s.{task} of job 1 is over"):
            await start_and_end(task)
    for task in range(3, 9):
        await start_and_end(task)
    attempt = agent.attempt(KEY)
    assert attempt is not None
    assert len(attempt.deleted_tasks) == 2


def test_the_times_of_an_attempt_count_from_when_its_script_is_given_to_a_shepherd(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 100.0
    clock = SimpleNamespace(monotonic=lambda: now_s, time=lambda: 1e9 + now_s)
    for module in ("attempt", "attempts"):
        monkeypatch.setattr(f"rmsd_agent.attempts.{module}.time", clock)
    monkeypatch.setattr(Overdue, "expect_end", lambda *_: None)
    given: list[Callable[[], UnitSpec]] = []
    agent = attempts_in(tmp_path, lambda _, make_spec: given.append(make_spec))
    warn = WarnSignal(10, before_s=10.0)
    launch = Launch(1, 1, "n1", True, 0, 60.0, 1.0, 1, trial_end_us=10**9, warn_signal=warn)
    agent.launch(KEY, launch, 10.0, model_now_us=10**8)  # the trial ends at 190
    attempt = agent.attempt(KEY)
    assert attempt is not None

    (make_spec,) = given
    assert attempt.saved.deadline_s == 160.0
    now_s = 104.0  # after a try that failed
    spec = make_spec()
    assert spec.warn is not None
    assert spec.warn.at_s == attempt.saved.warn_at_s == [154.0, 180.0]
    assert spec.env["RMS_JOB_START_TIME"] == str(10**9 + 104)
    assert spec.env["RMS_JOB_END_TIME"] == str(10**9 + 164)
    assert attempt.saved.deadline_s == 164.0


def test_on_other_nodes_the_times_of_an_attempt_count_from_its_first_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 100.0
    clock = SimpleNamespace(monotonic=lambda: now_s, time=lambda: 1e9 + now_s)
    for module in ("attempt", "attempts"):
        monkeypatch.setattr(f"rmsd_agent.attempts.{module}.time", clock)
    agent = attempts_in(tmp_path, lambda *_: None)
    agent.launch(KEY, Launch(1, 1, "n1", False, 0, 60.0, 1.0, 1), 1.0, model_now_us=0)
    attempt = agent.attempt(KEY)
    assert attempt is not None
    for at_s, task, deadline_s in ((103.0, 0, 163.0), (110.0, 1, 163.0)):
        now_s = at_s
        agent.tasks.start(KEY, StartTask(1, 1, 1, "n1", "s", task, ["true"], {}, ""))
        assert attempt.saved.deadline_s == deadline_s


@pytest.mark.parametrize(("left_s", "expected"), [(10.0, 10.05), (-0.01, 0.04), (-1.0, 0.0)])
def test_a_task_outlasts_its_script_by_less_than_limits_are_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left_s: float, expected: float
) -> None:
    clock = SimpleNamespace(monotonic=lambda: 100.0)
    monkeypatch.setattr("rmsd_agent.attempts.attempt.time", clock)
    launch = Launch(1, 1, "n1", False, 0, 60.0, 1.0, 1)
    attempt = NodeAttempt(SavedAttempt(launch, 0.0, 100.0 + left_s, ""), tmp_path)
    task = StartTask(1, 1, 1, "n1", "s", 0, ["true"], {}, "")
    assert specs.task_spec(attempt, tmp_path / "s.0", task).killed_after_s == pytest.approx(
        expected
    )
