"""The help of `rsub`, from its table of options."""

from __future__ import annotations

import shutil
import textwrap

from rmsd_client.console.cli import ENVIRONMENT, EXIT_CODES
from rmsd_client.submit.options import OPTIONS, Option

HEAD = """\
usage: rsub [options] SCRIPT [ARGUMENT...]
       rsub [options] < SCRIPT
       rsub [options] --wrap COMMAND
       rsub [options] -- COMMAND [ARGUMENT...]

Submit a job. It is safely with the daemon when rsub returns, and runs as soon as the scheduler
gives it its processors, in the working directory, with the environment of now.
"""

SOURCES = """\
Options are taken, the first wins, from the command line, the environment (RSUB_ and the long name:
RSUB_TIME, RSUB_CPUS_PER_TASK, ...), the script's directives, and the table [rsub] of
$XDG_CONFIG_HOME/rmsd/config.toml (~/.config/rmsd/config.toml) by the same long names. Directives
are lines `#RSUB --time=10 -n 4` before the first command of the script; `#SBATCH` lines are read
too, and `#RSUB` wins over them. Of the options that only Slurm has, those without which the same
job runs (wckey, hint, ...) are passed over with a warning, also on the command line;
any other is an error.
Options marked * are for the command line alone. A long name may be shortened.
"""

TAIL = f"""\
environment:
{ENVIRONMENT}

exit codes:
{EXIT_CODES}
  65   the request can never fit on the nodes there are

With --wait, the exit code is the job's own: 0 only if it completed, 128 + the signal that ended it,
and 1 if the job left neither (cancelled before its start, killed at its limit and yet exited with
0).

examples:
  rsub job.sh input.dat                       a script with an argument
  rsub -t 1:30:00 -n 4 --mem 8G job.sh        4 processors for at most an hour and a half
  rsub -t 10 --wrap 'sort big | uniq > out'   a shell command, 10 minutes
  rsub --wait -- make test                    wait, and exit as the job does
  echo '#!/bin/sh
  hostname' | rsub -J host                    a script from standard input
"""


def help_text() -> str:
    """Return the whole help, as wide as the terminal and no wider than a page."""
    width = max(60, min(shutil.get_terminal_size().columns, 100))
    options = "\n".join(_entry(option, width) for option in OPTIONS)
    return f"{HEAD}\noptions:\n{options}\n\n{SOURCES}\n{TAIL}".rstrip()


def _entry(option: Option, width: int) -> str:
    short = f"-{option.short}, " if option.short else "    "
    value = f"={option.meta}" if option.meta else ""
    value = f"[{value}]" if option.optional else value
    mark = "" if option.everywhere else " *"
    head = f"  {short}--{option.name}{value}{mark}"
    indent = " " * 30
    body = textwrap.wrap(option.help, width - len(indent))
    if len(head) >= len(indent):
        return "\n".join([head, *(indent + line for line in body)])
    return "\n".join([head.ljust(len(indent)) + body[0], *(indent + line for line in body[1:])])
