"""Write a synthetic trace in the Standard Workload Format. The header says the model, its
parameters and the seed; the same arguments give the same trace.

The default MODEL is `sample`, for trying things out and for tests: users in sessions, sizes that
are powers of two, round estimates above the run times.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_lab.workloads.dynp_sets import NODES, SET_1, SET_2, dynp_set
from rmsd_lab.workloads.models.lublin import BATCH, INTERACTIVE, UNDIVIDED, lublin_jobs
from rmsd_lab.workloads.models.resampling import TooSparse, resampled
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import TraceJob, format_swf, takes_part
from rmsd_lab.workloads.swf_log import LogJob, format_log
from rmsd_lab.workloads.workload import scaled_to_load
from rmsd_lab_cli.trace.writing import add_output_argument, writing
from rmsd_lab_cli.trace_file import ENCODING
from rmsd_lab_cli.workload import told_trace

EPILOG = """\
`rmsd generate MODEL --help` has the options of a model.

exit codes:
  0  done
  1  the trace to fit a model to cannot be read, or has no job that can take part
  2  wrong usage: parameters that cannot be

examples:
  rmsd generate --jobs 400 --procs 64 --seed 7 > sample.swf
  rmsd generate fitted KTH-SP2-1996-2.1-cln.swf.gz --weeks 20 --load 0.8 > users.swf
  rmsd generate lublin --jobs 5000 --kind batch --load 0.7 -o lublin.swf.gz
  rmsd estimates modes lublin.swf.gz --max-estimate 48h > lublin-modes.swf
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _add_sample_options(parser)
    models = parser.add_subparsers(dest="model", metavar="MODEL", title="models")
    for name, (_, add_options, line, more) in _MODELS.items():
        model = models.add_parser(
            name,
            help=line,
            description=f"{line[0].upper()}{line[1:]}. {more}",
            allow_abbrev=False,
        )
        add_options(model)


def run(args: argparse.Namespace) -> int:
    make = _MODELS[args.model or "sample"][0]
    try:
        lines = make(args)
    except ValueError as error:
        raise CommandUsageError(str(error)) from None
    with writing(args.output) as out:
        out.writelines(line.encode(ENCODING, "backslashreplace") for line in lines)
    return 0


def _sample(args: argparse.Namespace) -> Iterable[str]:
    jobs = sample_trace(args.jobs, args.procs, args.seed, args.load)
    said = f"--jobs {args.jobs} --procs {args.procs} --load {args.load} --seed {args.seed}"
    return format_swf(jobs, _header(said, len(jobs), args.procs))


def _lublin(args: argparse.Namespace) -> Iterable[str]:
    """Return the lines of a trace from the Lublin model. The queue distinguishes interactive jobs
    (0) from batch jobs (1), as in the authors' program. The model has neither users nor
    estimates."""
    generated = lublin_jobs(args.jobs, args.procs, _KINDS[args.kind], args.seed)
    jobs = [job for job, _ in generated]
    said = f"lublin --jobs {args.jobs} --procs {args.procs} --kind {args.kind}"
    if args.load is not None:
        jobs = scaled_to_load(jobs, args.procs, args.load)
        said += f" --load {args.load:g}"
    header = _header(f"{said} --seed {args.seed}", len(jobs), args.procs)
    header["Note"] += "; queue 0: interactive, 1: batch; no users, no estimates"
    return format_log(
        header.items(),
        (
            LogJob(
                job.number,
                job.submit_s,
                -1,
                job.run_s,
                job.size,
                requested=job.size,
                status=1,
                queue=-1 if kind is UNDIVIDED else int(kind is BATCH),
            )
            for job, (_, kind) in zip(jobs, generated, strict=True)
        ),
    )


def _fitted(args: argparse.Namespace) -> Iterable[str]:
    trace = told_trace(args.trace)
    processors = trace.processors if args.procs is None else args.procs
    if processors is None or processors < 1:
        raise CommandUsageError(f"{args.trace}: give the machine's size with --procs")
    jobs = [job for job in trace.jobs if takes_part(job, processors)]
    if not jobs:
        raise CommandError(f"{args.trace}: no job can take part on {processors} processors")
    try:
        generated = resampled(jobs, processors, args.weeks, args.seed, args.load)
    except TooSparse as error:
        raise CommandError(f"{args.trace}: {error}") from None
    said = f"fitted {args.trace.name} --procs {processors} --weeks {args.weeks}"
    if args.load is not None:
        said += f" --load {args.load:g}"
    header = _header(f"{said} --seed {args.seed}", len(generated), processors)
    if all(job.estimate_s == max(1, job.run_s) for job in jobs):
        header["Note"] += "; the trace has no estimates: they are the run times"
    kept = {
        key: trace.header[key]
        for key in ("UnixStartTime", "TimeZone", "TimeZoneString")
        if key in trace.header
    }
    return format_swf(generated, header | kept)


def _dynp(args: argparse.Namespace) -> Iterable[str]:
    wanted = {1: SET_1, 2: SET_2}[args.set]
    jobs: list[TraceJob] = dynp_set(wanted, args.seed)
    return format_swf(jobs, _header(f"dynp {args.set} --seed {args.seed}", len(jobs), NODES))


def _header(said: str, jobs: int, processors: int) -> dict[str, str]:
    return {
        "Version": "2.2",
        "Computer": "none: a synthetic workload",
        "Note": f"rmsd generate {said}",
        "MaxJobs": str(jobs),
        "MaxProcs": str(processors),
    }


def _add_sample_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, default=400, metavar="N", help="jobs (default: 400)")
    _add_procs_option(parser, 64)
    parser.add_argument(
        "--load", type=float, default=0.95, metavar="X", help="offered load (default: 0.95)"
    )
    _add_common_options(parser)


def _add_lublin_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, default=5000, metavar="N", help="jobs (default: 5000)")
    _add_procs_option(parser, 128)
    parser.add_argument(
        "--kind",
        choices=_KINDS,
        default="both",
        help="batch and interactive jobs with parameters of their own (default: both), or jobs of "
        "which that is not known (undivided)",
    )
    parser.add_argument(
        "--load",
        type=float,
        metavar="X",
        help="multiply interarrival times so that the offered load is X; this stretches the daily "
        "cycle as well (default: as the model has it)",
    )
    _add_common_options(parser)


def _add_fitted_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", type=Path, help="an SWF file, .swf or .swf.gz")
    parser.add_argument("--weeks", type=int, default=52, metavar="W", help="how long (default: 52)")
    parser.add_argument(
        "--load",
        type=float,
        metavar="X",
        help="more users or fewer, so that the offered load is X (default: as it comes)",
    )
    parser.add_argument(
        "--procs",
        type=int,
        metavar="P",
        help="processors of the machine (default: those of the trace); larger jobs are left out",
    )
    _add_common_options(parser)


def _add_dynp_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("set", type=int, choices=(1, 2), metavar="SET", help="1 or 2")
    _add_common_options(parser)


def _add_procs_option(parser: argparse.ArgumentParser, default: int) -> None:
    parser.add_argument(
        "--procs",
        type=int,
        default=default,
        metavar="P",
        help=f"processors of the machine (default: {default})",
    )


def _add_common_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed (default: 1)")
    add_output_argument(parser)


_KINDS = {
    "both": (BATCH, INTERACTIVE),
    "batch": (BATCH,),
    "interactive": (INTERACTIVE,),
    "undivided": (UNDIVIDED,),
}

_Make = Callable[[argparse.Namespace], Iterable[str]]
_MODELS: dict[str, tuple[_Make, Callable[[argparse.ArgumentParser], None], str, str]] = {
    "sample": (
        _sample,
        _add_sample_options,
        "a small workload for trying things out",
        "Not for research: for that take a recorded log, or one of the other models.",
    ),
    "lublin": (
        _lublin,
        _add_lublin_options,
        "the model of Lublin and Feitelson (2003)",
        "Sizes, run times that grow with them, and arrivals with a daily cycle, from midnight on, "
        "with the parameters of the authors' program. It has no users and no estimates; `rmsd "
        "estimates modes` puts estimates in.",
    ),
    "fitted": (
        _fitted,
        _add_fitted_options,
        "the users of a trace, in other weeks and another company",
        "Users come, stay and go as they do in the trace; in each week of their stay users do "
        "what they did in one of its weeks, whole sessions at their times of the week.",
    ),
    "dynp": (
        _dynp,
        _add_dynp_options,
        "a job set with the characteristics of dynP's Table 1",
        "Streit 2002; the paper's own sets were taken from a log that is not public. 96 nodes; "
        "what the table does not say is assumed.",
    ),
}
