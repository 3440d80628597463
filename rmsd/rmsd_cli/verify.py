"""Feed the inputs that a daemon has logged to the scheduler again, and compare its decisions with
the stored ones, bit for bit. Compared are every start, promise, prediction, correction, kill and
end, with the job as it was afterwards, and every job's record in the table of jobs. Restarts are
repeated as well.

The daemon may run meanwhile: its database is read as of its last commit, and nothing is written. A
difference means that a record was changed or lost, or that the code decides otherwise now. The code
is this rmsd, or a part of a recipe from another distribution. Only the first difference is shown,
since what follows from it differs as well.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version

from rmsd_cli.errors import EXIT_FAILURE, CommandError
from rmsd_cli.progress import Progress
from rmsd_cli.state_dir_argument import add_state_dir, state_dir_of
from rmsd_client.console.cli import printable
from rmsd_core.recipes.text import RecipeError
from rmsd_daemon.offline.reader import DAMAGED, ReadingError, snapshot
from rmsd_daemon.offline.verification import Difference, Verdict, verify

EPILOG = """\
exit codes:
  0  all is as stored
  1  something differs, or the state directory cannot be read; the message says what
  2  wrong usage

examples:
  rmsd verify
  rmsd verify /var/lib/rmsd
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_state_dir(parser)
    parser.add_argument("--json", action="store_true", help="print one rmsd.verify/1 object")


def run(args: argparse.Namespace) -> int:
    state_dir = state_dir_of(args)
    try:
        with snapshot(state_dir) as database:
            [last] = database.execute("SELECT coalesce(max(id), 0) FROM event").fetchone()
            with Progress("verifying", last) as progress:
                verdict = verify(database, progress.update)
    except (ReadingError, RecipeError) as error:
        raise CommandError(f"{state_dir} cannot be verified: {error}") from None
    except DAMAGED as error:
        why = f"a record is damaged: {error!r}"
        raise CommandError(f"{state_dir} cannot be verified: {why}") from None
    if args.json:
        print(json.dumps({"schema": "rmsd.verify/1", **asdict(verdict)}, indent=2))
    else:
        print(f"{state_dir}: {_text(verdict)}")
    return EXIT_FAILURE if verdict.difference else 0


def _text(verdict: Verdict) -> str:
    compared = (
        f"{verdict.batches:,} batches with {verdict.inputs:,} inputs and "
        f"{verdict.decisions:,} decisions, {verdict.jobs:,} job records, {verdict.starts:,} starts"
    )
    if verdict.difference is None:
        return f"all as stored\n{compared}"
    others = [printable(f"rmsd {one}") for one in verdict.versions if one != version("rmsd")]
    decided = f"\nthis is rmsd {version('rmsd')}, {', '.join(others)} decided" if others else ""
    return f"{_where(verdict.difference)}\nas stored until then: {compared}{decided}"


def _where(difference: Difference) -> str:
    job = "" if difference.job_id is None else f", job {difference.job_id}"
    at = f"batch {difference.batch} at {_instant(difference.model_us)}{job}"
    return printable(f"first difference in {at}: {difference.what}")


def _instant(model_us: int) -> str:
    seconds, us = divmod(model_us, 1_000_000)
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{us:06d}Z"
    except (ValueError, OverflowError, OSError):  # the number itself may be damaged
        return f"{model_us} us"
