# mypy: ignore-errors
"""TorchX's scheduler slurm: an application that ends well, one that fails, one that is tried again,
one that is cancelled, two of several replicas, and the list of all."""

import subprocess
import sys
import time
from pathlib import Path

TORCHX = str(Path(sys.executable).with_name("torchx"))


def torchx(*words):
    done = subprocess.run([TORCHX, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def submit(*words, options="time=5"):
    """Run an application of one shell command, and return its handle."""
    said = torchx("run", "-s", "slurm", "-cfg", options, "utils.sh", *words)
    return said.split()[-1]


def until(handle, state):
    """Wait until TorchX shows an application in a state."""
    for _ in range(120):
        said = torchx("status", handle)
        if f"State: {state}" in said:
            return
        time.sleep(0.5)
    raise AssertionError(said)


def states():
    lines = torchx("list", "-s", "slurm").splitlines()
    return dict(line.split() for line in lines if line.startswith("slurm://"))


def replicas():
    """Run applications of two replicas, which are the components of a heterogeneous job: each has
    its own output, and the failure of one is that of all."""
    Path("tells").write_text("echo replica $SLURM_PROCID of $SLURM_NTASKS in $SLURM_HET_SIZE")
    both = submit("--num_replicas", "2", "--", "sh", "tells", options="time=5,partition=two")
    until(both, "SUCCEEDED")
    number = both.rpartition("/")[2]
    for rank in (0, 1):
        log = torchx("log", "--streams", "stdout", f"{both}/sh/{rank}")
        assert f"replica {rank} of 2 in 2" in log, log
        assert Path(f"slurm-{number}-sh-{rank}.out").exists()
    Path("second").write_text("test $SLURM_PROCID = 0 && exec sleep 600; exit 5")
    fails = submit("--num_replicas", "2", "--", "sh", "second", options="time=5,partition=two")
    until(fails, "FAILED")
    assert states()[both] == "SUCCEEDED", states()


def main():
    hello = submit("--", "hostname", options="partition=main,comment=first")
    until(hello, "SUCCEEDED")
    Path("fails").write_text("exit 3")
    Path("twice").write_text("test -e done || { touch done; exit 4; }; echo $SLURM_RESTART_COUNT")
    fails = submit("--", "sh", "fails")
    until(fails, "FAILED")
    twice = submit("--max_retries", "1", "--", "sh", "twice")
    until(twice, "SUCCEEDED")
    number = twice.rpartition("/")[2]
    assert Path(f"slurm-{number}-sh-0.out").read_text() == "1\n"
    sleeps = submit("--cpu", "2", "--memMB", "256", "--", "sleep", "600")
    until(sleeps, "RUNNING")
    torchx("cancel", sleeps)
    for _ in range(60):  # TorchX's status does not know `CANCELLED by 0`
        if states()[sleeps] == "CANCELLED":
            break
        time.sleep(0.5)
    found = [states()[handle] for handle in (hello, fails, twice, sleeps)]
    assert found == ["SUCCEEDED", "FAILED", "SUCCEEDED", "CANCELLED"], found
    log = torchx("log", "--streams", "stdout", f"{hello}/sh/0")
    assert "sh/0" in log, log
    replicas()


if __name__ == "__main__":
    main()
    print("TorchX passes", flush=True)
