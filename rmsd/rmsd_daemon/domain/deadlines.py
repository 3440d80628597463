"""The deadlines of jobs, as far as a submit or an update can be known to miss them."""

from __future__ import annotations

from rmsd_core.model_time import SECOND_US, duration_s
from rmsd_daemon.domain.errors import Malformed
from rmsd_wire.durations import format_duration


def check_deadline(
    deadline_us: int | None, estimate_us: int, begin_us: int | None, now_us: int
) -> None:
    """Check that a job that waits can end before its deadline, if it has one.

    Raises:
        Malformed: its limit ends later, even if it starts as early as it may; or it has no limit.
    """
    if deadline_us is None:
        return
    time_limit_s = duration_s(estimate_us)
    if time_limit_s is None:
        raise Malformed(
            "a deadline is given for a job without a time limit, whose end is not known; give it a "
            "time limit"
        )
    start_us = max(now_us, begin_us or 0)
    left_s = (deadline_us - start_us) / SECOND_US
    if left_s * SECOND_US < estimate_us:
        after = "after its begin time" if start_us > now_us else "from now"
        when = f"{left_s:.0f} s {after}" if left_s > 0 else "over by then"
        raise Malformed(
            f"the deadline is {when}, and the time limit {format_duration(time_limit_s)}: the job "
            "could not end in time; give it a later deadline or a shorter limit"
        )
