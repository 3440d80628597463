"""The files of devices that a job may open: in the kernel where root may make a cgroup.

`/dev/zero` and `/dev/full` stand in for devices, by other names: the filter looks at numbers.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from rmsd_agent.machine import device_filter
from rmsd_agent.machine.delegation import Delegation
from rmsd_agent.machine.device_filter import DeviceFile, DeviceFilter, files_of, filter_of, program
from rmsd_agent.shepherd.standalone import cgroups
from rmsd_wire.gres import Device, parse_devices
from rmsd_wire.link import ExitedReport
from rmsd_wire.link_calls import StartTask
from rmsd_wire.node_info import NodeDevices
from tests.agent.rig import Rig
from tests.cgroup_trees import needs_cgroups, tries
from tests.waiting import wait_until


def opened(rig: Rig, name: int | str) -> list[str]:
    """Return the names of the devices that a job or a task could open."""
    path = rig.work / f"{name}.out"
    wait_until(lambda: path.exists() and "null" in path.read_text(), f"{name} has tried")
    return [word for word in path.read_text().split() if word in ("a0", "a1")]


def opened_in(cgroup: Path, files: Path) -> list[str]:
    """Return the names of the devices that a process of a cgroup could open."""
    done = subprocess.run(
        ["sh", "-c", tries(files)],
        preexec_fn=lambda: cgroups.enter(str(cgroup)),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split()


@pytest.mark.live
@needs_cgroups
def test_a_job_opens_its_own_devices_alone(cgroup_rig: tuple[Rig, Path], files: Path) -> None:
    rig, tree = cgroup_rig
    hello = rig.start("--cgroup", str(tree), "--gres", f"gpu={files}/a[0-1]")
    assert hello.nodes[0].device_limit == "cgroup"
    own = (NodeDevices("gpu", (1,)),)
    rig.launch(1, f"{tries(files)} 2>&1; sleep 60", gres=own)
    rig.launch(2, f"{tries(files)} 2>&1", gres=())
    rig.launch(3, tries(files), gres=(NodeDevices("gpu", (0, 1)),))
    rig.launch(4, tries(files))  # an older daemon tells no devices
    rig.launch(5, tries(files), gres=own, node="n2")  # a node that is not this machine
    assert [opened(rig, job) for job in range(1, 6)] == [["a1"], [], ["a0", "a1"], ["a0", "a1"], []]
    assert "Operation not permitted" in rig.output(2)
    task = ["sh", "-c", f"({tries(files)}) > task.out 2>&1"]
    rig.peer.send(StartTask(1, 1, 1, "n1", "s", 0, task, {}, str(rig.work)))
    assert rig.peer.reply(1).status == 200
    assert opened(rig, "task") == ["a1"]
    rig.end_agent()  # the kernel needs no agent for this
    hello = rig.start("--cgroup", str(tree), "--gres", f"gpu={files}/a[0-1]")
    task = ["sh", "-c", f"({tries(files)}) > later.out"]
    rig.peer.send(StartTask(2, 1, 1, "n1", "later", 0, task, {}, str(rig.work)))
    assert rig.peer.reply(2).status == 200
    assert opened(rig, "later") == ["a1"]
    rig.stop(1)
    rig.peer.wait(ExitedReport, 1)


@pytest.mark.live
@needs_cgroups
def test_no_process_of_a_users_leaves_the_filter(tree: Path, files: Path) -> None:
    """The files that move processes are root's, also those of the job's own cgroup."""
    found = Delegation(tree, tree, "jobs")
    (cgroup := found.path("1.1.n1")).mkdir()
    DeviceFilter("n1", parse_devices(f"gpu={files}/a[0-1]")).attach(cgroup, "n1", [])

    def become_nobody() -> None:
        cgroups.enter(str(cgroup))
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)

    away = f"(echo 0 > {tree}/cgroup.procs); mkdir {cgroup}/mine; {tries(files)}"
    done = subprocess.run(
        ["sh", "-c", away],
        preexec_fn=become_nobody,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["null"]
    assert done.stderr.count("Permission denied") == 2
    assert done.stderr.count("Operation not permitted") == 2


@pytest.mark.live
@needs_cgroups
@pytest.mark.parametrize("case", ["off", "no cgroups", "no files"])
def test_devices_that_are_not_shut_off(
    case: str, cgroup_rig: tuple[Rig, Path], files: Path
) -> None:
    rig, tree = cgroup_rig
    named = "gpu:2" if case == "no files" else f"gpu={files}/a[0-1]"
    cgroup = ("--cgroup", "none" if case == "no cgroups" else str(tree))
    off = ("--no-constrain-devices",) if case == "off" else ()
    hello = rig.start("--gres", named, *cgroup, *off)
    assert hello.nodes[0].device_limit == ""
    rig.launch(1, tries(files), gres=())
    assert opened(rig, 1) == ["a0", "a1"]
    assert rig.log().count("devices-not-shut-off") == (case == "no cgroups")


@needs_cgroups
def test_a_filter_that_is_attached_again_replaces_the_first(tree: Path, files: Path) -> None:
    one = DeviceFilter("n1", parse_devices(f"gpu={files}/a[0-1]"))
    for number in range(100):  # the kernel takes 64 programs at a cgroup
        one.attach(tree, "n1", [NodeDevices("gpu", (number % 2,))])
    assert opened_in(tree, files) == ["a1", "null"]


@needs_cgroups
def test_the_kernel_takes_a_program_for_a_node_full_of_devices(tree: Path) -> None:
    many = [DeviceFile(2, 195, 2 * at) for at in range(512)]  # no two of them are one range
    text = program(many)
    assert len(text) // 8 < 4096
    device_filter.attach(tree, text)


@needs_cgroups
def test_the_ranges_of_a_program_deny_what_they_name_and_nothing_else(
    tree: Path, files: Path
) -> None:
    """The kernel asks about files of several types, majors and gaps between minors."""
    others = [DeviceFile(1, 1, 5), DeviceFile(2, 0, 7), DeviceFile(2, 2, 5), DeviceFile(2, 1, 1)]
    cases = [
        ([DeviceFile(2, 1, 5), DeviceFile(2, 1, 7)], ["null"]),
        ([DeviceFile(2, 1, minor) for minor in (4, 5, 6)], ["a1", "null"]),
        ([DeviceFile(2, 1, minor) for minor in (2, 4, 6, 7, 12)], ["a0", "null"]),
        ([DeviceFile(2, 1, minor) for minor in (4, 6, 8)], ["a0", "a1", "null"]),
        ([], ["a0", "a1", "null"]),
    ]
    for denied, expected in cases:
        device_filter.attach(tree, program([*denied, *others]))
        assert opened_in(tree, files) == expected


@needs_cgroups
def test_a_kernel_that_refuses_is_told_once(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Delegation(tree, tree, "jobs")
    devices = [Device("gpu", 0, "/dev/zero")]
    assert filter_of("n1", devices, found) is not None
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="vax"))
    assert filter_of("n1", devices, found) is None
    told = capsys.readouterr().out
    assert told.count("devices-not-shut-off") == 1
    assert "the number of bpf(2) on vax is not known" in told
    assert found.attempts() == []


def test_an_agent_of_a_user_shuts_nothing_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_filter, "IS_ROOT", False)
    assert filter_of("n1", [Device("gpu", 0, "/dev/zero")], None) is None


@needs_cgroups
def test_files_of_one_graphics_card_go_together(tmp_path: Path, files: Path) -> None:
    """A render node and the other file of the same card are different doors to one GPU."""
    card = tmp_path / "dev/char/226:129/device/drm"
    for name, number in {"card1": "226:1\n", "renderD129": "226:129\n", "odd": "x\n"}.items():
        (card / name).mkdir(parents=True)
        (card / name / "dev").write_text(number)
    os.mknod(files / "renderD129", 0o20666, os.makedev(226, 129))
    expected = {DeviceFile(2, 226, 129), DeviceFile(2, 226, 1)}
    assert files_of(str(files / "renderD129"), tmp_path) == expected


def test_a_file_that_is_no_device_is_none(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    assert files_of(str(tmp_path / "plain"), tmp_path) == frozenset()
    assert files_of(str(tmp_path / "gone"), tmp_path) == frozenset()
