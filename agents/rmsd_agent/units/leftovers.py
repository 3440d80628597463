"""Attempts in the state directory that an earlier agent has left."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from rmsd_agent.state.files import read_record, remove_tree
from rmsd_agent.state.records import BATCH, ClaimedUnit, SavedAttempt, UnitStatus, status_now
from rmsd_core.vocabulary import Cause

_CLAIMED_BY_AN_EARLIER_VERSION = b"given up by the agent"


def restarted(node: str) -> str:
    """Return what people are told of an attempt that was lost when its node was restarted."""
    return f"node {node} was restarted"


@dataclass(frozen=True, slots=True)
class Remains:
    """The files in a unit's directory, as an earlier agent has left them."""

    running: ClaimedUnit | None
    status: UnitStatus | None


def read_attempt(directory: Path, boot_id: str) -> tuple[SavedAttempt, dict[str, Remains]] | None:
    """Return an attempt that an earlier agent left, with its units, or None if it never started.

    A unit that no shepherd has claimed is claimed here, so that none ever can, and dropped: the
    daemon will send it again. Units that an earlier boot of this machine has left cannot run any
    more. A unit without an end, or one that the shutdown has ended, was lost with the node.
    """
    saved = read_record(directory / "attempt.json", SavedAttempt)
    if saved is None:
        return None  # the agent died while it wrote it
    units = {}
    for unit_dir in sorted(path for path in directory.iterdir() if path.is_dir()):
        remains = Remains(
            running=read_record(unit_dir / "running.json", ClaimedUnit),
            status=read_record(unit_dir / "status.json", UnitStatus),
        )
        if saved.boot_id != boot_id:
            remains = _after_restart(remains, saved.launch.node)
        elif remains.status is None and claim(unit_dir):
            drop(unit_dir)
            continue
        units[unit_dir.name] = remains
    if not saved.prolog_over and not units:
        return None  # the daemon sends it again, and the prolog is run anew
    if saved.launch.batch:
        if BATCH not in units:
            return None
        saved = _as_begun(saved, units[BATCH].running)
    return saved, units


def _after_restart(remains: Remains, node: str) -> Remains:
    """Return what a unit of an earlier boot has come to: its own end, or its node's."""
    status = remains.status
    if status is None:
        return Remains(None, status_now(Cause.NODE, restarted(node)))
    if status.cause is Cause.EXIT and status.shepherd_sent_sigterm:
        lost = msgspec.structs.replace(status, cause=Cause.NODE, message=restarted(node))
        return Remains(remains.running, lost)
    return remains


def _as_begun(saved: SavedAttempt, running: ClaimedUnit | None) -> SavedAttempt:
    """Return the attempt with the times of its script, which count from when a shepherd has taken
    the script."""
    if running is None:
        return saved
    warn_at_s = running.warn.at_s if running.warn is not None else saved.warn_at_s
    return msgspec.structs.replace(saved, deadline_s=running.deadline_s, warn_at_s=warn_at_s)


def claim(unit_dir: Path) -> bool:
    """Claim a unit by hard-linking the attempt's record. This is one step, so that an empty file is
    always a shepherd's. It is possible on a full disk, which has no space for another file."""
    path, mark = unit_dir / "running.json", unit_dir.parent / "attempt.json"
    try:
        os.link(mark, path)
    except FileExistsError:
        if path.is_dir():  # no shepherd can claim the unit any more
            return True
        # a shepherd never writes such a record
        claimed = read_record(path, SavedAttempt) is not None
        return claimed or path.read_bytes() == _CLAIMED_BY_AN_EARLIER_VERSION
    return True


def drop(unit_dir: Path) -> None:
    """Move a unit that was claimed here out of the way, and delete it. A late shepherd that was
    given the unit then finds no directory, and never one whose claim is deleted already."""
    directory = unit_dir.parent
    aside = directory.with_name(f"dropped.{directory.name}.{unit_dir.name}")
    remove_tree(aside)  # an agent may have been killed just here
    try:
        unit_dir.rename(aside)
    except OSError:  # a full disk keeps no agent from its start
        aside = unit_dir
    remove_tree(aside)
