# mypy: ignore-errors
"""FireWorks' queue adapter for Slurm: `qlaunch` with and without reservations, a firework that
fails, and the limit of jobs in the queue. The database is mongomock, a file."""

import getpass
import os
import subprocess
import sys
import time
from pathlib import Path

BIN = Path(sys.executable).parent
os.environ["MONGOMOCK_SERVERSTORE_FILE"] = str(Path.cwd() / "server.json")
ADAPTER = f"""\
_fw_name: CommonAdapter
_fw_q_type: SLURM
rocket_launch: {BIN}/rlaunch -l {{folder}}/launchpad.yaml singleshot
nodes: 1
ntasks: 1
cpus_per_task: 2
mem: 300M
walltime: '00:05:00'
queue: main
job_name: firework
signal: USR1@30
"""


def program(name, *words):
    done = subprocess.run(
        [BIN / name, "-l", "launchpad.yaml", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (name, words, done.stdout, done.stderr)
    return done.stdout


def adapter():
    from fireworks.utilities.fw_serializers import load_object_from_file

    return load_object_from_file("qadapter.yaml")


def launch(*words):
    """Launch one job, and wait until the queue is empty."""
    program("qlaunch", "-q", "qadapter.yaml", *words, "singleshot")
    for _ in range(120):
        if adapter().get_njobs_in_queue(getpass.getuser()) == 0:
            return
        time.sleep(0.5)
    raise AssertionError("the job does not end")


def states():
    from fireworks import LaunchPad

    pad = LaunchPad.from_file("launchpad.yaml")
    return [pad.get_fw_by_id(number).state for number in sorted(pad.get_fw_ids())]


def add(command):
    Path("add.py").write_text(
        "from fireworks import Firework, LaunchPad, ScriptTask\n"
        f"task = ScriptTask(script={command!r})\n"
        "LaunchPad.from_file('launchpad.yaml').add_wf(Firework([task]))\n"
    )
    subprocess.run([sys.executable, "add.py"], check=True, capture_output=True)


def main():
    Path("server.json").write_text("{}")
    Path("launchpad.yaml").write_text("host: localhost\nport: 27017\nname: fireworks\n")
    Path("qadapter.yaml").write_text(ADAPTER.replace("{folder}", str(Path.cwd())))
    program("lpad", "reset", "--password", time.strftime("%Y-%m-%d"))
    add(f"echo $SLURM_JOB_ID $SLURM_CPUS_PER_TASK > {Path.cwd()}/first")
    launch()
    assert Path("first").read_text().split()[1] == "2"
    add("exit 3")
    launch("-r")
    add("true")
    launch("-r")
    assert states() == ["COMPLETED", "FIZZLED", "COMPLETED"], states()
    held = subprocess.run(
        ["sbatch", "--parsable", "-H", "-p", "main", "--wrap", "true"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    assert adapter().get_njobs_in_queue(getpass.getuser()) == 1
    subprocess.run(["scancel", held], check=True)
    assert adapter().get_njobs_in_queue(getpass.getuser()) == 0


if __name__ == "__main__":
    main()
    print("FireWorks passes", flush=True)
