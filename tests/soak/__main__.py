"""`python -m tests.soak`: real processes under real faults, and what was left of the promises.

A daemon with its own agent, and two more agents over the link, run a stream of jobs. A seed decides
by chance which faults hit them. What is promised is judged from outside: by what jobs wrote, by
/proc, by the answers that clients got. Every finding is printed, and makes the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.recorded import commit, keep
from tests.soak.scenarios import SCENARIOS, Unable


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="scenarios:\n"
        + "\n".join(f"  {name:10} {one.what} ({one.faults})" for name, one in SCENARIOS.items()),
    )
    parser.add_argument(
        "scenarios",
        nargs="*",
        metavar="SCENARIO[=FAULTS]",
        type=_chosen,
        help="what is done, and how often (default: all of them, as often as each says)",
    )
    parser.add_argument("--seed", type=int, default=0, help="what chance goes by (default: 0)")
    parser.add_argument("--record", type=Path, help="keep what was counted in this file as well")
    parser.add_argument("--keep", type=Path, help="where to keep logs and databases of findings")
    args = parser.parse_args()
    found, checked_out = False, commit()  # the record itself is a change of it
    for name, faults in args.scenarios or [(name, one.faults) for name, one in SCENARIOS.items()]:
        try:
            result = SCENARIOS[name].run(args.seed, faults, args.keep)
        except Unable as error:
            result = {"skipped": str(error)}
        result = {"commit": checked_out, **result}
        print(json.dumps({name: result}, indent=2), flush=True)
        found |= any(result.get("violations", {}).values())
        if args.record:
            keep(args.record, "rmsd.kills/1", "scenarios", SCENARIOS, {name: result})
    return 1 if found else 0


def _chosen(text: str) -> tuple[str, int]:
    """Return a scenario and how many faults it is to have."""
    name, given, faults = text.partition("=")
    if name not in SCENARIOS:
        raise argparse.ArgumentTypeError(f"no such scenario: '{name}'; see --help")
    if given and not (faults.isascii() and faults.isdigit() and int(faults)):
        raise argparse.ArgumentTypeError(f"'{text}': '{faults}' is not a number of faults")
    return name, int(faults) if given else SCENARIOS[name].faults


if __name__ == "__main__":
    sys.exit(main())
