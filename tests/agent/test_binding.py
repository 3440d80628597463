"""Processors of jobs: two jobs on a node share none, whatever becomes of its agent."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rmsd_agent.machine.delegation import Delegation, Limits
from rmsd_agent.machine.processors import choose, claim, read, spelled, usable_processors
from rmsd_wire.link import ExitedReport
from rmsd_wire.link_calls import StartTask
from tests.agent.rig import Rig
from tests.fresh import seed_of
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

USABLE = sorted(os.sched_getaffinity(0))
LOCK_FOLDERS = ("XDG_RUNTIME_DIR", "TMPDIR")
BIND = "--bind-processors"
SHOW = "echo $(nproc) ${RMS_CPU_IDS:-all} $(sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status)"
needs_two = pytest.mark.skipif(len(USABLE) < 2, reason="one processor cannot be divided")


@pytest.fixture
def alone(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> Rig:
    """Return an agent that finds the processors of the machine unclaimed."""
    for name in LOCK_FOLDERS:
        monkeypatch.setenv(name, str(rig.root))
    return rig


def shown(rig: Rig, name: int | str) -> tuple[int, str, list[int]]:
    """Return what `SHOW` has said in a job or a task: nproc, the variable, and what the kernel
    allows."""
    path = rig.work / f"{name}.out"
    words = wait_until(
        lambda: path.exists() and path.read_text().endswith("\n") and path.read_text().split(),
        f"{name} shows its processors",
    )
    return int(words[0]), words[1], read(words[2])


@pytest.mark.slow
@pytest.mark.live
@needs_two
def test_two_jobs_share_no_processor_over_a_killed_agent(alone: Rig) -> None:
    rig, others = alone, len(USABLE) - 1
    rig.start(BIND)
    rig.launch(1, f"{SHOW}; sleep 60")
    rig.launch(2, f"{SHOW}; sleep 60", cores=others)
    first, second = shown(rig, 1), shown(rig, 2)
    assert (first[0], second[0]) == (1, others)
    assert sorted(first[2] + second[2]) == USABLE
    assert (first[1], second[1]) == (spelled(first[2]), spelled(second[2]))
    rig.end_agent()
    rig.start(BIND)
    rig.stop(1)
    rig.peer.wait(ExitedReport, 1)
    rig.launch(3, f"{SHOW}; sleep 60")
    assert shown(rig, 3) == first
    task = ["sh", "-c", f"{SHOW} > task.out"]
    rig.peer.send(StartTask(1, 2, 1, "n1", "s", 0, task, {}, str(rig.work)))
    assert rig.peer.reply(1).status == 200
    assert shown(rig, "task") == second
    assert "processors-not-bound" not in rig.log()


@pytest.mark.live
def test_what_is_allotted_beyond_the_machine_runs_unbound_and_is_noted_once(alone: Rig) -> None:
    alone.start(BIND)
    alone.launch(1, "sleep 60", cores=len(USABLE))
    for job_id in (2, 3):
        alone.launch(job_id, f"{SHOW}; sleep 60")
        assert shown(alone, job_id) == (len(USABLE), "all", USABLE)
    assert alone.log().count("processors-not-bound") == 1


@pytest.mark.live
@pytest.mark.parametrize("case", ["--cores", "--no-bind-processors", "second agent", "emulated"])
def test_jobs_that_are_not_bound(case: str, alone: Rig, other: Rig) -> None:
    options = {
        "--cores": (BIND, "--cores", str(len(USABLE) + 1)),
        "--no-bind-processors": ("--no-bind-processors",),
        "second agent": (BIND,),
        "emulated": (BIND, "--emulate", "1x4", "--local-node"),
    }
    if case == "second agent":
        other.start(BIND)
    alone.start(*options[case])
    alone.launch(1, f"{SHOW}; sleep 60", node="e1" if case == "emulated" else "n1")
    assert shown(alone, 1) == (len(USABLE), "all", USABLE)
    noted = alone.log().count("processors-not-bound")
    assert noted == (case in ("--cores", "second agent"))


@pytest.fixture
def other() -> Iterator[Rig]:
    """Run another agent on this machine."""
    made = Rig()
    yield made
    made.close()


def agents_of(uid: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have what follows look for the lock as an agent of this account, with all locks in `folder`.
    Python remembers where temporary files go."""
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))


@pytest.mark.parametrize(("uid", "mode"), [(0, 0o600), (1000, 0o644)])
def test_a_claim_is_for_one_process(
    uid: int, mode: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents_of(uid, tmp_path, monkeypatch)
    assert [claim(), claim()] == [True, False]
    [lock] = tmp_path.iterdir()
    assert lock.stat().st_mode & 0o777 == mode  # an account can lock what it can read
    agents_of(uid, tmp_path / "none", monkeypatch)
    assert claim()


def test_nothing_in_place_of_the_lock_keeps_an_agent_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents_of(1000, tmp_path, monkeypatch)
    lock = tmp_path / "rmsd-agent-processors.lock"
    os.mkfifo(lock)
    assert claim()
    lock.unlink()
    lock.symlink_to(tmp_path / "elsewhere")
    assert claim()
    assert not (tmp_path / "elsewhere").exists()


TWO_THREADED = ((0, 4), (1, 5), (2, 6), (3, 7))


@pytest.mark.parametrize(
    ("taken", "count", "chosen"),
    [
        ([], 1, [0]),
        ([], 2, [0, 4]),
        ([0], 2, [1, 5]),
        ([0, 1, 2], 3, [3, 4, 7]),
        ([0, 1, 2, 3], 4, [4, 5, 6, 7]),
        ([0, 1, 2, 3], 5, []),
    ],
)
def test_whole_cores_come_first(taken: list[int], count: int, chosen: list[int]) -> None:
    assert choose(TWO_THREADED, taken, count) == chosen


def test_no_processor_is_given_twice(pytestconfig: pytest.Config) -> None:
    draw = random.Random(seed_of(pytestconfig))
    for _ in range(200):
        threads, cores = draw.randint(1, 4), draw.randint(1, 16)
        all_cores = tuple(tuple(range(n, threads * cores, cores)) for n in range(cores))
        given: list[list[int]] = []
        for _ in range(40):
            if given and draw.random() < 0.4:
                given.pop(draw.randrange(len(given)))
            taken = {one for ids in given for one in ids}
            count = draw.randint(1, threads * cores)
            chosen = choose(all_cores, taken, count)
            fits = count <= threads * cores - len(taken)
            assert len(set(chosen)) == (count if fits else 0)
            assert not taken & set(chosen)
            given.append(chosen)


@pytest.mark.parametrize("text", ["", "0", "0-3", "0,2", "0-1,4-7,9"])
def test_sets_are_spelled_as_the_kernel_does(text: str) -> None:
    assert spelled(read(f"{text}\n")) == text


def test_the_topology_says_what_a_core_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 4, 9})
    told = {0: "0,4\n", 1: "1,5\n", 4: "0,4\n"}

    def siblings(processor: int) -> str:
        if processor not in told:
            raise FileNotFoundError
        return told[processor]

    assert usable_processors(siblings) == ((0, 4), (1,), (9,))


def test_a_cpuset_is_set_where_there_is_the_controller(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "jobs"):
        folder.mkdir(exist_ok=True)
        for name in ("cgroup.controllers", "cgroup.subtree_control"):
            (folder / name).touch()
    tree = Delegation(tmp_path, tmp_path, "jobs")
    tree.make("1.1.n1", Limits(2, None, None, [0, 1, 4]))
    assert not (tree.path("1.1.n1") / "cpuset.cpus").exists()
    tree.controllers = frozenset({"cpuset"})
    tree.make("2.1.n1", Limits(2, None, None, [0, 1, 4]))
    assert (tree.path("2.1.n1") / "cpuset.cpus").read_text() == "0-1,4"
    tree.make("3.1.n1", Limits(2, None, None))
    assert not (tree.path("3.1.n1") / "cpuset.cpus").exists()
