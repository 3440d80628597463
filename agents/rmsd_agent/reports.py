"""Reports to the daemon, kept until it has committed them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection

from rmsd_agent.state.records import UnitStatus
from rmsd_wire.frames import cut
from rmsd_wire.link import ExitedReport, HeldAttempt, Launch, LaunchedReport, Report
from rmsd_wire.link_values import MAX_SIGNAL

_LONGEST_AGO_S = 1e12
"""The longest time ago that a report can state."""

Key = tuple[int, int, str]
"""The key of an attempt on a node: (job_id, attempt, node)."""


def key_of(message: Report) -> Key:
    return (message.job_id, message.attempt, message.node)


def held_as(
    launch: Launch, *, stopping: bool = False, over: bool = False, suspended: bool = False
) -> HeldAttempt:
    """Describe an attempt that is here, for a Hello."""
    return HeldAttempt(
        launch.job_id,
        launch.attempt,
        launch.node,
        stopping,
        batch=launch.batch,
        cores=launch.cores,
        start_us=launch.model_start_us,
        over=over,
        suspended=suspended,
    )


def _exited(key: Key, status: UnitStatus, end_us: int | None, drain: str) -> ExitedReport:
    """Return the report of an end, in a form that any daemon can read."""
    code, sign = status.exit_code, status.signal
    cpu_s, max_rss_mib = status.cpu_s, status.max_rss_mib
    return ExitedReport(
        0,
        *key,
        cause=status.cause,
        exit_code=code if code is None or -(1 << 31) <= code < 1 << 32 else None,
        signal=sign if sign is None or 0 <= sign <= MAX_SIGNAL else None,
        cpu_s=cpu_s if cpu_s is None or 0 <= cpu_s <= 1e12 else None,
        max_rss_mib=max_rss_mib if max_rss_mib is None or 0 <= max_rss_mib < 1 << 50 else None,
        message=cut(status.message),
        fault=status.fault,
        end_us=end_us,
        drain=cut(drain),
    )


class Reports:
    """The reports to the daemon, numbered within a session in the order in which things happened.

    `send` puts a report on the wire if there is one; what gets lost is reported again by the next
    session, until it is acknowledged.
    """

    def __init__(self, send: Callable[[Report], None]) -> None:
        self._send = send
        self._pending: deque[Report] = deque()  # ascending numbers
        self._launched: set[Key] = set()  # the attempts of pending starts
        self._ended_s: dict[Key, float] = {}  # the times of pending exits, CLOCK_MONOTONIC
        self._last_seq = 0

    def launched(self, key: Key, pid: int | None) -> None:
        """Report a start, once while the report is not acknowledged."""
        if key not in self._launched:
            self._launched.add(key)
            self._add(LaunchedReport(0, *key, pid=pid))

    def exited(
        self, key: Key, status: UnitStatus, end_us: int | None = None, drain: str = ""
    ) -> None:
        """Report that nothing of an attempt is left, once while the report is not acknowledged.
        `end_us` is the exact model end of a timer. `drain` is the reason why the node is to be
        drained, "" if it is not."""
        if key in self._ended_s:
            return
        self._ended_s[key] = status.ended_on_our_clock_s()
        self._add(_exited(key, status, end_us, drain))

    def open_session(self) -> list[Report]:
        """Return everything unacknowledged, numbered from 1, to follow `Hello`."""
        self._last_seq = 0
        for report in self._pending:
            self._stamp(report)
        return list(self._pending)

    def pending(self) -> list[Report]:
        """Return the reports that are not acknowledged, with `ago_s` as of now."""
        for report in self._pending:
            self._date(report)
        return list(self._pending)

    def acknowledge(self, seq: int) -> list[Report]:
        """Forget and return the reports that the daemon has committed, with `ago_s` as of now."""
        done: list[Report] = []
        while self._pending and self._pending[0].seq <= seq:
            done.append(self._pending.popleft())
        for report in done:
            self._date(report)
            if isinstance(report, ExitedReport):
                self._ended_s.pop(key_of(report), None)
            else:
                self._launched.discard(key_of(report))
        return done

    def withdraw_exits(self, keys: Collection[Key]) -> None:
        """Take back exits that no daemon has acknowledged."""
        self._pending = deque(
            r for r in self._pending if not (isinstance(r, ExitedReport) and key_of(r) in keys)
        )
        for key in keys:
            self._ended_s.pop(key, None)

    def _add(self, report: Report) -> None:
        self._stamp(report)
        self._pending.append(report)
        self._send(report)

    def _stamp(self, report: Report) -> None:
        self._last_seq += 1
        report.seq = self._last_seq
        self._date(report)

    def _date(self, report: Report) -> None:
        if isinstance(report, ExitedReport):
            ago_s = time.monotonic() - self._ended_s[key_of(report)]
            report.ago_s = min(max(0.0, ago_s), _LONGEST_AGO_S)
