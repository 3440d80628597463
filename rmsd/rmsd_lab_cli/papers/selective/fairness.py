"""Table 9 and Fig. 7: how far jobs are from their fair start."""

from __future__ import annotations

from rmsd_lab_cli.papers.experiment import Cell, Experiment, Finding, Lookup, PaperClaim, PaperTable
from rmsd_lab_cli.papers.selective.runs import HIGH, SUBSETS, load_text, run_of

_TABLE_9 = {
    "EASY": "90.46 7.20 1.28 0.76 0.30",
    "Sel": "93.48 3.98 0.78 0.94 0.82",
    "Sel-D": "93.22 4.64 0.92 0.88 0.34",
    "SJF EASY": "91.08 5.24 1.16 1.18 1.34",
}

_RATIOS = ("<=1", "1-1.5", "1.5-2", "2-4", ">4")


def fairness() -> Experiment:
    logs = ("SDSC", "CTC", "KTH")
    histogram = "fairness/slowdown_over_fair/histogram"
    printed = [
        Cell(
            "SDSC",
            f"{scheme} {ratio}",
            "% of jobs",
            (run_of("SDSC", scheme, HIGH),),
            f"{histogram}/{ratio}",
            100,
            number,
        )
        for scheme, numbers in _TABLE_9.items()
        for ratio, number in zip(_RATIOS, numbers.split(), strict=True)
    ]
    tables = [
        PaperTable(
            f"{log}, {load_text(divisor)}: slowdown / fair slowdown [% of jobs]",
            [
                Cell(
                    scheme,
                    ratio,
                    "",
                    (run_of(log, scheme, divisor),),
                    f"{histogram}/{ratio}",
                    100,
                )
                for scheme in _TABLE_9
                for ratio in _RATIOS
            ],
        )
        for log in logs
        for divisor in (1.0, HIGH)
        if (log, divisor) != ("SDSC", HIGH)
    ]
    claims = [claim for log in logs for claim in _fairness_claims(log, histogram)]
    return Experiment(
        "selective-table-9",
        "Selective, Table 9 and Fig. 7",
        "Fairness against the fair start under FCFS, exact estimates",
        [PaperTable("Jobs by slowdown / fair slowdown, high load", printed), *tables],
        claims,
        [
            "The paper does not name the log and the load of its table. SDSC at high load is taken "
            "for it, the case of its Figs. 3 and 5; groups of less than 2% are a few dozen jobs.",
            SUBSETS,
        ],
    )


def _fairness_claims(log: str, histogram: str) -> list[PaperClaim]:
    runs = {scheme: run_of(log, scheme, HIGH) for scheme in _TABLE_9}
    fair = f"{histogram}/<=1"

    def fairer(one: str, other: str) -> PaperClaim:
        def finding(look_up: Lookup) -> Finding:
            ours, theirs = (100 * look_up(runs[name], fair) for name in (one, other))
            return Finding(ours > theirs, f"{ours:.2f}% against {theirs:.2f}%")

        text = f"{log}: more jobs are treated fairly under {one} than under {other}"
        return PaperClaim(text, [runs[one], runs[other]], [fair], finding)

    def most_are_fair(look_up: Lookup) -> Finding:
        shares = {name: 100 * look_up(run, fair) for name, run in runs.items()}
        said = ", ".join(f"{name} {share:.2f}%" for name, share in shares.items())
        return Finding(all(share > 90 for share in shares.values()), said)

    lengths = "fairness/slowdown_over_fair_by_length_s"

    def long_are_spared(look_up: Lookup) -> Finding:
        worst = {
            f"{name} {length}": 100 * look_up(runs[name], f"{lengths}/{length}/histogram/>4")
            for name in ("Sel", "Sel-D")
            for length in ("<=28800", ">28800")
        }
        said = ", ".join(f"{name} s {share:.2f}%" for name, share in worst.items())
        return Finding(not any(worst.values()), said)

    return [
        fairer("Sel", "EASY"),
        fairer("Sel-D", "EASY"),
        fairer("Sel", "SJF EASY"),
        PaperClaim(
            f"{log}: over 90% of the jobs are treated fairly under every scheme",
            list(runs.values()),
            [fair],
            most_are_fair,
        ),
        PaperClaim(
            f"{log}: under the selective schemes only jobs up to 1 h exceed four times their fair "
            "slowdown",
            [runs["Sel"], runs["Sel-D"]],
            [lengths],
            long_are_spared,
        ),
    ]
