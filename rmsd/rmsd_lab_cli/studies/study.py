"""Run a study: traces x loads x seeds x recipes, as FILE describes it (TOML; --example prints one
with comments). All recipes meet the same jobs at a load and seed, so that they can be compared
pair by pair.

All cores are used, or the workers of a Dask cluster (--dask). Each finished run is kept. If the
same command is given again, an interrupted study goes on where it was, and a changed study makes
only the new runs.

--out writes a row for each run, as CSV or Parquet; docs/lab.md has the columns. Beside it,
NAME.manifest.json says what each run was made with. On standard output there are the means over
the seeds, with 95% intervals (Student's t).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_lab_cli.kept_results import KeptResults, default_folder
from rmsd_lab_cli.metrics.options import HELP
from rmsd_lab_cli.metrics.report import groups_named
from rmsd_lab_cli.studies.description import read_study
from rmsd_lab_cli.studies.example import EXAMPLE
from rmsd_lab_cli.studies.pools import ProcessPool, WorkerPool
from rmsd_lab_cli.studies.results_file import check_name, write_results
from rmsd_lab_cli.studies.run_study import StudyRuns, digests
from rmsd_lab_cli.studies.summary import summary

EPILOG = f"""\
{HELP}
exit codes:
  0    done
  1    a trace cannot be read, a run failed, or results cannot be written
  2    wrong usage, or a value of the file that cannot be; the message names key and value
  130  interrupted; finished runs are kept
  143  terminated (SIGTERM); the same

examples:
  rmsd study --example > study.toml
  rmsd study study.toml --out results.csv
  rmsd study study.toml --out results.parquet --metrics all --jobs 4
  rmsd study study.toml --dask tcp://head:8786 --out results.csv
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", type=Path, help="the study, TOML")
    parser.add_argument(
        "--example", action="store_true", help="print a commented file to begin with"
    )
    parser.add_argument(
        "-o",
        "--out",
        "--output",
        type=Path,
        metavar="NAME",
        help="write results here: NAME.csv or NAME.parquet",
    )
    parser.add_argument(
        "--metrics",
        metavar="GROUP[,GROUP...]",
        help="measure these groups, or `all`, instead of those of the file; they are listed below",
    )
    where = parser.add_argument_group("where it runs")
    where.add_argument(
        "-j",
        "--jobs",
        "--processes",
        dest="processes",
        type=int,
        metavar="N",
        help="runs at a time (default: as many as there are processors)",
    )
    where.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="the scheduler of a Dask cluster, as tcp://HOST:PORT, whose workers make the runs; "
        "they need the same rmsd, and the traces under the same names",
    )
    kept = parser.add_argument_group("finished runs")
    kept.add_argument(
        "--results",
        type=Path,
        metavar="DIR",
        help="where they are kept (default: $XDG_CACHE_HOME/rmsd/study)",
    )
    kept.add_argument(
        "--fresh", action="store_true", help="make every run anew, even if it is kept"
    )
    parser.add_argument("--json", action="store_true", help="print one rmsd.study/1 object")


def run(args: argparse.Namespace) -> int:
    if args.example:
        sys.stdout.write(EXAMPLE)
        return 0
    if args.file is None:
        raise CommandUsageError("which study? give a FILE; `rmsd study --example` prints one")
    if args.processes is not None and args.processes < 1:
        raise CommandUsageError(f"--jobs {args.processes}: at least one run at a time")
    if args.processes and args.dask:
        raise CommandUsageError("--jobs beside --dask: the cluster has its own workers")
    study = read_study(args.file)
    if args.metrics is not None:
        study = replace(study, metrics=tuple(groups_named(args.metrics)))
    if args.out:
        check_name(args.out)
    folder = args.results or default_folder("study")
    runs = StudyRuns(study, KeptResults(folder, fresh=args.fresh))
    _make(runs, args, folder)
    if args.out:
        write_results(args.out, [one.row() for one in runs.made()])
        _write_manifest(args.out, _report(args.file, runs, figures=False))
    if args.json:
        print(json.dumps(_report(args.file, runs, figures=True), indent=2))
    else:
        print(summary([one.row(metrics=False) for one in runs.made()]))
    return 0


def _make(runs: StudyRuns, args: argparse.Namespace, folder: Path) -> None:
    """Make what is missing; on standard error, what is kept if that does not come to an end."""
    if not runs.missing:
        return
    try:
        with _pool(runs, args) as pool:
            runs.make(pool)
    except (KeyboardInterrupt, SystemExit, CommandError):
        if kept := len(runs) - runs.missing:
            print(
                f"rmsd study: {kept:,} of {len(runs):,} runs are kept in {folder}; the same "
                "command goes on from there",
                file=sys.stderr,
            )
        raise


def _pool(runs: StudyRuns, args: argparse.Namespace) -> AbstractContextManager[WorkerPool]:
    if args.dask is None:
        return nullcontext(ProcessPool(args.processes or os.cpu_count() or 1))
    from rmsd_lab_cli.studies.dask_pool import DaskPool

    return closing(DaskPool(args.dask, partial(digests, runs.recipes)))


def _write_manifest(out: Path, report: dict[str, Any]) -> None:
    path = out.with_name(f"{out.name}.manifest.json")
    try:
        path.write_text(json.dumps(report, indent=1) + "\n")
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None


def _report(file: Path, runs: StudyRuns, *, figures: bool) -> dict[str, Any]:
    """Return the `rmsd.study/1` object. Later versions of this number only add keys."""
    return {
        "schema": "rmsd.study/1",
        "study": file.name,
        "runs": [
            one.keys | ({"figures": one.report} if figures else {}) | {"manifest": one.manifest}
            for one in runs.made()
        ],
    }
