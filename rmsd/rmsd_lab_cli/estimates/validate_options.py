"""The options of `rmsd estimates validate`, without what it needs to run."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

DESCRIPTION = """\
Compare models of estimates with a trace's own, as thesis 5.12 does: how many different ones there
are, which part of the jobs the 20 most popular serve, how far the distribution is from the trace's
(the largest difference between the cumulative distributions), how many jobs repeat the estimate of
the one before in their session, and the mean wait and bounded slowdown that come of them. What is
random is run with several seeds; +- is their mean absolute
deviation. Averages leave out what the thesis leaves out (`--trim thesis` of rmsd simulate).
"""


def add_validate_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", metavar="TRACE", type=Path, help="an SWF file, .swf or .swf.gz")
    parser.add_argument(
        "--max-estimate",
        metavar="TIME",
        help="the longest estimate that users may give (default: the longest that at least one in "
        "10,000 jobs has)",
    )
    parser.add_argument(
        "--own-heads",
        type=int,
        default=3,
        metavar="N",
        help="the N most popular estimates that the improved model is told (default: 3)",
    )
    parser.add_argument(
        "--recipe", default="easy", metavar="R", help="the scheduler (default: easy)"
    )
    parser.add_argument(
        "--procs",
        type=int,
        metavar="P",
        help="processors of the machine (default: those of the trace)",
    )
    parser.add_argument("--jobs", type=int, metavar="K", help="only the first K jobs")
    parser.add_argument(
        "--seeds",
        type=int,
        default=3,
        metavar="N",
        help="runs of what is random (default: 3; the thesis takes 100)",
    )
    parser.add_argument(
        "--processes",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="runs at a time (default: as many as there are processors)",
    )
    parser.add_argument(
        "--results",
        type=Path,
        metavar="DIR",
        help="where finished runs are kept (default: $XDG_CACHE_HOME/rmsd/paper)",
    )
    parser.add_argument("--json", action="store_true", help="print one rmsd.estimates/1 object")
