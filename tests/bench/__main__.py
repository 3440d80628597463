"""`make bench`: how fast it is, on the machine at hand. Prints figures, asserts nothing.

`python -m tests.bench [NAME...] [--json]` runs the benchmarks named. Traces are taken from the
folder that RMSD_TEST_DATA names, where there is one.
"""

from __future__ import annotations

import argparse
import json
import os
import platform

from tests.bench import live, passes, simulation, startup
from tests.bench.measure import Figures

BENCHMARKS = {
    "simulate": simulation.bench,
    "rsub": startup.bench,
    "latency": live.bench_latency,
    "throughput": live.bench_throughput,
    "pass": passes.bench,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--json", action="store_true", help="print one object")
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"no benchmark {unknown[0]}; there are: {', '.join(BENCHMARKS)}")
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.platform()}"
    if not args.json:
        print(machine)
    results: dict[str, Figures] = {}
    for name in args.names or BENCHMARKS:
        results[name] = BENCHMARKS[name]()
        if not args.json:
            print(f"\n{name}")
            for what, figure in results[name].items():
                print(f"  {what:<62} {figure}")
    if args.json:
        print(json.dumps({"schema": "rmsd.bench/1", "machine": machine, "figures": results}))


if __name__ == "__main__":
    main()
