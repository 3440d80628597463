"""The size of this machine as a node."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest
from structlog.testing import capture_logs

from rmsd_agent.command_line import command_line, nodes_of, options_of
from rmsd_agent.machine import inventory
from rmsd_agent.machine.delegation import Own
from rmsd_agent.machine.inventory import real_node
from rmsd_wire.node_info import NodeInfo

GIB = 1 << 30


@pytest.fixture
def cgroup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the cgroup of this process, two below the one that limits it."""
    own = tmp_path / "system.slice" / "agent"
    own.mkdir(parents=True)
    monkeypatch.setattr(inventory, "own_cgroup", lambda: Own(own, is_root=False))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    return own


def sized(cgroup: Path, cpu: str, memory: str) -> tuple[int, int]:
    """Return the cores and the MiB of this machine with these limits in a cgroup."""
    (cgroup / "cpu.max").write_text(cpu + "\n")
    (cgroup / "memory.max").write_text(memory + "\n")
    node = real_node("n1")
    return node.cores, node.mem_mib


def test_affinity_and_all_memory_without_limits(cgroup: Path) -> None:
    whole = psutil.virtual_memory().total >> 20
    assert (real_node("n1").cores, real_node("n1").mem_mib) == (8, whole)
    assert sized(cgroup, "max 100000", "max") == (8, whole)
    assert sized(cgroup, "1600000 100000", str(1 << 60)) == (8, whole)


def test_limits_of_the_own_cgroup_and_of_those_above(cgroup: Path) -> None:
    assert sized(cgroup, "350000 100000", str(GIB)) == (3, 1024)
    assert sized(cgroup.parent, "200000 100000", str(GIB // 2)) == (2, 512)
    assert sized(cgroup, "50000 100000", "max") == (1, 512)  # half a core is one


def nodes(*arguments: str) -> list[NodeInfo]:
    parser = command_line()
    return nodes_of(parser, options_of(parser, ["--server", "unix:/s", *arguments]))


def test_what_is_given_counts(cgroup: Path) -> None:
    sized(cgroup, "350000 100000", str(GIB))
    [node] = nodes("--cores", "2", "--mem", "512M")
    assert (node.cores, node.mem_mib) == (2, 512)
    [here, one] = nodes("--local-node", "--cores", "2", "--mem", "512M", "--emulate", "1x4")
    assert (here.cores, here.mem_mib, one.cores, one.mem_mib) == (2, 512, 4, 8192)
    [one] = nodes("--mem", "1G", "--emulate", "1x4")
    assert one.mem_mib == 1024


def test_more_memory_than_there_is_is_told(cgroup: Path) -> None:
    sized(cgroup, "350000 100000", str(GIB))
    with capture_logs() as logged:
        nodes("--mem", "1G")
        assert logged == []
        [node] = nodes("--mem", "900T")
    assert node.mem_mib == 900 << 20
    [told] = logged
    assert (told["event"], told["usable_mib"]) == ("memory-beyond-machine", 1024)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cores", "0"], "'0' is not a whole number from 1"),
        (["--cores", "2", "--emulate", "4"], "--cores is of this machine"),
        (["--mem", "1G", "--no-local-node"], "--mem is of nodes"),
    ],
)
def test_what_cannot_be(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        nodes(*arguments)
    assert message in capsys.readouterr().err
