"""Parts of an agent, without an agent around them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from rmsd_agent.attempts.attempts import Attempts
from rmsd_agent.machine.users import Users
from rmsd_agent.reports import Reports
from rmsd_agent.shepherd.standalone import processes
from rmsd_agent.shepherd.standalone.unit_spec import UnitSpec
from rmsd_agent.state.records import ClaimedUnit
from rmsd_agent.units.adoption import Keeper, StopOrder
from rmsd_wire.link import Report

KEY = (1, 1, "n1")


def attempts_in(
    jobs: Path,
    run: Callable[[str, Callable[[], UnitSpec]], None],
    send: Callable[[Report], None] = lambda _: None,
) -> Attempts:
    """Make the attempts of an agent whose pool is `run`, and whose reports go to `send`."""
    pool: Any = SimpleNamespace(run=run)
    state: Any = SimpleNamespace(jobs=jobs, boot_id="")
    users = Users(allow_root=True)
    return Attempts(state, pool, Reports(send), {}, users, delegation=None, cores=1)


def running_record(main: subprocess.Popen[bytes]) -> ClaimedUnit:
    """Make the record of a unit whose shepherd is gone."""
    found = processes.process(main.pid)
    assert found is not None
    return ClaimedUnit(
        "", (main.pid, found.start_ticks - 1), main.pid, found.start_ticks, None, 0.0
    )


def keeper_of(
    stop: Callable[[], StopOrder | None], started: Callable[[int], None] = lambda _: None
) -> Keeper:
    """Return the keeper of a unit whose shepherd is away, and which was never suspended."""
    return Keeper(
        connected=lambda: False,
        stop=stop,
        new_deadline_s=lambda: None,
        suspended=lambda: False,
        was_suspended=lambda: False,
        started=started,
    )
