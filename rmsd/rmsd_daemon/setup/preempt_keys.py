"""The keys by which the jobs of a partition or a QOS make way for others, which both have alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

from rmsd_core.model_time import duration_us
from rmsd_core.vocabulary import Preempt
from rmsd_daemon.setup.named_tables import Readers

_PREEMPTS = get_args(Preempt)


def preempt_keys(readers: Readers) -> Readers:
    """Return the keys with their readers."""
    return {
        "preempt": _preempt,
        "preempt_grace": readers["limited"],
        "preempt_exempt": readers["limited"],
    }


def preempt_times_us(given: Mapping[str, Any]) -> tuple[int | None, int]:
    """Return the grace, None for that of other kills, and how long jobs are left alone [us]."""
    grace_s = given.get("preempt_grace")
    return (
        None if grace_s is None else duration_us(grace_s),
        duration_us(given.get("preempt_exempt", 0)),
    )


def _preempt(value: object) -> Preempt:
    if value not in _PREEMPTS:
        raise ValueError(f"{value!r} is not one of {', '.join(_PREEMPTS)}")
    return cast("Preempt", value)
