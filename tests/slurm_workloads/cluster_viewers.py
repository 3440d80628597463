# mypy: ignore-errors
"""Programs that look at a cluster: reportseff, slurm-usage, slurm2sql, python-hostlist, and
ClusterShell with its own groups of Slurm's nodes, partitions, states, jobs and users."""

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

BIN = Path(sys.executable).parent


def out(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def state(job):
    return out("sacct", "-X", "-n", "-P", "-o", "State", "-j", job).strip()


def submit(*words):
    return out("sbatch", "--parsable", "-o", "%j.out", "-t", "5", *words).strip()


def efficiency(done, failed, running, array):
    shown = out(BIN / "reportseff", "--no-color", done, failed, running, array)
    rows = {row.split()[0]: row.split()[1] for row in shown.splitlines()[1:]}
    assert rows == {
        done: "COMPLETED", failed: "FAILED", running: "RUNNING",
        f"{array}_1": "COMPLETED", f"{array}_2": "COMPLETED",
    }, shown  # fmt: skip
    shown = out(
        BIN / "reportseff", "--no-color", "--since", "d=1", "--state", "F",
        "--format", "JobID,State,AllocCPUS,ReqMem,NodeList,ExitCode", "--user", os.environ["USER"],
    )  # fmt: skip
    assert failed in shown, shown
    assert done not in shown, shown
    assert "3:0" in shown, shown


def database(done, failed, array):
    out(BIN / "slurm2sql", "db.sqlite", "--", "-S", "now-1days", "-j", f"{done},{failed},{array}")
    rows = sqlite3.connect("db.sqlite").execute(
        "select JobID, State, ExitCode, Timelimit, NCPUS, AllocMem from allocations order by JobID"
    )
    found = {row[0]: row[1:] for row in rows}
    assert found[done] == ("COMPLETED", 0, 300, 2, 200 * 2**20), found
    assert found[failed][:3] == ("FAILED", 3, 300), found
    assert found[f"{array}_2"][0] == "COMPLETED", found


def usage():
    env = {**os.environ, "COLUMNS": "200"}
    words = [BIN / "slurm-usage", "current"]
    shown = subprocess.run(words, capture_output=True, text=True, check=True, env=env).stdout
    assert "R=1" in shown, shown
    out(BIN / "slurm-usage", "collect", "--days", "1", "--data-dir", "data")
    shown = out(BIN / "slurm-usage", "analyze", "--days", "2", "--data-dir", "data")
    assert "COMPLETED" in shown, shown


def groups(running):
    folder = Path(".config/clustershell/groups.conf.d")
    folder.mkdir(parents=True)
    example = next(Path(sys.prefix).rglob("slurm.conf.example"), None)
    assert example, "ClusterShell's own groups of Slurm"
    shutil.copy(example, folder / "slurm.conf")
    Path(".config/clustershell/groups.conf").write_text(
        f"[Main]\ndefault: slurmpart\nconfdir: {folder.absolute()}\n"
    )
    os.environ["XDG_CONFIG_HOME"] = str(Path(".config").absolute())
    nodeset = BIN / "nodeset"
    nodes = out("sinfo", "-h", "-p", "main", "-N", "-o", "%N").split()
    assert out(nodeset, "-e", "@slurmpart:main").split() == sorted(set(nodes))
    assert out(nodeset, "-ll", "-s", "slurmpart").startswith("@slurmpart:main ")
    host = out("squeue", "-h", "-j", running, "-o", "%N").strip()
    assert out(nodeset, "-e", f"@slurmjob:{running}").strip() == host
    assert out(nodeset, "-e", f"@slurmuser:{os.environ['USER']}").strip() == host
    assert host in out(nodeset, "-e", "@slurmstate:mixed").split()
    every = out("sinfo", "-h", "-N", "-o", "%N").split()
    assert set(out(nodeset, "-e", "@slurmpart:*").split()) == set(every)
    hosts = out("scontrol", "show", "hostlist", ",".join(sorted(set(every)))).strip()
    assert set(out(BIN / "hostlist", "-e", hosts).split()) == set(every)


def main():
    os.environ.setdefault("USER", out("id", "-un").strip())
    running = submit("--wrap", "sleep 600")
    done = submit("-n", "2", "--mem=200", "--wrap", "srun -n2 true")
    failed, array = submit("--wrap", "exit 3"), submit("-a", "1-2", "--wrap", "true")
    for job in (done, failed, f"{array}_1", f"{array}_2"):
        while state(job) not in ("COMPLETED", "FAILED"):
            pass
    while state(running) != "RUNNING":
        pass
    efficiency(done, failed, running, array)
    database(done, failed, array)
    usage()
    groups(running)
    out("scancel", running)


if __name__ == "__main__":
    main()
    print("the viewers pass", flush=True)
