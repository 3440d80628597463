# mypy: ignore-errors
"""AiiDA's scheduler core.slurm, with AiiDA's daemon: a calculation that ends well, one that comes
to the end of its time, and one that is killed."""

import os
import subprocess
import sys
import time
from pathlib import Path

VERDI = str(Path(sys.executable).with_name("verdi"))
os.environ["AIIDA_PATH"] = str(Path.cwd())


def verdi(*words):
    done = subprocess.run([VERDI, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def submit(code, prepend="", **options):
    from aiida import engine, orm

    builder = code.get_builder()
    builder.x, builder.y = orm.Int(3), orm.Int(4)
    builder.metadata.options = {
        "resources": {"num_machines": 1, "num_mpiprocs_per_machine": 1, "num_cores_per_mpiproc": 2},
        "max_wallclock_seconds": 300, "max_memory_kb": 512 * 1024, "queue_name": "main",
        "prepend_text": prepend, **options,
    }  # fmt: skip
    return engine.submit(builder)


def until(condition, node):
    for _ in range(360):
        if condition():
            return
        time.sleep(0.5)
    raise AssertionError((node.process_state, node.exit_status, node.get_scheduler_stderr()))


def job_is(node, state):
    return node.get_scheduler_state() is not None and node.get_scheduler_state().value == state


def main():
    from aiida import load_profile, orm
    from aiida.engine.processes.control import kill_processes

    load_profile()
    computer = orm.Computer(
        "cluster", "localhost", "", "core.local", "core.slurm", str(Path.cwd() / "run")
    )
    computer.store().configure(safe_interval=0)
    computer.set_minimum_job_poll_interval(1)
    computer.set_default_mpiprocs_per_machine(1)
    code = orm.InstalledCode(
        computer, "/bin/bash", label="add", default_calc_job_plugin="core.arithmetic.add"
    ).store()
    good = submit(code)
    long = submit(code, "sleep 600", max_wallclock_seconds=5)
    killed = submit(code, "sleep 600")
    until(lambda: job_is(killed, "running"), killed)
    listed = subprocess.run(["squeue", "-h", "-o", "%i %T"], capture_output=True, text=True)
    assert f"{killed.get_job_id()} RUNNING" in listed.stdout, listed.stdout
    kill_processes([killed])
    for node in (good, long, killed):
        until(lambda node=node: node.is_terminated, node)
    assert (good.exit_status, int(good.outputs.sum)) == (0, 7), good.exit_status
    info = good.get_detailed_job_info()
    assert info["retval"] == 0, info
    assert "COMPLETED" in info["stdout"], info
    said = [log.message for log in orm.Log.collection.get_logs_for(long)]
    assert any("scheduler parser returned exit code<120>: The job ran out" in one for one in said)
    assert killed.is_killed, killed.process_state
    state = subprocess.run(
        ["sacct", "-XnPo", "State", "-j", killed.get_job_id()], capture_output=True, text=True
    )
    assert state.stdout.startswith("CANCELLED"), state


if __name__ == "__main__":
    # AiiDA runs commands in login shells, and /etc/profile sets PATH anew.
    Path(".bash_profile").write_text(f"export PATH={os.environ['PATH']}\n")
    verdi("presto")
    verdi("daemon", "start")
    try:
        main()
    finally:
        verdi("daemon", "stop", "--timeout", "60")
    print("AiiDA passes", flush=True)
