# mypy: ignore-errors
"""Cylc's job runner slurm: three cycles with a task that fails, one that is tried again, one that
comes to the end of its time, and one that `cylc kill` ends; all are polled."""

import os
import subprocess
import sys
import time
from pathlib import Path

BIN = Path(sys.executable).parent
GLOBAL = f"""\
[platforms]
  [[cluster]]
    job runner = slurm
    hosts = localhost
    install target = localhost
    cylc path = {BIN}
    submission polling intervals = PT3S
    execution polling intervals = PT3S
    execution time limit polling intervals = PT3S
"""
FLOW = """\
[scheduler]
  [[events]]
    stall timeout = PT0S
    abort on stall timeout = True
[scheduling]
  cycling mode = integer
  initial cycle point = 1
  final cycle point = 3
  [[graph]]
    P1 = \"\"\"
      first[-P1] => first => twice & fails:fail? & long:fail? => last
    \"\"\"
    R1 = killed:fail?
[runtime]
  [[root]]
    platform = cluster
    [[[directives]]]
      --ntasks = 1
      --mem = 200M
  [[first]]
    script = echo job $SLURM_JOB_ID of $SLURM_JOB_NAME
  [[twice]]
    script = test $CYLC_TASK_TRY_NUMBER -eq 2
    execution retry delays = PT1S
  [[fails]]
    script = false
  [[long]]
    script = sleep 300
    execution time limit = PT10S
  [[last]]
    script = true
  [[killed]]
    script = sleep 600
"""


def cylc(*words):
    return subprocess.run([BIN / "cylc", *words], capture_output=True, text=True, check=False)


def status(task, number="NN"):
    file = Path(f"cylc-run/flow/log/job/{task}/{number}/job.status")
    lines = file.read_text().splitlines() if file.exists() else []
    return dict(line.split("=", 1) for line in lines)


def main():
    Path("conf").mkdir()
    Path("conf/global.cylc").write_text(GLOBAL)
    os.environ["CYLC_CONF_PATH"] = str(Path("conf").resolve())
    Path("cylc-src/flow").mkdir(parents=True)
    Path("cylc-src/flow/flow.cylc").write_text(FLOW)
    installed = cylc("install", "flow", "--no-run-name")
    assert installed.returncode == 0, installed.stderr
    run = subprocess.Popen(
        [BIN / "cylc", "play", "--no-detach", "flow"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    while "CYLC_JOB_INIT_TIME" not in status("1/killed"):
        assert run.poll() is None, run.stdout.read()
        time.sleep(0.5)
    killed = cylc("kill", "flow//1/killed")
    assert killed.returncode == 0, killed.stderr
    said, _ = run.communicate(timeout=300)
    assert run.returncode == 0, said
    for cycle in "123":
        long = status(f"{cycle}/long").get("CYLC_JOB_EXIT")
        assert long in ("TERM", "EXIT"), (long, said)  # the handler of either runs first
        ends = {
            task: status(f"{cycle}/{task}").get("CYLC_JOB_EXIT")
            for task in ("first", "twice", "fails", "last")
        }
        wanted = {"first": "SUCCEEDED", "twice": "SUCCEEDED", "last": "SUCCEEDED"}
        assert ends == {**wanted, "fails": "ERR"}, (ends, said)
        assert status(f"{cycle}/twice", "01")["CYLC_JOB_EXIT"] == "ERR"
    assert status("1/killed")["CYLC_JOB_EXIT"] in ("TERM", "EXIT"), status("1/killed")
    assert "polled" in said, said


if __name__ == "__main__":
    main()
    print("Cylc passes", flush=True)
