"""Steps of srun beside daemons that lie, and beside what others have put where the steps write."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from rmsd_client.slurm.steps import steps
from rmsd_client.slurm.steps.layouts import request_of
from rmsd_client.steps import step_files, step_places
from rmsd_client.steps.step_layouts import StepRequest
from rmsd_client.steps.task_ends import TaskEnd, told_of, use_of
from rmsd_client.steps.tasks import Task

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


@pytest.mark.parametrize("signal", [65, 1 << 40, 1 << 62])
def test_a_signal_that_does_not_exist_is_told(signal: int) -> None:
    assert steps.how_ended(TaskEnd(0, signal)) == f"Exited with exit code {128 + signal}"


def test_an_exit_code_above_128_is_no_signal() -> None:
    """`srun bash -c 'exit 255'` was told and stored as signal 127."""
    assert steps.how_ended(TaskEnd(137)) == "Exited with exit code 137"
    assert steps.how_ended(TaskEnd(0, 9)) == "Killed"
    assert told_of([TaskEnd(200), TaskEnd(0, 9)]) == {"exit_code": 200, "signal": 0}
    assert told_of([TaskEnd(3), TaskEnd(0, 9)]) == {"exit_code": 0, "signal": 9}


def test_the_use_of_a_step_is_that_of_its_tasks() -> None:
    """Each mean and least was the sum, and the largest task was rank 0 of the first node."""
    tasks = [Task(rank, f"n{1 + rank // 2}", rank // 2, rank % 2) for rank in range(4)]
    ends = [
        TaskEnd(0, 0, cpu_s, mib) for cpu_s, mib in ((2.0, 10), (1.0, 20), (3.0, 30), (4.0, 250))
    ]
    told = use_of(list(zip(tasks, ends, strict=True)))
    assert (told["cpu_s"], told["max_rss_mib"]) == (10.0, 250)
    assert told["figures"] == {
        "ave_cpu_s": 2.5, "min_cpu_s": 1.0, "min_cpu_task": 1, "min_cpu_node": "n1",
        "ave_rss_mib": 77.5, "max_rss_task": 3, "max_rss_node": "n2",
    }  # fmt: skip
    assert use_of([*zip(tasks, ends, strict=True), (tasks[0], TaskEnd(1))]) == {}


def test_no_name_leads_an_output_file_elsewhere() -> None:
    task = Task(0, "../../node", 0, 0)
    filled = step_files.fill("out/%N-%u/%x", JOB, task, "0")
    assert filled == "out/.._.._node-.._.._user/_"


def test_the_last_step_of_a_job_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_places, "FOLDERS", [f"{tmp_path}/steps-{{uid}}"])
    one = {"ntasks": "1"}
    with step_places.places(JOB, request_of(JOB, one)):
        (above,) = tmp_path.iterdir()
        with step_places.places(JOB, request_of(JOB, one)):
            (folder,) = above.iterdir()
            assert len(list(folder.iterdir())) == 2
        assert len(list(folder.iterdir())) == 1
    assert list(above.iterdir()) == []


def test_what_killed_steps_have_left_goes_with_the_next_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_places, "FOLDERS", [f"{tmp_path}/steps-{{uid}}"])
    one = {"ntasks": "1"}
    with step_places.places({**JOB, "job_id": 6}, request_of(JOB, one)):
        (above,) = tmp_path.iterdir()
        left = above / "5.1-00000000"
        left.mkdir(mode=0o700)
        (left / "99-1").write_text('{"n1": 1}')
        with step_places.places(JOB, request_of(JOB, one)):
            assert sorted(path.name[:3] for path in above.iterdir()) == ["6.1", "7.1"]
    assert list(above.iterdir()) == []


def test_steps_of_another_daemons_job_of_this_number_hold_nothing_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_places, "FOLDERS", [f"{tmp_path}/steps-{{uid}}"])
    monkeypatch.setenv("RMSD_SERVER", "unix:/one.sock")
    with step_places.places(JOB, StepRequest()):
        (above,) = tmp_path.iterdir()
        monkeypatch.setenv("RMSD_SERVER", "unix:/other.sock")
        with step_places.places(
            JOB, StepRequest()
        ):  # the step would wait for the end of the other one
            assert len(list(above.iterdir())) == 2


@pytest.mark.parametrize("kind", ["folder", "link", "file"])
def test_a_folder_that_another_user_has_made_keeps_no_steps_from_their_own_processors(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user who made another user's /tmp/rmsd-steps-UID had that user's steps share processors."""
    taken = tmp_path / f"steps-{os.geteuid()}"
    if kind == "folder":
        taken.mkdir(mode=0o777)
        taken.chmod(0o777)  # the test need not run as root: a folder that others can write counts
    elif kind == "link":
        taken.symlink_to(tmp_path)
    else:
        taken.touch()
    monkeypatch.setenv("HOME", str(tmp_path))
    folders = [f"{tmp_path}/steps-{{uid}}", step_places.FOLDERS[1]]
    monkeypatch.setattr(step_places, "FOLDERS", folders)
    with step_places.places(JOB, StepRequest()):
        (step,) = (tmp_path / ".rmsd-steps").glob("*/*")
        assert step.stat().st_size
    assert not list((tmp_path / ".rmsd-steps").iterdir())


def test_a_file_system_that_others_have_filled_keeps_no_step_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_places, "FOLDERS", [f"{tmp_path}/steps-{{uid}}"])

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with step_places.places(JOB, StepRequest()) as tasks:
        assert len(tasks) == 2
        (above,) = tmp_path.iterdir()
        assert not [name for folder in above.iterdir() for name in folder.iterdir()]
