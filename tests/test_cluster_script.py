"""`deploy/cluster`: a head and nodes in networks of their own, with TCP and TLS between them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands import BIN
from tests.waiting import wait_until

CLUSTER = Path(__file__).parents[1] / "deploy/cluster"

pytestmark = [
    pytest.mark.long,  # a node dies by silence, which takes the agent's and the daemon's patience
    pytest.mark.live,
    pytest.mark.skipif(
        os.geteuid() != 0 or shutil.which("ip") is None,
        reason="root and iproute2 are needed to make networks",
    ),
]

Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Start a cluster, and yield a function that runs its script or a command of rmsd."""
    name = f"t{os.getpid()}"
    folder = Path(f"/tmp/{name}-cluster")
    environment = os.environ | {
        "RMSD_CLUSTER": name,
        "RMSD_CLUSTER_DIR": str(folder),
        "RMSD_SERVER": f"unix:{folder}/rmsd.sock",
        "RMSD_BIN": str(BIN),
    }

    def run(program: str | Path, *arguments: str, expect: int = 0) -> str:
        command = [CLUSTER if program == CLUSTER else BIN / program, *arguments]
        done = subprocess.run(
            command,
            env=environment,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == expect, done.stderr
        return done.stdout + done.stderr

    try:
        run(CLUSTER, "up", "3")
        yield run
    finally:
        run(CLUSTER, "down")
        assert not folder.exists()
        assert [space for space in os.listdir("/run/netns") if space.startswith(name)] == []
        assert _processes_of(folder) == []


def _processes_of(folder: Path) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = process.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # the process has just ended
            continue
        if str(folder) in words:
            found.append(words)
    return found


def _node(run: Run, name: str) -> str:
    nodes: list[dict[str, Any]] = json.loads(run("rnode", "--json"))["nodes"]
    (state,) = [node["state"] for node in nodes if node["name"] == name]
    return str(state).lower()


def _job(run: Run, job: str) -> str:
    return run("rstat", "-h", "-o", "%t", job).strip()


def test_a_job_spans_networks_and_a_node_that_is_cut_off_dies_and_comes_back(
    run: Run, tmp_path: Path
) -> None:
    run("rsub", "--wait", "-N", "3", "-o", "said", "--wrap", "rrun ip -o -4 address show eth0")
    addresses = {line.split()[3] for line in (tmp_path / "said").read_text().splitlines()}
    assert addresses == {f"10.77.0.{number}/24" for number in (2, 3, 4)}

    job = run("rsub", "--parsable", "-w", "n2", "--wrap", "sleep 1000").strip()
    wait_until(lambda: _job(run, job) == "R", "the job runs")
    run(CLUSTER, "cut", "n2")
    wait_until(lambda: _node(run, "n2") == "down", "the silent node is given up", within_s=90)
    assert _job(run, job) == "PD"
    assert _node(run, "n1") == "idle"
    run(CLUSTER, "join", "n2")
    wait_until(lambda: _job(run, job) == "R", "the node is back, and runs the job again")
    assert json.loads(run("rstat", "--json", job))["job"]["attempt"] == 2


def test_what_is_not_there_is_named(run: Run) -> None:
    assert "is the cluster up?" in run(CLUSTER, "up", expect=1)
    assert "there is no node n9" in run(CLUSTER, "cut", "n9", expect=1)
    assert "there is no n9" in run(CLUSTER, "run", "n9", "true", expect=1)
    assert "10.77.0.1/24" in run(CLUSTER, "run", "head", "ip", "-brief", "address")
