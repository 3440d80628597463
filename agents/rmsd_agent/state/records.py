"""The records of attempts and their units in the state directory, one in each file.

jobs/<job>.<attempt>.<node>/attempt.json used.json
jobs/<job>.<attempt>.<node>/<unit>/running.json status.json ...
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

import msgspec

from rmsd_agent.state.files import read_record, replace_record
from rmsd_core.vocabulary import NOTHING_USED, Cause, Fault, Used
from rmsd_process.model_clock import boot_id
from rmsd_wire.link import Launch

BATCH = "batch"
"""The unit that is the job's script; the others are tasks, `<step>.<task>`."""

OUR_BOOT_ID = boot_id()


class UnitStatus(msgspec.Struct, frozen=True):
    """The end of a unit (`status.json`). `ended_mono_s` counts on the boot of `boot_id` only.
    `shepherd_sent_sigterm`: while the unit ran, its shepherd was sent SIGTERM, as every process is
    when the machine shuts down. `fault`: whose fault it is that the unit could not be started."""

    cause: Cause
    exit_code: int | None = None
    signal: int | None = None
    message: str = ""
    fault: Fault | None = None
    cpu_s: float | None = None
    max_rss_mib: int | None = None
    ended_s: float = 0.0
    ended_mono_s: float = 0.0
    boot_id: str = ""
    shepherd_sent_sigterm: bool = False

    def ended_on_our_clock_s(self) -> float:
        """Return the unit's end in terms of this boot's CLOCK_MONOTONIC (negative: before the
        boot)."""
        if self.boot_id == OUR_BOOT_ID:
            return self.ended_mono_s
        return time.monotonic() - max(0.0, time.time() - self.ended_s)


class SavedWarn(msgspec.Struct, frozen=True):
    """The signal ahead of a unit's limit, as its shepherd was told (see `unit_spec.Warn`)."""

    number: int
    whom: Literal["main", "others", "all"]
    at_s: list[float]


class ClaimedUnit(msgspec.Struct, frozen=True):
    """A unit that a shepherd has claimed (`running.json`); `pid` None: not started yet.

    `uid` is the account of the unit's processes. It is None if a shepherd of an earlier version has
    claimed the unit, or the account has not been looked up yet.
    """

    boot_id: str
    shepherd: tuple[int, int]  # pid, start_ticks
    pid: int | None
    start_ticks: int | None
    deadline_s: float | None
    kill_grace_s: float
    warn: SavedWarn | None = None
    cgroup: str | None = None
    uid: int | None = None

    @property
    def main(self) -> tuple[int, int] | None:
        """Return the pid and the start of the main process; None if there is none yet."""
        if self.pid is None or self.start_ticks is None:
            return None
        return self.pid, self.start_ticks


class SavedAttempt(msgspec.Struct, frozen=True):
    """The attempt that the daemon asked for (`attempt.json`), and its deadline on CLOCK_MONOTONIC.

    `warn_at_s`: when it gets the signal that it asked for, on the same clock. All times count from
    when it could be prepared; those of its script are in `ClaimedUnit`, unless the limit was
    changed since then (`has_new_limit`). `suspended_at_s`: when the attempt was suspended, on the
    same clock; None: it is not. `suspended_s`: how long it was before. `processors` are the
    attempt's own; none: it may use all that the agent may use. `prolog_over`: False until the
    site's prolog is done."""

    launch: Launch
    started_s: float
    deadline_s: float | None
    boot_id: str
    warn_at_s: list[float] = []
    has_new_limit: bool = False
    processors: list[int] = []
    suspended_at_s: float | None = None
    suspended_s: float = 0.0
    prolog_over: bool = True


class _UsedBefore(msgspec.Struct, frozen=True):
    """The use of tasks whose directories are deleted while their attempt goes on (`used.json`)."""

    cpu_s: float | None
    max_rss_mib: int | None


def status_now(
    cause: Cause, message: str = "", signal: int | None = None, fault: Fault | None = None
) -> UnitStatus:
    """Return the status of an end that the agent itself states, at this moment."""
    return UnitStatus(
        cause=cause,
        signal=signal,
        message=message,
        fault=fault,
        ended_s=time.time(),
        ended_mono_s=time.monotonic(),
        boot_id=OUR_BOOT_ID,
    )


def write_used(directory: Path, used: Used) -> None:
    """Write what deleted tasks of an attempt have used.

    Raises:
        OSError: it cannot be written; what was there is still there.
    """
    replace_record(directory / "used.json", _UsedBefore(*used))


def read_used(directory: Path) -> Used:
    """Return what deleted tasks of an attempt have used."""
    found = read_record(directory / "used.json", _UsedBefore)
    return NOTHING_USED if found is None else Used(found.cpu_s, found.max_rss_mib)
