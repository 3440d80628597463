"""The installed rmsd: its version, its commit where its installation tells it (PEP 610), and
whether its core is compiled.

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
    """Return what `program --version` prints: the version, and the commit if it is known. `rmsd`,
    the program that runs the core, says as well whether the core is compiled."""
    from importlib.metadata import distribution

    installed = distribution("rmsd")
    found = commit(installed)
    details = [f"commit {found}"] if found else []
    if program == "rmsd":
        details.append(core_kind(installed))
    return f"{program} {installed.version}" + (f" ({', '.join(details)})" if details else "")


def core_kind(installed: Distribution) -> str:
    """Return whether Python would import the core compiled, and if so, whether its source has been
    edited since."""
    from importlib.util import find_spec

    spec = find_spec("rmsd_core.planning.planner")
    if spec is None or spec.origin is None or spec.origin.endswith(".py"):
        return "core in Python"
    changed = changed_files(installed, "rmsd_core")
    return f"compiled core, older than {changed[0]}" if changed else "compiled core"


def changed_files(installed: Distribution, package: str) -> list[str]:
    """Return the files of a package that are not as they were installed, by the hashes in the
    record of the installation."""
    import base64
    import hashlib

    changed = []
    for file in installed.files or ():
        if file.parts[0] != package or file.hash is None:
            continue
        try:
            digest = hashlib.new(file.hash.mode, file.read_binary()).digest()
        except OSError:
            digest = b""  # the file is gone
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != file.hash.value:
            changed.append(str(file))
    return changed


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
