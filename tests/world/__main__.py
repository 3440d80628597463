"""`python -m tests.world`: stories by seed, each in a process of its own."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.world", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="how many (default: 200)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--seed", type=int, help="only this one, and show its log")
    parser.add_argument("--script", help="only this one without chance, and show its log")
    parser.add_argument("--bug", help="with this bug injected, until it is found")
    parser.add_argument("--record", type=Path, help="write a record of the run to this file")
    parser.add_argument("--resume", action="store_true", help="go on where the record ends")
    args = parser.parse_args()
    # otherwise sets have another order in every process
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, "-m", "tests.world", *sys.argv[1:]])

    from tests.world.scripted import SCRIPTS
    from tests.world.soak import CannotResume, run_one, soak

    if args.script is not None and args.script not in SCRIPTS:
        parser.error(f"there is no script {args.script}; there are {', '.join(SCRIPTS)}")
    if args.seed is not None or args.script is not None:
        return run_one(args.seed or 0, args.bug, args.script)
    seeds = range(args.first, args.first + args.seeds)
    try:
        return soak(seeds, args.bug, args.record, resume=args.resume)
    except CannotResume as error:
        print(f"python -m tests.world: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
