"""A workload of any length, fitted to a trace. The trace's users come again, in other weeks and in
another company, with whole sessions at their times of the week.

After N. Zakay and D. G. Feitelson, "Workload resampling for performance evaluation of parallel job
schedulers" (ICPE 2013), which draws users, not jobs, independently. A load is changed by the number
of users, so that daily and weekly cycles stay. How it is done here is our own:

- a user's *stay* are the weeks from the first session of the user to the last;
- in each week every user of the trace comes anew, and stays as long as in the trace. The
  probability is one in the number of weeks of the trace, as there;
- in each week of the stay the user does what the user did in one week of the original stay, drawn
  at random: all sessions that began in it, idle weeks included;
- at the beginning those are there, somewhere in their stay, who were in a week drawn at random.

On average, as many users are there as in the trace, and do as much. If the trace ends within a
week, that week counts as a whole one.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rmsd_lab.workloads.models.sessions import UNKNOWN_USER, sessions
from rmsd_lab.workloads.swf import TraceJob
from rmsd_lab.workloads.workload import OfferedLoad

WEEK_S = 7 * 86400

_MISSES = 100
"""The number of draws in a row that bring the load no nearer, after which the search ends."""

_ROUNDS = 3

_SPARSE = 10
"""A trace with a job in fewer than one in so many weeks is not one of these users any more."""

Session = list[TraceJob]

Visit = list[Session]
"""All sessions of a user."""


class TooSparse(ValueError):
    """Hardly any week of the trace has a job."""


@dataclass(frozen=True, slots=True)
class _User:
    """A user's stay on the machine.

    first: the week of the trace in which the stay begins. weeks: the user's sessions in each week
    of the stay, with submit times from the beginning of that week on.
    """

    first: int
    weeks: list[list[Session]]


def resampled(
    jobs: Sequence[TraceJob], processors: int, weeks: int, seed: int, load: float | None = None
) -> list[TraceJob]:
    """Return `weeks` weeks of jobs in arrival order, with users and numbers of their own.

    jobs: of the trace, in arrival order, that fit `processors`; submit times count from its
        beginning, which is taken as the beginning of a week.
    load: what the offered load is to be, or None: as it comes. Users come more or less often to
        meet it. Then single users, and at last single sessions, are left out or put in until none
        of them brings the load nearer.

    Raises:
        TooSparse: see there; a submit time may be wrong.
        ValueError: no jobs, no week, jobs without users, or a load that is not above zero.
    """
    if not jobs or weeks < 1:
        raise ValueError("resampling needs at least one job and one week")
    if all(job.user == UNKNOWN_USER for job in jobs):
        raise ValueError("resampling needs a trace that knows its users")
    if load is not None and not 0 < load < float("inf"):
        raise ValueError(f"a load must be above zero and finite, not {load}")
    _refuse_sparse(jobs)
    rng = random.Random(seed)
    users = _users(jobs)
    density = 1.0
    if load is not None:
        work_s = sum(job.size * job.run_s for job in jobs)
        density = load * processors * _trace_weeks(users) * WEEK_S / max(1, work_s)
    visits = list(_visits(users, weeks, density, rng))
    if load is not None:
        visits = _with_load(visits, users, processors, weeks, load, rng)
    generated = sorted(
        (
            job._replace(user=str(number))
            for number, visit in enumerate(visits, 1)
            for session in visit
            for job in session
        ),
        key=lambda job: job.submit_s,
    )
    return [job._replace(number=at) for at, job in enumerate(generated, 1)]


def _refuse_sparse(jobs: Sequence[TraceJob]) -> None:
    busy = len({job.submit_s // WEEK_S for job in jobs})
    last_s = jobs[-1].submit_s
    weeks = last_s // WEEK_S + 1
    if busy * _SPARSE < weeks:
        raise TooSparse(
            f"only {busy:,} of the {weeks:,} weeks up to the last submit time, {last_s} s, have a "
            "job; is a submit time wrong?"
        )


def _users(jobs: Sequence[TraceJob]) -> list[_User]:
    by_user: dict[str, list[Session]] = defaultdict(list)
    for positions in sessions(jobs):
        session = [jobs[at] for at in positions]
        by_user[session[0].user].append(session)
    users = []
    for own in by_user.values():
        first = own[0][0].submit_s // WEEK_S
        last = own[-1][0].submit_s // WEEK_S
        stay: list[list[Session]] = [[] for _ in range(last - first + 1)]
        for session in own:
            week = session[0].submit_s // WEEK_S
            stay[week - first].append(_moved(session, -week))
        users.append(_User(first, stay))
    return users


def _trace_weeks(users: Sequence[_User]) -> int:
    return max(user.first + len(user.weeks) for user in users)


def _visits(
    users: Sequence[_User], weeks: int, density: float, rng: random.Random
) -> Iterator[Visit]:
    """Yield the visits of all users who come in these weeks; `density` times as many as in the
    trace."""
    trace_weeks = _trace_weeks(users)
    for user, since in _present(users, rng.randrange(trace_weeks)):
        for _ in range(_copies(density, rng)):
            yield _visit(user, 0, min(weeks, len(user.weeks) - since), rng)
    for week in range(1, weeks):
        for user in users:
            for _ in range(_copies(density / trace_weeks, rng)):
                yield _visit(user, week, min(weeks - week, len(user.weeks)), rng)


def _present(users: Sequence[_User], week: int) -> Iterator[tuple[_User, int]]:
    """Yield the users whose stay covers the week, each with the number of weeks of the stay that
    are over."""
    for user in users:
        since = week - user.first
        if 0 <= since < len(user.weeks):
            yield user, since


def _copies(density: float, rng: random.Random) -> int:
    """Return a random whole number whose mean is `density`."""
    whole = int(density)
    return whole + (rng.random() < density - whole)


def _visit(user: _User, first_week: int, weeks: int, rng: random.Random) -> Visit:
    return [
        _moved(session, week)
        for week in range(first_week, first_week + weeks)
        for session in rng.choice(user.weeks)
    ]


def _with_load(
    visits: list[Visit],
    users: Sequence[_User],
    processors: int,
    weeks: int,
    load: float,
    rng: random.Random,
) -> list[Visit]:
    """Return the visits with some left out or added, then with some sessions left out or added. An
    added session is a visit of its own."""

    def new_visit() -> Visit:
        user, week = rng.choice(users), rng.randrange(weeks)
        return _visit(user, week, min(weeks - week, len(user.weeks)), rng)

    def new_session() -> Visit:
        week = rng.choice(rng.choice(users).weeks)
        return [_moved(rng.choice(week), rng.randrange(weeks))] if week else []

    visits = _nearer(visits, load * processors * _span_s(visits, weeks), new_visit, rng)
    for _ in range(_ROUNDS):  # parts at the ends change the span
        wanted_s = load * processors * _span_s(visits, weeks)
        left_s = wanted_s - sum(map(_work_s, visits))
        parts = [(at, [session]) for at, visit in enumerate(visits) for session in visit]
        rng.shuffle(parts)
        dropped, more = _changes([part for _, part in parts], left_s, new_session)
        gone = {id(parts[at][1][0]) for at in dropped}
        visits = [[session for session in visit if id(session) not in gone] for visit in visits]
        visits += more
    return [visit for visit in visits if visit]


def _nearer(
    visits: list[Visit], wanted_s: float, new: Callable[[], Visit], rng: random.Random
) -> list[Visit]:
    rng.shuffle(visits)
    dropped, more = _changes(visits, wanted_s - sum(map(_work_s, visits)), new)
    return [visit for at, visit in enumerate(visits) if at not in dropped] + more


def _changes(
    parts: Iterable[Visit], left_s: float, new: Callable[[], Visit]
) -> tuple[set[int], list[Visit]]:
    """Return the parts to leave out, by position, and the parts to add. As little as possible of
    the work `left_s` (below zero: too much) remains then."""
    dropped = set()
    for at, part in enumerate(parts):
        if abs(left_s + _work_s(part)) < abs(left_s):
            left_s += _work_s(part)
            dropped.add(at)
    more: list[Visit] = []
    misses = 0
    while misses < _MISSES:
        part = new()
        if abs(left_s - _work_s(part)) < abs(left_s):
            left_s -= _work_s(part)
            more.append(part)
            misses = 0
        else:
            misses += 1
    return dropped, more


def _span_s(visits: Iterable[Visit], weeks: int) -> int:
    offered = OfferedLoad()
    for visit in visits:
        for session in visit:
            for job in session:
                offered.add(job)
    return offered.last_s - offered.first_s if offered.last_s > offered.first_s else weeks * WEEK_S


def _work_s(visit: Visit) -> int:
    return sum(job.size * job.run_s for session in visit for job in session)


def _moved(session: Session, weeks: int) -> Session:
    """Return a session moved by `weeks` weeks. Its jobs no longer follow other jobs."""
    return [
        job._replace(submit_s=job.submit_s + weeks * WEEK_S, preceding=-1, think_s=-1)
        for job in session
    ]
