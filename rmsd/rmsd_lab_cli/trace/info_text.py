"""The `rmsd.trace/1` object for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rmsd_cli.fitting import folded
from rmsd_cli.tables import grid
from rmsd_client.console.cli import printable
from rmsd_client.console.terminal import table_width
from rmsd_lab.workloads.swf import NAMES
from rmsd_lab.workloads.swf_log import LogJob
from rmsd_lab_cli.trace.local_time import WEEKDAYS
from rmsd_wire.durations import format_duration

_FIELDS = dict(zip(LogJob._fields, NAMES, strict=True))
_BAR = 40  # characters
_MODES = 8
_KINDS = {"SN": "short, narrow", "SW": "short, wide", "LN": "long, narrow", "LW": "long, wide"}
_STATUS = {"-1": "not known", "0": "failed", "1": "completed", "5": "cancelled"} | dict.fromkeys(
    ("2", "3", "4"), "partial"
)


def trace_text(report: dict[str, Any]) -> str:
    sections = [list(_overview(report))]
    if report["jobs"]["usable"]:
        sections += [_categories(report), _modes(report), _arrivals(report)]
    sections += [list(map(folded, _statuses(report))), list(map(folded, _faults(report)))]
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def _overview(report: dict[str, Any]) -> Iterator[str]:
    header, jobs, time = report["header"], report["jobs"], report["time"]
    places = [printable(header[key]) for key in ("Computer", "Installation") if header.get(key)]
    yield folded(": ".join([report["trace"], ", ".join(places)] if places else [report["trace"]]))
    rows = [("jobs", f"{jobs['read']:,}, of which {jobs['usable']:,} can be simulated")]
    processors = report["processors"]
    rows.append(("processors", "not known" if processors is None else f"{processors:,}"))
    if time["span_s"] is not None:
        dates = f", {time['first_submit']} to {time['last_submit']}" if time["first_submit"] else ""
        rows.append(("arrivals over", f"{format_duration(time['span_s'])}{dates}"))
    if report["load"] is not None:
        rows.append(("offered load", f"{report['load']:.3f}"))
    if jobs["usable"]:
        rows += _distributions(report)
    yield grid(rows, left=(0, 1), head=False, wrap=True)


def _distributions(report: dict[str, Any]) -> Iterator[tuple[str, str]]:
    sizes, runs, estimates = report["sizes"], report["run_s"], report["estimates"]
    users = report["users"]
    yield (
        "sizes",
        f"median {sizes['median']:,}, 90% up to {sizes['p90']:,}, largest {sizes['max']:,}; "
        f"serial {_percent(sizes['serial_share'])}, powers of two "
        f"{_percent(sizes['power_of_two_share'])}",
    )
    yield "run times", _times(runs)
    if estimates["jobs"]:
        yield (
            "estimates",
            f"{_times(estimates)}; {estimates['distinct']:,} different; run time is "
            f"{_percent(estimates['accuracy_mean'])} of them on average",
        )
    else:
        yield "estimates", "none"
    if users["count"]:
        yield (
            "users",
            f"{users['count']:,}; the most active has {_percent(users['top_user_share'])} of the "
            f"jobs, the most active tenth ({users['top_tenth']:,}) "
            f"{_percent(users['top_tenth_share'])} "
            f"(and {_percent(users['top_tenth_work_share'])} of the work)",
        )
    else:
        yield "users", "not known"


def _times(spread: dict[str, Any]) -> str:
    median, p90, longest = (format_duration(spread[key]) for key in ("median", "p90", "max"))
    return f"median {median}, 90% up to {p90}, longest {longest}"


def _categories(report: dict[str, Any]) -> list[str]:
    rows = [["", "jobs", "of all jobs", "of the work"]]
    rows += [
        [_KINDS[name], f"{part['jobs']:,}", _percent(part["share"]), _percent(part["work_share"])]
        for name, part in report["categories"].items()
    ]
    return [folded("Jobs by run time (1 h) and size (8 processors)"), grid(rows)]


def _modes(report: dict[str, Any]) -> list[str]:
    estimates = report["estimates"]
    if not estimates["modes"]:
        return []
    rows, together = [["estimate", "jobs", "share", "together"]], 0.0
    for mode in estimates["modes"][:_MODES]:
        together += mode["share"]
        shown = [f"{mode['jobs']:,}", _percent(mode["share"]), _percent(together)]
        rows.append([format_duration(mode["estimate_s"]), *shown])
    all_modes = sum(mode["share"] for mode in estimates["modes"])
    number = len(estimates["modes"])
    title = f"The most popular estimates (the first {number} make {_percent(all_modes)})"
    return [folded(title), grid(rows)]


def _arrivals(report: dict[str, Any]) -> list[str]:
    arrivals = report["arrivals"]
    if arrivals is None:
        return []
    hours = [f"{hour:02d}" for hour in range(24)]
    return [
        folded(f"Arrivals by hour and weekday ({arrivals['zone']})"),
        *_chart(hours, arrivals["hours"]),
        "",
        *_chart(WEEKDAYS, arrivals["weekdays"]),
    ]


def _chart(names: Sequence[str], counts: Sequence[int]) -> Iterator[str]:
    most = max(1, *counts)
    beside = len(f"{'':>3}  {0:>9}")
    longest = max(1, min(_BAR, (table_width() or _BAR + beside) - beside))
    for name, count in zip(names, counts, strict=True):
        yield f"{name:>3} {'#' * round(longest * count / most):<{longest}} {count:>9,}"


def _statuses(report: dict[str, Any]) -> Iterator[str]:
    shown = [
        f"{_STATUS.get(status, 'unknown to SWF')} ({status}) {count:,}"
        for status, count in report["statuses"].items()
    ]
    if shown:
        yield f"Status: {', '.join(shown)}"
    if report["missing"]:
        total = report["jobs"]["read"]
        missing = [
            f"{_FIELDS[name]} {'all' if count == total else f'{count:,}'}"
            for name, count in report["missing"].items()
        ]
        yield f"Not known (-1): {', '.join(missing)}"


def _faults(report: dict[str, Any]) -> Iterator[str]:
    inconsistent, first = report["inconsistent"], report["problems"]["first"]
    if not (inconsistent or report["header_faults"] or first or not report["jobs"]["read"]):
        return
    yield "What is wrong"
    if not report["jobs"]["read"]:
        yield "there is no job"
    for fault in report["header_faults"]:
        yield f"header: {fault}"
    for kind in inconsistent.values():
        lines = ", ".join(map(str, kind["lines"]))
        more = ", ..." if kind["jobs"] > len(kind["lines"]) else ""
        noun = "job" if kind["jobs"] == 1 else "jobs"
        yield f"{kind['jobs']:,} {noun}: {kind['what']} (line {lines}{more})"
    yield from first


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}%"
