"""The manifest of a result: what it was made with, so that it can be made again and be compared."""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rmsd_cli.errors import CommandError
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import written_out
from rmsd_daemon.setup.third_party import parts_of
from rmsd_lab_cli.trace_file import STDIN

_ELSEWHERE = ("trace", "recipe", "rate", "exec", "seed", "token_file", "ca_file", "json")
_PACKAGES = ("rmsd_core", "rmsd_lab", "rmsd_wire", "rmsd_daemon", "rmsd_agent", "rmsd_client")
_CODE = 16  # hexadecimal digits
_SHORT = 12  # hexadecimal digits of a digest, for people


class Manifest:
    """The manifest of a run, made when the run begins: the time and the load of the machine are of
    that moment.

    `args.trace` is None for jobs that were made by a model: the options say by which.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        self._begun = datetime.now(UTC)
        self._load = [round(load, 2) for load in os.getloadavg()]
        self._trace: Path | None = args.trace
        self._options = {
            name: value
            for name, value in vars(args).items()
            if value not in (None, False) and name not in _ELSEWHERE
        }

    def finished(self, recipe: Recipe, **made_with: object) -> dict[str, Any]:
        """Return the `manifest` object of a report, once the run has ended. Times are UTC.

        `made_with` is what the command knows besides: rate, executor, seed.

        Raises:
            CommandError: the trace is no longer there.
        """
        return {
            **made_by(),
            "recipe": written_out(recipe),
            "parts": parts_of(recipe),
            "trace": self._trace and fingerprint(self._trace),
            "options": {name: _plain(value) for name, value in self._options.items()},
            **made_with,
            "machine": {
                "cores": os.cpu_count(),
                "kernel": f"{platform.system()} {platform.release()}",
                "load_average": self._load,
            },
            "begun": _iso(self._begun),
            "ended": _iso(datetime.now(UTC)),
        }


def made_by() -> dict[str, str]:
    """Return the versions of the code that makes a result."""
    return {
        "rmsd": version("rmsd"),
        "code": digest_of_all_code(),
        "python": platform.python_version(),
    }


@cache
def digest_of_all_code() -> str:
    """Return a digest of all code that figures come from. Between two releases the version alone
    does not identify the code."""
    digest = hashlib.sha256()
    for package in _PACKAGES:
        spec = find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or ():
            for path in sorted(Path(folder).rglob("*.py")):
                digest.update(f"{package}/{path.relative_to(folder)}\0".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:_CODE]


def line(manifest: Mapping[str, Any]) -> str:
    """Return the manifest in short, for people."""
    machine, trace = manifest["machine"], manifest["trace"]
    parts = {f"{one['distribution']} ({one['digest'][:_SHORT]}), " for one in manifest["parts"]}
    return (
        f"rmsd {manifest['rmsd']} ({manifest['code'][:_SHORT]}), {''.join(sorted(parts))}"
        f"Python {manifest['python']}, "
        f"{machine['kernel']}, {machine['cores']} cores, load {machine['load_average'][0]:g}\n"
        f"{fingerprint_line(trace)}, begun {manifest['begun']}"
    )


def fingerprint(path: Path) -> dict[str, Any]:
    """Return the fingerprint of a file as it is on disk, compressed or not. The fingerprint of
    standard input is not known.

    Raises:
        CommandError: it cannot be read.
    """
    if path == STDIN:
        return {"file": str(STDIN), "bytes": None, "sha256": None}
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            return {"file": path.name, "bytes": file.tell(), "sha256": digest}
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from None


def fingerprint_line(found: Mapping[str, Any]) -> str:
    """Return a fingerprint in short, for people."""
    if found["sha256"] is None:
        return "standard input"
    return f"{found['file']}, {found['bytes']:,} bytes, sha256 {found['sha256'][:_SHORT]}"


def _plain(value: object) -> object:
    """Return a value in a form that JSON has."""
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | int | float) else str(value)


def _iso(instant: datetime) -> str:
    return instant.isoformat(timespec="seconds").replace("+00:00", "Z")
