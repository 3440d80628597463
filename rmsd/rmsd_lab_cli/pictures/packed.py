"""A Gantt chart as a few bytes that a browser reads at once: columns of numbers, compressed.

One gzip stream of little-endian 32-bit integers, column after column. The columns of the bars are
job, change of the submit time, wait, length of the run, processors, user (position in `users`),
estimate (-1: not known), kind (position in KINDS), number of pieces. The columns of the pieces are
first row and number of rows. Times are in ticks of `tick_us` from `origin_us` on.

Advance reservations are few: each is its name, start, end, and the position of its pieces in
`places`, as JSON.
"""

from __future__ import annotations

import base64
import gzip
import sys
from array import array
from collections.abc import Sequence
from itertools import pairwise
from math import gcd
from typing import Any

from rmsd_lab.charts.gantt import KINDS, Gantt, rows_of
from rmsd_wire.hostlist import expand

_LARGEST = (1 << 31) - 1
_MILLISECOND_US = 1000


def packed(
    gantts: Sequence[Gantt], *, calendar: bool, window_us: tuple[int, int] | None = None
) -> dict[str, Any]:
    """Return the object that gantt.js draws, as JSON. `calendar`: instants are of the epoch, not of
    a trace. `window_us`: the first and last instant that the page shows (default: all).

    What is shorter than a tick (a millisecond, or longer where years have to fit) is rounded.
    """
    drawn = [gantt.span_us() for gantt in gantts if gantt.bars]
    spans = drawn or [window_us or (0, 1)]
    submits = [bar.submit_us for gantt in gantts for bar in gantt.bars]
    origin_us = min([since_us for since_us, _ in spans] + submits)
    until_us = max(until_us for _, until_us in spans)
    tick_us = _tick_us(gantts, until_us - origin_us)
    first_us, last_us = window_us or (min(since_us for since_us, _ in spans), until_us)
    users = list(dict.fromkeys(bar.user for gantt in gantts for bar in gantt.bars))
    position = {user: at for at, user in enumerate(users)}
    return {
        "tick_us": tick_us,
        "origin_us": origin_us,
        "calendar": calendar,
        "by": "user" if calendar else "kind",
        "since": (first_us - origin_us) // tick_us,
        "until": -(-(last_us - origin_us) // tick_us),
        "users": users,
        "runs": [_run(gantt, origin_us, tick_us, position) for gantt in gantts],
    }


def _tick_us(gantts: Sequence[Gantt], span_us: int) -> int:
    """Return the length of a tick [us]. This is the largest of 1 s and its thousandths that loses
    nothing, and long enough for times to fit."""
    common = 1_000_000
    for gantt in gantts:
        for bar in gantt.bars:
            common = gcd(common, bar.submit_us, bar.start_us, bar.end_us)
    tick_us = max(common, _MILLISECOND_US)
    while span_us // tick_us > _LARGEST:
        tick_us *= 10
    return tick_us


def _run(gantt: Gantt, origin_us: int, tick_us: int, position: dict[str, int]) -> dict[str, Any]:
    def ticks(us: int) -> int:
        return (us - origin_us) // tick_us

    bars = sorted(gantt.bars, key=lambda bar: bar.submit_us)
    submits = [ticks(bar.submit_us) for bar in bars]
    starts = [ticks(bar.start_us) for bar in bars]
    pieces = [piece for bar in bars for piece in bar.pieces]
    places = list(dict.fromkeys(one.nodes for one in gantt.reservations))
    columns: list[Sequence[int]] = [
        [bar.job_id for bar in bars],
        [b - a for a, b in pairwise([0, *submits])],
        [start - submit for start, submit in zip(starts, submits, strict=True)],
        [ticks(bar.end_us) - start for bar, start in zip(bars, starts, strict=True)],
        [bar.size for bar in bars],
        [position[bar.user] for bar in bars],
        [_estimate(bar.estimate_us, tick_us) for bar in bars],
        [KINDS.index(bar.kind) for bar in bars],
        [len(bar.pieces) for bar in bars],
        [piece.first for piece in pieces],
        [piece.rows for piece in pieces],
    ]
    return {
        "name": gantt.name,
        "bars": len(bars),
        "pieces": len(pieces),
        "processors": gantt.processors,
        "rows": gantt.rows,
        "lines": [list(line) for line in gantt.lines],
        "now": None if gantt.now_us is None else ticks(gantt.now_us),
        "reservations": [
            [one.name, ticks(one.start_us), ticks(one.end_us), places.index(one.nodes)]
            for one in gantt.reservations
        ],
        "places": [rows_of({*expand(nodes)}, gantt.lines) for nodes in places],
        "data": base64.b64encode(gzip.compress(_bytes(columns), mtime=0)).decode(),
    }


def _estimate(estimate_us: int, tick_us: int) -> int:
    """Return an estimate in ticks; -1 if it is not known or too long to be one."""
    ticks = estimate_us // tick_us
    return ticks if 0 <= ticks <= _LARGEST else -1


def _bytes(columns: Sequence[Sequence[int]]) -> bytes:
    numbers = array("i", [number for column in columns for number in column])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
