"""A scheduling pass after an exit, with 100,000 jobs of distinct shapes waiting, in a live daemon;
and passes of every recipe with 10,000 (`plans`).

The jobs in the daemon are timers on emulated nodes; each exit comes over the link from the agent,
frees processors, and is followed by a pass. The figure is the daemon's own: the time in the core.
"""

from __future__ import annotations

import random
import time
from typing import Any

from rmsd_client.api import Client
from tests.bench import plans
from tests.bench.measure import Figures
from tests.bench.private_daemon import private_daemon

_WAITING = 100_000
_EXITS = 1000
_RATE = 1000
_BATCH = 500


def bench() -> Figures:
    counted = _measure(["--emulate", "1x4096", "--capacity", "counted"], max_mem_mib=0)
    nodes = _measure(["--emulate", "256x16", "--capacity", "nodes"], max_mem_mib=32768)
    return plans.bench() | {
        "100,000 waiting, easy++, counted processors: pass, p50": f"{counted['p50']:.2f} ms",
        "... p99": f"{counted['p99']:.2f} ms",
        "100,000 waiting, easy++, 256 nodes of 16 cores: pass, p50": f"{nodes['p50']:.2f} ms",
        "... p99 ": f"{nodes['p99']:.2f} ms",
    }


def _measure(options: list[str], max_mem_mib: int) -> dict[str, float]:
    """Return the daemon's figures on its latest passes, each of them after an exit."""
    rng = random.Random(1)
    common = ["--no-local-node", "--recipe", "easy++", "--rate", str(_RATE)]
    with private_daemon([*options, *common]) as client:
        for _ in range(0, _WAITING, _BATCH):
            client.submit([_shape(rng, max_mem_mib) for _ in range(_BATCH)])
        begun = client.status()["passes"]
        while client.status()["passes"] - begun < _EXITS:
            time.sleep(1)
        return _figures(client)


def _figures(client: Client) -> dict[str, float]:
    figures: dict[str, float] = client.status()["pass_ms"]
    return figures


def _shape(rng: random.Random, max_mem_mib: int) -> dict[str, Any]:
    run_s = rng.randint(1000, 20000)
    return {
        "tasks": rng.randint(1, 256),
        "cpus_per_task": rng.randint(1, 16),
        "mem_mib": rng.randint(0, max_mem_mib),
        "time_limit_s": run_s + rng.randint(0, 80000),
        "user": f"user{rng.randint(1, 50)}",
        "emulate": {"run_s": run_s},
    }
