"""A node that comes back with less than it had is named in the daemon's log."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from rmsd_daemon.agents.losses import losses
from rmsd_daemon.store.records import Row
from tests.live import Daemon, node_state, other_agent
from tests.waiting import wait_until


def row(cores: int = 8, mem_mib: int = 64_000, gpus: int = 2) -> Row:
    return {"cores": cores, "mem_mib": mem_mib, "gres": [["gpu:a100", list(range(gpus))]]}


@pytest.mark.parametrize(
    ("now", "lost"),
    [
        (row(), {}),
        (row(cores=16, mem_mib=128_000, gpus=4), {}),
        (row(mem_mib=63_000), {}),
        (row(mem_mib=32_000), {"n": "32000 MiB of memory, 64000 before"}),
        (row(cores=6, gpus=1), {"n": "6 cores, 8 before, 1 of gpu:a100, 2 before"}),
        ({**row(), "gres": []}, {"n": "0 of gpu:a100, 2 before"}),
    ],
)
def test_what_a_node_has_less_of_is_told(now: Row, lost: dict[str, str]) -> None:
    assert losses({"n": row()}, {"n": now, "new": row()}) == lost


@pytest.mark.slow
@pytest.mark.live
def test_a_node_that_comes_back_smaller_is_in_the_log(start_daemon: Callable[..., Daemon]) -> None:
    """Such a node was taken without a word: failed memory, or a GPU that was gone, went unseen."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x1")
    for size in ("1x8", "1x8", "1x4"):
        with other_agent(daemon, "--emulate", size, "--emulate-prefix", "x"):
            wait_until(lambda: node_state(daemon, "x1") == "idle")
        wait_until(lambda: node_state(daemon, "x1") == "suspect")
    told = [json.loads(line) for line in daemon.log.read_text().splitlines() if "smaller" in line]
    assert [(one["event"], one["node"], one["reason"]) for one in told] == [
        ("node-smaller", "x1", "4 cores, 8 before, 8192 MiB of memory, 16384 before")
    ]
