"""A small synthetic workload from a seed: for demonstrations and tests, not for research.

Users come and go in sessions, repeat their jobs with some variation, ask for powers of two, and
give round estimates well above the run time. These habits make the schedulers here differ.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from rmsd_lab.workloads.swf import TraceJob
from rmsd_lab.workloads.workload import scaled_to_load

_ROUND_ESTIMATES_S = [60, 300, 600, 900, 1800, 3600, 7200, 14400]


def sample_trace(jobs: int, processors: int, seed: int, load: float = 0.95) -> list[TraceJob]:
    """Return `jobs` jobs for a machine of `processors`, with an offered load of `load`, in arrival
    order.

    Raises:
        ValueError: fewer than 2 jobs or no processor.
    """
    if jobs < 2 or processors < 1:
        raise ValueError("a sample needs at least 2 jobs and 1 processor")
    rng = random.Random(seed)
    sessions = _sessions(rng, processors)
    drawn: list[TraceJob] = []
    while len(drawn) < jobs:
        drawn.extend(next(sessions))
    drawn.sort(key=lambda job: job.submit_s)
    numbered = [job._replace(number=at) for at, job in enumerate(drawn[:jobs], 1)]
    return scaled_to_load(numbered, processors, load)


def _sessions(rng: random.Random, processors: int) -> Iterator[list[TraceJob]]:
    """Yield sessions without end. In each, a user submits similar jobs, minutes apart."""
    users = [f"{number}" for number in range(1, 21)]
    now_s = 0.0
    while True:
        now_s += rng.expovariate(1 / 600)
        user = rng.choice(users)
        size = min(processors, 2 ** rng.choice([0, 0, 1, 2, 3, 3, 4, 5]))
        typical_s = math.exp(rng.uniform(math.log(30), math.log(5000)))
        estimate_s = _estimate_s(rng, typical_s)
        session, at_s = [], now_s
        for _ in range(rng.randint(1, 8)):
            run_s = 5 if rng.random() < 0.1 else round(typical_s * rng.lognormvariate(0, 0.3))
            run_s = max(1, min(run_s, estimate_s))
            session.append(TraceJob(0, round(at_s), run_s, size, estimate_s, user, 1))
            at_s += rng.expovariate(1 / 240)
        yield session


def _estimate_s(rng: random.Random, typical_s: float) -> int:
    """Return a round number that the user considers safe [s]."""
    wanted_s = typical_s * rng.uniform(1.3, 6)
    longest_s = _ROUND_ESTIMATES_S[-1]
    return next((value for value in _ROUND_ESTIMATES_S if value >= wanted_s), longest_s)
