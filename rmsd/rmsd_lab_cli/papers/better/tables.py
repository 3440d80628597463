"""The tables of the study, but for the ablation."""

from __future__ import annotations

from collections.abc import Iterable

from rmsd_lab.measures.categories import CATEGORIES
from rmsd_lab_cli.papers.better.runs import (
    COMPARED,
    EVERY_LOG,
    GROUPS,
    LOGS,
    LONGEST,
    OURS,
    PER_USER,
    PERCENTILE,
    PRICE,
    QUALITY,
    SCHEDULERS,
    SLOWDOWN,
    SOURCE,
    WAIT,
    Log,
    StudyColumn,
    cells,
    copies_of,
    differences,
    run_of,
)
from rmsd_lab_cli.papers.experiment import USERS, Cell, Change, Experiment, PaperTable

_LOADS = (0.7, 0.8, 0.9, 1.0)
_RESTART_COSTS_S = (0, 30, 300)
_KILLING = ("EASY++, LXF&W, trials", "rmsd")


def schedulers() -> Experiment:
    """Return the schedulers side by side on every log as it was recorded."""
    columns = (*QUALITY, PER_USER, *PRICE)
    return _experiment(
        "better-schedulers",
        "Eight schedulers on the recorded logs",
        [
            PaperTable(_title(name, log), _lines(log, SCHEDULERS, columns))
            for name, log in EVERY_LOG.items()
        ],
        remarks=[
            "Perfect SJF knows run times, and starves: an aim, and no rival. Kills: of 100 jobs. "
            "users: the mean over users of their mean slowdown; 99%: of the waits."
        ],
    )


def copies(count: int) -> Experiment:
    """Return the means over shaken copies, and the paired differences from EASY++."""
    tables = []
    for name, log in LOGS.items():
        of = {scheduler: copies_of(log, recipe, count) for scheduler, recipe in COMPARED.items()}
        means = [cell for row, runs in of.items() for cell in cells(row, runs, QUALITY)]
        tables.append(PaperTable(f"{_title(name, log)}, mean of {count} shaken copies", means))
        paired = [cell for row in OURS for cell in differences(row, of[row], of["EASY++"], QUALITY)]
        tables.append(PaperTable(f"{name}: paired differences from EASY++", paired))
    return _experiment(
        "better-copies",
        f"{count} shaken copies of each log, with 95% confidence intervals",
        tables if count else [],
        remarks=["Arrivals are moved by up to 300 s; all schedulers have the same copies."],
    )


def loads() -> Experiment:
    """Return the recorded logs under other offered loads."""
    return _experiment(
        "better-loads",
        "Offered loads of 0.7 to 1.0",
        [
            PaperTable(
                f"{_title(name, log)}, load {load:g}",
                _lines(log, COMPARED, QUALITY, ("load", load)),
            )
            for name, log in LOGS.items()
            for load in _LOADS
        ],
        remarks=["Interarrival times are multiplied, so that the offered load is as said."],
    )


def categories() -> Experiment:
    """Return waits and slowdowns by the categories of jobs."""
    tables = []
    for name, log in LOGS.items():
        for title, key, scale in (
            ("wait [min]", "wait_mean_s", 1 / 60),
            ("b. slowdown", "bounded_slowdown_mean", 1.0),
            ("longest wait [h]", "wait_max_s", 1 / 3600),
        ):
            columns = [
                StudyColumn(kind, "", f"categories/{kind}/{key}", scale) for kind in CATEGORIES
            ]
            lines = _lines(log, COMPARED, columns)
            tables.append(PaperTable(f"{_title(name, log)}: {title}", lines))
    return _experiment(
        "better-categories",
        "Short and long, narrow and wide jobs",
        tables,
        remarks=["S, L: up to an hour and longer. N, W: up to 8 processors and more."],
    )


def users() -> Experiment:
    """Return the distribution over users of their mean slowdown."""
    columns = [
        StudyColumn(key, "", f"{USERS}/{key}") for key in ("mean", "median", "p90", "maximum")
    ]
    return _experiment(
        "better-users",
        "The mean bounded slowdown of each user, over users",
        [
            PaperTable(_title(name, log), _lines(log, COMPARED, columns))
            for name, log in EVERY_LOG.items()
        ],
    )


def kill_costs() -> Experiment:
    """Return the recipes that kill, where a job that starts anew runs longer."""
    columns = (WAIT, SLOWDOWN, LONGEST, PERCENTILE, *PRICE)
    tables = []
    for name, log in LOGS.items():
        lines: list[Cell] = []
        for scheduler in _KILLING:
            for cost_s in _RESTART_COSTS_S:
                run = run_of(log, SCHEDULERS[scheduler], restart_cost_s=cost_s)
                lines += cells(f"{scheduler}, {cost_s} s", [run], columns)
        lines += cells("rmsd-gentle", [run_of(log, "rmsd-gentle")], columns)
        tables.append(PaperTable(_title(name, log), lines))
    return _experiment(
        "better-kills",
        "Kills that cost 0, 30 and 300 s",
        tables,
        remarks=["A job that starts anew runs that much longer, which counts as waiting."],
    )


def _lines(
    log: Log, recipes: dict[str, str], columns: Iterable[StudyColumn], *changes: Change
) -> list[Cell]:
    return [
        cell
        for row, recipe in recipes.items()
        for cell in cells(row, [run_of(log, recipe, *changes)], columns)
    ]


def _title(name: str, log: Log) -> str:
    return f"{name} ({log.workload}), {log.processors:,} processors"


def _experiment(
    name: str, title: str, tables: list[PaperTable], remarks: list[str] | None = None
) -> Experiment:
    return Experiment(name, SOURCE, title, tables, remarks=remarks or (), also=GROUPS)
