"""Figs. 3.1 to 3.3 and 3.12: performance against badness."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_lab_cli.papers.experiment import Change, Experiment, Finding, Lookup, PaperClaim
from rmsd_lab_cli.papers.thesis_3.runs import (
    BADNESS,
    HIGH_LOAD,
    LOW_LOAD,
    PERFORMANCE,
    REMARK,
    at_load,
    deterministic_runs,
    random_runs,
    real_runs,
    table,
)
from rmsd_lab_cli.papers.trends import curve, dips, mean, turns_up


def performance() -> Experiment:
    """Return the experiment of Figs. 3.1 to 3.3 and 3.12 and of findings 3.1 and 3.6."""
    tables, claims = [], []
    for log in ("SDSC", "CTC", "KTH", "BLUE", "CTC-336"):
        for load, label in ((HIGH_LOAD, "high"), (LOW_LOAD, "low")):
            before = at_load(load)
            curve_runs = [random_runs(log, f, before) for f in BADNESS]
            tables.append(
                table(
                    f"{log}, {label} load ({load:.0%})",
                    [
                        (
                            f"f = {f:g}",
                            [
                                ("random", random_runs(log, f, before)),
                                ("determ.", deterministic_runs(log, f / 2, before)),
                            ],
                        )
                        for f in BADNESS
                    ]
                    + [("real", [("random", real_runs(log, 0, before))])],
                    PERFORMANCE,
                )
            )
            for name, measure, scale in PERFORMANCE:
                head = f"{log}, {label} load, {name}:"
                claims.append(
                    curve(
                        f"{head} some inaccuracy is better than none",
                        curve_runs,
                        measure,
                        dips,
                        scale,
                    )
                )
                claims.append(_deterministic_is_better(head, log, before, measure))
                if load == HIGH_LOAD and log == "CTC":
                    text = "the curve is an L (ends within 2% of its lowest point)"
                    claims.append(curve(f"{head} {text}", curve_runs, measure, _is_l, scale))
                elif load == HIGH_LOAD:
                    text = "the curve is a V (ends more than 2% above its lowest point)"
                    claims.append(curve(f"{head} {text}", curve_runs, measure, turns_up, scale))
    return Experiment(
        "thesis-fig-3.1",
        "thesis, Figs. 3.1-3.3 and 3.12, findings 3.1 and 3.6",
        "Performance against badness: V and L",
        tables,
        claims,
        [
            REMARK,
            "Loads are set by interarrival times, to offered load without the thesis's correction "
            "for warm-up. CTC-336 is CTC on 336 processors, its burstier form.",
        ],
    )


def _is_l(values: Sequence[float]) -> bool:
    return dips(values) and not turns_up(values)


def _deterministic_is_better(
    head: str, log: str, before: Sequence[Change], measure: str
) -> PaperClaim:
    pairs = [
        (random_runs(log, f, before), deterministic_runs(log, f / 2, before))
        for f in BADNESS
        if f > 0
    ]

    def finding(look_up: Lookup) -> Finding:
        better = [
            mean(look_up, determined, measure) <= mean(look_up, drawn, measure)
            for drawn, determined in pairs
        ]
        return Finding(sum(better) * 2 > len(better), f"at {sum(better)} of {len(better)} points")

    return PaperClaim(
        f"{head} the deterministic model is usually better than the mean of the random one",
        [run for pair in pairs for runs in pair for run in runs],
        [measure],
        finding,
    )
