"""`make bench`: how fast it is, on the machine at hand. Prints figures, asserts nothing.

`python -m tests.bench [NAME...] [--json]` runs the benchmarks named. Traces are taken from the
folder that RMSD_TEST_DATA names, where there is one. Figures taken while other work loads the
machine say little: its load average is printed, before and after.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable

from tests.bench import (
    damage,
    growth,
    limits,
    live,
    memory,
    neighbours,
    node,
    pages,
    passes,
    restart,
    simulation,
    startup,
    studies,
    traces,
)
from tests.bench.measure import Figures

BENCHMARKS: dict[str, Callable[[], Figures]] = {
    "simulate": simulation.bench,
    "study": studies.bench,
    "growth": growth.bench,
    "memory": memory.bench,
    "traces": traces.bench,
    "rsub": startup.bench,
    "latency": live.bench_latency,
    "throughput": live.bench_throughput,
    "restart": restart.bench,
    "limits": limits.bench,
    "neighbours": neighbours.bench,
    "node": node.bench,
    "pass": passes.bench,
    "damage": damage.bench,
    "pages": pages.bench,
}
_QUIET = 0.5
"""Load averages below this are those of a machine that does nothing else."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--json", action="store_true", help="print one object")
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {unknown[0]}; there are: {', '.join(BENCHMARKS)}")
    machine = _machine()
    load_before, _, _ = os.getloadavg()
    if not args.json:
        print(f"{machine}\n{_in_words(load_before)}")
    results: dict[str, Figures] = {}
    for name in args.names or BENCHMARKS:
        results[name] = BENCHMARKS[name]()
        if not args.json:
            print(f"\n{name}")
            for what, figure in results[name].items():
                print(f"  {what:<62} {figure}", flush=True)
    load_after, _, _ = os.getloadavg()
    if args.json:
        report = {
            "schema": "rmsd.bench/1",
            "machine": machine,
            "quiet": load_before < _QUIET,
            "load_average": {"before": load_before, "after": load_after},
            "figures": results,
        }
        print(json.dumps(report))
    else:
        print(
            f"\nload average afterwards: {load_after:.2f}; the benchmarks themselves make about 1"
        )


def _machine() -> str:
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.platform()}"


def _in_words(load: float) -> str:
    if load < _QUIET:
        return f"load average {load:.2f}: quiet"
    return f"load average {load:.2f}: NOT QUIET, other work slows what is measured"


if __name__ == "__main__":
    main()
