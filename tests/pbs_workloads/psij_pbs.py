# mypy: ignore-errors
"""PSI/J's executors for PBS, `pbs` and `pbs_classic`: a job on two nodes, one that fails, one that
is cancelled, one that is refused."""

import getpass
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import psij
from psij import Job, JobAttributes, JobExecutor, JobSpec, JobState, ResourceSpecV1
from psij.executors.batch.pbs_base import PBSExecutorConfig

T = timedelta(seconds=120)


def workload(name):
    config = PBSExecutorConfig(initial_queue_polling_delay=1, queue_polling_interval=1)
    executor = JobExecutor.get_instance(name, config=config)

    def job(program, *arguments, queue="main", **more):
        attributes = JobAttributes(duration=timedelta(minutes=5), queue_name=queue, account="lab")
        return Job(
            JobSpec(executable=program, arguments=list(arguments), attributes=attributes, **more)
        )

    text = Path(f"{name}.out").absolute()
    good = job(
        "/bin/sh", "-c", "echo $GREETING; wc -l < $PSIJ_NODEFILE; sort -u $PSIJ_NODEFILE; pwd",
        environment={"GREETING": "hello"}, directory=Path.cwd(), stdout_path=text, name="good",
        resources=ResourceSpecV1(node_count=2, processes_per_node=3, exclusive_node_use=False),
        launcher="single",
    )  # fmt: skip
    executor.submit(good)
    ended = good.wait(timeout=T)
    assert ended.state == JobState.COMPLETED, ended
    greeting, count, first, second, folder = text.read_text().split()
    assert (greeting, count, folder) == ("hello", "6", str(Path.cwd()))
    assert first != second
    bad = job("/bin/sh", "-c", "exit 9")
    executor.submit(bad)
    ended = bad.wait(timeout=T)
    assert (ended.state, ended.exit_code) == (JobState.FAILED, 9), ended
    slow = job("/bin/sleep", "600")
    executor.submit(slow)
    assert slow.wait(timeout=T, target_states=[JobState.ACTIVE]) is not None, slow.status
    listed = subprocess.run(  # `list` itself asks for the login of a terminal
        ["qstat", "-u", getpass.getuser()], capture_output=True, text=True, check=True
    )
    assert slow.native_id in executor.parse_list_output(listed.stdout)
    slow.cancel()
    ended = slow.wait(timeout=T)
    assert ended.state == JobState.CANCELED, ended
    refused = ""
    try:
        executor.submit(job("/bin/true", queue="nosuch"))
    except psij.SubmitException as error:
        refused = str(error)
    assert "Unknown queue" in refused, refused


for name in sys.argv[1:]:
    workload(name)
    print(f"{name} passes", flush=True)
