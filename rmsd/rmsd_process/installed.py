"""The installed rmsd: its version, and its commit where its installation tells it (PEP 610).

Every program's `--version` is answered here. What answers it is imported only then: finding an
installation takes longer than all else at the start of a client.
"""

from __future__ import annotations

import argparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.metadata import Distribution

_GIT_WITHIN_S = 5.0


def add_version_option(parser: argparse.ArgumentParser, *flags: str) -> None:
    """Add the option that prints what `installed_version` returns, by these names."""
    parser.add_argument(
        *flags,
        action=_PrintVersion,
        nargs=0,
        default=argparse.SUPPRESS,  # parsed arguments have no value for the option
        help="print the version",
    )


class _PrintVersion(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(installed_version(parser.prog))
        parser.exit()


def installed_version(program: str) -> str:
    """Return what `program --version` prints: the version, and the commit if it is known."""
    from importlib.metadata import distribution

    installed = distribution("rmsd")
    found = commit(installed)
    return f"{program} {installed.version}" + (f" (commit {found})" if found else "")


def commit(installed: Distribution) -> str:
    """Return the commit: that of `pip install git+...`, or of the checkout that an editable
    installation is of, with `-dirty` after changes. Returns "" if it is not known. An installation
    from a folder is a copy, of which the folder may tell another commit by now."""
    import json
    from urllib.parse import unquote, urlsplit

    try:
        told = json.loads(installed.read_text("direct_url.json") or "{}")
        if found := told.get("vcs_info", {}).get("commit_id"):
            return str(found)
        if told.get("dir_info", {}).get("editable"):
            return _described(unquote(urlsplit(told["url"]).path))
    except (ValueError, KeyError, AttributeError, TypeError):
        pass  # the record of another installer
    return ""


def _described(checkout: str) -> str:
    """Return the commit of a checkout; "" if it is none, or git cannot say."""
    import os
    import subprocess

    if not os.path.exists(os.path.join(checkout, ".git")):
        return ""  # a checkout above belongs to something else
    try:
        done = subprocess.run(
            ["git", "-C", checkout, "describe", "--always", "--dirty", "--abbrev=12"],
            capture_output=True,
            encoding="utf-8",
            timeout=_GIT_WITHIN_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
