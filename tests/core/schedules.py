"""Random schedules for the tests of metrics: feasible, but of no scheduler in particular."""

from __future__ import annotations

from hypothesis import strategies as st

from rmsd_core.model_time import SECOND_US
from rmsd_lab.schedule import Scheduled

MACHINE = 8


def scheduled(
    job_id: int, submit: int, start: int, run: int, size: int = 1, **more: object
) -> Scheduled:
    """Return a job that ran once; `submit`, `start` and `run` in seconds."""
    times = (submit * SECOND_US, start * SECOND_US, (start + run) * SECOND_US, run * SECOND_US)
    return Scheduled(job_id, *times, size, **more)  # type: ignore[arg-type]


@st.composite
def schedules(draw: st.DrawFn, largest: int = 12) -> list[Scheduled]:
    """Draw jobs in arrival order. At every arrival and end, jobs that fit start in a random order,
    some held back. A job that starts past the first of the queue is backfilled behind it."""
    asked = sorted(
        draw(
            st.lists(
                st.tuples(st.integers(0, 30), st.integers(0, 20), st.integers(1, MACHINE)),
                min_size=1,
                max_size=largest,
            )
        )
    )
    whims = draw(st.permutations(range(len(asked))))
    patience = draw(st.lists(st.integers(0, 2), min_size=len(asked), max_size=len(asked)))
    done: dict[int, Scheduled] = {}
    reserved: dict[int, tuple[int, int]] = {}
    now = -1
    while len(done) < len(asked):
        now = _next(now, asked, done)
        waiting = [at for at, job in enumerate(asked) if job[0] <= now and at not in done]
        held = sum(job.size for job in done.values() if job.end_us > now * SECOND_US)
        for at in sorted(waiting, key=lambda at: whims[at]):
            submit, run, size = asked[at]
            if held + size > MACHINE:
                continue
            if patience[at] and held:
                patience[at] -= 1
                continue
            first = next(other for other in waiting if other not in done)
            held += size
            more = {"rank": len(done), "backfilled": at != first}
            if at != first:
                reserved.setdefault(first, (now, len(done)))
                more["behind"] = first
            done[at] = scheduled(at, submit, now, run, size, **more)
    for at, (since, rank) in reserved.items():
        done[at] = done[at]._replace(reserved_at_us=since * SECOND_US, reserved_rank=rank)
    return [done[at] for at in range(len(asked))]


def _next(now: int, asked: list[tuple[int, int, int]], done: dict[int, Scheduled]) -> int:
    instants = [job[0] for job in asked] + [job.end_us // SECOND_US for job in done.values()]
    return min((instant for instant in instants if instant > now), default=now + 1)
