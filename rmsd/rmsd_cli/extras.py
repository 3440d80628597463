"""Commands that need packages which are not installed with rmsd, but with one of its extras."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import requires

from rmsd_cli.errors import CommandError

_OF_AN_EXTRA = re.compile(r"""(.+?)\s*;\s*extra\s*==\s*["']([a-z]+)["']""")


@contextmanager
def needs_extra(extra: str) -> Iterator[None]:
    """Import in this context what the extra brings.

    Raises:
        CommandError: a package of the extra is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package.startswith("rmsd"):
            raise
        raise CommandError(
            f"this command needs the package '{package}', which is not installed; "
            f"`pip install {shlex.join(packages_of(extra))}` brings it"
        ) from None


def packages_of(extra: str) -> list[str]:
    """Return the requirements of an extra, as pip takes them. (The name of rmsd with the extra is
    no such: another project is called rmsd on PyPI.)"""
    found = map(_OF_AN_EXTRA.fullmatch, requires("rmsd") or [])
    return [one[1] for one in found if one is not None and one[2] == extra]
