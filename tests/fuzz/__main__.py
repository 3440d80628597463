"""`python -m tests.fuzz`: readers of what comes from outside, under inputs that coverage leads to.

Each harness searches in a process of its own, from its seeds on, and ends at its first finding. A
finding is an exception that its readers do not promise, a wrong result, 30 s without an end, or 2
GiB of memory. A finding is kept in a file, printed, and makes the exit code 1; --replay gives it to
the harness again, without atheris.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.fuzz.harnesses import NAMES, harness
from tests.recorded import commit, keep

_ROOT = Path(__file__).parents[2]
_MOST_BYTES = 4096
_LONGEST_S = 30
_MEMORY_MIB = 2048
_IN_MEMORY = "/dev/shm"  # files cost least here
_DONE = re.compile(r"^#(\d+)\s+DONE\s+cov: (\d+) ft: (\d+)", re.MULTILINE)
_PULSE = re.compile(r"^#(\d+)\s+\S+\s+cov: (\d+) ft: (\d+)", re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="harnesses:\n" + "\n".join(f"  {name:14} {harness(name).what}" for name in NAMES),
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", type=_known, help="harnesses (default: all)"
    )
    parser.add_argument("--seconds", type=int, default=60, help="for each harness (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="what chance goes by (default: any)")
    parser.add_argument("--record", type=Path, help="keep what was counted in this file as well")
    parser.add_argument(
        "--findings", type=Path, default=Path("fuzz-findings"), help="where findings are kept"
    )
    parser.add_argument("--replay", type=Path, help="a finding's file, for the one harness named")
    args = parser.parse_args()
    if args.replay:
        if len(args.names) != 1:
            parser.error("--replay needs one harness: that of the finding")
        harness(args.names[0]).check(args.replay.read_bytes())
        print(f"{args.names[0]}: {args.replay} is read as it should be")
        return 0
    if importlib.util.find_spec("atheris") is None:
        parser.error("atheris is missing; install it: pip install -e '.[fuzz]'")
    found = False
    for name in args.names or NAMES:
        result = _search(name, args.seconds, args.seed, args.findings)
        print(json.dumps({name: result}, indent=2), flush=True)
        found |= bool(result["findings"])
        if args.record:
            keep(args.record, "rmsd.fuzz/1", "harnesses", NAMES, {name: result})
    return 1 if found else 0


def _known(name: str) -> str:
    if name not in NAMES:
        raise argparse.ArgumentTypeError(f"no such harness: '{name}'; see --help")
    return name


def _search(name: str, seconds: int, seed: int, findings: Path) -> dict[str, Any]:
    findings = findings.absolute()
    findings.mkdir(parents=True, exist_ok=True)
    before = set(findings.iterdir())
    with (
        tempfile.TemporaryDirectory() as corpus,
        tempfile.TemporaryDirectory(
            dir=_IN_MEMORY if os.access(_IN_MEMORY, os.W_OK) else None
        ) as scratch,
    ):
        for at, content in enumerate(harness(name).seeds):
            Path(corpus, f"seed{at}").write_bytes(content)
        began_s = time.monotonic()
        done = subprocess.run(
            [
                *(sys.executable, "-m", "tests.fuzz.search", name, corpus),
                f"-max_total_time={seconds}",
                f"-max_len={_MOST_BYTES}",
                f"-timeout={_LONGEST_S}",
                f"-report_slow_units={_LONGEST_S}",
                f"-rss_limit_mb={_MEMORY_MIB}",
                f"-artifact_prefix={findings}/{name}-",
                *([f"-seed={seed}"] if seed else []),
            ],
            cwd=_ROOT,
            env=os.environ | {"TMPDIR": scratch},
            capture_output=True,
            check=False,
        )
        ran_s = time.monotonic() - began_s
        kept = len(list(Path(corpus).iterdir()))
        reached = _reached(name, corpus)
    told = done.stderr.decode(errors="replace") + done.stdout.decode(errors="replace")
    new = sorted(set(findings.iterdir()) - before)
    if not any(findings.iterdir()):
        findings.rmdir()
    ended = _DONE.findall(told)
    if done.returncode and not new and not ended:
        raise SystemExit(f"{name} did not run:\n{told[-3000:]}")
    executions, edges, features = map(int, (ended or _PULSE.findall(told) or [(0, 0, 0)])[-1])
    for path in new:
        print(_why(told))
        print(f"again: python -m tests.fuzz {name} --replay {path}", flush=True)
    return {
        "commit": commit(),
        "seconds": round(ran_s),
        "executions": executions,
        "edges": edges,
        "features": features,
        "corpus": kept,
        "lines": reached,
        "findings": [path.name for path in new],
    }


def _reached(name: str, corpus: str) -> dict[str, Any]:
    """Return the lines of the readers that the corpus reaches; an error of its process, which is a
    finding that the search has met before, leaves them untold."""
    counting = [sys.executable, "-m", "tests.fuzz.reached", name, corpus]
    done = subprocess.run(counting, cwd=_ROOT, capture_output=True, check=False)
    told: dict[str, Any] = json.loads(done.stdout) if done.returncode == 0 else {}
    return told


def _why(told: str) -> str:
    """Return the traceback of what was found, or else the last words."""
    _, mark, rest = told.partition("=== Uncaught Python exception: ===")
    return rest.partition("==")[0].strip() if mark else told[-2000:]


if __name__ == "__main__":
    sys.exit(main())
