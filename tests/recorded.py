"""Records of long runs: machine-readable files in docs/, with the commit they were made on.

`python -m tests.recorded` says which are older than the code they speak of (`make records` makes
them anew).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "docs"
RECORDS = ("soak.json", "kills.json", "fuzz.json", "fuzz-system.json")
CODE = ("rmsd", "agents", "client")
"""The folders whose change makes a record older than the code that it speaks of."""


def commit() -> str:
    """Return the commit that last changed code or tests, marked if they were changed since. A
    commit of documents alone, as that of a record, leaves a record true."""
    find = ["git", "log", "-1", "--format=%h", "--abbrev=12", "--", *CODE, "tests"]
    told = subprocess.run(find, capture_output=True, text=True, check=False)
    compare = ["git", "diff", "--quiet", "HEAD", "--", *CODE, "tests"]
    changed = subprocess.run(compare, capture_output=True, check=False).returncode == 1
    return (told.stdout.strip() or "unknown") + ("-dirty" if changed else "")


def keep(path: Path, schema: str, group: str, names: Iterable[str], more: dict[str, Any]) -> None:
    """Add results to the record at `path`, by name, beside those of other `names` that it has."""
    record = json.loads(path.read_text()) if path.exists() else {}
    results = record.get(group, {}) | more
    kept = {"schema": schema, group: {name: results[name] for name in names if name in results}}
    path.write_text(json.dumps(kept, indent=2) + "\n")


def commits_of(record: dict[str, Any]) -> set[str]:
    """Return the commits that a record names, for the whole run or for each part of it."""
    parts = [record, *record.get("scenarios", {}).values(), *record.get("harnesses", {}).values()]
    return {str(part["commit"]) for part in parts if "commit" in part}


def changes_since(commit: str) -> int | None:
    """Return how many commits have changed the code since this one; None if it is unknown."""
    command = ["git", "rev-list", "--count", f"{commit}..HEAD", "--", *CODE]
    told = subprocess.run(command, cwd=FOLDER.parent, capture_output=True, text=True, check=False)
    return int(told.stdout) if told.returncode == 0 else None


def ages() -> dict[str, dict[str, int | None]]:
    """Return for each record the commits that it names, with the changes of the code since."""
    found = {}
    for name in RECORDS:
        record = json.loads((FOLDER / name).read_text())
        found[name] = {commit: changes_since(commit) for commit in sorted(commits_of(record))}
    return found


def main() -> int:
    """Say how old the records are; 1 if the code has changed since one of them."""
    old = False
    for name, commits in ages().items():
        for commit, changes in commits.items():
            old |= changes != 0
            since = "unknown here" if changes is None else f"{changes} changes of the code since"
            print(f"docs/{name:18} {commit}  {since}")
    return int(old)


if __name__ == "__main__":
    sys.exit(main())
