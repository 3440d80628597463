"""Chapter 3 of the thesis: what inaccurate estimates do to backfilling. Its results are figures
without numbers, and findings; so what is judged here are trends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rmsd_lab_cli.papers.experiment import (
    Cell,
    Change,
    Claim,
    Experiment,
    Finding,
    Lookup,
    Simulation,
    Table,
)
from rmsd_lab_cli.papers.thesis_4 import LOGS
from rmsd_lab_cli.papers.trends import (
    Judge,
    curve,
    dips,
    ends_higher,
    ends_lower,
    every,
    mean,
    peaks_inside,
    rises,
    turns_up,
)

HIGH_LOAD, LOW_LOAD = 0.84, 0.56
"""Of SDSC and of CTC (3.1, Methodology)."""

BADNESS = (0.0, 0.1, 0.5, 1.0, 3.0, 10.0, 100.0, 1000.0)
"""Values of f; the figures go from 0 to 10 in tenths, the text follows them up to 10,000."""

FIGURE = tuple(f for f in BADNESS if f <= 10)
"""What the figures show of it."""

SEEDS = (1, 2, 3)
"""For the random model; the thesis takes 100."""

LONGEST_S = {"SDSC": 64800, "CTC": 64800, "KTH": 216000, "BLUE": 129600}
"""The longest estimate that users may give (Table 5.1, X)."""

_WAIT = "waits/wait_s/mean"
_SLOWDOWN = "waits/bounded_slowdown/mean"
_REMARK = (
    f"The random model is the mean of {len(SEEDS)} seeds (the thesis: 100); the deterministic one "
    "beside it has the same mean, f/2. The thesis's trim is on. A curve rises or falls if no step "
    "goes more than 2% against the trend."
)

Runs = tuple[Simulation, ...]


def run_of(log: str, changes: Iterable[Change] = (), recipe: str = "easy") -> Simulation:
    name, processors = LOGS["CTC" if log == "CTC-336" else log]
    if log == "CTC-336":
        processors = 336
    return Simulation(name, processors, recipe, tuple(changes), trim=True)


def _random(log: str, f: float, before: Iterable[Change] = (), recipe: str = "easy") -> Runs:
    """The random f-model; with f = 0 all seeds are alike."""
    if f == 0:
        return (run_of(log, [*before, ("exact",)], recipe),)
    return tuple(run_of(log, [*before, ("random", f, seed)], recipe) for seed in SEEDS)


def _deterministic(log: str, f: float, before: Iterable[Change] = (), recipe: str = "easy") -> Runs:
    """Run times times F = 1 + f."""
    times: list[Change] = [("times", 1 + f)] if f else []
    return (run_of(log, [*before, ("exact",), *times], recipe),)


def _real(log: str, f: float, before: Iterable[Change] = (), recipe: str = "easy") -> Runs:
    """The users' estimates times F = 1 + f."""
    times: list[Change] = [("times", 1 + f)] if f else []
    return (run_of(log, [*before, *times], recipe),)


def _loaded(load: float) -> list[Change]:
    return [("load", load)]


def _table(
    title: str,
    points: Sequence[tuple[str, Sequence[tuple[str, Runs]]]],
    quantities: Sequence[tuple[str, str, float]],
) -> Table:
    """A column for each point, which is a list of (model, runs); a row for each quantity (name,
    measure, scale) and model."""
    models = list(dict.fromkeys(model for _, of_point in points for model, _ in of_point))
    return Table(
        title,
        [
            Cell(f"{name} {model}".strip(), point, "", runs, measure, scale)
            for name, measure, scale in quantities
            for model in models
            for point, of_point in points
            for of_model, runs in of_point
            if of_model == model
        ],
    )


_PERFORMANCE = [("wait [min]", _WAIT, 1 / 60), ("slowdown", _SLOWDOWN, 1.0)]


def _shapes() -> Experiment:
    """Figs. 3.1 to 3.3, 3.12; findings 3.1, 3.6."""
    tables, claims = [], []
    for log in ("SDSC", "CTC", "KTH", "BLUE", "CTC-336"):
        for load, label in ((HIGH_LOAD, "high"), (LOW_LOAD, "low")):
            before = _loaded(load)
            curve_runs = [_random(log, f, before) for f in BADNESS]
            tables.append(
                _table(
                    f"{log}, {label} load ({load:.0%})",
                    [
                        (
                            f"f = {f:g}",
                            [
                                ("random", _random(log, f, before)),
                                ("determ.", _deterministic(log, f / 2, before)),
                            ],
                        )
                        for f in BADNESS
                    ]
                    + [("real", [("random", _real(log, 0, before))])],
                    _PERFORMANCE,
                )
            )
            for name, measure, scale in _PERFORMANCE:
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
            _REMARK,
            "Loads are set by interarrival times, to offered load without the thesis's correction "
            "for warm-up. CTC-336 is CTC on 336 processors, its burstier form.",
        ],
    )


def _is_l(values: Sequence[float]) -> bool:
    return dips(values) and not turns_up(values)


def _deterministic_is_better(head: str, log: str, before: Sequence[Change], measure: str) -> Claim:
    pairs = [
        (_random(log, f, before), _deterministic(log, f / 2, before)) for f in BADNESS if f > 0
    ]

    def finding(look_up: Lookup) -> Finding:
        better = [
            mean(look_up, determined, measure) <= mean(look_up, drawn, measure)
            for drawn, determined in pairs
        ]
        return Finding(sum(better) * 2 > len(better), f"at {sum(better)} of {len(better)} points")

    return Claim(
        f"{head} the deterministic model is usually better than the mean of the random one",
        [run for pair in pairs for runs in pair for run in runs],
        [measure],
        finding,
    )


_ALL_LOGS = ("SDSC", "CTC", "KTH", "BLUE")
_JOBS = "dynamics/jobs"
_TOE = "dynamics/heel_and_toe"


def _curves(
    name: str,
    source: str,
    title: str,
    quantities: Sequence[tuple[str, str, float]],
    claims: Sequence[tuple[str, str, Judge, Sequence[float]]],
    more: Sequence[Claim] = (),
    values: Sequence[float] = FIGURE,
) -> Experiment:
    """An experiment over f on the logs as they are, random model; a claim (text, measure, judge,
    values of f) for each log."""
    tables = [
        _table(log, [(f"f = {f:g}", [("", _random(log, f))]) for f in values], quantities)
        for log in _ALL_LOGS
    ]
    scale_of = {measure: scale for _, measure, scale in quantities}
    judged = [
        curve(f"{log}: {text}", [_random(log, f) for f in fs], measure, judge, scale_of[measure])
        for text, measure, judge, fs in claims
        for log in _ALL_LOGS
    ]
    return Experiment(name, source, title, tables, [*judged, *more], [_REMARK])


_BACKFILLING = _curves(
    "thesis-fig-3.4",
    "thesis, Fig. 3.4, finding 3.2",
    "Backfilling against badness",
    [
        ("backfilled [%]", f"{_JOBS}/backfilled/rate", 100),
        ("their run [min]", f"{_JOBS}/backfilled/run_mean_s", 1 / 60),
        ("their size", f"{_JOBS}/backfilled/size_mean", 1),
    ],
    [
        ("the rate of backfilled jobs rises with f", f"{_JOBS}/backfilled/rate", rises, FIGURE),
        ("backfilled jobs get longer", f"{_JOBS}/backfilled/run_mean_s", rises, FIGURE),
        ("backfilled jobs get wider", f"{_JOBS}/backfilled/size_mean", rises, FIGURE),
    ],
)


def _wild_are_heavier(log: str, key: str, word: str) -> Claim:
    runs = _random(log, 10)

    def finding(look_up: Lookup) -> Finding:
        wild = mean(look_up, runs, f"{_JOBS}/wild/{key}")
        backfilled = mean(look_up, runs, f"{_JOBS}/backfilled/{key}")
        return Finding(wild > backfilled, f"{wild:.4g} against {backfilled:.4g} at f = 10")

    text = f"{log}: wildly backfilled jobs are {word} than backfilled ones"
    return Claim(text, runs, [_JOBS], finding)


def _between(low: float, high: float) -> Judge:
    """Whether the last point is, rounded to whole percents."""
    return lambda values: low <= round(values[-1]) <= high


def _around_1(values: Sequence[float]) -> bool:
    return 0.5 <= values[-1] <= 2


_POSITIVE = tuple(f for f in FIGURE if f > 0)

_WILD = _curves(
    "thesis-fig-3.6",
    "thesis, Figs. 3.6 and 3.7, finding 3.3",
    "Wild backfilling and the jobs it delays",
    [
        ("wild [%]", f"{_JOBS}/wild/rate", 100),
        ("their run [min]", f"{_JOBS}/wild/run_mean_s", 1 / 60),
        ("their size", f"{_JOBS}/wild/size_mean", 1),
        ("delayed [%]", f"{_TOE}/delayed_rate", 100),
        ("wild each", f"{_TOE}/thefts_mean", 1),
        ("delay [min]", f"{_TOE}/stall_s/mean", 1 / 60),
    ],
    [
        ("wild backfilling grows with f", f"{_JOBS}/wild/rate", rises, _POSITIVE),
        ("with f = 10, 2-5% of the jobs are wild", f"{_JOBS}/wild/rate", _between(2, 5), (10.0,)),
        (
            "around 1% of the jobs are delayed (0.5 to 2%)",
            f"{_TOE}/delayed_rate",
            _around_1,
            (10.0,),
        ),
        ("delayed jobs are passed more often", f"{_TOE}/thefts_mean", ends_higher, _POSITIVE),
        ("their delay grows", f"{_TOE}/stall_s/mean", ends_higher, _POSITIVE),
    ],
    [
        _wild_are_heavier(log, key, word)
        for log in _ALL_LOGS
        for key, word in (("run_mean_s", "longer"), ("size_mean", "wider"))
    ],
)


def _sjfness() -> Experiment:
    def points(log: str) -> list[tuple[str, list[tuple[str, Runs]]]]:
        return [
            (f"f = {f:g}", [("random", _random(log, f)), ("determ.", _deterministic(log, f / 2))])
            for f in BADNESS
        ]

    measure = f"{_TOE}/sjfness"
    run = f"{_JOBS}/not_backfilled/run_mean_s"
    quantities = [("SJFness [%]", measure, 100.0), ("others' run [min]", run, 1 / 60)]
    claims = []
    for log in _ALL_LOGS:
        runs = [_random(log, f) for f in BADNESS]
        text = f"{log}: SJFness rises with small f and falls later"
        claims.append(curve(text, runs, measure, peaks_inside, 100))
        text = f"{log}: jobs that are not backfilled get shorter"
        claims.append(curve(text, runs[: len(FIGURE)], run, ends_lower, 1 / 60))
        text = f"{log}: the deterministic model is nearer to SJF than the random one"
        claims.append(
            every(
                text,
                [
                    (f"f = {f:g}", _deterministic(log, f / 2), _random(log, f))
                    for f in BADNESS
                    if f > 0
                ],
                measure,
                lambda determined, drawn: determined >= drawn,
                100,
            )
        )
    return Experiment(
        "thesis-fig-3.8",
        "thesis, Fig. 3.8, findings 3.4 and 3.5",
        "SJFness against badness",
        [_table(log, points(log), quantities) for log in _ALL_LOGS],
        claims,
        [_REMARK],
    )


def _momentary() -> Experiment:
    logs = (*_ALL_LOGS, "CTC-336")
    quantities = [
        ("mean", "load/momentary/mean", 1.0),
        ("std dev", "load/momentary/std_dev", 1.0),
        ("peak", "load/momentary/maximum", 1.0),
    ]
    high = {log: run_of(log, _loaded(HIGH_LOAD)) for log in logs}
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
            _table(
                f"{label} load ({load:.0%})",
                [(log, [("", (run_of(log, _loaded(load)),))]) for log in logs],
                quantities,
            )
            for load, label in ((LOW_LOAD, "low"), (HIGH_LOAD, "high"))
        ],
        claims,
        ["Momentary load: processes running or waiting per processor, weighted with time."],
    )


def _unfairness() -> Experiment:
    measure = "unfairness/unfairness_s"
    values = FIGURE
    claims = []
    for log in _ALL_LOGS:
        runs = [_random(log, f) for f in values]
        claims.append(curve(f"{log}: unfairness rises with f", runs, measure, rises, 1 / 60))
        for f, text, less in (
            (0.0, "with f = 0 the schedule is fairer than with real estimates", True),
            (10.0, "with f = 10 it is less fair than with real estimates", False),
        ):
            claims.append(
                every(
                    f"{log}: {text}",
                    [(f"f = {f:g} : real", _random(log, f), _real(log, 0))],
                    measure,
                    (lambda ours, real: ours < real) if less else (lambda ours, real: ours > real),
                    1 / 60,
                )
            )
    return Experiment(
        "thesis-fig-3.13",
        "thesis, Fig. 3.13, finding 3.7",
        "Unfairness against badness",
        [
            _table(
                log,
                [(f"f = {f:g}", [("", _random(log, f))]) for f in values]
                + [("real", [("", _real(log, 0))])],
                [("unfairness [min]", measure, 1 / 60)],
            )
            for log in _ALL_LOGS
        ],
        claims,
        [
            _REMARK,
            "Fair start: FCFS without backfilling from a job's arrival on, in a conservative "
            "schedule with exact estimates.",
        ],
    )


def _truncated() -> Experiment:
    def at(log: str, f: float) -> Runs:
        cut: Change = ("up-to", LONGEST_S[log])
        return tuple(run_of(log, [*run.changes, cut]) for run in _random(log, f))

    def real(log: str) -> Runs:
        return (run_of(log, [("up-to", LONGEST_S[log])]),)

    claims = []
    for log in _ALL_LOGS:
        for name, measure, scale in _PERFORMANCE:
            runs = [at(log, f) for f in BADNESS]
            text = f"{log}, {name}: it improves with small f and gets worse with larger ones"
            claims.append(curve(text, runs, measure, turns_up, scale))
            if (log, measure) != ("BLUE", _WAIT):
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
            _table(
                log,
                [(f"f = {f:g}", [("", at(log, f))]) for f in BADNESS]
                + [("real", [("", real(log))])],
                _PERFORMANCE,
            )
            for log in _ALL_LOGS
        ],
        claims,
        [
            _REMARK,
            "Estimates and run times are cut at the longest estimate users may give (Table 5.1).",
        ],
    )


_MULTIPLES = (0.0, 1.0, 3.0, 10.0, 100.0)


def _real_and_perfect() -> Experiment:
    quantities = [
        ("backfilled [%]", f"{_JOBS}/backfilled/rate", 100.0),
        ("wild [%]", f"{_JOBS}/wild/rate", 100.0),
        ("wild run [min]", f"{_JOBS}/wild/run_mean_s", 1 / 60),
        ("SJFness [%]", f"{_TOE}/sjfness", 100.0),
        ("unfairness [min]", "unfairness/unfairness_s", 1 / 60),
        *_PERFORMANCE,
    ]

    def pairs(log: str, values: Sequence[float]) -> list[tuple[str, Runs, Runs]]:
        return [(f"f = {f:g}", _deterministic(log, f), _real(log, f)) for f in values]

    scale_of = {measure: scale for _, measure, scale in quantities}
    said: list[tuple[str, str, bool]] = [
        ("perfect multiples cause more wild backfilling", f"{_JOBS}/wild/rate", True),
        ("of shorter jobs", f"{_JOBS}/wild/run_mean_s", False),
        ("and more SJFness", f"{_TOE}/sjfness", True),
        ("and are more fair", "unfairness/unfairness_s", False),
        ("and shorten waits", _WAIT, False),
        ("and lower slowdowns", _SLOWDOWN, False),
    ]
    claims = [
        every(
            f"{log}, perfect : real: {text} (at most points)",
            pairs(log, _MULTIPLES[1:]),
            measure,
            (lambda one, other: one > other) if more else (lambda one, other: one < other),
            scale_of[measure],
            share=0.75,
        )
        for log in _ALL_LOGS
        for text, measure, more in said
    ]
    claims += [
        curve(
            f"{log}: multiplying the users' estimates shortens waits, too",
            [_real(log, f) for f in _MULTIPLES],
            _WAIT,
            dips,
            1 / 60,
        )
        for log in _ALL_LOGS
    ]
    return Experiment(
        "thesis-fig-3.18",
        "thesis, Figs. 3.18 and 3.19, finding 3.8",
        "Multiples of real and of perfect estimates",
        [
            _table(
                log,
                [
                    (f"f = {f:g}", [("perfect", _deterministic(log, f)), ("real", _real(log, f))])
                    for f in _MULTIPLES
                ],
                quantities,
            )
            for log in _ALL_LOGS
        ],
        claims,
        ['Estimates times 1 + f. The thesis\'s trim is on. "Most points": three in four.'],
    )


def _other_orders() -> Experiment:
    tables, claims = [], []
    for recipe, name in (("easy-sjbf", "SJBF"), ("lxfw", "LXF&W")):
        for log in _ALL_LOGS:
            tables.append(
                _table(
                    f"{name}, {log}",
                    [
                        (
                            f"f = {f:g}",
                            [
                                ("random", _random(log, f, (), recipe)),
                                ("determ.", _deterministic(log, f / 2, (), recipe)),
                            ],
                        )
                        for f in BADNESS
                    ],
                    _PERFORMANCE,
                )
            )
            runs = [_random(log, f, (), recipe) for f in BADNESS]
            for kind, measure, scale in _PERFORMANCE:
                if recipe == "lxfw":
                    text = "is a U over f (falls, then ends above its lowest point)"
                    claims.append(
                        curve(f"{name}, {log}: {kind} {text}", runs, measure, turns_up, scale)
                    )
                else:
                    text = "some inaccuracy is better than none"
                    claims.append(
                        curve(f"{name}, {log}, {kind}: {text}", runs, measure, dips, scale)
                    )
    for log in _ALL_LOGS:
        for recipe, name in (("easy-sjbf", "SJBF"), ("lxfw", "LXF&W")):
            claims.append(
                every(
                    f"{log}: {name} has lower slowdowns than EASY with exact estimates",
                    [
                        (
                            f"{name} : EASY",
                            _deterministic(log, 0, (), recipe),
                            _deterministic(log, 0),
                        )
                    ],
                    _SLOWDOWN,
                    lambda ours, easy: ours < easy,
                )
            )
    return Experiment(
        "thesis-fig-3.20",
        "thesis, Figs. 3.20 and 3.21, finding 3.9",
        "The same under SJBF and LXF&W",
        tables,
        claims,
        [_REMARK],
    )


EXPERIMENTS = [
    _shapes(),
    _BACKFILLING,
    _WILD,
    _sjfness(),
    _momentary(),
    _unfairness(),
    _truncated(),
    _real_and_perfect(),
    _other_orders(),
]
