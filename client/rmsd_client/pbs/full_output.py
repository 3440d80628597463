"""The output of `qstat -f`: attributes line by line, or as JSON."""

from __future__ import annotations

import json
import sys
import time

from rmsd_client.console.cli import printable
from rmsd_client.pbs.site import VERSION
from rmsd_wire.pbs_names import SERVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_WIDTH = 79


def print_json(kind: str, named: dict[str, dict[str, Any]]) -> None:
    """Print attributes as `-F json` does."""
    head = {"timestamp": int(time.time()), "pbs_version": VERSION, "pbs_server": SERVER}
    json.dump({**head, **({kind: named} if named else {})}, sys.stdout, indent=4)
    sys.stdout.write("\n")


def print_attributes(head: str, shown: dict[str, Any], *, wide: bool = False) -> None:
    """Print attributes line by line; long lines are broken at commas, and go on behind a tab."""
    print(printable(head))
    for key, value in flat(shown):
        line = f"    {key} = {value}"
        while not wide and len(line) > _WIDTH:
            at = line.rfind(",", 0, _WIDTH) + 1 or _WIDTH
            print(line[:at])
            line = f"\t{line[at:]}"
        print(line)
    print()


def flat(shown: dict[str, Any]) -> Iterable[tuple[str, object]]:
    """Yield attributes as they are printed, with those that have parts taken apart, as
    `Resource_List.ncpus`."""
    for key, value in shown.items():
        parts = value if isinstance(value, dict) else {"": value}
        for part, one in parts.items():
            name = f"{key}.{part}" if isinstance(value, dict) else key
            yield printable(name), printable(one) if isinstance(one, str) else one
