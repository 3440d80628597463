"""The next rmsd: a copy of this one's code, with one more revision that changes its tables."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rmsd_daemon.store.tables import EVENT_VERSION, REVISION

NEXT = f"{int(REVISION) + 1:04}"
_ROOT = Path(__file__).parent.parent.parent
_PACKAGES = ("rmsd", "agents", "client")
_STORE = Path("rmsd/rmsd_daemon/store")

_EDITS: Mapping[Path, tuple[tuple[str, str], ...]] = {
    _STORE / "tables.py": (
        (f'\nREVISION = "{REVISION}"\n', f'\nREVISION = "{NEXT}"\n'),
        (f"\nEVENT_VERSION = {EVENT_VERSION}\n", f"\nEVENT_VERSION = {EVENT_VERSION + 1}\n"),
        ("    restartable: bool\n", "    restartable: bool\n    account: str\n"),
        (
            "    attempt: int = Field(primary_key=True)\n    start_us: int = _us()\n",
            "    attempt: int = Field(primary_key=True)\n"
            "    start_us: int = _us()\n    rack: str\n",
        ),
        ("    agent_version: str\n", "    agent_version: str\n    room: str | None\n"),
    ),
    _STORE / "records.py": (
        (
            '        "restartable": job.restartable,\n',
            '        "restartable": job.restartable,\n        "account": "new",\n',
        ),
    ),
    _STORE / "attempts.py": (
        (
            '        "start_us": start.start_us,\n',
            '        "start_us": start.start_us,\n        "rack": "new",\n',
        ),
    ),
    Path("rmsd/rmsd_daemon/agents/hello_reading.py"): (
        (
            '        "agent_version": cut(hello.version),\n',
            '        "agent_version": cut(hello.version),\n        "room": "new",\n',
        ),
    ),
}
"""The replacements of text, by file. Columns come into the middle of a table with row ids, of one
without them, and of one whose rows agents describe."""

_UPGRADE = f'''"""Columns as later features need them."""

from __future__ import annotations

from sqlalchemy import Column, String

from rmsd_daemon.store.migrations.steps import add_columns

revision = "{NEXT}"
down_revision = "{REVISION}"


def upgrade() -> None:
    account = Column("account", String, nullable=False, server_default="old")
    add_columns("job", ("restartable", account))
    rack = Column("rack", String, nullable=False, server_default="old")
    add_columns("attempt", ("start_us", rack))
    add_columns("node", ("agent_version", Column("room", String)))
'''


@dataclass(frozen=True, slots=True)
class NextRmsd:
    """The next rmsd. `env` has the variables with which Python runs its code."""

    env: Mapping[str, str]

    def python(
        self, program: str, *arguments: str | Path, expect: int = 0
    ) -> subprocess.CompletedProcess[str]:
        """Run a program in Python. Its exit code must be `expect`."""
        done = subprocess.run(
            [sys.executable, "-c", program, *map(str, arguments)],
            env=os.environ | self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == expect, done.stderr
        return done


def make_next_rmsd(folder: Path) -> NextRmsd:
    """Put the next rmsd's code into `folder`."""
    for package in _PACKAGES:
        shutil.copytree(_ROOT / package, folder / package)
    for path, edits in _EDITS.items():
        text = (folder / path).read_text()
        for old, new in edits:
            assert text.count(old) == 1, f"{path} has changed: {old!r}"
            text = text.replace(old, new)
        (folder / path).write_text(text)
    (folder / _STORE / f"migrations/versions/r{NEXT}_later_features.py").write_text(_UPGRADE)
    paths = [str(folder / package) for package in _PACKAGES]
    return NextRmsd({"PYTHONPATH": os.pathsep.join(paths)})
