"""Jobs in cgroups of their own, and the tree in which they are.

Tests that need the memory controller run where version 2 has it. The others run wherever root may
make a cgroup, even if version 2 is mounted beside version 1.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from rmsd_agent.machine import delegation
from rmsd_agent.machine.delegation import DelegationError, Limits
from rmsd_agent.shepherd.standalone import cgroups
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, LaunchedReport
from rmsd_wire.link_calls import StartTask
from tests.agent.programs import HOLD_160_MIB, python
from tests.agent.rig import Rig, fork_bomb, sleeping
from tests.cgroup_trees import HAS_MEMORY, needs_cgroups, needs_memory
from tests.waiting import wait_until


@pytest.mark.live
@needs_cgroups
def test_a_job_is_in_a_cgroup_of_its_own_and_its_shepherd_is_not(
    cgroup_rig: tuple[Rig, Path],
) -> None:
    rig, tree = cgroup_rig
    hello = rig.start("--cgroup", str(tree))
    assert hello.nodes[0].memory_limit == ("cgroup" if HAS_MEMORY else "polling")
    rig.launch(1, "grep ^0:: /proc/self/cgroup; sleep 60")
    pid = rig.peer.wait(LaunchedReport, 1).pid
    assert pid is not None
    [unit] = wait_until(lambda: list(tree.glob("rmsd-*/1.1.n1/batch")))
    wait_until(lambda: rig.output(1))
    assert rig.output(1).strip().endswith(f"{tree.name}/{unit.relative_to(tree)}")
    assert pid in cgroups.members(str(unit))
    assert rig.shepherd_of(pid).pid not in cgroups.members(str(tree))
    rig.peer.send(StartTask(1, 1, 1, "n1", "s", 0, ["sleep", "60"], {}, str(rig.work)))
    assert rig.peer.reply(1).status == 200
    assert len(cgroups.members(str(unit.parent / "s.0"))) == 1
    rig.stop(1)
    rig.peer.wait(ExitedReport, 1)
    wait_until(lambda: not unit.parent.exists(), "the cgroup is removed")


@pytest.mark.long  # a fork bomb computes until it is ended
@pytest.mark.live
@needs_cgroups
def test_an_end_takes_all_that_is_in_the_cgroup(cgroup_rig: tuple[Rig, Path]) -> None:
    rig, tree = cgroup_rig
    rig.start("--cgroup", str(tree))
    mark = rig.marker()
    rig.launch(1, f"trap '' TERM; {fork_bomb(mark)}", kill_grace_s=0.1)
    wait_until(lambda: len(sleeping(mark)) > 50, "a swarm")
    rig.stop(1)
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.USER
    assert not sleeping(mark)


@pytest.mark.live
@needs_cgroups
def test_an_end_takes_what_has_left_the_cgroup(cgroup_rig: tuple[Rig, Path]) -> None:
    rig, tree = cgroup_rig
    (tree / "elsewhere").mkdir()
    rig.start("--cgroup", str(tree))
    mark = rig.marker()
    leave = f"echo 0 > {tree}/elsewhere/cgroup.procs"
    rig.launch(1, f"trap '' TERM; (setsid sh -c '{leave}; sleep {mark}' &); wait; sleep 60",
               kill_grace_s=0.1)  # fmt: skip
    wait_until(lambda: sleeping(mark))
    rig.stop(1)
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.USER
    assert not sleeping(mark)


@pytest.mark.live
@needs_cgroups
def test_what_shows_no_other_sign_is_known_by_its_cgroup(cgroup_rig: tuple[Rig, Path]) -> None:
    """The process has no shepherd, a session of its own, no parent and an empty environment."""
    rig, tree = cgroup_rig
    rig.start("--cgroup", str(tree))
    mark = rig.marker()
    rig.launch(1, f"env -i setsid sh -c 'sleep {mark} & exit' & wait; sleep 60", kill_grace_s=0.1)
    pid = rig.peer.wait(LaunchedReport, 1).pid
    assert pid is not None
    wait_until(lambda: sleeping(mark))
    rig.shepherd_of(pid).kill()
    rig.stop(1)
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.USER
    assert not sleeping(mark)


@pytest.mark.live
@needs_cgroups
def test_what_a_killed_agent_left_is_removed(cgroup_rig: tuple[Rig, Path]) -> None:
    rig, tree = cgroup_rig
    rig.start("--cgroup", str(tree))
    rig.launch(1, "sleep 60")
    rig.peer.wait(LaunchedReport, 1)
    [jobs] = tree.glob("rmsd-*")
    stale = jobs / "99.1.n1"
    (stale / "batch").mkdir(parents=True)
    rig.end_agent()
    rig.start("--cgroup", str(tree))
    wait_until(lambda: not stale.exists(), "the cgroup of no attempt is removed")
    assert (jobs / "1.1.n1/batch").exists()
    rig.stop(1)
    assert rig.peer.wait(ExitedReport, 1).signal == signal.SIGTERM


@pytest.mark.live
@needs_cgroups
@needs_memory
def test_the_kernel_kills_a_job_past_its_memory(cgroup_rig: tuple[Rig, Path]) -> None:
    rig, tree = cgroup_rig
    rig.start("--cgroup", str(tree))
    end = rig.run(1, f"python3 -c {HOLD_160_MIB!r} & {python(HOLD_160_MIB)}", mem_mib=100)
    assert (end.cause, end.signal) == (Cause.MEMORY, signal.SIGKILL)
    assert end.message == "it needed more than its 100M on node n1"
    assert rig.run(2, "kill -9 $$", mem_mib=100).cause is Cause.EXIT
    rig.launch(3, "", batch=False, mem_mib=100)
    rig.peer.send(
        StartTask(1, 3, 1, "n1", "s", 0, ["python3", "-c", HOLD_160_MIB], {}, str(rig.work))
    )
    end = rig.peer.wait(ExitedReport, 3)
    assert (end.cause, end.message) == (Cause.MEMORY, "it needed more than its 100M on node n1")


@needs_cgroups
def test_limits_are_set_as_far_as_there_are_controllers(tree: Path) -> None:
    found = delegation.find("jobs", tree)
    assert found is not None
    one = min(os.sched_getaffinity(0))
    found.make("1.1.n1", Limits(cores=4, mem_mib=256, max_processes=100, processors=[one]))
    path = found.path("1.1.n1")
    expected = {"memory.max": str(256 << 20), "cpu.weight": "40", "pids.max": "100"}
    expected["cpuset.cpus"] = str(one)
    for name, value in expected.items():
        known = name.partition(".")[0] in found.controllers
        assert (path / name).exists() == known
        assert not known or (path / name).read_text().strip() == value
    assert found.attempts() == ["1.1.n1"]
    found.remove("1.1.n1")
    assert found.attempts() == []


@needs_cgroups
def test_a_tree_that_cannot_be_used_is_refused(tree: Path) -> None:
    with pytest.raises(DelegationError, match=r"--cgroup .*/none cannot be used: .* No such file"):
        delegation.find("jobs", tree / "none")


def test_where_this_process_is_comes_from_proc() -> None:
    mountinfo = (
        "30 24 0:26 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755\n"
        "31 30 0:27 / /sys/fs/cgroup/unified rw,relatime shared:10 - cgroup2 cgroup2 rw\n"
    )
    assert delegation.cgroup_mount(mountinfo) == ("/", "/sys/fs/cgroup/unified")
    assert delegation.cgroup_mount(mountinfo.splitlines()[0]) is None
    listed = "9:name=systemd:/\n0::/system.slice/rmsd-agent.service/agent\n"
    assert delegation.cgroup_path(listed) == "/system.slice/rmsd-agent.service/agent"
    assert delegation.cgroup_path("9:name=systemd:/\n") is None


def test_no_cgroup_of_others_is_divided(tmp_path: Path) -> None:
    """The cgroup of a session is one example: nobody has delegated it, though root may write to
    it."""
    own = delegation.Own(tmp_path, is_root=False)
    assert delegation.delegation_of(own, "jobs") is None
    assert not list(tmp_path.iterdir())
