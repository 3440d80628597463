"""The options of estimate models, and the parameters that they and the trace come to."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rmsd_cli.errors import CommandUsageError
from rmsd_lab.workloads.models.estimates import KILLED, longest_estimate_s, own_heads
from rmsd_lab.workloads.models.modes import Mode, ModeParameters
from rmsd_lab.workloads.swf import TraceJob
from rmsd_wire.durations import DurationError, parse_duration_s


def add_seed_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed (default: 1)")


def add_sessions_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sessions",
        action="store_true",
        help="jobs that a user submits in a row, an hour apart at most, have the same estimate, as "
        "far as may be (default: jobs are independent, as in the thesis)",
    )


def add_f_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--badness",
        type=float,
        required=True,
        metavar="F",
        help="estimates are from run to (F + 1) * run; 0: exact",
    )
    parser.add_argument(
        "--deterministic", action="store_true", help="(F + 1) * run exactly, nothing drawn"
    )
    parser.add_argument(
        "--max-estimate",
        metavar="TIME",
        help="cut estimates and run times here, the truncated f-model (default: cut nothing)",
    )


def add_phi_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--phi",
        type=float,
        default=KILLED,
        metavar="SHARE",
        help=f"of the jobs that reach their estimate, 0 to 1 (default: {KILLED:g})",
    )
    _add_max_option(parser)


def add_mode_options(parser: argparse.ArgumentParser) -> None:
    _add_max_option(parser)
    parser.add_argument(
        "--head",
        action="append",
        default=[],
        metavar="TIME=PERCENT",
        help="a popular estimate and the percentage of jobs that have it (18h=23.8), up to 20 of "
        "them; the longest with its share first of all",
    )
    parser.add_argument(
        "--own-heads",
        type=int,
        metavar="N",
        help="take from the trace's own estimates the share of the longest, and the N most popular "
        "others",
    )
    parser.add_argument(
        "--modes",
        type=int,
        metavar="K",
        help="different estimates (default: by the number of jobs)",
    )
    parser.add_argument(
        "--spread",
        type=float,
        metavar="A",
        help="above 1; the larger, the more evenly they lie (default: by their number)",
    )
    add_sessions_option(parser)
    parser.add_argument("--list", action="store_true", help="print the modes instead of the trace")


def _add_max_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--max-estimate",
        metavar="TIME",
        help="the longest estimate that users may give (18h, 90m, 18:00:00; a bare number is "
        "minutes; default: the longest that at least one in 10,000 jobs of the trace has)",
    )


def seconds_of(text: str) -> int:
    """Return the seconds of an estimate, at least 1. Raises CommandUsageError if the text is no
    finite time."""
    try:
        seconds = parse_duration_s(text)
    except DurationError as error:
        raise CommandUsageError(str(error)) from None
    if seconds is None:
        raise CommandUsageError(f"'{text}': an estimate has an end")
    return max(1, round(seconds))


def own_max_s(args: argparse.Namespace, jobs: Sequence[TraceJob]) -> int:
    """Return the longest estimate [s]: as asked for, or else as the trace shows it.

    Raises:
        CommandUsageError: neither.
    """
    if args.max_estimate is not None:
        return seconds_of(args.max_estimate)
    if not have_estimates(jobs):
        raise CommandUsageError(
            f"{args.trace} has no estimates that could show the longest that users may give: "
            "give it with --max-estimate (18h)"
        )
    return longest_estimate_s(jobs)


def have_estimates(jobs: Sequence[TraceJob]) -> bool:
    """Return whether the jobs have estimates. In a trace without any, reading puts run times in
    their place."""
    return any(job.estimate_s != max(1, job.run_s) for job in jobs)


def mode_parameters(
    args: argparse.Namespace, jobs: Sequence[TraceJob]
) -> tuple[ModeParameters, str]:
    """Return the parameters of the mode model, and the same as options.

    Raises:
        CommandUsageError: options that cannot be read, or that ask what the trace does not tell.
    """
    max_s = own_max_s(args, jobs)
    given = {mode.time_s: mode for mode in map(_head, args.head)}
    if len(given) < len(args.head):
        raise CommandUsageError("--head: an estimate is given twice")
    if args.own_heads is not None:
        if args.own_heads < 0:
            raise CommandUsageError(f"--own-heads {args.own_heads}: at least 0")
        if not have_estimates(jobs):
            raise CommandUsageError(f"--own-heads: {args.trace} has no estimates of its own")
        own = {mode.time_s: mode for mode in own_heads(jobs, args.own_heads, max_s)}
        given = own | given
    heads = tuple(given.values())
    said = f" --max-estimate {max_s}s"
    said += "".join(f" --head {mode.time_s}s={mode.percent:.6g}" for mode in heads)
    if args.modes is not None:
        said += f" --modes {args.modes}"
    if args.spread is not None:
        said += f" --spread {args.spread:g}"
    return ModeParameters(max_s, heads, args.modes, args.spread), said


def _head(text: str) -> Mode:
    time, equals, percent = text.partition("=")
    try:
        if equals:
            return Mode(seconds_of(time), float(percent.removesuffix("%")))
    except ValueError:
        pass
    raise CommandUsageError(f"--head {text}: write an estimate and a percentage, as in 18h=23.8")
