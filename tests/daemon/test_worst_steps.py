"""The highest exit codes of steps in the database."""

from __future__ import annotations

from pathlib import Path

from rmsd_daemon.store.changes import Changes
from rmsd_daemon.store.records import Row
from rmsd_daemon.store.store import Store
from rmsd_daemon.store.tables import JOB
from rmsd_daemon.store.worst_steps import worst_steps
from rmsd_wire.api.steps import WorstStep
from tests.daemon.rows import row_of


def _ended(job_id: int, attempt: int, exit_code: int, signal: int = 0) -> Row:
    return {"job_id": job_id, "attempt": attempt, "exit_code": exit_code, "signal": signal}


def test_the_worst_step_of_each_attempt_is_kept(tmp_path: Path) -> None:
    store = Store(tmp_path / "rmsd.db")
    jobs = [row_of(JOB) | {"id": 1, "user": "ann"}, row_of(JOB) | {"id": 2, "user": "bob"}]
    store.record(Changes(new_jobs=jobs))
    for ended in (
        _ended(1, 1, 3), _ended(1, 1, 5), _ended(1, 1, 4, 9), _ended(1, 2, 0, 9),
        _ended(1, 2, 0, 15), _ended(2, 1, 1), _ended(2, 1, 1),
    ):  # fmt: skip
        store.record(Changes(worst_steps=[ended]))
    store.close()
    store = Store(tmp_path / "rmsd.db")
    of_ann = [WorstStep(1, 1, 5, 0), WorstStep(1, 2, 0, 15)]
    assert store.look_up(worst_steps, [1, 2, 3], "ann") == of_ann
    assert store.look_up(worst_steps, [1, 2, 3], None) == [*of_ann, WorstStep(2, 1, 1, 0)]
    assert store.look_up(worst_steps, [2], None) == [WorstStep(2, 1, 1, 0)]
    assert store.look_up(worst_steps, [], None) == []
    store.close()
