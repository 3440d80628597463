"""Chapter 4 of the thesis: backfilling with predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from rmsd_lab_cli.papers.experiment import Cell, Experiment, PaperTable, Simulation

LOGS = {
    "SDSC": ("SDSC-SP2-1998", 128),
    "CTC": ("CTC-SP2-1996", 512),
    "KTH": ("KTH-SP2-1996", 100),
    "BLUE": ("SDSC-BLUE-2000", 1152),
}
"""The logs with estimates and their machines' sizes (thesis, Table 2.1)."""

RECIPES = {
    "EASY": "easy",
    "EASY_PRED": "easy-pred",
    "EASY_PCOR": "easy-pcor",
    "EASY_SJBF": "easy-sjbf",
    "EASY+": "easy+",
    "EASY++": "easy++",
    "PERFECT++": "perfect++",
    "X2": "x2",
    "X2+": "thesis-x2+",
    "X2++": "thesis-x2++",
    "X2perf": "x2perf",
    "X2perf++": "x2perf++",
    "SJF": "sjf-easy",
    "SJF+": "sjf+",
    "SJFperf": "sjfperf",
    "EASY+ imm": "easy+,type=immediate",
    "EASY++ imm": "easy++,type=immediate",
}
"""The table's names as recipes, but for what is extra: see `run_of`."""

_WALK = (
    "Recipes here say extra=needed, the thesis's list of releases, which is walked only until the "
    "head fits; without it some rows come out otherwise: docs/reproduction.md."
)
_SENSITIVE = "Very sensitive: --shake 100 shows what arrivals moved by up to 30 s make of it."
_CHAOTIC = (
    "Predictions that are never corrected lie in the past, backfilling all but stops, and shaking "
    "arrivals by some seconds moves the mean wait by a factor of two: docs/reproduction.md."
)
NOTES = {
    "EASY_PRED": _CHAOTIC,
    "SJF+": _SENSITIVE,
    "SJFperf": _SENSITIVE,
}
"""The reasons why a scheduler's numbers are hard to meet."""


class Quantity(NamedTuple):
    """The quantity of a table's column: its unit, and the measure and scale of its numbers."""

    unit: str
    measure: str
    scale: float = 1.0


WAIT = Quantity("wait [min]", "waits/wait_s/mean", 1 / 60)
SLOWDOWN = Quantity("b. slowdown", "waits/bounded_slowdown/mean")
ACCURACY = Quantity("accuracy [%]", "accuracy/accuracy", 100)
CORRECTIONS = Quantity("corrections", "accuracy/corrections_mean")
CORRECTIONS_STD = Quantity("corrections, std", "accuracy/corrections_std_dev")
PREDICTED = Quantity("predicted [%]", "accuracy/prediction_rate", 100)
OFF_RATE = Quantity("off, rate [%]", "predictability/reserved_rate", 100)
OFF_MEAN = Quantity("off, mean [min]", "predictability/difference_s/mean", 1 / 60)
OFF_MEDIAN = Quantity("off, median [min]", "predictability/difference_s/median", 1 / 60)
OFF_STD = Quantity("off, std [min]", "predictability/difference_s/std_dev", 1 / 60)
LATE_RATE = Quantity("late, rate [%]", "predictability/delayed_rate", 100)
LATE_MEAN = Quantity("late, mean [min]", "predictability/delay_s/mean", 1 / 60)
LATE_MEDIAN = Quantity("late, median [min]", "predictability/delay_s/median", 1 / 60)
LATE_STD = Quantity("late, std [min]", "predictability/delay_s/std_dev", 1 / 60)
STALLED = Quantity("stalled [%]", "dynamics/heel_and_toe/stalled_rate", 100)
STALL = Quantity("stall [min]", "dynamics/heel_and_toe/stall_s/mean", 1 / 60)
THIEVES = Quantity("thieves", "dynamics/heel_and_toe/thefts_mean")


def run_of(log: str, scheduler: str) -> Simulation:
    """Return the run of a scheduler on a log, with the thesis's list of releases, walked only until
    the head fits (2.3)."""
    name, processors = LOGS[log]
    return Simulation(name, processors, f"{RECIPES[scheduler]},extra=needed", trim=True)


def table(title: str, columns: Sequence[tuple[Quantity, str]], printed: str) -> PaperTable:
    """Return a printed table: a line for each log, a number for each (quantity, schedulers) in
    turn."""
    each = [(quantity, name) for quantity, names in columns for name in names.split(", ")]
    cells = []
    for line in printed.strip().splitlines():
        log, *numbers = line.split()
        for (quantity, scheduler), number in zip(each, numbers, strict=True):
            cells.append(
                Cell(
                    log,
                    scheduler,
                    quantity.unit,
                    (run_of(log, scheduler),),
                    quantity.measure,
                    quantity.scale,
                    number,
                    note=NOTES.get(scheduler, ""),
                )
            )
    return PaperTable(title, cells)


_TABLE_4_1 = Experiment(
    "thesis-4.1",
    "thesis, Table 4.1",
    "Predictions in place of estimates, never corrected, ruin backfilling",
    [
        table(
            "EASY and EASY with predictions",
            [
                (WAIT, "EASY, EASY_PRED"),
                (SLOWDOWN, "EASY, EASY_PRED"),
                (ACCURACY, "EASY, EASY_PRED"),
            ],
            """
            SDSC  363  757   99  233  32 55
            CTC    21   29  4.6  7.0  39 56
            KTH   114  968   90  746  47 49
            BLUE  130 1324   35  439  31 55
            """,
        )
    ],
)

_TABLE_4_2 = Experiment(
    "thesis-4.2",
    "thesis, Table 4.2",
    "Correction, and predictions that are corrected",
    [
        table(
            "EASY, with correction, and with predictions",
            [
                (WAIT, "EASY, EASY_PCOR, EASY+"),
                (SLOWDOWN, "EASY, EASY_PCOR, EASY+"),
                (ACCURACY, "EASY, EASY_PCOR, EASY+"),
                (CORRECTIONS, "EASY_PCOR, EASY+"),
                (CORRECTIONS_STD, "EASY_PCOR, EASY+"),
            ],
            """
            SDSC  363 360 326   99  93  86  32 32 60  0.09 0.56  0.33 0.64
            CTC    21  21  16  4.6 4.5 3.3  39 39 62  0.12 0.63  0.41 0.69
            KTH   114 115  96   90  90  65  47 47 60  0.02 0.53  0.24 0.57
            BLUE  130 128 102   35  36  26  31 31 61  0.13 0.60  0.48 0.69
            """,
        )
    ],
)

_TABLE_4_3 = Experiment(
    "thesis-4.3",
    "thesis, Table 4.3",
    "Shortest job backfilled first",
    [
        table(
            "EASY, with SJBF, with everything, and with perfect predictions",
            [
                (WAIT, "EASY, EASY_SJBF, EASY++, PERFECT++"),
                (SLOWDOWN, "EASY, EASY_SJBF, EASY++, PERFECT++"),
                (ACCURACY, "EASY, EASY_SJBF, EASY++, PERFECT++"),
            ],
            """
            SDSC  363 361 327 278   99  87  70  58  32 32 60 100
            CTC    21  19  14  19  4.6 3.9 2.9 2.8  39 39 62 100
            KTH   114 102  95  91   90  73  57  50  47 47 61 100
            BLUE  130 102  87  87   35  21  19  13  31 31 62 100
            """,
        )
    ],
)

_PREDICTABLE = "EASY, EASY+ imm, EASY++ imm"
_IMMEDIATE = (
    "The predictor of this section looks at the last two jobs only if they have the new job's "
    "estimate (window type immediate)."
)

_PAST = (
    "EASY misses here by definition: a job that outlives its estimate holds processors beyond the "
    "end that the thesis's release list has for it, so that a reservation of the thesis may lie in "
    "the past. Here none is before the instant at which it is made. Nothing else differs: the "
    "schedule is the same, and corrected predictions are never in the past."
)

_TABLE_4_5 = Experiment(
    "thesis-4.5",
    "thesis, Table 4.5",
    "Predictability: how far off the first reservation is",
    [
        table(
            "Absolute difference between reservation and start",
            [
                (OFF_RATE, _PREDICTABLE),
                (OFF_MEAN, _PREDICTABLE),
                (OFF_MEDIAN, _PREDICTABLE),
                (OFF_STD, _PREDICTABLE),
            ],
            """
            SDSC   17  14  15  171 93 91   64  20  19  471 174 168
            CTC   6.8 5.4 5.7   51 29 27  8.3 2.2 1.9   92  74  69
            KTH    15  14  14   38 35 35  6.3 3.2 3.2   84  90  88
            BLUE  9.6 7.5 7.8   68 45 45   16 3.3 3.4  212 191 184
            """,
        )
    ],
    remarks=[_IMMEDIATE, _PAST],
)

_TABLE_4_6 = Experiment(
    "thesis-4.6",
    "thesis, Table 4.6",
    "Predictability: delays beyond the first reservation",
    [
        table(
            "Start after the reservation",
            [
                (LATE_RATE, _PREDICTABLE),
                (LATE_MEAN, _PREDICTABLE),
                (LATE_MEDIAN, _PREDICTABLE),
                (LATE_STD, _PREDICTABLE),
            ],
            """
            SDSC  1.5 3.8 3.8  513 92 86  0.9 8.6 8.3  1442 223 206
            CTC   0.7 1.3 1.3   72 37 34  1.9 3.0 2.6   119 102  94
            KTH   0.1 1.8 1.8   58 52 44  0.7  11 9.9   108 107  87
            BLUE  0.9 1.8 1.8   48 35 31  0.8 2.2 2.1   318 154 136
            """,
        )
    ],
    remarks=[
        _IMMEDIATE,
        _PAST,
    ],
)

_TABLE_4_7 = Experiment(
    "thesis-4.7",
    "thesis, Table 4.7",
    "EASY++ beside doubled estimates and shortest job first",
    [
        table(
            "Average performance",
            [
                (WAIT, "EASY, X2, SJF, EASY++"),
                (SLOWDOWN, "EASY, X2, SJF, EASY++"),
                (ACCURACY, "EASY, X2, SJF, EASY++"),
            ],
            """
            SDSC  363 333 535 327   99  89  69  70  32 16 32 60
            CTC    21  20  13  14  4.6 4.1 2.8 2.9  39 20 39 62
            KTH   114 102  79  95   90  80  45  57  47 24 47 61
            BLUE  130 115  81  87   35  30  25  19  31 16 31 62
            """,
        )
    ],
)

_DOUBLED = "X2, X2+, X2perf, X2++, X2perf++"
_TABLE_4_8 = Experiment(
    "thesis-4.8",
    "thesis, Table 4.8",
    "Doubling and shortest job first, with predictions",
    [
        table(
            "Doubling",
            [(WAIT, _DOUBLED), (SLOWDOWN, _DOUBLED)],
            """
            SDSC  333 357 293 333 270   89  94  77  67  58
            CTC    20  16  18  15  16  4.1 3.6 3.2 3.0 2.5
            KTH   102  98  95  93  84   80  66  70  53  50
            BLUE  115 105 107  86  80   30  33  28  21  12
            """,
        ),
        table(
            "Shortest job first",
            [(WAIT, "SJF, SJF+, SJFperf"), (SLOWDOWN, "SJF, SJF+, SJFperf")],
            """
            SDSC  535 308 270   69  34  19
            CTC    13  12  12  2.8 2.4 1.8
            KTH    79  87  67   45  44  24
            BLUE   81  90  50   25  37 5.4
            """,
        ),
    ],
)

_BOTH = "EASY++ imm, EASY++"
_TABLE_4_9 = Experiment(
    "thesis-4.9",
    "thesis, Table 4.9",
    "Does better accuracy mean better performance and predictability?",
    [
        table(
            "EASY++ with immediate and with all windows",
            [
                (WAIT, _BOTH),
                (SLOWDOWN, _BOTH),
                (ACCURACY, _BOTH),
                (PREDICTED, _BOTH),
                (OFF_RATE, _BOTH),
                (OFF_MEAN, _BOTH),
                (LATE_RATE, _BOTH),
                (LATE_MEAN, _BOTH),
            ],
            """
            SDSC  363 327   81  70  56 60  59 89   15  12  91 98  3.8 5.0  86 150
            CTC    17  14  3.6 2.9  59 62  63 90  5.7 5.1  27 27  1.3 1.7  34  53
            KTH    98  95   67  57  58 61  39 84   14  11  35 63  1.8 3.6  44 149
            BLUE  100  87   19  19  59 62  70 90  7.8 5.2  45 65  1.8 2.0  31 136
            """,
        )
    ],
)

_TABLE_4_10 = Experiment(
    "thesis-4.10",
    "thesis, Table 4.10",
    "Immediate EASY+ performs like X2",
    [
        table(
            "Average performance",
            [(WAIT, "EASY+ imm, X2"), (SLOWDOWN, "EASY+ imm, X2")],
            """
            SDSC  343 333   92  89
            CTC    18  20  3.7 4.1
            KTH   108 102   79  80
            BLUE  121 115   31  30
            """,
        )
    ],
)

_TABLE_4_11 = Experiment(
    "thesis-4.11",
    "thesis, Table 4.11",
    "Doubling amplifies heel and toe",
    [
        table(
            "Jobs whose earliest start was pushed back, of those that wait and get a reservation",
            [(STALLED, "EASY, X2"), (STALL, "EASY, X2"), (THIEVES, "EASY, X2")],
            """
            SDSC  7.2 11  91 137  1.9 2.1
            CTC   9.1 11  35  50  2.5 2.8
            KTH   7.0 11  51 107  1.6 2.3
            BLUE  9.2 12  54 118  2.3 3.1
            """,
        )
    ],
)

EXPERIMENTS = [
    replace(experiment, remarks=[_WALK, *experiment.remarks])
    for experiment in (
        _TABLE_4_1,
        _TABLE_4_2,
        _TABLE_4_3,
        _TABLE_4_5,
        _TABLE_4_6,
        _TABLE_4_7,
        _TABLE_4_8,
        _TABLE_4_9,
        _TABLE_4_10,
        _TABLE_4_11,
    )
]
