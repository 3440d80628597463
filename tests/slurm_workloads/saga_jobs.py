# mypy: ignore-errors
"""RADICAL-SAGA: jobs through its adaptor for Slurm, in a shell of this machine: an end, a failure,
an end by the limit, a suspend and a resume, a cancel, a refusal, and the list of jobs."""

import os
import time
from pathlib import Path

import radical.saga as rs


def describe(executable, *arguments, **more):
    found = rs.job.Description()
    found.executable = executable
    found.arguments = list(arguments)
    found.queue = "main"
    found.wall_time_limit = 5
    found.working_directory = str(Path.cwd())
    for name, value in more.items():
        setattr(found, name, value)
    return found


def until(job, state):
    while (found := job.state) != state:
        assert found not in rs.job.FINAL, (found, state)
        time.sleep(0.2)


def main():
    service = rs.job.Service("slurm://localhost/")
    one = service.create_job(
        describe(
            "/bin/sh", "-c", "'echo $WORD $SLURM_NTASKS'", name="one", output="one.out",
            error="one.err", environment={"WORD": "told"}, total_cpu_count=2,
            processes_per_host=2, total_physical_memory=100,
        )
    )  # fmt: skip
    one.run()
    one.wait()
    assert (one.state, int(one.exit_code)) == (rs.job.DONE, 0), (one.state, one.exit_code)
    assert Path("one.out").read_text() == "told 2\n"
    two = service.create_job(describe("exit", "3", output="two.out", error="two.err"))
    two.run()
    two.wait()
    assert (two.state, int(two.exit_code)) == (rs.job.FAILED, 3), (two.state, two.exit_code)
    three = service.create_job(describe("sleep", "600", name="three", output="3.out"))
    three.run()
    until(three, rs.job.RUNNING)
    assert three.id in service.list(), (three.id, service.list())
    again = service.get_job(three.id)
    assert again.state == rs.job.RUNNING
    if os.getuid() == 0:
        three.suspend()
        until(three, rs.job.SUSPENDED)
        three.resume()
        until(three, rs.job.RUNNING)
    three.cancel()
    three.wait()
    assert three.state == rs.job.CANCELED, three.state
    try:
        service.create_job(describe("true", queue="nosuch")).run()
    except rs.NoSuccess as error:
        told = str(error)
    assert "invalid partition specified: nosuch" in told, told
    service.close()


if __name__ == "__main__":
    main()
    print("RADICAL-SAGA passes", flush=True)
