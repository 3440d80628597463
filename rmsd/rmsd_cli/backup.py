"""Write a backup of the daemon's database: one file, of one commit, verified and readable by you
alone. The daemon may run meanwhile and is not delayed. `rmsd restore` brings it back.

FILE is replaced at the end of a sound backup, and only if it is a backup or does not exist yet.
"""

from __future__ import annotations

import argparse
import sqlite3
from pathlib import Path

from rmsd_cli.errors import CommandError
from rmsd_cli.progress import Progress
from rmsd_cli.state_dir_argument import add_state_dir, state_dir_of
from rmsd_daemon.offline.backups import BackupError, DatabaseContents, backup
from rmsd_daemon.store.copying import CopyError

EPILOG = """\
exit codes:
  0  FILE is a backup
  1  it could not be made, or the database is damaged; the message says why
  2  wrong usage

examples:
  rmsd backup /backup/rmsd.db
  rmsd backup /backup/rmsd-$(date +%F).db /var/lib/rmsd
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="where the backup goes")
    add_state_dir(parser)


def run(args: argparse.Namespace) -> int:
    database = state_dir_of(args) / "rmsd.db"
    try:
        pages = database.stat().st_size // 4096
        with Progress("backing up", pages) as progress:
            held = backup(database, args.file, lambda done, _: progress.update(done))
    except (BackupError, CopyError) as error:
        raise CommandError(str(error)) from None
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        where = getattr(error, "filename", None) or database
        raise CommandError(f"{where}: {reason}; nothing was backed up") from None
    print(f"{args.file}: {contents_text(held)}; from {database.parent}")
    return 0


def contents_text(held: DatabaseContents) -> str:
    """Return the contents of a database in words: "1,204 jobs, 12 of them not over, ..."."""
    last = held.last_job or held.last_id  # records of old jobs are deleted after a while
    return (
        f"{held.jobs:,} jobs, {held.live:,} of them not over, up to number {last:,}, "
        f"as of {held.model_time()}"
    )
