"""Files of the agent's own: what others may read of them, records in them, and deleting them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeVar

import msgspec
import structlog

from rmsd_agent.machine.users import IS_ROOT
from rmsd_agent.state.delete_trees import delete_tree
from rmsd_wire.malformed import MALFORMED

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_Record = TypeVar("_Record", bound=msgspec.Struct)


def private(path: str, flags: int) -> int:
    """Open a file that other users may not read; an `opener` for `open`."""
    return os.open(path, flags, 0o600)


def read_record(path: Path, kind: type[_Record]) -> _Record | None:
    """Return the last record of a file that has one record a line, or None if it has none or is not
    there.

    A line that was not written to its end does not count.
    """
    try:
        lines = path.read_bytes().splitlines()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    for line in reversed(lines):
        try:
            return msgspec.json.decode(line, type=kind)
        except MALFORMED:
            continue
    return None


def write_record(path: Path, record: msgspec.Struct) -> None:
    """Write a record, readable by its owner only.

    Raises:
        OSError: it cannot be written; what is there then cannot be read as a record.
    """
    with open(path, "wb", opener=private) as file:
        file.write(msgspec.json.encode(record))


def replace_record(path: Path, record: msgspec.Struct) -> None:
    """Write a record in the place of one that shall not be lost.

    Raises:
        OSError: it cannot be written; what was there is still there.
    """
    new = path.with_suffix(".new")
    write_record(new, record)
    new.rename(path)


def make_dir(path: Path, *, parents: bool = False) -> None:
    """Make a directory that others may not list. If jobs are other users', they may pass through
    it, to what is theirs in it.

    Raises:
        OSError: it cannot be made.
    """
    path.mkdir(mode=0o700, parents=parents, exist_ok=parents)
    if IS_ROOT:
        path.chmod(0o711)


def remove_tree(path: Path | str) -> None:
    """Delete a directory into which no user's process has written. What cannot be deleted is left
    for the next start of the agent."""
    try:
        delete_tree(str(path))
    except OSError as error:
        log.warning("not-deleted", path=error.filename, error=error.strerror)
