"""Selective reservation strategies (Srinivasan, Kettimuthu, Subramani, Sadayappan, JSSPP 2002).

The subsets of about 5,000 jobs are the first 5,000 of each log: they meet the paper's tables of job
categories exactly on CTC and LANL, and nearly on the cleaned KTH and SDSC.
"""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_lab_cli.papers.experiment import (
    THRESHOLDS,
    Cell,
    Change,
    Claim,
    Experiment,
    Finding,
    Lookup,
    Simulation,
    Table,
)

LOGS = {
    "SDSC": ("SDSC-SP2-1998", 128),
    "CTC": ("CTC-SP2-1996", 430),
    "KTH": ("KTH-SP2-1996", 100),
    "LANL": ("LANL-CM5-1994", 1024),
}
JOBS = 5000

DIVISORS = (1.0, 1.1, 1.2, 1.3, 1.4)
"""What arrival times are divided by; the paper does not name its own constants."""

HIGH = 1.2
"""High load. Of these, and of steps of 0.05 between them, it is the one at which SDSC has the
thresholds of Table 7."""

KINDS = ("SN", "SW", "LN", "LW", "all")
SCHEMES = {
    "conservative": "conservative",
    "EASY": "easy",
    "Sel": "selective",
    "Sel-D": "selective-d",
}
_RECIPES = {**SCHEMES, "SJF EASY": "sjf-easy"}
_WELL_ESTIMATED = {
    "Sel": "selective,threshold=well-estimated",
    "Sel-D": "selective-d,thresholds=well-estimated",
}

_SLOWDOWN = "bounded_slowdown_mean"
_RESPONSE = "response_mean_s"
_WORST = "bounded_slowdown_max"
_METRICS = ((_SLOWDOWN, "slowdown"), (_RESPONSE, "turnaround"), (_WORST, "worst slowdown"))

_SUBSETS = (
    f"The first {JOBS:,} jobs of each log. Arrival times are divided by a constant for higher "
    f"loads; the paper does not name its constants, and at {HIGH:g} SDSC's thresholds are those of "
    "its Table 7, so that this is taken for high load. Short is up to 1 h, narrow up to 8 "
    "processors (LANL: 64), by the real run time and size."
)


def run_of(log: str, scheme: str, divisor: float = 1.0, *, exact: bool = True) -> Simulation:
    """A scheme on a log's subset; with users' estimates the thresholds of the selective schemes
    come from well-estimated jobs alone (4.3)."""
    name, processors = LOGS[log]
    changes: list[Change] = [("first", JOBS)]
    if exact:
        changes.append(("exact",))
    if divisor != 1:
        changes.append(("divided", divisor))
    recipe = _RECIPES[scheme] if exact else _WELL_ESTIMATED.get(scheme, _RECIPES[scheme])
    if log == "LANL" and scheme.startswith("Sel"):
        recipe += ",wide=64"
    return Simulation(name, processors, recipe, tuple(changes))


def _measure(kind: str, key: str) -> str:
    return f"categories/{kind}/{key}"


def _load(divisor: float) -> str:
    return "normal load" if divisor == 1 else f"arrivals divided by {divisor:g}"


def _mix() -> Experiment:
    """Tables 3 to 6: the share of each category."""
    printed = {
        "CTC": ("Table 3", "45.06 11.84 30.26 12.84"),
        "KTH": ("Table 4", "53.78 19.52 16.50 10.20"),
        "SDSC": ("Table 5", "47.24 21.44 20.94 10.38"),
        "LANL": ("Table 6", "70.80 11.72 9.42 8.06"),
    }
    cells = [
        Cell(
            log,
            kind,
            "% of jobs",
            (run_of(log, "EASY"),),
            _measure(kind, "share"),
            100,
            number,
        )
        for log, (_, numbers) in printed.items()
        for kind, number in zip(KINDS, numbers.split(), strict=False)
    ]
    return Experiment(
        "selective-table-3",
        "Selective, Tables 3-6",
        "Job categories of the subsets",
        [Table("Share of each category", cells)],
        remarks=[_SUBSETS],
    )


def _thresholds() -> Experiment:
    """Tables 7 and 8."""
    tables = [
        Table(
            title,
            [
                Cell(
                    "SDSC",
                    f"{scheme} {kind}",
                    "threshold",
                    (run_of("SDSC", scheme, HIGH, exact=exact),),
                    f"{THRESHOLDS}/{kind}",
                    published=number,
                )
                for scheme, kind, number in (
                    ("Sel", "all", overall),
                    *(("Sel-D", kind, by_kind) for kind, by_kind in zip(KINDS, each, strict=False)),
                )
            ],
        )
        for title, exact, overall, each in (
            ("Table 7: exact estimates", True, "26.69", ("22.30", "72.40", "1.72", "2.59")),
            ("Table 8: users' estimates", False, "3.92", ("3.55", "21.53", "1.35", "2.27")),
        )
    ]
    return Experiment(
        "selective-table-7",
        "Selective, Tables 7 and 8",
        "Starvation thresholds from a conservative run",
        tables,
        remarks=[
            _SUBSETS,
            "High load was found by the five numbers of Table 7, so that they prove little by "
            "themselves; Table 8 had no part in it.",
            "With users' estimates the mean is over jobs that ran at least half their estimate.",
        ],
    )


def _change(look_up: Lookup, run: Simulation, base: Simulation, measure: str) -> float:
    """In percent of the base; below zero is better."""
    return 100 * (look_up(run, measure) / look_up(base, measure) - 1)


Compared = tuple[str, Simulation, Simulation, str]
"""Name, a run, its base, and the measure of both."""


def _changed(text: str, compared: Sequence[Compared], below: float | None = None) -> Claim:
    """That every run is better than its base: by more than `below` percent, if given (-45), or by
    anything at all. The numbers are changes in percent."""
    most = 0.0 if below is None else below

    def finding(look_up: Lookup) -> Finding:
        changes = [_change(look_up, run, base, measure) for _, run, base, measure in compared]
        said = [
            f"{name} {change:+.0f}%{'' if change < most else ' (no)'}"
            for (name, *_), change in zip(compared, changes, strict=True)
        ]
        return Finding(all(change < most for change in changes), ", ".join(said))

    return Claim(
        text,
        [run for _, one, base, _ in compared for run in (one, base)],
        [measure for *_, measure in compared],
        finding,
    )


def _by_kind(
    log: str,
    schemes: Sequence[str],
    divisor: float,
    metrics: Sequence[tuple[str, str]],
    *,
    exact: bool,
) -> Table:
    """A row for each scheme and metric, a column for each category."""
    return Table(
        f"{log}, {_load(divisor)}",
        [
            Cell(
                f"{name}, {scheme}",
                kind,
                "",
                (run_of(log, scheme, divisor, exact=exact),),
                _measure(kind, key),
            )
            for key, name in metrics
            for scheme in schemes
            for kind in KINDS
        ],
    )


def _wide_and_narrow(log: str, divisor: float) -> list[Claim]:
    """Section 3: SW jobs are better off under conservative, LN jobs under EASY."""
    easy, conservative = run_of(log, "EASY", divisor), run_of(log, "conservative", divisor)
    return [
        _changed(
            f"{log}: SW jobs do better under conservative backfilling (change against EASY)",
            [
                (name, conservative, easy, _measure("SW", key))
                for key, name in ((_SLOWDOWN, "slowdown"), (_RESPONSE, "turnaround"))
            ],
        ),
        _changed(
            f"{log}: LN jobs do better under EASY (change against conservative)",
            [
                (name, easy, conservative, _measure("LN", key))
                for key, name in ((_SLOWDOWN, "slowdown"), (_RESPONSE, "turnaround"))
            ],
        ),
    ]


_FIG_1 = Experiment(
    "selective-fig-1",
    "Selective, Fig. 1",
    "Conservative and EASY by category, normal load, exact estimates",
    [_by_kind(log, ("conservative", "EASY"), 1.0, _METRICS[:2], exact=True) for log in LOGS],
    [claim for log in LOGS for claim in _wide_and_narrow(log, 1.0)],
    [_SUBSETS],
)


def _more_pronounced(kind: str, key: str, name: str) -> Claim:
    """That EASY and conservative differ more under high load, on CTC."""
    easy = [run_of("CTC", "EASY", divisor) for divisor in (1.0, HIGH)]
    conservative = [run_of("CTC", "conservative", divisor) for divisor in (1.0, HIGH)]
    measure = _measure(kind, key)

    def finding(look_up: Lookup) -> Finding:
        normal, high = (
            _change(look_up, one, base, measure)
            for one, base in zip(easy, conservative, strict=True)
        )
        more = abs(high) > abs(normal) and high * normal > 0
        return Finding(more, f"EASY against conservative {normal:+.0f}%, high load {high:+.0f}%")

    return Claim(
        f"CTC, {kind} jobs, {name}: the difference is larger under high load",
        [*easy, *conservative],
        [measure],
        finding,
    )


_FIG_2 = Experiment(
    "selective-fig-2",
    "Selective, Fig. 2",
    "Conservative and EASY by category, high load, exact estimates",
    [_by_kind("CTC", ("conservative", "EASY"), HIGH, _METRICS[:2], exact=True)],
    [
        *_wide_and_narrow("CTC", HIGH),
        *(_more_pronounced(kind, key, name) for kind in ("SW", "LN") for key, name in _METRICS[:2]),
    ],
    [_SUBSETS],
)


def _schemes(log: str, divisor: float, *, exact: bool) -> list[Claim]:
    """Sections 4.2 and 4.3, of one log at high load."""

    def against(scheme: str, base: str, key: str, kinds: Sequence[str]) -> list[Compared]:
        one, other = (run_of(log, name, divisor, exact=exact) for name in (scheme, base))
        return [(f"{kind} against {base}", one, other, _measure(kind, key)) for kind in kinds]

    def both(scheme: str, key: str, kinds: Sequence[str]) -> list[Compared]:
        return [
            *against(scheme, "conservative", key, kinds),
            *against(scheme, "EASY", key, kinds),
        ]

    every_kind = KINDS[:4]
    if not exact:
        return [
            _changed(
                f"{log}: {scheme} has lower slowdowns than conservative and EASY in every category",
                both(scheme, _SLOWDOWN, every_kind),
            )
            for scheme in ("Sel", "Sel-D")
        ] + [
            _changed(
                f"{log}: Sel-D cuts the worst slowdown of every category but SW",
                both("Sel-D", _WORST, ("SN", "LN", "LW")),
            )
        ]
    return [
        _changed(
            f"{log}: Sel cuts the overall slowdown by at least 45%",
            both("Sel", _SLOWDOWN, ("all",)),
            -45.0,
        ),
        _changed(
            f"{log}: Sel lowers the slowdown of every category but LW",
            both("Sel", _SLOWDOWN, ("SN", "SW", "LN")),
        ),
        _changed(
            f"{log}: Sel-D lowers the slowdown of every category",
            both("Sel-D", _SLOWDOWN, every_kind),
        ),
        _changed(
            f"{log}: Sel-D cuts the worst slowdown of every category against EASY",
            against("Sel-D", "EASY", _WORST, every_kind),
        ),
        _changed(
            f"{log}: and against conservative of every category but SW",
            against("Sel-D", "conservative", _WORST, ("SN", "LN", "LW")),
        ),
    ]


_FIG_3 = Experiment(
    "selective-fig-3",
    "Selective, Fig. 3",
    "Selective schemes by category, SDSC, high load, exact estimates",
    [_by_kind("SDSC", tuple(SCHEMES), HIGH, _METRICS, exact=True)],
    _schemes("SDSC", HIGH, exact=True),
    [_SUBSETS, "Thresholds are the mean slowdowns of a conservative run of the same jobs."],
)

_FIG_5 = Experiment(
    "selective-fig-5",
    "Selective, Fig. 5",
    "Selective schemes by category, SDSC, high load, users' estimates",
    [_by_kind("SDSC", tuple(SCHEMES), HIGH, _METRICS, exact=False)],
    _schemes("SDSC", HIGH, exact=False),
    [
        _SUBSETS,
        "Thresholds are the mean slowdowns of well-estimated jobs (run time at least half the "
        "estimate) in a conservative run of the same jobs.",
    ],
)


def _loads(name: str, source: str, title: str, logs: Sequence[str], *, exact: bool) -> Experiment:
    """Figs. 4 and 6: all schemes over the load."""
    tables = [
        Table(
            log,
            [
                Cell(
                    f"{metric}, {scheme}",
                    f"load x {divisor:g}",
                    "",
                    (run_of(log, scheme, divisor, exact=exact),),
                    _measure("all", key),
                )
                for key, metric in _METRICS[:2]
                for scheme in SCHEMES
                for divisor in DIVISORS
            ],
        )
        for log in logs
    ]
    claims = []
    for log in logs:
        for scheme in ("Sel", "Sel-D"):
            claims.append(
                _changed(
                    f"{log}: {scheme} has a lower slowdown than conservative and EASY at high load",
                    [
                        (
                            f"against {base}",
                            run_of(log, scheme, HIGH, exact=exact),
                            run_of(log, base, HIGH, exact=exact),
                            _measure("all", _SLOWDOWN),
                        )
                        for base in ("conservative", "EASY")
                    ],
                )
            )
            claims.append(_gain_grows(log, scheme, exact=exact))
    return Experiment(name, source, title, tables, claims, [_SUBSETS])


def _gain_grows(log: str, scheme: str, *, exact: bool) -> Claim:
    """That what a scheme saves of EASY's slowdown, in slowdown, is more under high load."""
    runs = [
        (run_of(log, scheme, divisor, exact=exact), run_of(log, "EASY", divisor, exact=exact))
        for divisor in (1.0, HIGH)
    ]
    measure = _measure("all", _SLOWDOWN)

    def finding(look_up: Lookup) -> Finding:
        normal, high = (look_up(easy, measure) - look_up(one, measure) for one, easy in runs)
        return Finding(high > normal, f"EASY's slowdown less {normal:.4g}, high load {high:.4g}")

    return Claim(
        f"{log}: the gain of {scheme} grows with load",
        [run for pair in runs for run in pair],
        [measure],
        finding,
    )


_TABLE_9 = {
    "EASY": "90.46 7.20 1.28 0.76 0.30",
    "Sel": "93.48 3.98 0.78 0.94 0.82",
    "Sel-D": "93.22 4.64 0.92 0.88 0.34",
    "SJF EASY": "91.08 5.24 1.16 1.18 1.34",
}
_RATIOS = ("<=1", "1-1.5", "1.5-2", "2-4", ">4")


def _fairness() -> Experiment:
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
        Table(
            f"{log}, {_load(divisor)}: slowdown / fair slowdown [% of jobs]",
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
        [Table("Jobs by slowdown / fair slowdown, high load", printed), *tables],
        claims,
        [
            "The paper does not name the log and the load of its table. SDSC at high load is taken "
            "for it, the case of its Figs. 3 and 5; groups of less than 2% are a few dozen jobs.",
            _SUBSETS,
        ],
    )


def _fairness_claims(log: str, histogram: str) -> list[Claim]:
    runs = {scheme: run_of(log, scheme, HIGH) for scheme in _TABLE_9}
    fair = f"{histogram}/<=1"

    def fairer(one: str, other: str) -> Claim:
        def finding(look_up: Lookup) -> Finding:
            ours, theirs = (100 * look_up(runs[name], fair) for name in (one, other))
            return Finding(ours > theirs, f"{ours:.2f}% against {theirs:.2f}%")

        text = f"{log}: more jobs are treated fairly under {one} than under {other}"
        return Claim(text, [runs[one], runs[other]], [fair], finding)

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
        Claim(
            f"{log}: over 90% of the jobs are treated fairly under every scheme",
            list(runs.values()),
            [fair],
            most_are_fair,
        ),
        Claim(
            f"{log}: under the selective schemes only jobs up to 1 h exceed four times their fair "
            "slowdown",
            [runs["Sel"], runs["Sel-D"]],
            [lengths],
            long_are_spared,
        ),
    ]


EXPERIMENTS = [
    _mix(),
    _thresholds(),
    _FIG_1,
    _FIG_2,
    _FIG_3,
    _loads(
        "selective-fig-4",
        "Selective, Fig. 4",
        "Selective schemes over the load, exact estimates",
        tuple(LOGS),
        exact=True,
    ),
    _FIG_5,
    _loads(
        "selective-fig-6",
        "Selective, Fig. 6",
        "Selective schemes over the load, users' estimates",
        ("SDSC", "CTC", "KTH"),
        exact=False,
    ),
    _fairness(),
]
