"""Attempts as an agent's disk keeps them: the one of job 1, and one that was left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rmsd_agent.shepherd.standalone.processes import boot_id
from rmsd_agent.state.files import write_record
from rmsd_agent.state.records import SavedAttempt
from rmsd_wire.link import HeldAttempt, Launch

if TYPE_CHECKING:
    from tests.agent.rig import Rig


HELD = [HeldAttempt(1, 1, "n1", batch=True, cores=1)]
RUNNING, STATUS = (f"1.1.n1/batch/{name}.json" for name in ("running", "status"))


def leave_behind(rig: Rig) -> None:
    launch = Launch(9, 1, "n1", True, 0, None, 1.0, 1, workdir=str(rig.work), stdout="/dev/null")
    rig.jobs_dir.parent.mkdir(mode=0o700, exist_ok=True)
    directory = rig.jobs_dir / "9.1.n1"
    (directory / "batch").mkdir(parents=True)
    write_record(directory / "attempt.json", SavedAttempt(launch, 0.0, None, boot_id()))
