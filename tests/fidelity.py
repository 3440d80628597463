"""`make fidelity`: the table of docs/fidelity.md that has every preset on every kind of machine.

Each preset that can run live, and its timed form, is replayed by `rmsd replay --fidelity-sweep` on
each of `MACHINES`. `--runs FOLDER` keeps finished replays, and an interrupted table goes on there.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from rmsd_core.recipes.presets import PRESETS
from rmsd_core.recipes.text import parse_recipe
from rmsd_lab_cli.manifest import made_by

PAGE = Path(__file__).parents[1] / "docs/fidelity.md"
MACHINES: Mapping[str, Sequence[str]] = {
    "counted": (),
    "8 nodes": ("--nodes", "8"),
    "8 nodes, 4 agents": ("--nodes", "8", "--agents", "4"),
    "8 nodes, 4 agents, TLS": ("--nodes", "8", "--agents", "4", "--tls"),
}
"""The headings of the columns, and the options of their replays."""

_BEGIN, _END = "<!-- table: every preset -->\n", "<!-- end of the table -->\n"
_JOBS = ("generate", "--jobs", "100", "--procs", "64", "--load", "0.9", "--seed", "21")
"""A workload whose mean waits move little (by up to 2%) when submits are moved by some seconds."""

_RATE = 1000
_COMMAND = (sys.executable, "-m", "rmsd_cli.main")

Sweep = dict[str, Any]
"""An `rmsd.fidelity/1` object, of one recipe at one rate."""


def live_presets() -> list[str]:
    """Return the names of all presets that can be replayed, each followed by its timed form."""
    live = [name for name in PRESETS if parse_recipe(name).predict != "perfect"]
    return [form for name in live for form in (name, f"timed-{name}")]


def table(sweeps: Mapping[str, Mapping[str, Sweep]]) -> str:
    """Return the table in Markdown. `sweeps` has the sweeps by recipe and by column."""
    heading = ["recipe", "shaken: counted", "shaken: nodes", *MACHINES]
    lines = [f"| {' | '.join(heading)} |", "|---" * len(heading) + "|"]
    for recipe, by_machine in sweeps.items():
        counted, nodes, *_ = by_machine.values()
        cells = [f"`{recipe}`", _shaken(counted), _shaken(nodes)]
        cells += [_cell(sweep) for sweep in by_machine.values()]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _shaken(sweep: Sweep) -> str:
    chaos = sweep["chaos"]["wait_mean_deviation"]
    return f"{_percent(chaos['p5'])} to {_percent(chaos['p95'])}"


def _cell(sweep: Sweep) -> str:
    [at] = sweep["rates"]
    middle = at["median"]
    wait, slowdown = middle["wait_mean_deviation"], middle["bounded_slowdown_deviation"]
    return f"{_percent(wait)} / {_percent(slowdown)} / {middle['start_error_p50_s']:.1f}"


def _percent(share: float) -> str:
    return f"{100 * share:+.1f}"


def beyond_chaos(sweeps: Mapping[str, Mapping[str, Sweep]], margin: float) -> list[str]:
    """Return the cells, in words, whose mean wait lies outside what shaking the simulation does to
    it, by more than `margin` (a share)."""
    found = []
    for recipe, by_machine in sweeps.items():
        for machine, sweep in by_machine.items():
            chaos = sweep["chaos"]["wait_mean_deviation"]
            off = sweep["rates"][0]["median"]["wait_mean_deviation"]
            if not chaos["p5"] - margin <= off <= chaos["p95"] + margin:
                found.append(f"{recipe}, {machine}: {_percent(off)}, shaken {_shaken(sweep)}")
    return found


def conditions(sweeps: Mapping[str, Mapping[str, Sweep]], runs: int) -> str:
    """Return the lines above the table: what it was made with."""
    cells = [sweep for by_machine in sweeps.values() for sweep in by_machine.values()]
    began = [run["load_average"][0] for sweep in cells for run in sweep["rates"][0]["runs"]]
    made, first = made_by(), cells[0]
    return (
        f"`rmsd {' '.join(_JOBS)}` ({first['jobs']} jobs, {first['procs']} processors), as timers "
        f"at rate {_RATE:,}; runs of each: {runs}. "
        f"rmsd {made['rmsd']} ({made['code']}), Python {made['python']}, {os.cpu_count()} cores, "
        f"{platform.system()} {platform.release()}; load average as the runs began: "
        f"{min(began):.1f} to {max(began):.1f}, {statistics.median(began):.1f} in the median.\n"
    )


def written(page: str, part: str) -> str:
    """Return the page with this part between its markers."""
    before, _, rest = page.partition(_BEGIN)
    return f"{before}{_BEGIN}\n{part}\n{_END}{rest.partition(_END)[2]}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="make fidelity", description=__doc__)
    parser.add_argument("recipes", nargs="*", metavar="RECIPE", help="default: all presets")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each cell (default: 1)")
    parser.add_argument("--runs", type=Path, metavar="FOLDER", help="keep finished replays here")
    parser.add_argument(
        "--side-by-side", type=int, default=1, metavar="N", help="recipes at a time (default: 1)"
    )
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rmsd-fidelity-") as folder:
        trace = Path(folder) / "sample.swf"
        subprocess.run([*_COMMAND, *_JOBS, "--output", trace], check=True)
        recipes = args.recipes or live_presets()

        def row(recipe: str) -> dict[str, Sweep]:
            by_machine = {
                machine: _sweep(trace, recipe, options, args)
                for machine, options in MACHINES.items()
            }
            print(table({recipe: by_machine}).splitlines()[-1], file=sys.stderr, flush=True)
            return by_machine

        with ThreadPoolExecutor(args.side_by_side) as pool:
            sweeps = dict(zip(recipes, pool.map(row, recipes), strict=True))
    part = f"{conditions(sweeps, args.repeat)}\n{table(sweeps)}"
    if args.write:
        PAGE.write_text(written(PAGE.read_text(), part))
    else:
        print(part)
    for line in beyond_chaos(sweeps, 0.01):
        print(f"beyond chaos: {line}", file=sys.stderr)


def _sweep(trace: Path, recipe: str, options: Sequence[str], args: argparse.Namespace) -> Sweep:
    command = [*_COMMAND, "replay", str(trace), "--fidelity-sweep", "--recipe", recipe, "--json"]
    command += ["--rates", str(_RATE), "--runs", str(args.repeat), *options]
    if args.runs is not None:
        args.runs.mkdir(exist_ok=True)
        command += ["--resume", str(args.runs / f"{recipe}.json")]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    sweep: Sweep = json.loads(done.stdout)
    return sweep


if __name__ == "__main__":
    main()
