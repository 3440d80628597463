"""Counters of jobs since the daemon's start, for monitoring; nothing is decided by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Drop, Effects, End, Requeue, Start
from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import state_after
from rmsd_daemon.domain.histogram import Histogram
from rmsd_daemon.loop.mailbox import Work, new_jobs

_WAITS_S = (1.0, 10.0, 60.0, 300.0, 900.0, 3600.0, 4 * 3600.0, 12 * 3600.0, 86400.0, 7 * 86400.0)
_SLOWDOWNS = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0, 1000.0)
_LEAST_RUN_US = 10 * SECOND_US


class JobCounters:
    """Counts what is committed. submitted: jobs, with each task of arrays. started: attempts;
    backfilled: those of them that passed a job before them. ended: jobs and tasks of arrays that
    are over, by state. requeued: attempts after which the job waited again, by cause. waits: of
    jobs that have run, in model seconds, for resources alone. slowdowns: bounded slowdowns of the
    same jobs, as `rmsd metrics` has them."""

    def __init__(self) -> None:
        self.submitted = 0
        self.started = 0
        self.backfilled = 0
        self.ended: Counter[str] = Counter()
        self.requeued: Counter[str] = Counter()
        self.waits = Histogram(_WAITS_S)
        self.slowdowns = Histogram(_SLOWDOWNS)

    def note(self, core: Core, works: Iterable[Work], effects: Effects) -> None:
        """Count the new jobs of works, and the decisions of one call of the core."""
        self.submitted += sum(one.details.count for one in new_jobs(works))
        for decision in effects.decisions:
            if isinstance(decision, Start):
                self.started += 1
                self.backfilled += core.job(decision.job_id).record.backfilled
            elif isinstance(decision, Requeue):
                self.requeued[decision.outcome.cause.value] += 1
            elif isinstance(decision, Drop):
                state = state_after(decision.cause, None, None)
                self.ended[state.value] += sum(end - first for first, end in decision.dropped)
            elif isinstance(decision, End):
                job = core.job(decision.job_id)
                if job.array is None:  # the end of an array is that of its tasks
                    self.ended[decision.state.value] += 1
                if decision.start_us is not None:
                    self._ran(job, decision.start_us, decision.end_us)

    def _ran(self, job: Job, start_us: int, end_us: int) -> None:
        wait_us, run_us = max(0, start_us - job.eligible_us), max(0, end_us - start_us)
        self.waits.observe(wait_us / SECOND_US)
        self.slowdowns.observe(max(1.0, (wait_us + run_us) / max(run_us, _LEAST_RUN_US)))
