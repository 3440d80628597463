"""The metrics of a schedule as tables for people, one function for each group."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rmsd_cli.tables import grid
from rmsd_wire.durations import format_duration

Figures = Mapping[str, Any]
Format = Callable[[Any], str]


def tables(metrics: Mapping[str, Figures]) -> str:
    """Return all groups of `rmsd_lab.measures.measures.measure`, each under its name."""
    return "\n\n".join(f"{group}\n{_TABLES[group](figures)}" for group, figures in metrics.items())


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def _percent(value: float) -> str:
    return f"{100 * value:.1f}%"


_DISTRIBUTION = {
    "mean": "mean",
    "std_dev": "standard deviation",
    "median": "median",
    "p90": "90th percentile",
    "p95": "95th percentile",
    "p99": "99th percentile",
    "maximum": "maximum",
}


def _waits(figures: Figures) -> str:
    columns = {
        "wait": (figures["wait_s"], format_duration),
        "response": (figures["response_s"], format_duration),
        "bounded slowdown": (figures["bounded_slowdown"], _number),
    }
    return _distributions(columns) + _lines(
        {
            "utilization": (figures["utilization"], _percent),
            "load without warm-up and cool-down": (figures["load"], _percent),
        }
    )


_KIND: dict[str, tuple[str, Format]] = {
    "jobs": ("jobs", _number),
    "share": ("share of all", _percent),
    "wait_mean_s": ("mean wait", format_duration),
    "wait_max_s": ("longest wait", format_duration),
    "response_mean_s": ("mean response", format_duration),
    "response_max_s": ("longest response", format_duration),
    "bounded_slowdown_mean": ("mean bounded slowdown", _number),
    "bounded_slowdown_max": ("worst", _number),
}


def _categories(figures: Figures) -> str:
    long_s, wide = figures["long_above_s"], figures["wide_above"]
    note = f"  long: runs above {format_duration(long_s)}; wide: more than {wide} processors\n"
    return (note + _kinds(figures, ("SN", "SW", "LN", "LW", "all"))).rstrip("\n")


def _failures(figures: Figures) -> str:
    note = f"  short: runs up to {format_duration(figures['short_up_to_s'])}\n"
    short = {"short jobs among the failing": (figures["short_share_of_failing"], _percent)}
    return note + _kinds(figures, ("failing", "short", "failed_short", "all")) + _lines(short)


def _kinds(figures: Figures, names: Sequence[str]) -> str:
    rows = [
        [name, *(_cell(figures[kind][key], show) for kind in names)]
        for key, (name, show) in _KIND.items()
    ]
    return _grid([name.replace("_", " ") for name in names], rows)


def _accuracy(figures: Figures) -> str:
    return _lines(
        {
            "accuracy of predictions": (figures["accuracy"], _percent),
            "corrections per job, mean": (figures["corrections_mean"], _number),
            "corrections per job, std dev": (figures["corrections_std_dev"], _number),
            "jobs with a prediction of their own": (figures["prediction_rate"], _percent),
        }
    )


def _predictability(figures: Figures) -> str:
    columns = {
        "|start - reservation|": (figures["difference_s"], format_duration),
        "delay beyond it": (figures["delay_s"], format_duration),
    }
    return _distributions(columns) + _lines(
        {
            "jobs that got a reservation": (figures["reserved_rate"], _percent),
            "jobs that started after it": (figures["delayed_rate"], _percent),
        }
    )


def _fairness(figures: Figures) -> str:
    over_fair, by_length = figures["slowdown_over_fair"], figures["slowdown_over_fair_by_length_s"]
    parts = "  slowdown / fair slowdown: not known\n"
    if over_fair is not None:
        named = {f"run time {name} s": found for name, found in by_length.items()}
        treated = named | {"all": over_fair}
        heads = ["jobs", *over_fair["histogram"]]
        rows = [
            [
                name,
                _number(found["jobs"]),
                *(_cell(part, _percent) for part in found["histogram"].values()),
            ]
            for name, found in treated.items()
        ]
        parts = "  slowdown / fair slowdown, of jobs by run time\n" + _grid(heads, rows)
    against = figures["against_exact"] or {}
    return parts + _lines(
        {
            "mean unfairness": (against.get("unfairness_s"), format_duration),
            "jobs that started later than fair": (against.get("late_rate"), _percent),
            "their mean delay": ((against.get("late_s") or {}).get("mean"), format_duration),
        }
    )


def _dynamics(figures: Figures) -> str:
    kinds = figures["jobs"] or {}
    rows = [
        [
            name.replace("_", " "),
            _cell(kind["rate"], _percent),
            _cell(kind["run_mean_s"], format_duration),
            _cell(kind["size_mean"], _number),
        ]
        for name, kind in kinds.items()
    ]
    listed = _grid(["of all jobs", "mean run", "mean size"], rows) if rows else ""
    found = figures["heel_and_toe"] or {}
    return listed + _lines(
        {
            "SJFness (the shortest was chosen)": (found.get("sjfness"), _percent),
            "jobs delayed by wild backfilling": (found.get("delayed_rate"), _percent),
            "the same, of those with a reservation": (found.get("stalled_rate"), _percent),
            "mean delay from the first real shadow": (
                (found.get("stall_s") or {}).get("mean"),
                format_duration,
            ),
            "wild jobs for each delayed one": (found.get("thefts_mean"), _number),
        }
    )


_BARS = " ▁▂▃▄▅▆▇█"


def _load(figures: Figures) -> str:
    momentary = figures["momentary"] or {}
    means = [part["mean"] for part in figures["over_time"]]
    highest = max(means, default=0.0) or 1.0
    bars = "".join(_BARS[round(mean / highest * (len(_BARS) - 1))] for mean in means[::2])
    return _lines(
        {
            "mean momentary load": (momentary.get("mean"), _number),
            "standard deviation": (momentary.get("std_dev"), _number),
            "maximum": (momentary.get("maximum"), _number),
            f"over time, full bar {highest:.1f}": (bars or None, str),
        }
    )


def _orders(figures: Figures) -> str:
    shares = figures["share_of_time"]
    if shares is None:
        return "  the order of the queue did not change, or it is not known when"
    return _lines({name: (part, _percent) for name, part in shares.items()})


def _trials(figures: Figures) -> str:
    return _lines(
        {
            "attempts per job": (figures["attempts_mean"], _number),
            "jobs started more than once": (figures["restarted_share"], _percent),
            "processor hours lost": (_hours(figures["lost_processor_s"]), _number),
            "of all processor time": (figures["lost_share"], _percent),
        }
    )


def _hours(seconds: float | None) -> float | None:
    return None if seconds is None else seconds / 3600


def _cell(value: Any, show: Format) -> str:
    return "-" if value is None else show(value)


def _distributions(columns: Mapping[str, tuple[Figures | None, Format]]) -> str:
    """Return distributions side by side. A distribution that is not known is a column of -."""
    rows = [
        [name, *(_cell((values or {}).get(key), show) for values, show in columns.values())]
        for key, name in _DISTRIBUTION.items()
    ]
    return _grid(list(columns), rows)


def _grid(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a grid of rows. Each row begins with its name, which has no head above it."""
    return grid([["", *heads], *rows], indent=2) + "\n"


def _lines(values: Mapping[str, tuple[Any, Format]]) -> str:
    rows = [[name, _cell(value, show)] for name, (value, show) in values.items()]
    return grid(rows, left=(0, 1), indent=2, head=False)


_TABLES: dict[str, Callable[[Figures], str]] = {
    "waits": _waits,
    "categories": _categories,
    "failures": _failures,
    "accuracy": _accuracy,
    "predictability": _predictability,
    "fairness": _fairness,
    "dynamics": _dynamics,
    "load": _load,
    "orders": _orders,
    "trials": _trials,
}
