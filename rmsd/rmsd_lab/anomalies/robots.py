"""Robots: users whose jobs come by the clock (thesis 6.1).

The thesis's examples come from system staff and from scripts: 16 jobs on the SDSC Paragon between
3:30 and 4:00 every morning, checks that a machine still answers. The thesis found robots by eye;
here, either of two signs is enough. Most jobs of a user come in the same half hour of the day, on
many days. Or most of the times between the jobs are the same.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from rmsd_lab.workloads.swf_log import LogJob

DAY_S = 86400
SLOT_S = 1800
LEAST_DAYS = 10
"""The least number of days on which a habit must show."""
LEAST_GAPS = 20
LEAST_GAP_S = 60
"""The least time between the jobs of a robot. Jobs that come more often are a burst: a matter of
flurries."""
SHARE = 0.5
_UNKNOWN_USER = -1


@dataclass(frozen=True, slots=True)
class Robot:
    """kind "time of day": `jobs` of the user's `of_jobs` come in the half hour that begins `at_s`
    after midnight, on `days` days. "interval": so many of the times between the user's submits
    are from `at_s` to a little more; `jobs` is how many, `of_jobs` how many there are."""

    user: int
    kind: Literal["time of day", "interval"]
    at_s: int
    jobs: int
    of_jobs: int
    days: int

    @property
    def share(self) -> float:
        return self.jobs / self.of_jobs

    def has(self, user: int, submit_s: int, zero_s: int) -> bool:
        """Return whether a job is the robot's. All jobs of a robot with intervals are. For `zero_s`
        see `Habits`."""
        if user != self.user:
            return False
        return self.kind == "interval" or _slot(submit_s, zero_s) * SLOT_S == self.at_s


class Habits:
    """The submit times of each user. `zero_s` is the time of day, in seconds after midnight, at
    which the trace begins. If the time of day is not known, half hours are counted from the trace's
    zero."""

    def __init__(self, zero_s: int) -> None:
        self._zero_s = zero_s
        self._submits: dict[int, array[int]] = defaultdict(lambda: array("q"))

    def add(self, job: LogJob) -> None:
        if job.submit_s >= 0 and job.user != _UNKNOWN_USER:
            self._submits[job.user].append(job.submit_s)

    def robots(self) -> list[Robot]:
        """Return the robots, the one with the most jobs first."""
        found = []
        for user, submits_s in self._submits.items():
            robot = self._by_day(user, submits_s) or _by_interval(user, submits_s)
            if robot is not None:
                found.append(robot)
        return sorted(found, key=lambda robot: (-robot.jobs, robot.user))

    def _by_day(self, user: int, submits_s: array[int]) -> Robot | None:
        slots = Counter(_slot(submit_s, self._zero_s) for submit_s in submits_s)
        [(slot, jobs)] = slots.most_common(1)
        days = {
            (submit_s + self._zero_s) // DAY_S
            for submit_s in submits_s
            if _slot(submit_s, self._zero_s) == slot
        }
        if jobs < SHARE * len(submits_s) or len(days) < LEAST_DAYS:
            return None
        return Robot(user, "time of day", slot * SLOT_S, jobs, len(submits_s), len(days))


def _by_interval(user: int, submits_s: array[int]) -> Robot | None:
    """Return a robot if the user submits at equal intervals, else None. Jobs of one instant count
    as one submit."""
    instants = sorted(set(submits_s))
    gaps_s = sorted(
        after - before for before, after in pairwise(instants) if after - before >= LEAST_GAP_S
    )
    every = len(instants) - 1
    if every < LEAST_GAPS or len(gaps_s) < SHARE * every:
        return None
    alike, gap_s = max(
        (bisect_right(gaps_s, _little_more(gap_s)) - at, gap_s) for at, gap_s in enumerate(gaps_s)
    )
    if alike < SHARE * every:
        return None
    days = len({instant // DAY_S for instant in instants})
    return Robot(user, "interval", gap_s, alike, every, days)


def _little_more(gap_s: int) -> int:
    """Return a gap with the tolerance for a clock and a busy machine added: 1% and 2 s."""
    return gap_s + gap_s // 100 + 2


def _slot(submit_s: int, zero_s: int) -> int:
    return (submit_s + zero_s) % DAY_S // SLOT_S
