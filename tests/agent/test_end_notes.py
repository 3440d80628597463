"""The line in a job's error output that says why the job was ended."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from rmsd_agent.shepherd.standalone.end_notes import EndNote, noted_file
from tests.waiting import wait_until

_AT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"


@pytest.mark.parametrize(
    ("cause", "line"),
    [
        ("limit", rf"\*\*\* JOB 7 ON n1 CANCELLED AT {_AT} DUE TO TIME LIMIT \*\*\*"),
        ("user", rf"\*\*\* JOB 7 ON n1 CANCELLED AT {_AT} \*\*\*"),
        ("requeue", rf"\*\*\* JOB 7 ON n1 CANCELLED AT {_AT} DUE TO JOB REQUEUE \*\*\*"),
        ("displace", rf"\*\*\* JOB 7 ON n1 CANCELLED AT {_AT} DUE TO PREEMPTION \*\*\*"),
        (
            "memory",
            r"Detected 1 oom_kill event in StepId=7\.batch\. Some of the step tasks have been OOM "
            r"Killed\.",
        ),
    ],
)
def test_the_line_is_slurms_and_follows_the_output(tmp_path: Path, cause: str, line: str) -> None:
    path = tmp_path / "err"
    fd = os.open(path, os.O_WRONLY | os.O_CREAT)
    os.write(fd, b"of the job\n")
    noted = noted_file(fd, ("slurmstepd", "7", "n1"))
    assert noted is not None
    note = EndNote(noted, "slurmstepd", "7", "n1")
    note.write(cause)
    note.close()
    wait_until(lambda: re.fullmatch(rf"of the job\nslurmstepd: error: {line}\n", path.read_text()))
    os.close(fd)


def test_the_own_end_of_a_job_is_not_noted(tmp_path: Path) -> None:
    path = tmp_path / "err"
    note = EndNote(os.open(path, os.O_WRONLY | os.O_CREAT), "slurmstepd", "7", "n1")
    note.write("exit")
    note.close()
    assert path.read_text() == ""


def test_a_note_is_for_regular_files_of_jobs_that_want_one(tmp_path: Path) -> None:
    """A pipe may be full for ever, and nothing else reads a terminal's."""
    named = ("slurmstepd", "7", "n1")
    reader, writer = os.pipe()
    with (tmp_path / "err").open("w") as file:
        assert noted_file(file.fileno(), ()) is None
        assert noted_file(writer, named) is None
    os.close(reader)
    os.close(writer)
