"""Fig. 3.15: the f-model with estimates up to the longest that users may give."""

from __future__ import annotations

from rmsd_lab_cli.papers.experiment import Change, Experiment
from rmsd_lab_cli.papers.thesis_3.runs import (
    ALL_LOGS,
    BADNESS,
    PERFORMANCE,
    REMARK,
    WAIT,
    Runs,
    random_runs,
    run_of,
    table,
)
from rmsd_lab_cli.papers.trends import curve, every, turns_up

LONGEST_S = {"SDSC": 64800, "CTC": 64800, "KTH": 216000, "BLUE": 129600}
"""The longest estimate that users may give (Table 5.1, X)."""


def truncated_estimates() -> Experiment:
    def at(log: str, f: float) -> Runs:
        cut: Change = ("up-to", LONGEST_S[log])
        return tuple(run_of(log, [*run.changes, cut]) for run in random_runs(log, f))

    def real(log: str) -> Runs:
        return (run_of(log, [("up-to", LONGEST_S[log])]),)

    claims = []
    for log in ALL_LOGS:
        for name, measure, scale in PERFORMANCE:
            runs = [at(log, f) for f in BADNESS]
            text = f"{log}, {name}: it improves with small f and gets worse with larger ones"
            claims.append(curve(text, runs, measure, turns_up, scale))
            if (log, measure) != ("BLUE", WAIT):
                text = f"{log}, {name}: with f = 1000 it is as bad as with real estimates"
                claims.append(
                    every(
                        text,
                        [("f = 1000 : real", at(log, 1000.0), real(log))],
                        measure,
                        lambda ours, real: ours >= real,
                        scale,
                    )
                )
    return Experiment(
        "thesis-fig-3.15",
        "thesis, Fig. 3.15",
        "The truncated f-model",
        [
            table(
                log,
                [(f"f = {f:g}", [("", at(log, f))]) for f in BADNESS]
                + [("real", [("", real(log))])],
                PERFORMANCE,
            )
            for log in ALL_LOGS
        ],
        claims,
        [
            REMARK,
            "Estimates and run times are cut at the longest estimate users may give (Table 5.1).",
        ],
    )
