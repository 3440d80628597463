"""`rmsd study --dask`: a real scheduler and a real worker, on loopback.

Long: schedulers and workers of Dask are started.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rmsd_lab_cli.studies.results_file import Row, read_results
from tests.commands import rmsd

pytestmark = pytest.mark.long

pytest.importorskip("distributed")

STUDY = """\
recipes = ["easy", "timed-easy"]
seeds = 3
metrics = ["waits"]
[[traces]]
model = "sample"
jobs = 100
procs = 16
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of a scheduler with one worker."""
    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    scheduler = ["scheduler", "--host", "127.0.0.1", "--port", "0"]
    scheduler += ["--dashboard-address", "127.0.0.1:0", "--scheduler-file", str(file)]
    worker = ["worker", "--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard"]
    worker += ["--scheduler-file", str(file), "--local-directory", str(folder)]
    started = []
    with (folder / "log").open("w") as log:
        try:
            for command in (scheduler, worker):
                started.append(subprocess.Popen([*dask, *command], stdout=log, stderr=log))
                while not file.exists():
                    assert started[0].poll() is None, (folder / "log").read_text()
                    time.sleep(0.05)
            while "Registered to" not in (folder / "log").read_text():
                assert started[1].poll() is None, (folder / "log").read_text()
                time.sleep(0.05)
            yield json.loads(file.read_text())["address"]
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def figures(path: Path) -> list[Row]:
    """Return the figures, without those that depend on the machine."""
    return [
        {name: value for name, value in row.items() if name != "elapsed_s"}
        for row in read_results(path)
    ]


def test_a_cluster_makes_what_this_machine_makes(cluster: str, study: Path) -> None:
    here, there = study.with_name("here.csv"), study.with_name("there.csv")
    rmsd("study", study, "--out", here)
    rmsd("study", study, "--out", there, "--dask", cluster, "--fresh")
    assert figures(there) == figures(here)
    assert len(figures(there)) == 6


def test_what_is_wrong_on_a_worker_is_said_here(cluster: str, study: Path) -> None:
    study.with_name("bad.swf").write_text("1 2 3\n")
    study.write_text('recipes = ["easy"]\ntraces = ["bad.swf"]\n')
    said = rmsd("study", study, "--dask", cluster, expect=1).stderr
    assert f"rmsd: error: {study.with_name('bad.swf')}, line 1: 3 fields" in said
    assert "Traceback" not in said


def test_a_cluster_that_cannot_be_used(cluster: str, study: Path) -> None:
    said = rmsd("study", study, "--dask", "nonsense", expect=1).stderr
    assert "--dask nonsense: no scheduler answers there" in said
    assert (
        "--jobs beside --dask"
        in rmsd("study", study, "--dask", cluster, "--jobs", "2", expect=2).stderr
    )
    program = (
        "from rmsd_lab_cli.studies.dask_pool import DaskPool\n"
        "import os\n"  # a digest of the code that is another in every process
        f"DaskPool({cluster!r}, os.getpid)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "another version of rmsd, or of a third party's part, is installed at" in done.stderr


def test_without_distributed_it_says_what_to_install(study: Path) -> None:
    program = (
        "import sys; sys.modules['distributed'] = None\n"
        "from rmsd_cli.main import main\n"
        f"main(['study', {str(study)!r}, '--dask', 'tcp://127.0.0.1:1'])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert "--dask needs distributed (pip install '.[lab]' in rmsd's folder)" in done.stderr
