"""`python -m tests.fuzz_system`: hostile parties talk to a whole system, and nobody else notices.

A run has rounds of some minutes, each with a fresh system. The system has a daemon with its own
agent, two agents over TLS, and two agents that are lied to. Parties talk at once, by a seed:
callers of every role, a lying agent, a lying daemon, lying shepherds, a lying agent of a shepherd,
damaged files. An honest user has jobs run all the time. In the end all nodes must run jobs, `rmsd
verify` must agree, and a restart must find the same jobs. Every finding is printed with what was
said last, is kept with all that was said, and makes the exit code 1.

The program needs root: it runs in namespaces without a network, in which all files but those of a
/tmp of their own are read-only.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from pathlib import Path
from typing import Any

from tests.fuzz_system import sandbox
from tests.fuzz_system.record import record_of
from tests.recorded import commit

_ROUND_S = 300.0
_LONGEST_S = 3600.0
_REPLAYED = "replayed.jsonl"


def main() -> int:
    args = _arguments()
    if args.inside:
        return _inside(args)
    if not sandbox.is_possible():
        print("tests.fuzz_system needs root, and namespaces (unshare)", file=sys.stderr)
        return 2
    return _outside(args)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz_system",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--seconds", type=float, default=60.0, help="time for all rounds (default: 60)")
    add("--round-seconds", type=float, default=_ROUND_S, metavar="S",
        help="longest time of a round (default: 300)")  # fmt: skip
    add("--acts", type=int, metavar="N",
        help="one round with N acts of each caller, and fewer of other parties")  # fmt: skip
    add("--seed", default=secrets.token_hex(4), help="what chance goes by (default: a new one)")
    add("--round", help="repeat this one round, as a finding names it")
    add("--party", action="append", help="let this party talk alone (repeatable)")
    add("--replay", type=Path, metavar="FILE", help="perform the acts of this transcript again")
    add("--last", type=int, default=0, metavar="N", help="with --replay: its last N acts alone")
    add("--record", type=Path, help="keep what was counted in this file as well")
    add("--findings", type=Path, default=Path("fuzz-findings/system"),
        help="where findings are kept (default: fuzz-findings/system)")  # fmt: skip
    add("--inside", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _outside(args: argparse.Namespace) -> int:
    """Run one round after the other, each in a sandbox."""
    args.findings.mkdir(parents=True, exist_ok=True)
    print(f"seed {args.seed}", flush=True)
    results: list[dict[str, Any]] = []
    until_s = time.monotonic() + args.seconds
    alone = bool(args.round or args.replay or args.acts)
    while not results or (not alone and time.monotonic() < until_s):
        seed = args.round or f"{args.seed}.{len(results)}"
        seconds = max(1.0, min(until_s - time.monotonic(), args.round_seconds))
        if args.acts:
            seconds = _LONGEST_S
        code = sandbox.run(args.findings, _inner_arguments(args, seed, seconds))
        kept = args.findings / f"{seed}.json"
        if code != 0 or not kept.exists():
            print(f"round {seed} failed by itself, with {code}", file=sys.stderr)
            return 2
        results.append(json.loads(kept.read_text()))
        kept.unlink()
        _print_summary(results[-1])
    record = record_of(commit(), args.seed, results)
    if args.record:
        args.record.write_text(json.dumps(record, indent=2) + "\n")
    return 1 if record["findings"] else 0


def _inner_arguments(args: argparse.Namespace, seed: str, seconds: float) -> list[str]:
    arguments = ["--inside", "--round", seed, "--seconds", str(seconds)]
    if args.acts:
        arguments += ["--acts", str(args.acts)]
    for name in args.party or ():
        arguments += ["--party", name]
    if args.replay:
        (args.findings / _REPLAYED).write_bytes(args.replay.read_bytes())
        arguments += ["--replay", _REPLAYED, "--last", str(args.last)]
    return arguments


def _inside(args: argparse.Namespace) -> int:
    """Be one round, in a sandbox."""
    # Import here: the imports of these modules are needed in this function alone.
    from tests.fuzz_system.parties import PARTIES
    from tests.fuzz_system.round import Round
    from tests.fuzz_system.transcript import read

    folder, names = sandbox.OUT / args.round, args.party or list(PARTIES)
    one = Round(args.round, folder)
    if args.replay:
        acts = [act for act in read(sandbox.OUT / args.replay) if act.party in names]
        result = one.replay(acts[-args.last :])
    else:
        result = one.run(names, args.seconds, args.acts)
    if not any(folder.iterdir()):
        folder.rmdir()
    (sandbox.OUT / f"{args.round}.json").write_text(json.dumps(result))
    return 0


def _print_summary(result: dict[str, Any]) -> None:
    acts = {
        party: sum(sum(outcomes.values()) for outcomes in kinds.values())
        for party, kinds in result["said"].items()
    }
    told = result | {"said": acts, "findings": len(result["findings"])}
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    sys.exit(main())
