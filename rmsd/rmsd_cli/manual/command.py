"""Write the man pages of all commands, of the agent and of the configuration file into a folder:
`man1/rsub.1` and the others. The folder is one of MANPATH, such as ~/.local/share/man.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

from rmsd_cli.errors import EXIT_FAILURE, fail
from rmsd_client.console.cli import plural

EPILOG = """\
environment:
  SOURCE_DATE_EPOCH  the date in the pages, in seconds since 1970; by default they are of today

exit codes:
  0  done
  1  a file cannot be written
  2  wrong usage

examples:
  rmsd man-pages ~/.local/share/man && man rsub
  rmsd man-pages /usr/local/share/man                for all users
"""


_MANPATH_S = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", type=Path, help="the folder; made if need be")


def run(args: argparse.Namespace) -> int:
    from rmsd_cli.manual.pages import WIDTH, pages, related

    os.environ["COLUMNS"] = str(WIDTH)  # argparse fills synopses by it
    every = pages()
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    date = time.strftime("%Y-%m-%d", time.gmtime(seconds))
    for page in every:
        folder: Path = args.directory / f"man{page.section}"
        text = page.roff(date, version("rmsd"), related(page, every))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / page.file_name).write_text(text, encoding="utf-8")
        except OSError as error:
            return fail("man-pages", f"{error.filename}: {error.strerror}", EXIT_FAILURE)
    print(f"{plural(len(every), 'page')} in {args.directory}")
    _tell_if_not_looked_at(args.directory.absolute())
    return 0


def _tell_if_not_looked_at(folder: Path) -> None:
    """Say how `man` finds the pages, if it does not look into the folder by itself. man-db does so
    for `~/.local/share/man` only where `~/.local/bin` is in PATH."""
    program = shutil.which("manpath")
    if program is None:
        return
    try:
        done = subprocess.run(
            [program, "-q"], capture_output=True, text=True, check=False, timeout=_MANPATH_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return
    if done.stdout.strip() and str(folder) not in done.stdout.strip().split(":"):
        print(
            f"rmsd man-pages: `man` does not look there yet: export MANPATH={folder}:",
            file=sys.stderr,
        )
