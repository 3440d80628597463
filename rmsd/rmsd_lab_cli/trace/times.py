"""Times on the command line of `rmsd trace`: seconds, as in a trace, or with a unit, or a date."""

from __future__ import annotations

import argparse
from datetime import datetime

from rmsd_cli.errors import CommandUsageError
from rmsd_lab.traces.header import Header
from rmsd_lab.workloads.swf import MOST
from rmsd_lab_cli.trace.local_time import time_zone

_UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def seconds(text: str) -> int:
    """Return the seconds of `90`, `90s`, `30m`, `1.5h`, `2d` or `3w`: whole, at least 0. For
    argparse."""
    number, unit_s = text, 1
    if text[-1:] in _UNITS_S:
        number, unit_s = text[:-1], _UNITS_S[text[-1]]
    try:
        value = float(number) * unit_s
        if 0 <= value <= MOST:
            return round(value)
    except (ValueError, OverflowError):
        pass
    raise argparse.ArgumentTypeError(
        f"{text!r} is not a time; write seconds, or a number with s, m, h, d or w"
    )


def seconds_of_trace(option: str, text: str, header: Header) -> int:
    """Return a time as seconds from second 0 of the trace. The text is as for `seconds`, or a local
    date of the machine: `1996-12-24` or `1996-12-24T18:00`.

    Raises:
        CommandUsageError: it is neither, or a date of a trace that does not say when it begins.
    """
    try:
        return seconds(text)
    except argparse.ArgumentTypeError:
        pass
    try:
        local = datetime.fromisoformat(text)
    except ValueError:
        raise CommandUsageError(
            f"{option} {text}: neither a time of the trace (90, 30m, 2d) nor a date "
            "(1996-12-24, 1996-12-24T18:00)"
        ) from None
    start_s = header.number("UnixStartTime")
    if start_s is None:
        raise CommandUsageError(
            f"{option} {text}: the trace has no UnixStartTime; give seconds instead"
        )
    if local.tzinfo is None:
        local = local.replace(tzinfo=time_zone(header))
    return round(local.timestamp()) - start_s
