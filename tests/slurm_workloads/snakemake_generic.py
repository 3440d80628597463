# mypy: ignore-errors
"""Snakemake's cluster-generic plugin: sbatch as the command for submits, sacct in a status script,
scancel for cancels; rules that fail, that run into the limit, and a run that is interrupted."""

import os
import signal
import subprocess
import sys
from pathlib import Path

SNAKEFILE = """
rule all:
    input: "total.txt"

rule part:
    output: "part.{n}.txt"
    resources: mem_mb=300, runtime=3
    threads: 1
    shell: "echo {wildcards.n} $SLURM_JOB_ID > {output}"

rule total:
    input: expand("part.{n}.txt", n=range(3))
    output: "total.txt"
    resources: mem_mb=300, runtime=3
    shell: "cat {input} > {output}"

rule bad:
    output: "bad.txt"
    resources: mem_mb=300, runtime=3
    shell: "exit 3"

rule slow:
    output: "slow.txt"
    resources: mem_mb=300, runtime=3
    shell: "touch begun; sleep 600; touch {output}"
"""
STATUS = """#!/usr/bin/env python3
import subprocess, sys
job = sys.argv[-1]
words = ["sacct", "-j", job, "--format", "State", "--noheader"]
found = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\\n")
state = found[0].strip()
if state == "COMPLETED":
    print("success")
elif state.startswith(("PENDING", "RUNNING", "COMPLETING", "SUSPENDED")) or not state:
    print("running")
else:
    print("failed")
"""
SUBMIT = (
    "mkdir -p logs && sbatch --parsable --partition=main --cpus-per-task={threads} "
    "--mem={resources.mem_mb} --time={resources.runtime} --job-name=smk-{rule}-{wildcards} "
    "--output=logs/{rule}-%j.out"
)


def command(*targets):
    return [
        sys.executable, "-m", "snakemake", "--executor", "cluster-generic", "--jobs", "4",
        "--cluster-generic-submit-cmd", SUBMIT, "--cluster-generic-status-cmd", "./status.py",
        "--cluster-generic-cancel-cmd", "scancel", "--latency-wait", "20",
        "--max-status-checks-per-second", "5", *targets,
    ]  # fmt: skip


def run(*targets):
    return subprocess.run(command(*targets), capture_output=True, text=True, check=False)


def states(name):
    words = ["sacct", "-X", "-n", "-P", "-o", "State", "--name", name]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()


def main():
    Path("Snakefile").write_text(SNAKEFILE)
    Path("status.py").write_text(STATUS)
    Path("status.py").chmod(0o755)
    done = run("total.txt")
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in Path("total.txt").read_text().splitlines()]
    assert [row[0] for row in rows] == ["0", "1", "2"], rows
    assert len({row[1] for row in rows}) == 3, rows
    done = run("bad.txt")
    assert done.returncode != 0, done.stderr
    assert "Error in rule bad" in done.stderr, done.stderr
    with subprocess.Popen(command("slow.txt"), stderr=subprocess.PIPE, text=True) as slow:
        while not Path("begun").exists():
            assert slow.poll() is None, slow.stderr.read()
        slow.send_signal(signal.SIGINT)
        slow.wait()
    while "CANCELLED" not in states("smk-slow-"):
        pass
    assert not os.path.exists("slow.txt")


if __name__ == "__main__":
    main()
    print("Snakemake's cluster-generic plugin passes", flush=True)
