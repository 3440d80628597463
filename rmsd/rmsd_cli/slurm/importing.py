"""Make a configuration for rmsd of a Slurm site's slurm.conf: partitions with their nodes and
limits, default times, the scheduler. It goes to standard output or to the file of -o. What is left
out is said on standard error, with its line and why.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from rmsd_cli.errors import fail
from rmsd_cli.slurm.devices import DeviceFiles, device_files
from rmsd_cli.slurm.reading import SlurmFileError, Value, read_gres_conf, read_slurm_conf
from rmsd_cli.slurm.translating import Translated, toml_of, translate
from rmsd_client.console.cli import printable

_fail = partial(fail, "slurm import")

EPILOG = """\
Files that it includes are read as well, and cgroup.conf and gres.conf in the same
folder.

exit codes:
  0  done
  1  a file cannot be read or written, or is no slurm.conf
  2  wrong usage

example:
  rmsd slurm import /etc/slurm/slurm.conf -o rmsd.toml && rmsd start --config rmsd.toml
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="SLURM_CONF", type=Path, help="the site's slurm.conf")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write to a new FILE")
    parser.add_argument(
        "--force", action="store_true", help="replace the FILE of -o if there is one"
    )


def run(args: argparse.Namespace) -> int:
    path: Path = args.file
    try:
        files = _device_files(path.parent / "gres.conf")
        made = translate(read_slurm_conf(path), _cgroup(path.parent / "cgroup.conf"), files)
    except SlurmFileError as error:
        return _fail(str(error), 1)
    text = toml_of(made, path.name)
    if args.output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        try:
            _write(args.output, text, replace=args.force)
        except FileExistsError:
            return _fail(f"{args.output} is there already; --force replaces it", 1)
        except OSError as error:
            return _fail(f"{args.output}: {error.strerror}", 1)
    _tell(made)
    return 0


def _write(path: Path, text: str, *, replace: bool) -> None:
    """Write the configuration to a new file, which no link of another account leads elsewhere, or
    to what takes it at once, as a pipe does. Raises OSError."""
    takes_it = path.exists() and not path.is_file()
    with path.open("w" if replace or takes_it else "x", encoding="utf-8") as file:
        file.write(text)


def _cgroup(path: Path) -> Mapping[str, Value]:
    return read_slurm_conf(path).settings if path.exists() else {}


def _device_files(path: Path) -> DeviceFiles:
    return device_files(read_gres_conf(path)) if path.exists() else {}


def _tell(made: Translated) -> None:
    """Say what is left out."""
    lines = [f"left out: {line}" for line in made.left]
    if made.services:
        names = ", ".join(dict.fromkeys(made.services))
        lines.append(f"left out: of Slurm's own programs and services, or unknown to rmsd: {names}")
    for line in lines:
        print(printable(f"rmsd slurm import: {line}"), file=sys.stderr)
