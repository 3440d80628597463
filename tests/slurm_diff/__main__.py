"""`python -m tests.slurm_diff [--rmsd] [SCENARIO...]`: play the scenarios under a real Slurm and
record what was said, then under rmsd, and show how they differ. `--rmsd`: under rmsd alone."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from tests.slurm_diff import lab, ours
from tests.slurm_diff.compared import Seen, differences, is_meant
from tests.slurm_diff.play import Form, Play, add_forms
from tests.slurm_diff.records import JSON_FORM, RECORDED, read, write
from tests.slurm_diff.scenarios import SCENARIOS
from tests.slurm_diff.site import Site


def played(
    running: Callable[[], AbstractContextManager[Site]], names: Sequence[str]
) -> tuple[Seen, dict[str, Form]]:
    """Return what was seen in each scenario, and the form of the output of --json."""
    seen: dict[str, dict[str, dict[str, dict[str, list[str]]]]] = {}
    forms: dict[str, Form] = {}
    with running() as site:
        for name in names:
            print(f"{name}...", file=sys.stderr, flush=True)
            play = Play(site)
            SCENARIOS[name](play)
            seen[name] = play.seen
            add_forms(forms, play.forms)
    return seen, forms


def main() -> int:
    """Record and compare; the exit code is 1 if a difference is not in the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rmsd", action="store_true", help="compare with the record there is")
    parser.add_argument("--slurm", action="store_true", help="make the record alone")
    parser.add_argument("scenario", nargs="*", choices=[[], *SCENARIOS])
    args = parser.parse_args()
    names = args.scenario or list(SCENARIOS)
    if not args.rmsd:
        if missing := lab.missing():
            print(f"not here: {', '.join(missing)}; install {lab.PACKAGES}", file=sys.stderr)
            return 2
        seen, forms = played(lab.running, names)
        recorded = read(RECORDED) if RECORDED.exists() and args.scenario else {}
        write(RECORDED, {**recorded, **seen})
        if not args.scenario:
            write(JSON_FORM, forms)
    if args.slurm:
        return 0
    found = list(differences(read(RECORDED), played(ours.running, names)[0]))
    for one in found:
        if not is_meant(one):
            print(one)
    return 1 if any(not is_meant(one) for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
