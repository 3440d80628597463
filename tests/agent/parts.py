"""Parts of an agent, without an agent around them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from rmsd_agent import processes
from rmsd_agent.attempts import Attempts
from rmsd_agent.pool import Spec
from rmsd_agent.records import Running
from rmsd_agent.reports import Reports
from rmsd_agent.users import Users

KEY = (1, 1, "n1")


def attempts_in(jobs: Path, run: Callable[[str, Callable[[], Spec]], None]) -> Attempts:
    """Make the attempts of an agent whose pool is `run`."""
    pool: Any = SimpleNamespace(run=run)
    state: Any = SimpleNamespace(jobs=jobs, boot_id="")
    users = Users(allow_root=True)
    return Attempts(state, pool, Reports(lambda _: None), {}, users, delegation=None, cores=1)


def running_record(main: subprocess.Popen[bytes]) -> Running:
    """Make the record of a unit whose shepherd is gone."""
    found = processes.process(main.pid)
    assert found is not None
    return Running("", (main.pid, found.start_ticks - 1), main.pid, found.start_ticks, None, 0.0)
