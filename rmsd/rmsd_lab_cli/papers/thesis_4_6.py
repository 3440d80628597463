"""Section 4.6 of the thesis: which history makes the best predictions. Fig. 1.19 on a sample of the
8,640 configurations."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import NamedTuple

from rmsd_lab_cli.papers.experiment import (
    Cell,
    Experiment,
    Finding,
    Lookup,
    PaperClaim,
    PaperTable,
    Simulation,
)
from rmsd_lab_cli.papers.thesis_4 import LOGS, SLOWDOWN, WAIT
from rmsd_lab_cli.papers.verdicts import shown

WINDOWS = (1, 2, 3, 5, 7, 10, 15, 20, 25, 30)
CORRECTIONS = ("estimate", "gradual", "exponential")
METRICS = ("average", "median", "minimum", "maximum")
SEED = 1


class ParameterPoint(NamedTuple):
    """A point of the parameter space; `rest` is what was drawn."""

    window: int
    correction: str
    metric: str
    rest: str

    @property
    def recipe(self) -> str:
        history = f"window={self.window},metric={self.metric},{self.rest}"
        return f"easy++,{history},correct={self.correction}"


def sample() -> list[ParameterPoint]:
    """Return the configurations of the sample. For every correction and metric the other parameters
    are drawn once. They are the same for every window, so that compared runs differ in nothing
    else."""
    rng = random.Random(SEED)
    drawn = {
        pair: f"type={rng.choice(('all', 'immediate', 'extended'))},"
        f"fullness={rng.choice(('full', 'partial'))},"
        f"fallback={rng.choice(('estimate', 'relative'))},"
        f"propagate={rng.choice(('no', 'yes'))}"
        for pair in product(CORRECTIONS, METRICS)
    }
    return [
        ParameterPoint(window, correction, metric, rest)
        for window in WINDOWS
        for (correction, metric), rest in drawn.items()
    ]


SAMPLE = sample()
_TESTCASES = (WAIT, SLOWDOWN)


def _run(log: str, configuration: ParameterPoint) -> Simulation:
    name, processors = LOGS[log]
    return Simulation(name, processors, configuration.recipe, trim=True)


def degradations(look_up: Lookup, logs: Iterable[str]) -> dict[ParameterPoint, float]:
    """Return by how much each configuration of the sample is worse than the best [%]: the mean over
    logs and both metrics (4.6)."""
    sums = dict.fromkeys(SAMPLE, 0.0)
    testcases = [(log, quantity.measure) for log in logs for quantity in _TESTCASES]
    for log, measure in testcases:
        values = {at: look_up(_run(log, at), measure) for at in SAMPLE}
        best = min(values.values())
        for at, value in values.items():
            sums[at] += 100 * (value / best - 1) / len(testcases)
    return sums


def _means(
    degraded: dict[ParameterPoint, float], key: Callable[[ParameterPoint], object]
) -> dict[object, float]:
    groups: dict[object, list[float]] = {}
    for at, value in degraded.items():
        groups.setdefault(key(at), []).append(value)
    return {name: sum(values) / len(values) for name, values in groups.items()}


def _claim(
    text: str,
    logs: Sequence[str],
    key: Callable[[ParameterPoint], object],
    holds: Callable[[dict[object, float]], bool],
) -> PaperClaim:
    def finding(look_up: Lookup) -> Finding:
        means = _means(degradations(look_up, logs), key)
        numbers = ", ".join(f"{name}: {shown(value)}%" for name, value in means.items())
        return Finding(holds(means), f"degradation by {numbers}")

    runs = [_run(log, at) for log in logs for at in SAMPLE]
    return PaperClaim(text, runs, [quantity.measure for quantity in _TESTCASES], finding)


def _grows(means: dict[object, float]) -> bool:
    """Return whether windows of 15 and more are worse than those of up to 3."""
    large = [value for window, value in means.items() if int(str(window)) >= 15]
    small = [value for window, value in means.items() if int(str(window)) <= 3]
    return sum(large) / len(large) > sum(small) / len(small)


def _by_window(at: ParameterPoint) -> object:
    return at.window


def _claims() -> list[PaperClaim]:
    together = ("SDSC", "CTC", "KTH")
    return [
        *(
            _claim(
                f"{log}: the more history, the worse (windows of 15 and more against up to 3)",
                (log,),
                _by_window,
                _grows,
            )
            for log in LOGS
        ),
        _claim(
            f"{', '.join(together)} together: the more history, the worse",
            together,
            _by_window,
            _grows,
        ),
        _claim(
            "Windows of 1 and 2 are the best two or within 2 percentage points of them",
            together,
            _by_window,
            lambda means: max(means[1], means[2]) <= sorted(means.values())[1] + 2,
        ),
        _claim(
            "Correcting to the estimate is best, gradually worst",
            together,
            lambda at: at.correction,
            lambda means: means["estimate"] < means["exponential"] < means["gradual"],
        ),
        _claim(
            "The minimum is the worst metric",
            together,
            lambda at: at.metric,
            lambda means: max(means, key=means.__getitem__) == "minimum",
        ),
    ]


def _table(log: str) -> PaperTable:
    return PaperTable(
        log,
        [
            Cell(
                f"window {window}",
                quantity.unit,
                "",
                tuple(_run(log, at) for at in SAMPLE if at.window == window),
                quantity.measure,
                quantity.scale,
            )
            for window in WINDOWS
            for quantity in _TESTCASES
        ],
    )


FIG_1_19 = Experiment(
    "thesis-fig-1.19",
    "thesis, Fig. 1.19, section 4.6",
    "Performance against the size of the history window",
    [_table(log) for log in LOGS],
    _claims(),
    [
        f"A sample of {len(SAMPLE)} of the 8,640 configurations: windows of "
        f"{', '.join(map(str, WINDOWS))}, each with all corrections and metrics; window type, "
        f"fullness, fallback and propagation are drawn (seed {SEED}) for each correction and "
        "metric, and are the same for every window.",
        "Degradation is relative to the best of the sample, not of all configurations, so that it "
        "is lower than the thesis's; the tables are means over the configurations of a window.",
    ],
)
