"""Notes what the event loop of a process does at a stretch: Python imports this module as it begins
if its folder is in PYTHONPATH, and writes to the file that RMSD_BENCH_STEPS names."""

from __future__ import annotations

import os
import sys
import time
from asyncio import events
from typing import Any

LONG_S = 0.005


def _watch(path: str) -> None:
    out = open(path, "a", buffering=1, encoding="utf-8")  # noqa: SIM115 -- until the process ends
    kind: Any = events.Handle
    run = kind._run

    def watched(handle: Any) -> None:
        began_s = time.thread_time()
        run(handle)
        took_s = time.thread_time() - began_s
        if took_s > LONG_S:
            owner = getattr(handle._callback, "__self__", handle._callback)
            what = " ".join(repr(owner).split())[:200]
            out.write(f"{1e3 * took_s:.1f} {what}\n")

    kind._run = watched


if "start" in sys.orig_argv and "RMSD_BENCH_STEPS" in os.environ:
    _watch(os.environ["RMSD_BENCH_STEPS"])
