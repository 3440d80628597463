"""Write a trace with other estimates. The requested time of its jobs changes and nothing else; jobs
without a known run time stay as they are. A line in the header says which model made the estimates,
with its parameters and seed; the same arguments give the same trace.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.tables import grid
from rmsd_lab.traces.problems import Problems, Tolerance
from rmsd_lab.workloads.models.estimates import (
    with_mode_estimates,
    with_phi_estimates,
    with_shuffled_estimates,
)
from rmsd_lab.workloads.models.modes import mode_series
from rmsd_lab.workloads.swf import TraceJob
from rmsd_lab.workloads.swf_log import LogJob, trace_job
from rmsd_lab.workloads.workload import (
    refuse_beyond,
    with_estimates_times,
    with_estimates_up_to,
    with_exact_estimates,
    with_multiple_estimates,
    with_random_estimates,
)
from rmsd_lab_cli.estimates.options import (
    add_f_options,
    add_mode_options,
    add_phi_options,
    add_seed_option,
    add_sessions_option,
    mode_parameters,
    own_max_s,
    seconds_of,
)
from rmsd_lab_cli.estimates.validate_options import DESCRIPTION, add_validate_options
from rmsd_lab_cli.trace.source import (
    TRACE_HELP,
    add_tolerance_arguments,
    kept_nothing,
    reading,
    report_problems,
    rereadable,
    shown,
    tolerance_of,
)
from rmsd_lab_cli.trace.writing import Body, add_output_argument, with_problems
from rmsd_lab_cli.trace_file import STDIN

EPILOG = """\
`rmsd estimates MODEL --help` has the options of a model.

exit codes:
  0  done
  1  the trace cannot be read, or has no job with a known run time
  2  wrong usage: parameters that cannot be, or no longest estimate where one is needed

examples:
  rmsd estimates modes trace.swf.gz --own-heads 0 --seed 3 > modes.swf
  rmsd estimates modes no-estimates.swf --max-estimate 18h --head 18h=24 --head 15m=11 > full.swf
  rmsd estimates f trace.swf --badness 3 --max-estimate 18h > truncated.swf
  rmsd estimates modes trace.swf --own-heads 3 --list
  rmsd generate lublin | rmsd estimates modes - --max-estimate 48h | rmsd simulate -
  rmsd estimates validate CTC-SP2-1996-3.1-cln.swf.gz --seeds 5
"""

Jobs = Sequence[TraceJob]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    models = parser.add_subparsers(
        dest="model", required=True, metavar="MODEL", title="models, and validate"
    )
    for name, (_, add_options, line, more) in _MODELS.items():
        model = models.add_parser(
            name,
            help=line,
            description=f"{line[0].upper()}{line[1:]}. {more}".strip(),
            allow_abbrev=False,
        )
        model.add_argument("trace", metavar="TRACE", type=Path, help=TRACE_HELP)
        for add in add_options:
            add(model)
        add_output_argument(model)
        add_tolerance_arguments(model)
    validating = models.add_parser(
        "validate",
        help="compare the models with a trace's own estimates",
        description=DESCRIPTION,
        allow_abbrev=False,
    )
    add_validate_options(validating)


def run(args: argparse.Namespace) -> int:
    if args.model == "validate":
        from rmsd_lab_cli.estimates.validate import validate

        return validate(args)
    problems = Problems(tolerance_of(args))
    with rereadable(args.trace) as path:
        with reading(path, problems, args.trace) as log:
            jobs = list(map(trace_job, log))
            if log.empty:
                raise kept_nothing(args.trace, 0, "")
        known = [at for at, job in enumerate(jobs) if job.run_s >= 0]
        if not known:
            raise CommandError(f"{shown(args.trace)}: no job has a known run time")
        known.sort(key=lambda at: jobs[at].submit_s)  # models take jobs in arrival order
        taken = [jobs[at] for at in known]
        try:
            if args.model == "modes" and args.list:
                return _list_modes(args, taken)
            changed, parameters, notes = _MODELS[args.model][0](args, taken)
            with _because_of(parameters.strip()):
                refuse_beyond(changed)
        except ValueError as error:
            raise CommandUsageError(f"{shown(args.trace)}: {error}") from None
        new = dict(zip(known, changed, strict=True))
        name = shown(args.trace) if args.trace == STDIN else args.trace.name
        said = f"estimates by rmsd estimates {args.model}{parameters}, of {name}"
        with Body() as body, reading(path, Problems(Tolerance.TOLERANT), args.trace) as log:
            body.add(_changed(row, new.get(at), jobs[at]) for at, row in enumerate(log))
            header = with_problems(log.header.with_notes(said, *notes), problems)
            body.write(args.output, header, log.later)
    for note in notes:
        print(f"rmsd estimates: {note}", file=sys.stderr)
    report_problems(args.trace, problems)
    return 0


def _changed(row: LogJob, job: TraceJob | None, before: TraceJob) -> LogJob:
    """Return a row with the estimate of `job`, and with the job's run time if the model changed
    it."""
    if job is None:
        return row
    run_s = row.run_s if job.run_s == before.run_s else job.run_s
    return row._replace(estimate_s=job.estimate_s, run_s=run_s)


Made = tuple[Jobs, str, list[str]]
"""The jobs, the parameters as they are said in the header, and what else is to be said."""


@contextmanager
def _because_of(options: str) -> Iterator[None]:
    """Raise ValueErrors again with the options that caused them."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{options}: {error}") from None


def _exact(_: argparse.Namespace, jobs: Jobs) -> Made:
    return with_exact_estimates(jobs), "", []


def _times(args: argparse.Namespace, jobs: Jobs) -> Made:
    with _because_of("--factor"):
        return with_estimates_times(jobs, args.factor), f" --factor {args.factor:g}", []


def _f(args: argparse.Namespace, jobs: Jobs) -> Made:
    said = f" --badness {args.badness:g}"
    with _because_of("--badness"):
        if args.deterministic:
            changed = with_multiple_estimates(jobs, args.badness)
            said += " --deterministic"
        else:
            changed = with_random_estimates(jobs, args.badness, args.seed)
            said += f" --seed {args.seed}"
    if args.max_estimate is None:
        return changed, said, []
    max_s = seconds_of(args.max_estimate)
    cut = sum(job.run_s > max_s for job in jobs)
    notes = [f"{cut} run times were cut at the longest estimate, {max_s} s"] if cut else []
    return with_estimates_up_to(changed, max_s), f"{said} --max-estimate {max_s}s", notes


def _phi(args: argparse.Namespace, jobs: Jobs) -> Made:
    max_s = own_max_s(args, jobs)
    changed = with_phi_estimates(jobs, args.phi, max_s, args.seed)
    return changed, f" --phi {args.phi:g} --max-estimate {max_s}s --seed {args.seed}", []


def _modes(args: argparse.Namespace, jobs: Jobs) -> Made:
    parameters, said = mode_parameters(args, jobs)
    found = with_mode_estimates(jobs, parameters, args.seed, args.sessions)
    notes = []
    if found.beyond:
        notes.append(
            f"{found.beyond} jobs run longer than the longest estimate, {parameters.max_s} s, "
            "which is what they have"
        )
    if found.lifted:
        notes.append(
            f"{found.lifted} estimates were raised to the longest: the model had too few that are "
            "long enough for the run times"
        )
    said += " --sessions" if args.sessions else ""
    return found.jobs, f"{said} --seed {args.seed}", notes


def _list_modes(args: argparse.Namespace, jobs: Jobs) -> int:
    parameters, said = mode_parameters(args, jobs)
    modes = mode_series(len(jobs), parameters, args.seed)
    print(f"# {len(jobs):,} jobs, {len(modes)} modes:{said} --seed {args.seed}")
    rows = [["ESTIMATE", "SECONDS", "PERCENT"]]
    for mode in sorted(modes, key=lambda mode: -mode.percent):
        hours, rest = divmod(mode.time_s, 3600)
        clock = f"{hours}:{rest // 60:02}:{rest % 60:02}"
        rows.append([clock, str(mode.time_s), f"{mode.percent:.3f}"])
    print(grid(rows, left=()))
    return 0


def _shuffle(args: argparse.Namespace, jobs: Jobs) -> Made:
    said = " --sessions" if args.sessions else ""
    changed = with_shuffled_estimates(jobs, args.seed, args.sessions)
    return changed, f"{said} --seed {args.seed}", []


def _add_factor_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--factor", type=float, required=True, metavar="F", help="above zero; 2 doubles"
    )


_Add = Callable[[argparse.ArgumentParser], None]
_MODELS: dict[str, tuple[Callable[[argparse.Namespace, Jobs], Made], Sequence[_Add], str, str]] = {
    "modes": (
        _modes,
        (add_mode_options, add_seed_option),
        "few values, most of them round, as users give them",
        "The mode model of D. Tsafrir's thesis (2006), chapter 5: how many different estimates "
        "there are, their times and popularity, and its pool algorithm that maps one to the other. "
        "The share of jobs that ask for the longest differs most between sites: give it (--head), "
        "or take it from the trace (--own-heads 0). Estimates are dealt out at random, none below "
        "its job's run time; where that cannot be, standard error says so.",
    ),
    "f": (
        _f,
        (add_f_options, add_seed_option),
        "uniform between the run time and its multiple: the f-model",
        "Feitelson and Mu'alem Weil 1998; thesis 3.1, truncated: 3.8.",
    ),
    "phi": (
        _phi,
        (add_phi_options, add_seed_option),
        "the run time over a uniform number: the Phi-model",
        "Mu'alem and Feitelson 2001; thesis 1.2.2. A share of the jobs reaches its estimate; the "
        "others have run / u, ten times that below 90 s of run time.",
    ),
    "exact": (_exact, (), "the run times", ""),
    "times": (_times, (_add_factor_option,), "the trace's own, multiplied", ""),
    "shuffle": (
        _shuffle,
        (add_sessions_option, add_seed_option),
        "the trace's own, dealt out again at random",
        "The random shuffle of thesis 5.12.2: run times and estimates keep their distributions, "
        "and no estimate is below the run time (or below the job's old one, if it outran that).",
    ),
}
