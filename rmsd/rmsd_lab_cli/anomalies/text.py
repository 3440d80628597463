"""The `rmsd.flurries/1` object for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rmsd_cli.fitting import folded
from rmsd_cli.tables import grid
from rmsd_wire.durations import format_duration

_GROUPS = {
    "everyone": "all jobs",
    "part": "what was found",
    "others": "the others",
    "without": "simulated without it",
}


def flurries_text(report: dict[str, Any]) -> str:
    sections = [
        list(map(folded, _overview(report))),
        list(_flurries(report)),
        list(_robots(report)),
    ]
    if "effect" in report:
        sections.append(list(_effect(report)))
    if "written" in report:
        sections.append(_written(report["written"]))
    return "\n\n".join("\n".join(lines) for lines in sections) + "\n"


def _overview(report: dict[str, Any]) -> list[str]:
    usual, highest = report["usual_week"], report["highest_week"]
    return [
        f"{report['trace']}: {report['jobs']:,} jobs, {report['processes']:,} processes",
        f"a usual week: {usual['jobs']:,.0f} jobs, {usual['processes']:,.0f} processes; the "
        f"highest: {highest['jobs']:,} and {highest['processes']:,}",
    ]


def _flurries(report: dict[str, Any]) -> Iterator[str]:
    if not report["flurries"]:
        yield f"no flurry: no user's week is worth {report['times']:g} usual ones"
        return
    number = len(report["flurries"])
    yield f"{number} flurr{'y' if number == 1 else 'ies'}, in usual weeks at the peak:"
    heads = ["user", "from", "for", "jobs", "of all", "processes", "of all", "peak", "size"]
    rows = [
        [
            str(one["user"]),
            (one["first_submit"] or f"{one['since_s']} s")[:16],
            format_duration(one["until_s"] - one["since_s"]),
            f"{one['jobs']:,}",
            _percent(one["jobs_share"]),
            f"{one['processes']:,}",
            _percent(one["processes_share"]),
            ", ".join(f"{times:.1f} {kind}" for kind, times in one["peaks"].items()),
            _size(one),
            _seconds(one["estimate_s"]),
            _seconds(one["run_s"]),
            _seconds(one["interarrival_s"]),
        ]
        for one in report["flurries"]
    ]
    yield grid([[*heads, "estimate", "run", "every"], *rows])


def _size(flurry: dict[str, Any]) -> str:
    size = str(flurry["size"]) if flurry["size"] > 0 else "unknown"
    return f"{size} ({_percent(flurry['size_share'])})"


def _robots(report: dict[str, Any]) -> Iterator[str]:
    if not report["robots"]:
        yield "no robot: no user's jobs come by the clock"
        return
    yield "users whose jobs come by the clock:"
    rows = [
        [
            str(one["user"]),
            f"{one['jobs']:,} of {one['of_jobs']:,}",
            _percent(one["share"]),
            f"{one['days']:,}",
            _habit(one),
        ]
        for one in report["robots"]
    ]
    yield grid([["user", "jobs", "share", "days", "habit"], *rows])


def _habit(robot: dict[str, Any]) -> str:
    if robot["kind"] == "interval":
        return f"every {format_duration(robot['at_s'])}"
    hour, minute = divmod(robot["at_s"] // 60, 60)
    since = f"in the half hour from {hour:02}:{minute:02}"
    return since if robot["local"] else f"{since} of the trace's days"


def _effect(report: dict[str, Any]) -> Iterator[str]:
    effect = report["effect"]
    if effect is None:
        yield "nothing was found that could have an effect"
        return
    yield f"averages under {effect['recipe']} on {effect['procs']:,} processors:"
    rows = [
        [
            name,
            f"{effect[group]['jobs']:,}",
            _known(effect[group]["wait_s"], format_duration),
            _known(effect[group]["bounded_slowdown"], lambda mean: f"{mean:.2f}"),
        ]
        for group, name in _GROUPS.items()
    ]
    yield grid([["", "jobs", "mean wait", "bounded slowdown"], *rows])


def _written(written: dict[str, Any]) -> list[str]:
    return [f"{written['file']}: {written['jobs']:,} jobs, {written['left_out']:,} left out"]


def _known(value: float | None, show: Any) -> str:
    return "-" if value is None else str(show(value))


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _seconds(value: float | None) -> str:
    return "-" if value is None or value < 0 else f"{value:.0f} s"
