"""GPUs as sbatch and srun ask for them: tasks, processors and memory for each GPU."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rmsd_client.errors import UsageError
from rmsd_client.slurm.submit.gpus import counted_by_gpu
from rmsd_client.submit.options import BY_NAME
from rmsd_client.submit.slurm_requests import converted
from tests.client.slurm.site import SlurmSite
from tests.live import Daemon

_OF_GPUS = ("ntasks-per-gpu", "cpus-per-gpu", "mem-per-gpu")


def _asked(text: str) -> dict[str, Any]:
    """Return what options such as `gpus=2 cpus-per-gpu=4` ask for."""
    values = dict(word.split("=") for word in text.split())
    read = {BY_NAME[name].dest: BY_NAME[name].parse(value) for name, value in values.items()
            if name not in _OF_GPUS}  # fmt: skip
    return dict(converted(counted_by_gpu(values, read)))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("gpus=2 cpus-per-gpu=4", {"cpus-per-task": 8}),
        ("gpus=2 ntasks=2 cpus-per-gpu=4", {"ntasks": 2, "cpus-per-task": 4}),
        ("gpus=2 ntasks-per-gpu=1 cpus-per-gpu=4", {"ntasks": 2, "cpus-per-task": 4}),
        ("gpus=1 ntasks-per-gpu=2", {"ntasks": 2, "nodes": 1}),
        ("gpus-per-node=2 nodes=3 ntasks-per-gpu=2", {"ntasks": 12, "nodes": 3}),
        ("gres=gpu:a100:2,fpga:1 cpus-per-gpu=3", {"cpus-per-task": 6}),
        ("gpus-per-task=2 ntasks=3 cpus-per-gpu=3", {"ntasks": 3, "cpus-per-task": 6}),
        ("ntasks=4 ntasks-per-gpu=2", {"ntasks": 4, "gpus": "gpu:2", "nodes": 1}),
        ("gpus=3 ntasks=2 cpus-per-gpu=1", {"cpus-per-task": 2}),
        ("gpus=4 nodes=2 mem-per-gpu=10G", {"mem": 20480}),
        ("gpus=2 cpus-per-gpu=3 mem-per-cpu=100", {"cpus-per-task": 6, "mem-per-cpu": 100}),
    ],
)
def test_counts_for_each_gpu(text: str, wanted: dict[str, Any]) -> None:
    found = _asked(text)
    assert {name: found[name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("cpus-per-gpu=4", "no GPU is asked for"),
        ("ntasks-per-gpu=2", "no GPU is asked for"),
        ("gpus=1 cpus-per-gpu=4 cpus-per-task=2", "exclude each other"),
        ("gpus-per-task=1 ntasks-per-gpu=4", "exclude each other"),
        ("gpus=1 mem=100 mem-per-gpu=4", "exclude each other"),
        ("gpus=1 ntasks=3 ntasks-per-gpu=2", "3 tasks are too many for 1 GPUs"),
        ("gpus=1 cpus-per-gpu=0", 'Invalid numeric value "0" for --cpus-per-gpu'),
        ("gpus=1 mem-per-gpu=x", "Invalid --mem-per-gpu specification"),
    ],
)
def test_contradictions_are_told(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        _asked(text)


def _see_details(site: SlurmSite) -> None:
    """See that the devices of a job are told with their numbers, after a kill -9 as well."""
    job = site.submit("-N", "2", "--gres=gpu:a100:2", "-o", "/dev/null", "--wrap", "exec sleep 999")
    site.wait_for(job, "RUNNING")
    site.daemon.kill()
    site.daemon.start()
    shown = site.out("scontrol", "-d", "show", "job", job)
    assert "   JOB_GRES=gpu:a100:4\n" in shown
    assert "     Nodes=e[1-2] CPU_IDs=N/A Mem=0 GRES=gpu:a100:2(IDX:0-1)\n" in shown
    [view] = json.loads(site.out("squeue", "-j", job, "--json"))["jobs"]
    assert view["gres_detail"] == ["gpu:a100:2(IDX:0-1)"] * 2
    node = json.loads(site.out("sinfo", "--json"))["nodes"][0]
    assert node["tres"].endswith(",billing=8,gres/gpu=2,gres/gpu:a100=2")
    site.out("scancel", job)
    site.wait(job)
    [view] = json.loads(site.out("squeue", "-j", job, "-t", "all", "--json"))["jobs"]
    assert view["gres_detail"] == []


@pytest.mark.slow
@pytest.mark.live
def test_jobs_and_steps_ask_by_gpu() -> None:
    daemon = Daemon("--no-local-node", "--emulate", "2x8", "--emulate-gres", "gpu:a100:2")
    try:
        site = SlurmSite(daemon.start())
        told = "echo $SLURM_GPUS $SLURM_CPUS_PER_GPU $SLURM_NTASKS $SLURM_CPUS_ON_NODE"
        # Snakemake's step has no variable of Slurm's but the number of its job.
        step = "srun -n1 --nodes=1 --gpus=2 --cpus-per-gpu=2 sh -c 'echo $SLURM_CPUS_PER_TASK'"
        job = site.submit(
            "--gpus=a100:2", "--ntasks-per-gpu=1", "--cpus-per-gpu=2", "-o", "gpus-%j", "--wrap",
            f"{told}; {step}; srun --cpus-per-gpu=1 sh -c 'echo $SLURM_CPUS_PER_TASK'; "
            "sbatch -W -o inner --wrap 'echo none$SLURM_GPUS'",
        )  # fmt: skip
        assert site.wait(job) == "COMPLETED"
        assert site.read(f"gpus-{job}").splitlines()[:4] == ["a100:2 2 2 4", "4", "1", "1"]
        assert site.read("inner") == "none\n"
        _see_details(site)
        wrong = site.run("sbatch", "--cpus-per-gpu=2", "--wrap", "true")
        assert (wrong.returncode, wrong.stderr) == (
            255,
            "sbatch: error: --cpus-per-gpu: no GPU is asked for; say --gpus or --gpus-per-node\n",
        )
        daemon.stop()
    finally:
        daemon.close()
