"""The commit of the installed rmsd, where its installation tells it (PEP 610)."""

from __future__ import annotations

import json
import subprocess
from importlib.metadata import Distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

_GIT_WITHIN_S = 5.0


def commit(installed: Distribution) -> str:
    """Return the commit: that of `pip install git+...`, or of the checkout that an editable
    installation is of, with `-dirty` after changes. Returns "" if it is not known. An installation
    from a folder is a copy, of which the folder may tell another commit by now."""
    try:
        told = json.loads(installed.read_text("direct_url.json") or "{}")
        if found := told.get("vcs_info", {}).get("commit_id"):
            return str(found)
        if told.get("dir_info", {}).get("editable"):
            return _described(Path(unquote(urlsplit(told["url"]).path)))
    except (ValueError, KeyError, AttributeError, TypeError):
        pass  # the record of another installer
    return ""


def _described(checkout: Path) -> str:
    """Return the commit of a checkout; "" if it is none, or git cannot say."""
    if not (checkout / ".git").exists():  # a checkout above belongs to something else
        return ""
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
