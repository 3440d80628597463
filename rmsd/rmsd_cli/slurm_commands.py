"""Write Slurm's commands into a folder: sbatch, squeue, sacct, scancel, srun and the others, each a
starter of rmsd's own. With the folder first in PATH, programs that use Slurm use rmsd.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import rmsd_client
import rmsd_core
import rmsd_wire
from rmsd_cli.errors import fail
from rmsd_client.slurm.command_lines import site

EPILOG = f"""\
environment of the commands:
  RMSD_SERVER, RMSD_STATE_DIR, RMSD_TOKEN_FILE, RMSD_CA_FILE  as for all clients
  {site.MODE_VARIABLE}  strict: an option without an effect here is an error; lenient: none is.
              Otherwise an option is an error if another job would run without it.

exit codes:
  0   written
  1   a file cannot be written
  2   wrong usage

example:
  rmsd slurm-commands ~/slurm && PATH=~/slurm:$PATH sbatch job.sh
"""

_LONGEST_SHEBANG = 120
_STARTER = """\
import sys
sys.path += {paths!r}
{settings}from {module} import start
start({command!r}, __file__)
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_starter_arguments(parser, site.MODE_VARIABLE)


def add_starter_arguments(parser: argparse.ArgumentParser, variable: str) -> None:
    """Add the folder, the daemon and the mode, which `variable` may also set."""
    parser.add_argument("directory", metavar="DIR", type=Path, help="the folder; made if need be")
    parser.add_argument(
        "--server", metavar="URL", help="the daemon that they use, where RMSD_SERVER names none"
    )
    mode = parser.add_mutually_exclusive_group()
    for name, about in (
        ("strict", "let an option without an effect be an error"),
        ("lenient", "let no option be an error"),
    ):
        mode.add_argument(
            f"--{name}",
            dest="mode",
            action="store_const",
            const=name,
            help=f"{about}, where {variable} says nothing",
        )


def run(args: argparse.Namespace) -> int:
    return write_starters(args, "slurm-commands", site.COMMANDS)


def write_starters(
    args: argparse.Namespace,
    program: str,
    commands: Sequence[str],
    module: str = "rmsd_client.slurm.starter",
    variable: str = site.MODE_VARIABLE,
) -> int:
    """Write a starter for each command into the folder; returns the exit code."""
    directory: Path = args.directory
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for command in commands:
            text = starter(command, args.server, args.mode, module, variable=variable)
            write_starter(directory / command, text)
    except OSError as error:
        return fail(program, f"{error.filename}: {error.strerror}", 1)
    return 0


def starter(
    command: str,
    server: str | None = None,
    mode: str | None = None,
    module: str = "rmsd_client.slurm.starter",
    above: str | None = None,
    variable: str = site.MODE_VARIABLE,
) -> str:
    """Return the file of a command. It does without Python's `site`, which costs more time than the
    command. `module` has its way to the command, and is in the folder `above`, if not in ours."""
    paths = {
        str(Path(package.__path__[0]).parent) for package in (rmsd_client, rmsd_core, rmsd_wire)
    } | ({above} if above else set())
    settings = "".join(
        f"import os\nos.environ.setdefault({name!r}, {value!r})\n"
        for name, value in (("RMSD_SERVER", server), (variable, mode))
        if value
    )
    body = _STARTER.format(paths=sorted(paths), settings=settings, module=module, command=command)
    python = sys.executable
    if " " in python or len(python) > _LONGEST_SHEBANG:  # no kernel's first line, but a shell's
        return f"#!/bin/sh\n'''exec' '{python}' -IS \"$0\" \"$@\"\n' '''\n{body}"
    return f"#!{python} -IS\n{body}"


def write_starter(path: Path, text: str) -> None:
    """Replace the file of a command at once: a running program may call it."""
    beside = path.with_name(f".{path.name}.new")
    with open(beside, "w", encoding="utf-8", opener=_executable) as file:
        file.write(text)
    os.replace(beside, path)


def _executable(path: str, flags: int) -> int:
    return os.open(path, flags, 0o755)
