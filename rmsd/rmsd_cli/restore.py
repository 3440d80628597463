"""Bring a backup back: the daemon's state is then that of the backup. The daemon must be stopped.

The daemon has lost what happened since the backup, but its nodes have not. When it is started, it
waits until every node that it knows has told what ran meanwhile (at most `node_dead`), and starts
nothing before. Jobs that ended since are over, with their true result. Jobs of the backup that run
now go on. Jobs that are not in the backup are unknown, and those of them that still run are ended.
No number is given out again, no token is valid again that was revoked, and the audit trail goes on.
The replaced database is kept beside the new one.
"""

from __future__ import annotations

import argparse
import sqlite3
from pathlib import Path

from rmsd_cli.backup import contents_text
from rmsd_cli.errors import CommandError
from rmsd_cli.progress import Progress
from rmsd_cli.state_dir_argument import add_state_dir, existing_state_dir_of
from rmsd_daemon.offline.backups import BackupError, Restored, restore
from rmsd_daemon.setup.state_dir import DirectoryInUse, StateDirError
from rmsd_daemon.store.copying import CopyError
from rmsd_daemon.store.failures import StoreError
from rmsd_daemon.store.store import ALL_LOST_GAP
from rmsd_process import logs

EPILOG = """\
exit codes:
  0  restored
  1  not restored: a daemon runs there, or FILE is no sound backup; all is as
     it was
  2  wrong usage

examples:
  rmsd stop && rmsd restore /backup/rmsd.db && rmsd start --detach
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", type=Path, help="a file that `rmsd backup` has written"
    )
    add_state_dir(parser, "; one that is named is made if there is none")


def run(args: argparse.Namespace) -> int:
    logs.configure("warning")
    state_dir = existing_state_dir_of(args)
    try:
        pages = args.file.stat().st_size // 4096
        with Progress("restoring", pages) as progress:
            restored = restore(args.file, state_dir, lambda done, _: progress.update(done))
    except DirectoryInUse:
        raise CommandError(
            f"a daemon runs on {state_dir}, and would go on from what it knows. Stop it first "
            "(`rmsd stop`, or `systemctl stop` with its unit; jobs run on), restore, and start it "
            "again; nothing was restored"
        ) from None
    except (BackupError, CopyError, StateDirError, StoreError) as error:
        raise CommandError(f"{error}; nothing was restored") from None
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        where = getattr(error, "filename", None) or args.file
        raise CommandError(f"{where}: {reason}; nothing was restored") from None
    print(f"{state_dir}: {contents_text(restored.held)}")
    print(_since(restored))
    if not restored.tokens_kept:
        print("tokens are those of the backup: revoke again what was revoked since (rmsd token)")
    if restored.kept_as:
        print(f"the replaced database is kept as {restored.kept_as}")
    print("the next start waits for its nodes to say what ran since, before it starts anything")
    return 0


def _since(restored: Restored) -> str:
    held, before = restored.held, restored.before
    if before is None:
        return (
            f"which numbers were given out since is not known: {ALL_LOST_GAP:,} are passed over, "
            f"and the next job is {held.last_id + ALL_LOST_GAP + 1}"
        )
    lost = before.last_job - held.last_job
    if lost <= 0:
        return "no number was given out since"
    if lost == 1:
        return (
            f"number {before.last_job} was given out since: this job is unknown, and its number "
            "is not used again"
        )
    return (
        f"{lost:,} numbers were given out since, up to {before.last_job}: these jobs are unknown, "
        "and their numbers are not used again"
    )
