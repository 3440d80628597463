"""A node whose machine changes its size while the agent runs."""

from __future__ import annotations

import asyncio
import contextlib
import os
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from rmsd_agent.node_watch import NodeWatch, why_unable
from rmsd_agent.state import state_dir
from rmsd_agent.state.state_dir import AgentStateDir
from rmsd_wire.link import ExitedReport, Hello, LaunchedReport
from rmsd_wire.node_info import NodeInfo
from tests.agent.rig import Rig

N1 = NodeInfo("n1", "real", 4, 4096)
E1 = NodeInfo("e1", "emulated", 2, 2048)
USABLE = sorted(os.sched_getaffinity(0))


class _Machine:
    """A machine that has a new size at each look."""

    def __init__(self, *cores: int) -> None:
        self._cores = list(cores)

    def look(self, node: NodeInfo) -> NodeInfo:
        if node.kind == "emulated":
            return node
        cores = self._cores.pop(0) if self._cores else 4
        if not cores:
            raise OSError("no such file")
        return msgspec.structs.replace(node, cores=cores)


def _changes(*cores: int) -> list[int]:
    """Return the sizes of n1 that count, of those which successive looks see; 0 stands for no
    change."""
    watch = NodeWatch([N1, E1], _Machine(*cores).look, lambda: "")
    found = [watch.changed() for _ in cores]
    assert all(nodes[1] == E1 for nodes in found if nodes is not None)
    return [nodes[0].cores if nodes is not None else 0 for nodes in found]


def test_a_new_size_counts_when_two_looks_have_seen_it() -> None:
    assert _changes(4, 4, 4) == [0, 0, 0]
    assert _changes(2, 2, 2) == [0, 2, 0]
    assert _changes(2, 3, 1, 1) == [0, 0, 0, 1]
    assert _changes(2, 4, 2, 2) == [0, 0, 0, 2]
    assert _changes(2, 2, 4, 4) == [0, 2, 0, 4]


def test_a_look_that_fails_is_no_change() -> None:
    assert _changes(2, 0, 2, 0, 0) == [0, 0, 2, 0, 0]


def test_a_reason_to_start_no_jobs_counts_when_two_looks_have_seen_it() -> None:
    full = "its agent can start no jobs now: full"
    reasons = ["", full, "", full, full, full, "", ""]
    watch = NodeWatch([N1, E1], _Machine().look, partial(reasons.pop, 0))
    found = [watch.changed() for _ in range(8)]
    told = [None if nodes is None else {node.unable for node in nodes} for nodes in found]
    assert told == [None, None, None, None, {full}, None, None, {""}]


def test_a_disk_without_space_is_the_reason_to_start_no_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = AgentStateDir(tmp_path / "agent")
    before = sorted(state.path.iterdir())
    assert why_unable(state) == ""
    monkeypatch.setattr(state_dir, "private", lambda *_: os.open("/dev/full", os.O_WRONLY))
    full = f"its agent can start no jobs now: {state.path}: No space left on device"
    assert why_unable(state) == full
    assert sorted(state.path.iterdir()) == before
    state.close()


async def test_agent_and_link_are_told_once() -> None:
    told: list[object] = []
    done = asyncio.Event()

    class Told:
        def resize(self, nodes: object) -> None:
            told.append(nodes)

        def renew(self) -> None:
            told.append("renew")
            done.set()

    both: Any = Told()
    machine = _Machine(*([2] * 50))
    task = asyncio.create_task(
        NodeWatch([N1], machine.look, lambda: "").run(both, both, each_s=0.001)
    )
    await done.wait()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert told == [[msgspec.structs.replace(N1, cores=2)], "renew"]


@pytest.mark.live
@pytest.mark.long  # an agent looks twice, ten seconds apart
@pytest.mark.skipif(len(USABLE) < 2, reason="one processor cannot become fewer")
def test_a_smaller_affinity_reaches_the_daemon_and_jobs_go_on(rig: Rig) -> None:
    [before] = rig.start().nodes
    assert before.cores == len(USABLE)
    rig.launch(1, "until [ -e go ]; do sleep 0.05; done", cores=before.cores)
    rig.peer.wait(LaunchedReport, 1)
    assert rig.agent is not None
    for thread in psutil.Process(rig.agent.pid).threads():
        os.sched_setaffinity(thread.id, USABLE[:1])
    hello = rig.peer.wait(Hello, count=2)
    assert hello.nodes == [msgspec.structs.replace(before, cores=1)]
    assert [attempt.job_id for attempt in hello.held] == [1]
    for thread in psutil.Process(rig.agent.pid).threads():
        os.sched_setaffinity(thread.id, USABLE)
    assert rig.peer.wait(Hello, count=3).nodes == [before]
    (rig.work / "go").touch()
    assert rig.peer.wait(ExitedReport, 1).exit_code == 0
    assert rig.log().count("node-resized") == 2
    assert "no-link" not in rig.log()
