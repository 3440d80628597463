# mypy: ignore-errors
"""Maestro: a study of three parameters whose steps depend on each other, one of which fails, and a
study that is cancelled. Its conductor asks squeue, then sacct."""

import os
import subprocess
import sys
import time
from pathlib import Path

BIN = Path(sys.executable).parent
STUDY = """
description:
    name: {name}
    description: a study of "rmsd"
batch:
    type: slurm
    host: here
    bank: {bank}
    queue: main
study:
    - name: first
      description: makes a file
      run:
          cmd: |
            $(LAUNCHER) sh -c 'echo task $SLURM_PROCID $(SIZE) >> told'
            {first}
          procs: 2
          walltime: "00:05:00"
    - name: second
      description: reads the file
      run:
          cmd: |
            grep -c "task [01] $(SIZE)" $(first.workspace)/told > count
            test $(SIZE) != 30
          depends: [first]
          procs: 1
          walltime: "00:05:00"
global.parameters:
    SIZE:
        values: [10, 20, 30]
        label: SIZE.%%
"""


def out(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def study(name, first):
    words = ["sacctmgr", "-nP", "list", "account", "format=account"]
    bank = ([row for row in out(*words).split() if row != "root"] or [""])[0]
    Path(f"{name}.yaml").write_text(STUDY.format(name=name, first=first, bank=bank))
    out(BIN / "maestro", "run", "-y", "-s", "1", "-o", name, f"{name}.yaml")


def rows(name):
    found = Path(name, "status.csv")
    return found.read_text() if found.exists() else ""


def until(name, *words):
    ends = time.monotonic() + 120
    while any(word not in rows(name) for word in words):
        assert time.monotonic() < ends, rows(name)
        time.sleep(1)


def main():
    os.environ.setdefault("USER", out("id", "-un").strip())  # Maestro's shell expands it
    study("whole", "true")
    until("whole", "FAILED")
    while rows("whole").count("FINISHED") < 5:
        time.sleep(1)
    counts = [path.read_text().strip() for path in Path("whole").glob("second/*/count")]
    assert counts == ["2"] * 3, counts
    study("ended", "sleep 600")
    until("ended", "RUNNING")
    out(BIN / "maestro", "cancel", "-y", "ended")
    until("ended", "CANCELLED")
    while out("squeue", "--me", "-h"):
        time.sleep(1)


if __name__ == "__main__":
    main()
    print("Maestro passes", flush=True)
