"""Scheduling passes of every recipe with 10,000 jobs waiting on 256 nodes, in one process.

All jobs differ in limit, size and memory, and end before their limits. Each end is a call of the
core with its pass, and so is the submit that keeps the queue as long as it was, and each time at
which the core asked to be called. The figure is the processor time of such a call: other work on
the machine lengthens it less than it does the clock's time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from heapq import heappop, heappush

from rmsd_core.jobs.attempt import Outcome
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Allocation, Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Effects, Start, Stop
from rmsd_core.lifecycle.inputs import Exited, Input, NodeUp, Submit
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.presets import PRESETS
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import limited, parse_recipe
from rmsd_core.vocabulary import Cause
from rmsd_daemon.setup.clock import slip_us
from tests.bench.measure import Figures, percentile

WAITING = 10_000
NODES, CORES, MEM_MIB = 256, 16, 65_536
_CALLS = 200
"""The number of events of each recipe that are measured, after a quarter as many that are not."""
_LATE_US = 1000
"""The delay with which the core is called after the time that it asked for."""
_THRESHOLDS = {"selective": "threshold=2", "selective-d": "thresholds=2/3/4/5"}
"""The thresholds that a live cluster must be told: it has no conservative run to take them from."""


def bench() -> Figures:
    """Measure every preset that can run live, as it does there, with trials and without."""
    figures: Figures = {}
    for name, preset in PRESETS.items():
        if preset.predict != "perfect":
            text = ",".join([name, *([_THRESHOLDS[name]] if name in _THRESHOLDS else [])])
            for one in (text, f"timed-{text}"):
                figures |= measure(one)
    return figures


def measure(text: str, calls: int = _CALLS) -> Figures:
    """Return the processor time of the calls under one recipe."""
    recipe = limited(parse_recipe(text))
    cluster = _Cluster(recipe)
    first_s = cluster.fill()
    for _ in range(calls // 4):
        cluster.step()
    taken = [1000 * seconds for _ in range(calls) for seconds in cluster.step()]
    p50, p99 = percentile(taken, 50), percentile(taken, 99)
    return {
        f"{recipe.name}: a call, p50 / p99 / longest; submit all": (
            f"{p50:.1f} / {p99:.1f} / {max(taken):.1f} ms; {1000 * first_s:.0f} ms"
        )
    }


class _Cluster:
    """A core under load: jobs that run, and the submits that replace them."""

    def __init__(self, recipe: Recipe) -> None:
        self._rng = random.Random(1)
        self._core = Core(recipe, "nodes", slip_us=slip_us(1))
        self._ends: list[tuple[int, int, int, Allocation]] = []
        self._runs_us: list[int] = []
        self._now_us = 0
        self._wake_us: int | None = None
        self._started = 0
        nodes = [NodeUp(f"n{at:03}", CORES, MEM_MIB) for at in range(NODES)]
        self._core.handle(0, nodes)

    def fill(self) -> float:
        """Submit all jobs at once; return how long that call takes [s]."""
        taken = self._call([Submit(self._job()) for _ in range(WAITING)])
        self._started = 0
        return taken

    def step(self) -> list[float]:
        """Go to the next end or wake time, and replace the jobs that have started; return how long
        each call with a pass takes [s]."""
        end_us = self._ends[0][0]
        if self._wake_us is not None and self._wake_us < end_us:
            self._now_us = self._wake_us + _LATE_US
            return self._calls([])
        self._now_us, job_id, attempt, place = heappop(self._ends)
        return self._calls(
            [
                Exited(job_id, attempt, piece.node, self._now_us, Outcome(Cause.EXIT, 0))
                for piece in place
            ]
        )

    def _calls(self, inputs: list[Input]) -> list[float]:
        taken = [self._call(inputs)]
        if self._started:
            self._now_us += _LATE_US
            arrivals = [Submit(self._job()) for _ in range(self._started)]
            self._started = 0
            taken.append(self._call(arrivals))
        return [seconds for seconds in taken if seconds > 0]

    def _call(self, inputs: Sequence[Input]) -> float:
        passes = self._core.passes
        begun = time.process_time()
        effects = self._core.handle(self._now_us, inputs)
        taken = time.process_time() - begun
        self._wake_us = effects.wake_us
        self._react(effects)
        return taken if self._core.passes > passes else 0.0

    def _react(self, effects: Effects) -> None:
        killed: list[Input] = []
        for decision in effects.decisions:
            if isinstance(decision, Start):
                job_id, attempt, start_us, place, _ = decision
                self._started += 1
                heappush(self._ends, (start_us + self._runs_us[job_id], job_id, attempt, place))
            elif isinstance(decision, Stop):
                job_id, attempt, nodes, cause = decision
                killed += [
                    Exited(job_id, attempt, node, self._now_us, Outcome(cause)) for node in nodes
                ]
        if killed:
            self._call(killed)

    def _job(self) -> Job:
        """Return a job: half of them are small, the others up to the size of the machine."""
        rng, at = self._rng, len(self._runs_us)
        limit_us = rng.randint(600 * SECOND_US, 86_400 * SECOND_US)
        self._runs_us.append(round(limit_us * rng.uniform(0.05, 1.0)))
        if rng.random() < 0.5:
            component = Component(rng.randint(1, 4), 1, rng.randint(0, MEM_MIB // 16))
        else:
            units, cores = round(2 ** rng.uniform(0, 8)), rng.choice((1, 1, 1, 2, 4, 8, 16))
            component = Component(units, cores, rng.randint(0, MEM_MIB // 2))
        user = f"user{rng.randint(1, 50)}"
        return Job(at, user, self._now_us, Request((component,)), limit_us)
