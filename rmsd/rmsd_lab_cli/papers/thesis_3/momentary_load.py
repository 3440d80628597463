"""Fig. 3.10: how bursty the loads of the logs are."""

from __future__ import annotations

from rmsd_lab_cli.papers.experiment import Experiment
from rmsd_lab_cli.papers.thesis_3.runs import ALL_LOGS, HIGH_LOAD, LOW_LOAD, at_load, run_of, table
from rmsd_lab_cli.papers.trends import every


def momentary_load() -> Experiment:
    logs = (*ALL_LOGS, "CTC-336")
    quantities = [
        ("mean", "load/momentary/mean", 1.0),
        ("std dev", "load/momentary/std_dev", 1.0),
        ("peak", "load/momentary/maximum", 1.0),
    ]
    high = {log: run_of(log, at_load(HIGH_LOAD)) for log in logs}
    claims = [
        every(
            f"At SDSC's load {log} is burstier than CTC (std dev of the momentary load)",
            [(log, (high[log],), (high["CTC"],))],
            "load/momentary/std_dev",
            lambda other, ctc: other > ctc,
        )
        for log in logs
        if log != "CTC"
    ]
    return Experiment(
        "thesis-fig-3.10",
        "thesis, Fig. 3.10, finding 3.6",
        "Momentary load under EASY",
        [
            table(
                f"{label} load ({load:.0%})",
                [(log, [("", (run_of(log, at_load(load)),))]) for log in logs],
                quantities,
            )
            for load, label in ((LOW_LOAD, "low"), (HIGH_LOAD, "high"))
        ],
        claims,
        ["Momentary load: processes running or waiting per processor, weighted with time."],
    )
