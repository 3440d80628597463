"""The scripts of other users' jobs on a terminal: `sacct -B`, and `scontrol write batch_script`."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

from rmsd_client.slurm.show.job_scripts import print_scripts

_SCRIPT = "#!/bin/sh\n\techo 1 # \x1b]0;title\x07\x9b2J\r\u202eend\n"


class _Client:
    def script(self, _name: object) -> dict[str, Any]:
        return {"script": _SCRIPT, "is_whole": True}


class _Terminal(io.StringIO):
    def __init__(self, is_one: bool) -> None:
        super().__init__()
        self._is_one = is_one

    def isatty(self) -> bool:
        return self._is_one


@pytest.mark.parametrize(
    ("is_terminal", "shown"),
    [(True, "#!/bin/sh\n\techo 1 # ?]0;title??2J??end\n"), (False, _SCRIPT)],
)
def test_a_script_steers_no_terminal_and_is_unchanged_elsewhere(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool, shown: str
) -> None:
    stdout = _Terminal(is_terminal)
    monkeypatch.setattr(sys, "stdout", stdout)
    job = {"job_id": 12, "array_job_id": None, "array_task_id": None}
    print_scripts(_Client(), [job])
    assert stdout.getvalue() == f"Batch Script for 12\n{'-' * 80}\n{shown}\n"
