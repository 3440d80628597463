"""Show what is in a trace: machine, span and offered load, kinds of jobs, estimates and their
modes, users, arrival times. Missing, inconsistent and unreadable values are shown with the numbers
of their first lines. A value that cannot be read is left out or taken as not known, and the output
says so.

Categories, sizes, run times, estimates and work (processor time) are those of the jobs that can
take part in a simulation. A wide job has more than 8 processors, a long one runs for more than an
hour (Selective, Table 1). Hours and weekdays are local to the machine.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from rmsd_cli.errors import EXIT_FAILURE
from rmsd_lab.traces.header import Header
from rmsd_lab.traces.problems import Problems, Tolerance
from rmsd_lab.traces.survey import ODDITIES, Amount, Survey, header_faults, quantile
from rmsd_lab_cli.trace.info_text import trace_text
from rmsd_lab_cli.trace.local_time import cycles, local_time, time_zone
from rmsd_lab_cli.trace.source import (
    TRACE_HELP,
    add_procs_argument,
    machine_size,
    problem_lines,
    reading,
    shown,
)

EPILOG = """\
exit codes:
  0  the trace can be read
  1  it cannot be opened, has no job, or has lines that cannot be read (what can is shown); with
     --strict also if anything about it is odd
  2  wrong usage

examples:
  rmsd trace info KTH-SP2-1996-2.1-cln.swf.gz
  rmsd trace info --json trace.swf | jq .load
  rmsd trace head -n 1000 trace.swf | rmsd trace info -
"""

_MODES = 20
_TOP = 0.1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", type=Path, help=TRACE_HELP)
    add_procs_argument(parser, "processors of the machine (default: the header's)")
    parser.add_argument(
        "--strict", action="store_true", help="exit with 1 if anything is odd or inconsistent"
    )
    parser.add_argument("--json", action="store_true", help="print one rmsd.trace/1 object")


def run(args: argparse.Namespace) -> int:
    problems = Problems(Tolerance.TOLERANT)
    with reading(args.trace, problems) as log:
        survey = Survey(machine_size(args, log.header))
        start_s = log.header.number("UnixStartTime")
        for job in log:
            survey.add(job, log.line, start_s or 0)
    report = trace_report(shown(args.trace), log.header, survey, problems)
    if args.json:
        print(json.dumps(report, indent=2))
    else:
        sys.stdout.write(trace_text(report))
    odd = problems.counts or survey.odd or report["header_faults"]
    failed = not survey.jobs or problems.unreadable or (args.strict and odd)
    return EXIT_FAILURE if failed else 0


def trace_report(name: str, header: Header, survey: Survey, problems: Problems) -> dict[str, Any]:
    """Return the `rmsd.trace/1` object. Later versions of this number only add keys. Values that
    are not known are null; shares are 0 to 1."""
    return {
        "schema": "rmsd.trace/1",
        "trace": name,
        "header": header.values,
        "processors": survey.processors,
        "jobs": {"read": survey.jobs, "usable": survey.usable},
        "time": _times(header, survey),
        "load": _load(survey),
        "categories": _categories(survey),
        "sizes": _sizes(survey),
        "run_s": _spread(survey.runs_s),
        "estimates": _estimates(survey),
        "users": _users(survey),
        "arrivals": _arrivals(header, survey),
        "statuses": {str(status): count for status, count in sorted(survey.statuses.items())},
        "missing": {name: count for name, count in survey.missing.items() if count},
        "inconsistent": {
            name: {"what": what, "jobs": survey.odd[name], "lines": survey.odd_lines[name]}
            for name, what in ODDITIES.items()
            if survey.odd[name]
        },
        "header_faults": header_faults(header, survey),
        "problems": {
            "counts": dict(problems.counts),
            "first": list(problem_lines(problems)),
        },
    }


def _times(header: Header, survey: Survey) -> dict[str, Any]:
    load, start_s = survey.load, header.number("UnixStartTime")
    zone = time_zone(header)
    known = survey.usable > 0

    def date(at_s: int) -> str | None:
        local = local_time(start_s + at_s, zone) if start_s is not None else None
        return local.isoformat(sep=" ") if local is not None else None

    return {
        "first_submit_s": load.first_s if known else None,
        "last_submit_s": load.last_s if known else None,
        "last_end_s": survey.last_end_s if survey.last_end_s >= 0 else None,
        "span_s": load.last_s - load.first_s if known else None,
        "first_submit": date(load.first_s) if known else None,
        "last_submit": date(load.last_s) if known else None,
    }


def _load(survey: Survey) -> float | None:
    if survey.processors is None or survey.load.last_s <= survey.load.first_s:
        return None
    return survey.load.on(survey.processors)


def _part(amount: Amount, survey: Survey) -> dict[str, Any]:
    return {
        "jobs": amount.jobs,
        "share": _share(amount.jobs, survey.usable),
        "work_share": _share(amount.work_s, survey.load.work_s),
    }


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _categories(survey: Survey) -> dict[str, Any]:
    return {name: _part(amount, survey) for name, amount in survey.categories.items()}


def _spread(counts: dict[int, int]) -> dict[str, Any]:
    return {
        "distinct": len(counts),
        "median": quantile(counts, 0.5),
        "p90": quantile(counts, 0.9),
        "max": max(counts, default=None),
    }


def _sizes(survey: Survey) -> dict[str, Any]:
    powers = sum(count for size, count in survey.sizes.items() if not size & (size - 1))
    return _spread(survey.sizes) | {
        "serial_share": _share(survey.sizes[1], survey.usable),
        "power_of_two_share": _share(powers, survey.usable),
    }


def _estimates(survey: Survey) -> dict[str, Any]:
    """Return figures of the estimates. Modes are the most popular estimates, most popular first
    (thesis 5.3)."""
    modes = sorted(survey.estimates_s.items(), key=lambda mode: (-mode[1], mode[0]))[:_MODES]
    jobs = survey.accuracy_jobs
    return {
        "jobs": jobs,
        **_spread(survey.estimates_s),
        "accuracy_mean": _share(survey.accuracy_sum, jobs),
        "modes": [{"estimate_s": s, "jobs": n, "share": n / jobs} for s, n in modes],
    }


def _users(survey: Survey) -> dict[str, Any]:
    """Return figures of the users. The top are the tenth of the users with the most jobs, and the
    user with the most."""
    known = [amount for user, amount in survey.users.items() if user >= 0]
    known.sort(reverse=True)
    top = known[: max(1, round(_TOP * len(known)))]
    return {
        "count": len(known),
        "top_user_share": _share(known[0].jobs, survey.jobs) if known else None,
        "top_tenth": len(top) if known else None,
        "top_tenth_share": _share(sum(user.jobs for user in top), survey.jobs) if known else None,
        "top_tenth_work_share": _share(sum(user.work_s for user in top), survey.load.work_s),
    }


def _arrivals(header: Header, survey: Survey) -> dict[str, Any] | None:
    """Return arrivals by local hour and weekday; None if the trace does not say when it begins."""
    if header.number("UnixStartTime") is None:
        return None
    zone = time_zone(header)
    hours, weekdays = cycles(survey.arrivals, zone)
    return {"zone": str(zone), "hours": hours, "weekdays": weekdays}
