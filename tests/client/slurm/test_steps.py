"""Steps of srun beside daemons that lie, and beside what others have put where the steps write."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from rmsd_client.slurm import step_places, steps
from rmsd_client.tasks import Task

JOB: dict[str, Any] = {
    "job_id": 7,
    "attempt": 1,
    "user": "../../user",
    "name": "..",
    "nodelist": "n1",
    "node_cpus": [2],
    "tasks": 2,
    "cpus_per_task": 1,
    "array_job_id": None,
    "array_task_id": None,
}


@pytest.mark.parametrize("code", [128 + 65, 1 << 40, 1 << 62])
def test_an_exit_code_that_no_process_has_is_told(code: int) -> None:
    assert steps.how_ended(code) == f"Exited with exit code {code}"


def test_no_name_leads_an_output_file_elsewhere() -> None:
    task = Task(0, "../../node", 0, 0)
    filled = steps.fill("out/%N-%u/%x", JOB, task, "0")
    assert filled == "out/.._.._node-.._.._user/_"


def test_the_last_step_of_a_job_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_places, "FOLDER", f"{tmp_path}/steps-{{uid}}")
    one = {"ntasks": "1"}
    with step_places.places(JOB, one):
        (above,) = tmp_path.iterdir()
        with step_places.places(JOB, one):
            (folder,) = above.iterdir()
            assert len(list(folder.iterdir())) == 2
        assert len(list(folder.iterdir())) == 1
    assert list(above.iterdir()) == []


def test_a_file_system_that_others_have_filled_keeps_no_step_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_places, "FOLDER", f"{tmp_path}/steps-{{uid}}")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with step_places.places(JOB, {}) as tasks:
        assert len(tasks) == 2
        (above,) = tmp_path.iterdir()
        assert not [name for folder in above.iterdir() for name in folder.iterdir()]
