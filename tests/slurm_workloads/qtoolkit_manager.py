# mypy: ignore-errors
"""qtoolkit, through which jobflow-remote speaks to Slurm: its queue manager with the local host
submits, lists, looks at and cancels jobs, also those of which Slurm knows nothing."""

import getpass
import subprocess
from pathlib import Path

from qtoolkit.core.data_objects import CancelStatus, QResources, QState, SubmissionStatus
from qtoolkit.io.slurm import SlurmIO
from qtoolkit.manager import QueueManager


def main():
    queue = QueueManager(SlurmIO())
    words = ["sinfo", "-h", "-N", "-o", "%P %N"]
    rows = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n")
    nodes = [row.split()[1] for row in sorted(rows, key=lambda row: "main*" not in row) if row]
    excluded = next(node for node in nodes if node != nodes[0])
    folder = Path("jobs").absolute()
    kept = {"work_dir": folder, "create_submit_dir": True}
    resources = QResources(
        queue_name="main", job_name="one", processes=2, threads_per_process=1,
        memory_per_thread=100, time_limit=300,
        output_filepath="one.out", error_filepath="one.err",
        scheduler_kwargs={"hint": "nomultithread", "exclude_nodes": excluded},
    )  # fmt: skip
    one = queue.submit("echo begun; sleep 600", resources, **kept)
    assert one.status == SubmissionStatus.SUCCESSFUL, one
    while (job := queue.get_job(one.job_id)).state != QState.RUNNING:
        pass
    assert (job.name, job.queue_name) == ("one", "main"), job
    assert (job.info.nodes, job.info.cpus, job.info.threads_per_process) == (1, 2, 1), job
    assert job.info.time_limit == 300, job
    two = queue.submit("exit 3", {"partition": "main", "job_name": "two", "time": 2}, **kept)
    held = queue.submit("true", {"partition": "main", "ntasks": 1, "array": "1-2%1"}, **kept)
    listed = {job.job_id.partition("_")[0]: job for job in queue.get_jobs_list([one.job_id])}
    assert set(listed) == {one.job_id}, listed
    shown = listed[one.job_id]
    assert (shown.sub_state.name, shown.info.cpus) == ("RUNNING", 2), shown
    assert one.job_id in {job.job_id for job in queue.get_jobs_list(user=getpass.getuser())}
    while (job := queue.get_job(two.job_id)).state != QState.FAILED:
        pass
    while (job := queue.get_job(held.job_id)).state != QState.DONE:
        pass
    cancelled = queue.cancel(one.job_id)
    assert cancelled.status == CancelStatus.SUCCESSFUL, cancelled
    assert cancelled.job_id == one.job_id, cancelled
    while (job := queue.get_job(one.job_id)).sub_state.name != "CANCELLED":
        pass
    assert "already completing or completed" in queue.cancel(one.job_id).stderr
    assert "Invalid job id specified" in queue.cancel("987654").stderr
    assert queue.get_jobs_list(["987654"]) == []
    assert queue.get_job("987654") is None
    refused = queue.submit("true", {"partition": "nosuch"}, **kept)
    assert refused.status == SubmissionStatus.FAILED, refused
    assert "invalid partition specified: nosuch" in refused.stderr, refused
    assert (folder / "one.out").read_text() == "begun\n"


if __name__ == "__main__":
    main()
    print("qtoolkit passes", flush=True)
