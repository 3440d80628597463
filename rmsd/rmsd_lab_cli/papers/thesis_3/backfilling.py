"""Figs. 3.4, 3.6 and 3.7: jobs that are backfilled, wildly or not, against badness."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_lab_cli.papers.experiment import Experiment, Finding, Lookup, PaperClaim
from rmsd_lab_cli.papers.thesis_3.runs import (
    ALL_LOGS,
    FIGURE,
    HEEL_AND_TOE,
    JOBS,
    REMARK,
    random_runs,
    table,
)
from rmsd_lab_cli.papers.trends import Judge, curve, ends_higher, mean, rises


def _curves(
    name: str,
    source: str,
    title: str,
    quantities: Sequence[tuple[str, str, float]],
    claims: Sequence[tuple[str, str, Judge, Sequence[float]]],
    more: Sequence[PaperClaim] = (),
    values: Sequence[float] = FIGURE,
) -> Experiment:
    """Return an experiment over f on the unchanged logs, with the random model; a claim (text,
    measure, judge, values of f) becomes one for each log."""
    tables = [
        table(log, [(f"f = {f:g}", [("", random_runs(log, f))]) for f in values], quantities)
        for log in ALL_LOGS
    ]
    scale_of = {measure: scale for _, measure, scale in quantities}
    judged = [
        curve(
            f"{log}: {text}", [random_runs(log, f) for f in fs], measure, judge, scale_of[measure]
        )
        for text, measure, judge, fs in claims
        for log in ALL_LOGS
    ]
    return Experiment(name, source, title, tables, [*judged, *more], [REMARK])


BACKFILLING = _curves(
    "thesis-fig-3.4",
    "thesis, Fig. 3.4, finding 3.2",
    "Backfilling against badness",
    [
        ("backfilled [%]", f"{JOBS}/backfilled/rate", 100),
        ("their run [min]", f"{JOBS}/backfilled/run_mean_s", 1 / 60),
        ("their size", f"{JOBS}/backfilled/size_mean", 1),
    ],
    [
        ("the rate of backfilled jobs rises with f", f"{JOBS}/backfilled/rate", rises, FIGURE),
        ("backfilled jobs get longer", f"{JOBS}/backfilled/run_mean_s", rises, FIGURE),
        ("backfilled jobs get wider", f"{JOBS}/backfilled/size_mean", rises, FIGURE),
    ],
)


def _wild_are_heavier(log: str, key: str, word: str) -> PaperClaim:
    runs = random_runs(log, 10)

    def finding(look_up: Lookup) -> Finding:
        wild = mean(look_up, runs, f"{JOBS}/wild/{key}")
        backfilled = mean(look_up, runs, f"{JOBS}/backfilled/{key}")
        return Finding(wild > backfilled, f"{wild:.4g} against {backfilled:.4g} at f = 10")

    text = f"{log}: wildly backfilled jobs are {word} than backfilled ones"
    return PaperClaim(text, runs, [JOBS], finding)


def _between(low: float, high: float) -> Judge:
    """Return a judge of whether the last point, in whole percents, is from `low` to `high`."""
    return lambda values: low <= round(values[-1]) <= high


def _around_1(values: Sequence[float]) -> bool:
    return 0.5 <= values[-1] <= 2


_POSITIVE = tuple(f for f in FIGURE if f > 0)
WILD = _curves(
    "thesis-fig-3.6",
    "thesis, Figs. 3.6 and 3.7, finding 3.3",
    "Wild backfilling and the jobs it delays",
    [
        ("wild [%]", f"{JOBS}/wild/rate", 100),
        ("their run [min]", f"{JOBS}/wild/run_mean_s", 1 / 60),
        ("their size", f"{JOBS}/wild/size_mean", 1),
        ("delayed [%]", f"{HEEL_AND_TOE}/delayed_rate", 100),
        ("wild each", f"{HEEL_AND_TOE}/thefts_mean", 1),
        ("delay [min]", f"{HEEL_AND_TOE}/stall_s/mean", 1 / 60),
    ],
    [
        ("wild backfilling grows with f", f"{JOBS}/wild/rate", rises, _POSITIVE),
        ("with f = 10, 2-5% of the jobs are wild", f"{JOBS}/wild/rate", _between(2, 5), (10.0,)),
        (
            "around 1% of the jobs are delayed (0.5 to 2%)",
            f"{HEEL_AND_TOE}/delayed_rate",
            _around_1,
            (10.0,),
        ),
        (
            "delayed jobs are passed more often",
            f"{HEEL_AND_TOE}/thefts_mean",
            ends_higher,
            _POSITIVE,
        ),
        ("their delay grows", f"{HEEL_AND_TOE}/stall_s/mean", ends_higher, _POSITIVE),
    ],
    [
        _wild_are_heavier(log, key, word)
        for log in ALL_LOGS
        for key, word in (("run_mean_s", "longer"), ("size_mean", "wider"))
    ],
)
