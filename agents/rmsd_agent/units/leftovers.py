"""Attempts in the state directory that an earlier agent has left."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from rmsd_agent.state.files import read_record, remove_tree
from rmsd_agent.state.records import BATCH, Running, SavedAttempt, Status, status_now
from rmsd_core.vocabulary import Cause

_CLAIMED_BY_AN_EARLIER_VERSION = b"given up by the agent"
_RESTARTED = "the machine was restarted while it ran"


@dataclass(frozen=True, slots=True)
class Remains:
    """The files in a unit's directory, as an earlier agent has left them."""

    running: Running | None
    status: Status | None


def read_attempt(directory: Path, boot_id: str) -> tuple[SavedAttempt, dict[str, Remains]] | None:
    """Return an attempt that an earlier agent left, with its units, or None if it never started.

    A unit that no shepherd has claimed is claimed here, so that none ever can, and dropped: the
    daemon will send it again.
    """
    saved = read_record(directory / "attempt.json", SavedAttempt)
    if saved is None:
        return None  # the agent died while it wrote it
    units = {}
    for unit_dir in sorted(path for path in directory.iterdir() if path.is_dir()):
        remains = Remains(
            running=read_record(unit_dir / "running.json", Running),
            status=read_record(unit_dir / "status.json", Status),
        )
        if remains.status is None:
            if saved.boot_id != boot_id:
                remains = Remains(None, status_now(Cause.UNKNOWN, _RESTARTED))
            elif _claim(unit_dir):
                _drop(unit_dir)
                continue
        units[unit_dir.name] = remains
    if saved.launch.batch:
        if BATCH not in units:
            return None
        saved = _as_begun(saved, units[BATCH].running)
    return saved, units


def _as_begun(saved: SavedAttempt, running: Running | None) -> SavedAttempt:
    """Return the attempt with the times of its script, which count from when a shepherd has taken
    the script."""
    if running is None:
        return saved
    warn_at_s = running.warn.at_s if running.warn is not None else saved.warn_at_s
    return msgspec.structs.replace(saved, deadline_s=running.deadline_s, warn_at_s=warn_at_s)


def _claim(unit_dir: Path) -> bool:
    """Claim a unit by hard-linking the attempt's record. This is one step, so that an empty file is
    always a shepherd's, and it is possible on a full disk, which has no space for another file."""
    path, mark = unit_dir / "running.json", unit_dir.parent / "attempt.json"
    try:
        os.link(mark, path)
    except FileExistsError:
        if path.is_dir():  # no shepherd can claim the unit any more
            return True
        claimed = read_record(path, SavedAttempt) is not None  # which is nothing a shepherd writes
        return claimed or path.read_bytes() == _CLAIMED_BY_AN_EARLIER_VERSION
    return True


def _drop(unit_dir: Path) -> None:
    """Delete a unit that was claimed here, out of the way: a shepherd that was given it, and is
    late, finds no directory then, and never one whose claim is deleted already."""
    directory = unit_dir.parent
    aside = directory.with_name(f"dropped.{directory.name}.{unit_dir.name}")
    remove_tree(aside)  # an agent may have been killed just here
    try:
        unit_dir.rename(aside)
    except OSError:  # a full disk keeps no agent from its start
        aside = unit_dir
    remove_tree(aside)
