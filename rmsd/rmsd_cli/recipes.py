"""List the recipes: each is a scheduler of the literature as a combination of parts. `reserve` says
who is promised a start, `backfill` in which order the others are tried, `predict` where the
expected run time comes from, `correct` whether an expired prediction is replaced. The user's
estimate is the kill time under every recipe, and nothing else where there is a prediction.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from rmsd_core.presets import PRESETS

EPILOG = """\
example:
  rmsd simulate trace.swf --recipe easy++
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one rmsd.recipes/1 object")


def run(args: argparse.Namespace) -> int:
    recipes = [asdict(recipe) for recipe in PRESETS.values()]
    if args.json:
        print(json.dumps({"schema": "rmsd.recipes/1", "recipes": recipes}, indent=2))
        return 0
    print(f"{'RECIPE':<10} {'RESERVE':<8} {'BACKFILL':<9} {'PREDICT':<9} {'CORRECT':<8} WHAT")
    for recipe in PRESETS.values():
        correct = recipe.correct
        print(
            f"{recipe.name:<10} {recipe.reserve:<8} {recipe.backfill:<9} {recipe.predict:<9} "
            f"{correct:<8} {recipe.source}"
        )
    return 0
