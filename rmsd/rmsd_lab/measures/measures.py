"""All metrics of a schedule by group, as one nested dictionary that can be written as JSON.

Keys carry their units (`_s`; sizes are processors; rates and shares are 0 to 1), a unit holding for
all that is below its key. None stands for what is not known or not defined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rmsd_core.model_time import SECOND_US
from rmsd_lab.measures.accuracy import accuracy, predictability
from rmsd_lab.measures.categories import Boundaries, by_category, by_failure, short_among_failing
from rmsd_lab.measures.dynamics import backfilling, dynamics, heel_and_toe
from rmsd_lab.measures.fairness import fair_starts_us, treatment, treatment_by_length, unfairness
from rmsd_lab.measures.metrics import load, trial_cost, trimmed_positions, utilization, waits
from rmsd_lab.measures.timeline import momentary_load, order_shares, summarize_load, windowed_load
from rmsd_lab.schedule import Schedule, Scheduled

_WINDOWS = 100


@dataclass(slots=True)
class Measured:
    """The input of every group of metrics.

    schedule: all jobs. counted: the positions of those that averages are over.
    conservative, exact: the references of fairness, with the users' estimates and with exact ones;
        of the same jobs, in the same order; None: not known.
    """

    schedule: Schedule
    counted: list[int]
    boundaries: Boundaries = field(default_factory=Boundaries)
    conservative: Schedule | None = None
    exact: Schedule | None = None

    @property
    def jobs(self) -> list[Scheduled]:
        """Return the counted jobs."""
        return [self.schedule.jobs[at] for at in self.counted]


Group = Callable[[Measured], dict[str, Any]]


def measure(
    schedule: Schedule,
    groups: Iterable[str],
    *,
    trim: bool = False,
    boundaries: Boundaries | None = None,
    conservative: Schedule | None = None,
    exact: Schedule | None = None,
) -> dict[str, dict[str, Any]]:
    """Return the metrics of each of `groups` (keys of `GROUPS`).

    trim: averages are over the jobs that the thesis counts. See `Measured` for the references.

    Raises:
        KeyError: there is no such group.
        ValueError: a reference is of other jobs.
    """
    counted = trimmed_positions(schedule.jobs) if trim else list(range(len(schedule)))
    measured = Measured(schedule, counted, boundaries or Boundaries(), conservative, exact)
    return {group: _plain(GROUPS[group](measured)) for group in groups}


def _waits(measured: Measured) -> dict[str, Any]:
    schedule = measured.schedule
    return waits(measured.jobs)._asdict() | {
        "utilization": utilization(schedule.jobs, schedule.processors),
        "load": load(schedule.jobs, schedule.processors),
    }


def _categories(measured: Measured) -> dict[str, Any]:
    boundaries = measured.boundaries
    return {
        "long_above_s": boundaries.long_us / SECOND_US,
        "wide_above": boundaries.wide,
        **by_category(measured.jobs, boundaries),
    }


def _failures(measured: Measured) -> dict[str, Any]:
    jobs, boundaries = measured.jobs, measured.boundaries
    return {
        "short_up_to_s": boundaries.short_us / SECOND_US,
        "short_share_of_failing": short_among_failing(jobs, boundaries),
        **by_failure(jobs, boundaries),
    }


def _accuracy(measured: Measured) -> dict[str, Any]:
    return accuracy(measured.jobs)._asdict()


def _predictability(measured: Measured) -> dict[str, Any]:
    return predictability(measured.jobs)._asdict()


def _fairness(measured: Measured) -> dict[str, Any]:
    jobs = measured.jobs
    fair_us = _fair_us(measured, measured.conservative)
    fair_exact_us = _fair_us(measured, measured.exact)
    by_length = None
    if fair_us is not None:
        by_length = treatment_by_length(jobs, fair_us, measured.boundaries)
    return {
        "slowdown_over_fair": None if fair_us is None else treatment(jobs, fair_us),
        "slowdown_over_fair_by_length_s": by_length,
        "against_exact": None if fair_exact_us is None else unfairness(jobs, fair_exact_us),
    }


def _fair_us(measured: Measured, reference: Schedule | None) -> list[int] | None:
    """Return the fair starts of the counted jobs [us]; None without a reference."""
    if reference is None:
        return None
    for job, other in zip(measured.schedule, reference, strict=True):
        if (job.submit_us, job.size) != (other.submit_us, other.size):
            raise ValueError(f"job {job.job_id} and the reference's job {other.job_id} differ")
    starts_us = fair_starts_us(reference.jobs, reference.processors)
    return [starts_us[at] for at in measured.counted]


def _dynamics(measured: Measured) -> dict[str, Any]:
    schedule, counted = measured.schedule, measured.counted
    found = dynamics(schedule.jobs, schedule.processors)
    wild = None if found is None else [found.wild[at] for at in counted]
    return {
        "jobs": backfilling(measured.jobs, wild),
        "heel_and_toe": None if found is None else heel_and_toe(schedule.jobs, found, counted),
    }


def _load(measured: Measured) -> dict[str, Any]:
    schedule = measured.schedule
    steps = momentary_load(schedule.jobs, schedule.processors)
    return {
        "momentary": summarize_load(steps),
        "over_time": [
            {"since_s": since_us / SECOND_US, "mean": mean_load}
            for since_us, mean_load in windowed_load(steps, _WINDOWS)
        ],
    }


def _orders(measured: Measured) -> dict[str, Any]:
    return {"share_of_time": order_shares(measured.schedule)}


def _trials(measured: Measured) -> dict[str, Any]:
    """Return the cost of trials over all jobs, including those that trimming leaves out."""
    return trial_cost(measured.schedule.jobs)._asdict()


def _plain(value: Any) -> Any:
    """Return a value with its named tuples turned into dictionaries, at every depth."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return value


GROUPS: dict[str, Group] = {
    "waits": _waits,
    "categories": _categories,
    "failures": _failures,
    "accuracy": _accuracy,
    "predictability": _predictability,
    "fairness": _fairness,
    "dynamics": _dynamics,
    "load": _load,
    "orders": _orders,
    "trials": _trials,
}
"""The groups of metrics of `rmsd simulate --metrics` and `rmsd metrics`, by name."""
