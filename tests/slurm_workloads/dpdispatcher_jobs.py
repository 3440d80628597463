# mypy: ignore-errors
"""DPDispatcher: tasks in jobs and in arrays by its batch systems `Slurm` and `SlurmJobArray`, with
files sent and fetched, and a task that fails as often as DPDispatcher submits it."""

from pathlib import Path

from dpdispatcher import Machine, Resources, Submission, Task


def submission(name, batch, commands):
    work = Path(name)
    for number, _ in enumerate(commands):
        (work / str(number)).mkdir(parents=True)
        (work / str(number) / "in").write_text(f"input {number}\n")
    machine = Machine.load_from_dict(
        {
            "batch_type": batch, "context_type": "LocalContext",
            "local_root": str(work.absolute()), "remote_root": str(Path("remote").absolute()),
        }
    )  # fmt: skip
    resources = Resources.load_from_dict(
        {
            "number_node": 1, "cpu_per_node": 1, "gpu_per_node": 0, "queue_name": "main",
            "group_size": 1, "custom_flags": ["#SBATCH --mem=200M", "#SBATCH --time=0:5:0"],
            "kwargs": {"slurm_job_size": 2} if batch == "SlurmJobArray" else {},
        }
    )  # fmt: skip
    tasks = [
        Task(command, str(number), forward_files=["in"], backward_files=["out"])
        for number, command in enumerate(commands)
    ]
    found = Submission(".", machine=machine, resources=resources, task_list=tasks)
    found.run_submission(check_interval=1)
    return [(work / str(number) / "out").read_text() for number, _ in enumerate(commands)]


def main():
    command = "cat in > out; sleep 1"
    for batch in ("Slurm", "SlurmJobArray"):
        assert submission(batch, batch, [command] * 3) == [f"input {n}\n" for n in range(3)]
    try:
        submission("failing", "Slurm", ["exit 3"])
    except RuntimeError as error:
        told = str(error)
    assert "failed" in told, told


if __name__ == "__main__":
    main()
    print("DPDispatcher passes", flush=True)
