"""Bring a log from the Parallel Workloads Archive, and print where it is. The log is kept, so that
it is fetched once. Its SHA-256 is checked every time, if it is known here. NAME is the name of a
log, or a beginning that only one name has, in upper or lower case. Without NAME the logs are
listed.

Without a network, bring the file yourself and put it where the error message says. Please read the
archive's terms of use, and acknowledge the people who gave the log: `rmsd trace info --json` has
the header.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import shutil
import sys
import tempfile
import urllib.request
import zlib
from http.client import HTTPException
from pathlib import Path

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.tables import grid
from rmsd_lab_cli.trace.archive import ARCHIVE, LOGS, ArchiveLog, named

EPILOG = """\
environment:
  XDG_CACHE_HOME   logs are kept in its rmsd/traces (default: ~/.cache)
  https_proxy      as for other programs

exit codes:
  0  the log is there
  1  it cannot be fetched, or is not what it must be
  2  wrong usage, or no such log

examples:
  rmsd trace fetch
  rmsd trace fetch KTH
  rmsd simulate $(rmsd trace fetch CTC-SP2-1996) --recipe easy++
  rmsd trace fetch HPC2N --from https://mirror.example.org/workload
"""

_TIMEOUT_S = 30
_CHUNK = 1 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="the log; without it: list them")
    parser.add_argument(
        "--from",
        dest="archive",
        default=ARCHIVE,
        metavar="URL",
        help=f"the archive, or a mirror with the same folders (default: {ARCHIVE})",
    )


def run(args: argparse.Namespace) -> int:
    folder = _folder()
    if args.name is None:
        sys.stdout.write(_listed(folder))
        return 0
    log = _chosen(args.name)
    path = folder / log.file
    if not path.exists():
        _fetch(log, f"{args.archive.rstrip('/')}/{log.folder}/{log.file}", path)
    _check(log, path)
    print(path)
    return 0


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "rmsd" / "traces"


def _listed(folder: Path) -> str:
    rows = [["name", "SHA-256", "kept"]]
    for log in sorted(LOGS):
        known = "not known" if log.sha256 is None else log.sha256[:12]
        rows.append([log.name, known, "yes" if (folder / log.file).exists() else "no"])
    return f"{grid(rows)}\n"


def _chosen(name: str) -> ArchiveLog:
    """Return the log that a name means. Raises CommandUsageError unless exactly one log matches."""
    found = named(name)
    if len(found) == 1:
        return found[0]
    if not found:
        raise CommandUsageError(
            f"no log of the archive is known as {name!r}; `rmsd trace fetch` lists them"
        )
    names = ", ".join(log.name for log in found)
    raise CommandUsageError(f"{name!r} may be any of: {names}")


def _fetch(log: ArchiveLog, url: str, path: Path) -> None:
    """Fetch a log to `path`. A file that is not the log is not kept.

    Raises:
        CommandError: it cannot be brought; the message says what to do by hand.
    """
    by_hand = f"bring that file on another way, and put it at {path}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.") as part:
            with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as answer:
                shutil.copyfileobj(answer, part)
            part.flush()
            fault = _fault(log, Path(part.name))
            if fault is not None:
                raise CommandError(
                    f"what came from {url} is not the log, and not kept: {fault}\n"
                    f"fetch it again, or {by_hand}"
                )
            os.link(part.name, path)
    except FileExistsError:
        return  # another process has fetched the trace meanwhile
    except (OSError, ValueError, HTTPException) as error:  # a URLError is an OSError
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise CommandError(f"cannot fetch {url}: {reason}\nwithout a network: {by_hand}") from None


def _check(log: ArchiveLog, path: Path) -> None:
    """Raise CommandError if the file is not the log."""
    try:
        fault = _fault(log, path)
        digest = _sha256(path)
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from None
    if fault is not None:
        raise CommandError(f"{path} is not the log: {fault}; remove it, and fetch it again")
    if log.sha256 is None:
        sys.stderr.write(f"{log.name}: the SHA-256 is not known here; this file's is {digest}\n")


def _fault(log: ArchiveLog, path: Path) -> str | None:
    """Return why the file is not the log; None if no fault is found. Raises OSError."""
    if log.sha256 is not None:
        digest = _sha256(path)
        return f"its SHA-256 is {digest}, not {log.sha256}" if digest != log.sha256 else None
    try:
        with gzip.open(path) as file:
            while file.read(_CHUNK):
                pass
    except gzip.BadGzipFile:
        return "it is not compressed, or damaged"
    except (EOFError, zlib.error):
        return "it is damaged or cut"
    return None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
