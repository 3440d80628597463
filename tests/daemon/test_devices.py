"""Devices of emulated nodes, from the agent's option to the environment of jobs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.client.slurm.site import SlurmSite
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.live

_ENV = 'echo "$CUDA_VISIBLE_DEVICES $ROCR_VISIBLE_DEVICES $RMS_GRES"'


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    daemon = Daemon(
        "--no-local-node", "--emulate", "2x4", "--emulate-gres", "gpu:a:2,gpu:b:1,fpga:1"
    )
    try:
        yield daemon.start()
    finally:
        daemon.close()


def used(daemon: Daemon, node: str) -> dict[str, list[int]]:
    [found] = [one for one in daemon.client.nodes() if one["name"] == node]
    return {one["kind"]: one["used"] for one in found["devices"]}


def holding(daemon: Daemon, name: str, **spec: Any) -> int:
    """Start a job that tells its devices in a file, and goes on."""
    job = daemon.submit(f"{_ENV} > {name}; exec sleep 600", name=name, **spec)
    wait_until(lambda: daemon.lines(name), f"{name} runs")
    return job


@pytest.mark.slow
def test_jobs_get_devices_of_their_own_over_a_kill_of_the_daemon(daemon: Daemon) -> None:
    place = {"nodelist": "e1"}
    first = holding(daemon, "first", gres="gpu:a:1", **place)
    holding(daemon, "second", gres="gpu:1,fpga:1", **place)
    assert daemon.lines("first") == ["0 0 gpu:a:0"]
    [second] = daemon.lines("second")
    # a request without a type takes of the kind that has the fewest free
    assert second in ("1 1 fpga:0;gpu:a:1", "2 2 fpga:0;gpu:b:2")
    before = used(daemon, "e1")
    daemon.kill()
    daemon.start()
    assert used(daemon, "e1") == before
    daemon.client.cancel(first)
    daemon.wait(first)
    third = daemon.submit(f"{_ENV} > third", gres="gpu:a:1", **place)
    assert daemon.wait(third)["state"] == "COMPLETED"
    assert daemon.lines("third") == ["0 0 gpu:a:0"]
    whole = daemon.submit(f"{_ENV} > whole", exclusive=True, nodelist="e2")
    assert daemon.wait(whole)["state"] == "COMPLETED"
    assert daemon.lines("whole") == ["0,1,2 0,1,2 fpga:0;gpu:a:0,1;gpu:b:2"]
    none = daemon.submit(f"{_ENV} > none", nodelist="e2")
    assert daemon.wait(none)["state"] == "COMPLETED"
    assert daemon.lines("none") == [" ".join([""] * 3)]


@pytest.mark.slow
def test_what_commands_say(daemon: Daemon) -> None:
    job = ["--wrap", _ENV, "-o", "out", "--wait"]
    done = daemon.run("rsub", "--gpus-per-node=a:2", "--gres=fpga", *job)
    assert done.returncode == 0, done.stderr
    assert daemon.lines("out") == ["0,1 0,1 fpga:0;gpu:a:0,1"]
    done = daemon.run("rsub", "-n2", "--gpus-per-task=a:1", *job)
    assert done.returncode == 0, done.stderr
    assert daemon.lines("out") == ["0,1 0,1 gpu:a:0,1"]
    holding(daemon, "holder", gres="gpu:b:1", nodelist="e1")
    shown = daemon.run("rnode").stdout
    assert "fpga 0/1,gpu:a 0/2,gpu:b 1/1" in shown
    assert "gpu:b: 1 of 1 used (2 of 2)" in daemon.run("rnode", "show", "e1").stdout
    waits = daemon.submit("true", name="waits", gres="gpu:b:1", nodelist="e1")
    shown = daemon.run("rstat", str(waits)).stdout
    assert "Request:    1 x 1 cpu, gpu:b:1 a node, on e1\n" in shown
    explained = " ".join(daemon.run("rstat", "--explain", str(waits)).stdout.split())
    assert "not with all else that it asks for in one place: gpu:b:1 a node, on e1" in explained
    daemon.client.cancel(waits)
    for text, code, why in (
        ("gpu:c:1", 65, "none of them has gpu:c"),
        ("gpu:a:3", 65, "at most"),
        ("gpu:a:x", 2, "is not understood"),
    ):
        done = daemon.run("rsub", f"--gres={text}", *job, expect=None)
        assert done.returncode == code, (text, done)
        assert why in done.stderr
    assert [one["name"] for one in daemon.client.jobs()] == ["holder"]


_SHOW = "echo $RMS_NODENAME ${CUDA_VISIBLE_DEVICES-unset} $RMS_GRES"
_STEPS = f"""\
show='{_SHOW}'
stay='; until [ -e go ]; do sleep 0.05; done'
rrun -n1 --gres=gpu:a:1 sh -c "$show; touch one $stay" > 1 &
until [ -e one ]; do sleep 0.05; done
rrun -n1 --gres=gpu:1 sh -c "$show; touch two $stay" > 2 &
until [ -e two ]; do sleep 0.05; done
rrun -n1 --gres=gpu:1 sh -c "$show" 2> waits > 3 &
until [ -s waits ]; do sleep 0.05; done
rrun -n1 --gres=gpu:1 --overlap sh -c "$show; rrun -n1 --gres=gpu:2 true" > 4 2>&1
rrun -n1 --gres=none sh -c "$show" > 5
touch go; wait; cat waits
rrun -l -n2 --gpus-per-task=1 sh -c "$show" | sort > 6
CUDA_VISIBLE_DEVICES=1 rrun -n1 sh -c "$show" > 7
srun -l -n2 --gpus-per-task=1 sh -c 'echo $SLURM_STEP_GPUS of $SLURM_GPUS_ON_NODE' | sort > 8
rrun -n1 --gres=gpu:3 true; echo $?; srun -n1 -G 4 true; echo $?; rrun --gres=gpu:x:y true; echo $?
"""


@pytest.mark.slow
def test_steps_get_devices_of_their_job(daemon: Daemon) -> None:
    """The third step waits: the two before it have both GPUs of the job."""
    path = SlurmSite(daemon).bin
    script = f"PATH={path}:$PATH\n{_STEPS}"
    place = {"nodelist": "e1", "tasks": 4, "gres": "gpu:a:2"}
    job = daemon.submit(f"exec > said 2>&1\n{script}", name="steps", **place)
    assert daemon.wait(job)["node_gres"] == ["gpu:a:0,1"]
    shown = ["".join(f"{one}\n" for one in daemon.lines(str(at))) for at in range(1, 9)]
    assert shown[0] == "e1 0 gpu:a:0\n"
    assert shown[1] == "e1 1 gpu:a:1\n"
    assert shown[2] in shown[:2]
    assert shown[3] == (
        "e1 0 gpu:a:0\nrrun: error: the step asks for gpu:2 on each node; "
        f"job {job} has gpu:a:0,1 on e1\n"
    )
    assert shown[4] == "e1\n"
    assert shown[5] == "0: e1 0 gpu:a:0\n1: e1 1 gpu:a:1\n"
    assert shown[6] == "e1 1 gpu:a:0,1\n"
    assert shown[7] == "0: 0 of 1\n1: 1 of 1\n"
    said = daemon.lines("said")
    assert "hold (--overlap shares them)" in said[0]
    assert said[2] == "2"
    assert "Invalid generic resource (gres) specification" in said[3]
    assert said[4] == "1"
    assert said[-1] == "2"


def test_tasks_on_another_node_see_the_devices_of_that_one(daemon: Daemon) -> None:
    holding(daemon, "holder", gres="gpu:a:1", nodelist="e2")
    job = daemon.submit(f"rrun sh -c '{_SHOW}' | sort > shown", gres="gpu:a:1", tasks=2, nodes=2)
    assert daemon.wait(job)["state"] == "COMPLETED"
    assert daemon.lines("shown") == ["e1 0 gpu:a:0", "e2 1 gpu:a:1"]


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_what_slurms_commands_say(daemon: Daemon) -> None:
    site = SlurmSite(daemon)
    said = site.out
    words = ["--wrap", f"{_ENV} > job; echo $SLURM_JOB_GPUS $SLURM_GPUS_ON_NODE; sleep 600"]
    job = site.submit("-o", "out", "-G", "a:2", "-w", "e1", *words)
    wait_until(lambda: daemon.lines("out"))
    assert daemon.lines("job") == ["0,1 0,1 gpu:a:0,1"]
    assert daemon.lines("out") == ["0,1 2"]
    assert said("squeue", "-h", "-o", "%b").strip() == "gres:gpu:a:2"
    assert "gres/gpu=2,gres/gpu:a=2" in said(
        "sacct", "-n", "-P", "-X", "-j", job, "-o", "AllocTRES"
    )
    assert "TresPerNode=gres:gpu:a:2" in said("scontrol", "show", "job", job)
    assert said("sinfo", "-h", "-o", "%G").split() == ["fpga:1,gpu:a:2,gpu:b:1"]
    node = said("scontrol", "show", "node", "e1")
    assert "GresUsed=fpga:0(IDX:N/A),gpu:a:2(IDX:0-1),gpu:b:0(IDX:N/A)" in node


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_device_is_waited_for(daemon: Daemon) -> None:
    holders = [holding(daemon, f"h{at}", gres="gpu:b:1") for at in (1, 2)]
    waits = daemon.submit(f"{_ENV} > waits", gres="gpu:b:1")
    assert daemon.client.job(waits)["reason"] == "Resources"
    explained = json.loads(daemon.run("rstat", "--explain", str(waits), "--json").stdout)
    assert not explained["wait"]["fits_now"]
    daemon.client.cancel(holders[0])
    assert daemon.wait(waits)["state"] == "COMPLETED"
    assert daemon.lines("waits") == ["2 2 gpu:b:2"]


_TOOL = """\
#!/bin/sh
case $1 in
  *name) echo 0, , NVIDIA A; echo 1, , NVIDIA A;;
  *) echo 0, 99, 100, 200; echo 1, 87, 20480, 40960;;
esac
"""


@pytest.mark.slow
def test_the_use_of_gpus_is_told_by_their_tool() -> None:
    """The first GPU is another job's; emulated GPUs have no tool."""
    daemon = Daemon("--cores", "2", "--emulate", "1x1", "--emulate-gres", "gpu:2")
    try:
        folder = daemon.root / "tools"
        folder.mkdir()
        (folder / "nvidia-smi").write_text(_TOOL)
        (folder / "nvidia-smi").chmod(0o755)
        daemon.env["PATH"] = f"{folder}:{os.environ['PATH']}"
        daemon.start()
        holding(daemon, "first", gres="gpu:a:1")
        job = holding(daemon, "second", gres="gpu:a:1")
        shown = daemon.run("rstat", "--usage", str(job)).stdout.splitlines()
        at = shown.index("")
        assert shown[at + 1].split() == ["NODE", "GPU", "BUSY", "MEM", "OF"]
        assert shown[at + 2].split()[1:] == ["1", "87%", "20G", "40G"]
        told = json.loads(daemon.run("rstat", "--usage", "--json", str(job)).stdout)
        [gpu] = told["nodes"][0]["gpus"]
        assert gpu == {"number": 1, "busy_percent": 87, "mem_used_mib": 20480, "mem_mib": 40960}
        emulated = holding(daemon, "third", gres="gpu:2", constraint="emulated")
        told = json.loads(daemon.run("rstat", "--usage", "--json", str(emulated)).stdout)
        assert told["nodes"][0]["gpus"] == []
    finally:
        daemon.close()
