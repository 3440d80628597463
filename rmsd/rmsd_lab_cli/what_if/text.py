"""The words of `rmsd what-if`: as text, and as parts that a page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from rmsd_client.console.terminal import Column, format_table, table_width
from rmsd_client.show.job_fields import local_time
from rmsd_wire.durations import format_duration

_LONGEST_NAME = 14
_UNKNOWN = "-"
_NO_START = "not known"


class ReportPart(NamedTuple):
    """Lines, and a table below them: its titles and rows, of which the first `texts` columns have
    text and the others numbers. `after`: lines below the table."""

    lines: list[str]
    titles: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    texts: int = 0
    after: Sequence[str] = ()


def parts(report: Mapping[str, Any], limit: int) -> list[ReportPart]:
    """Return the report in parts, with the first `limit` of the waiting jobs."""
    names = [one["recipe"] for one in report["recipes"]]
    labels = _labels(names)
    found = [ReportPart(_describe(report)), ReportPart(_legend(names, labels))]
    if report["jobs"]["counted"]:
        found.append(_history(report, labels))
    else:
        found.append(ReportPart(["no job was submitted since then"]))
    if report["waiting"]:
        found.append(_queue(report, labels, limit))
    return [one for one in found if one.lines]


def text(report: Mapping[str, Any], limit: int) -> str:
    """Return the report as text, with the first `limit` of the waiting jobs."""
    return "\n".join(map(_text_of, parts(report, limit)))


def _text_of(part: ReportPart) -> str:
    table = _table(part) if part.titles else []
    return "".join(f"{line}\n" for line in chain(part.lines, table, part.after))


def _labels(names: Sequence[str]) -> list[str]:
    """Return labels for the recipes, short ones for recipes that are written out."""
    return [
        name if len(name) <= _LONGEST_NAME else f"recipe-{number}"
        for number, name in enumerate(names, 1)
    ]


def _legend(names: Sequence[str], labels: Sequence[str]) -> list[str]:
    pairs = zip(names, labels, strict=True)
    return [f"{label} is {name}" for name, label in pairs if label != name]


def _describe(report: Mapping[str, Any]) -> list[str]:
    jobs = report["jobs"]
    nodes = report["nodes"]
    lines = [
        f"{_counted(jobs['counted'], 'job')} submitted since {local_time(report['since_us'])}, "
        f"{jobs['ended']:,} of which ran to an end;",
        f"{jobs['running']:,} run{'s' * (jobs['running'] == 1)} and {jobs['waiting']:,} "
        f"wait{'s' * (jobs['waiting'] == 1)}, on {_counted(nodes, 'node')} with "
        f"{_counted(report['cores'], 'core')} (capacity {report['capacity']!r})",
        f"in force: {report['in_force']}",
    ]
    if jobs["running"] or jobs["waiting"]:
        lines.append(f"assumed: jobs that are not over run as long as their {report['assume']}")
    if jobs["cancelled_waiting"]:
        lines.append(
            "until then these take part that were cancelled in the queue: "
            f"{jobs['cancelled_waiting']:,}"
        )
    left_out = jobs["left_out"]
    if left_out["never_ran"]:
        left = _counted(left_out["never_ran"], "job")
        lines.append(f"left out: {left} that could not be started")
    if left_out["ineligible"]:
        left = _counted(left_out["ineligible"], "job")
        lines.append(f"left out: {left} that never waited for resources")
    if left_out["too_large"]:
        left = _counted(left_out["too_large"], "job")
        lines.append(f"left out: {left} that no node set holds now")
    if left_out["over_limit"]:
        lines.append(
            f"left out: {_counted(left_out['over_limit'], 'job')} that a limit of an account or "
            "QOS, or a license, never lets start"
        )
    if report["nodes_left_out"]:
        number = len(report["nodes_left_out"])
        takes = "takes" if number == 1 else "take"
        lines.append(f"left out: {_counted(number, 'node')} that {takes} no work now")
        lines.append(
            "what happened may have had more nodes than the recipes; utilization is of all "
            f"{_counted(report['utilization_cores'], 'core')}"
        )
    if report["ignored"]:
        lines.append(f"not looked at: {', '.join(report['ignored'])}")
    return lines


def _counted(number: int, noun: str) -> str:
    """Return a number of things in words."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _history(report: Mapping[str, Any], labels: Sequence[str]) -> ReportPart:
    columns = [report["happened"], *report["recipes"]]
    rows = [
        ["mean wait", *(_duration(one["wait_s"]["mean"]) for one in columns)],
        ["longest wait", *(_duration(one["wait_s"]["max"]) for one in columns)],
        ["bounded slowdown", *(_ratio(one["bounded_slowdown"]["mean"]) for one in columns)],
        ["utilization", *(_percent(one["utilization"]) for one in columns)],
    ]
    now = local_time(report["now_us"])
    return ReportPart([f"up to {now}:"], ["", "happened", *labels], rows, 1)


def _queue(report: Mapping[str, Any], labels: Sequence[str], limit: int) -> ReportPart:
    names = [one["recipe"] for one in report["recipes"]]
    rows = [
        [
            job["label"],
            job["user"],
            job["name"],
            str(job["cpus"]),
            format_duration(job["waited_s"]),
            *(_in(job["starts"][name]) for name in names),
        ]
        for job in report["waiting"][:limit]
    ]
    means = [_duration(one["queue"]["wait_s"]["mean"]) for one in report["recipes"]]
    rows.append(["all", "", "", "", "mean wait", *means])
    left = len(report["waiting"]) - len(rows) + 1
    more = [f"{left:,} more wait; --limit shows them"] if left else []
    if any(_NO_START in row for row in rows):
        more.append(f"{_NO_START}: behind a job without a limit")
    titles = ["JOB", "USER", "NAME", "CPUS", "WAITED", *labels]
    now = local_time(report["now_us"])
    return ReportPart(
        [f"starts from {now} on, if the recipe took over then:"], titles, rows, 3, more
    )


def _table(part: ReportPart) -> list[str]:
    """Return the lines of a table. Names may be cut to fit the terminal."""
    columns = [
        Column(title, right=at >= part.texts and at > 0, shrink=4 if 0 < at < part.texts else None)
        for at, title in enumerate(part.titles)
    ]
    return format_table(columns, part.rows, width=table_width())


def _in(start: Mapping[str, Any] | None) -> str:
    if start is None:
        return _NO_START
    return "now" if start["in_s"] < 1 else f"+{format_duration(start['in_s'])}"


def _duration(seconds: float | None) -> str:
    return _UNKNOWN if seconds is None else format_duration(seconds)


def _ratio(mean: float | None) -> str:
    return _UNKNOWN if mean is None else f"{mean:.2f}"


def _percent(share: float | None) -> str:
    return _UNKNOWN if share is None else f"{100 * share:.1f}%"
