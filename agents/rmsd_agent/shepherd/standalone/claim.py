"""The file `running.json` of a unit: which shepherd has the unit, and what is known of it."""

from __future__ import annotations

import os

from .lines import line, private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .unit import UnitProcesses


class UnitClaim:
    """A shepherd's claim to a unit. Only the process that makes the file may start the unit.

    Raises:
        FileExistsError, FileNotFoundError: The unit has been claimed before, or was given up.
        OSError: The file cannot be made now.
    """

    def __init__(self, unit: UnitProcesses, boot: str, shepherd: list[int]) -> None:
        self.path = os.path.join(unit.directory, "running.json")
        self._record: dict[str, Any] = {
            "boot_id": boot,
            "shepherd": shepherd,
            "pid": None,
            "start_ticks": None,
            "deadline_s": unit.deadline_s,
            "kill_grace_s": unit.grace_s,
            "warn": unit.warn.fields() if unit.warn is not None else None,
            "cgroup": unit.cgroup,
            "uid": None,
        }
        self._file = open(self.path, "xb", opener=private)  # noqa: SIM115 - until the exec

    def note(self, **known: Any) -> None:
        """Write down what is known now. Raises OSError if the disk is full."""
        self._record |= known
        self._file.write(line(self._record))
        self._file.flush()

    def found(self, uid: int) -> None:
        """Write down whose unit it is, before there is any process of the unit."""
        self.note(uid=uid)


def withdraw(unit: UnitProcesses) -> None:
    """Let a unit be claimed anew. Raises OSError."""
    os.unlink(os.path.join(unit.directory, "running.json"))
