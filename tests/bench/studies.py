"""`rmsd study` as a whole process: a log at five loads through four recipes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tests.bench.measure import BIN, Figures, generated, wall_s

_LOG = "KTH-SP2-1996-2.1-cln"
_LOADS = (0.5, 0.6, 0.7, 0.8, 0.9)
_RECIPES = ("easy", "easy++", "conservative", "timed-easy")
_TARGET_S = 30
"""On two slow cores."""


def bench() -> Figures:
    """Measure a study of the log if it is there, else of a generated trace."""
    trace = Path(os.environ.get("RMSD_TEST_DATA", "")) / "traces" / f"{_LOG}.swf.gz"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if not trace.is_file():
            trace = generated(30_000, folder)
        study = folder / "study.toml"
        recipes = ", ".join(f'"{recipe}"' for recipe in _RECIPES)
        study.write_text(
            f'recipes = [{recipes}]\nloads = {list(_LOADS)}\ntraces = ["{trace.absolute()}"]\n'
        )
        command = [str(BIN / "rmsd"), "study", str(study), "--results", str(folder / "kept")]
        taken_s, again_s = wall_s(command), wall_s(command)
    runs = len(_LOADS) * len(_RECIPES)
    log = trace.name.removesuffix(".gz").removesuffix(".swf")
    what = f"{log}, loads {_LOADS[0]} to {_LOADS[-1]}, {', '.join(_RECIPES)}"
    return {
        what: f"{taken_s:.1f} s (target: {_TARGET_S} s)",
        f"... again, all {runs} runs kept": f"{again_s:.2f} s",
    }
