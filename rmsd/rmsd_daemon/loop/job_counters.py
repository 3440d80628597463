"""Counters of jobs since the daemon's start, for monitoring; nothing is decided by them."""

from __future__ import annotations

from collections import Counter

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Effects, End, Requeue, Start
from rmsd_core.model_time import SECOND_US
from rmsd_daemon.domain.histogram import Histogram

_WAITS_S = (1.0, 10.0, 60.0, 300.0, 900.0, 3600.0, 4 * 3600.0, 12 * 3600.0, 86400.0, 7 * 86400.0)
_SLOWDOWNS = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0, 1000.0)
_LEAST_RUN_US = 10 * SECOND_US


class JobCounters:
    """Counts what is committed. started: attempts; backfilled: those of them that passed a job
    before them. ended: jobs that are over, by state. requeued: attempts after which the job waited
    again, by cause. waits: of jobs that have run, in model seconds, for resources alone.
    slowdowns: bounded slowdowns of the same jobs, as `rmsd metrics` has them."""

    def __init__(self) -> None:
        self.started = 0
        self.backfilled = 0
        self.ended: Counter[str] = Counter()
        self.requeued: Counter[str] = Counter()
        self.waits = Histogram(_WAITS_S)
        self.slowdowns = Histogram(_SLOWDOWNS)

    def note(self, core: Core, effects: Effects) -> None:
        """Count the decisions of one call of the core."""
        for decision in effects.decisions:
            if isinstance(decision, Start):
                self.started += 1
                self.backfilled += core.job(decision.job_id).record.backfilled
            elif isinstance(decision, Requeue):
                self.requeued[decision.outcome.cause.value] += 1
            elif isinstance(decision, End):
                self.ended[decision.state.value] += 1
                if decision.start_us is not None:
                    self._ran(core.job(decision.job_id), decision.start_us, decision.end_us)

    def _ran(self, job: Job, start_us: int, end_us: int) -> None:
        wait_us, run_us = max(0, start_us - job.eligible_us), max(0, end_us - start_us)
        self.waits.observe(wait_us / SECOND_US)
        self.slowdowns.observe(max(1.0, (wait_us + run_us) / max(run_us, _LEAST_RUN_US)))
