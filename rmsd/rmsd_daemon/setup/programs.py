"""The rows of the table of settings that name programs of the site."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rmsd_daemon.setup import values
from rmsd_daemon.setup.derived import DerivedSettings
from rmsd_daemon.setup.groups import NODES
from rmsd_wire.settings import setting, unset


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramSettings(DerivedSettings):
    """The programs that a site has run at certain events of jobs."""

    prolog: Path | None = unset(
        values.PATH,
        group=NODES,
        by_default="none",
        example="/etc/rmsd/prolog",
        meaning="the program that runs before the first process of each job on this machine as a "
        "node",
        details="If it fails, the job goes elsewhere, and the node is drained. Other agents have "
        "the option `rmsd-agent --prolog`.",
        see="See [Prolog and epilog](admin-setup.md#prolog-and-epilog).",
    )
    epilog: Path | None = unset(
        values.PATH,
        group=NODES,
        by_default="none",
        example="/etc/rmsd/epilog",
        meaning="the program that runs after the last process of each job on this machine as a "
        "node",
        details="If it fails, the node is drained. Other agents have the option `rmsd-agent "
        "--epilog`.",
        see="See [Prolog and epilog](admin-setup.md#prolog-and-epilog).",
    )
    health_check: Path | None = unset(
        values.PATH,
        group=NODES,
        by_default="none",
        example="/etc/rmsd/health-check",
        meaning="the program that says whether jobs may start on this machine as a node",
        details="It runs at the start and then each `health_check_interval`. While it fails, no "
        "job starts here, for the reason that it prints. Other agents have the option `rmsd-agent "
        "--health-check`.",
        see="See [Health check](admin-setup.md#health-check).",
    )
    health_check_interval_s: float = setting(
        values.LIMITED,
        "5m",
        key="health_check_interval",
        group=NODES,
        meaning="how long after the health check it runs again",
        details="Other agents have the option `rmsd-agent --health-check-interval`.",
    )
    reboot_program: Path | None = unset(
        values.PATH,
        group=NODES,
        by_default="none",
        example="/etc/rmsd/reboot",
        meaning="the program that reboots this machine when `rnode reboot` asks for that, once it "
        "is idle as a node",
        details="Without it such a request is refused. Other agents have the option `rmsd-agent "
        "--reboot-program`.",
        see="See [Reboots of nodes](admin-operation.md#reboots-of-nodes).",
    )
    reboot_timeout_s: float = setting(
        values.LIMITED,
        "10m",
        key="reboot_timeout",
        group=NODES,
        meaning="how long a node may take to come back from its reboot before it is drained",
        see="See [Reboots of nodes](admin-operation.md#reboots-of-nodes).",
    )
    program_timeout_s: float = setting(
        values.LIMITED,
        "5m",
        key="program_timeout",
        group=NODES,
        meaning="how long the prolog, the epilog, the health check and the reboot program may "
        "take, each",
        details="One that takes longer is killed and has failed. Other agents have the option "
        "`rmsd-agent --program-timeout`.",
    )
