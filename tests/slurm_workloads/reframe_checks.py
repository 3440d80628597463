# mypy: ignore-errors
"""ReFrame: regression tests as jobs, by its backends `slurm` and `squeue`: they pass, fail, end
with a code, ask for two tasks of srun, and name the nodes that ReFrame reads from scontrol."""

import json
import subprocess
import sys
from pathlib import Path

BIN = Path(sys.executable).parent
SETTINGS = """
site_configuration = {
    "systems": [
        {
            "name": "here", "hostnames": [".*"],
            "partitions": [
                {
                    "name": name, "scheduler": name, "launcher": "srun",
                    "access": ["--partition=main"], "environs": ["builtin"], "max_jobs": 8,
                }
                for name in ("slurm", "squeue")
            ],
        }
    ],
    "general": [{"remote_detect": False}],
}
"""
CHECKS = """
import reframe as rfm
import reframe.utility.sanity as sn


class Base(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    time_limit = "5m"
    executable = "echo"
    executable_opts = ["task $SLURM_PROCID"]

    @sanity_function
    def is_right(self):
        return sn.assert_found("task 0", self.stdout)


@rfm.simple_test
class Passes(Base):
    num_tasks = 2
    num_tasks_per_node = 2
    executable = "sh"
    executable_opts = ["-c", "'echo task $SLURM_PROCID'"]


@rfm.simple_test
class Fails(Base):
    executable_opts = ["nothing"]


@rfm.simple_test
class Ends(Base):
    executable = "sh"
    executable_opts = ["-c", "'echo task $SLURM_PROCID; exit 3'"]

    @sanity_function
    def has_failed(self):
        return self.job.exitcode in (3, None)  # the backend `squeue` has none
"""


def main():
    Path("settings.py").write_text(SETTINGS)
    Path("checks.py").write_text(CHECKS)
    words = [BIN / "reframe", "-C", "settings.py", "-c", "checks.py", "--prefix", "out",
             "--report-file", "report.json", "--exec-policy", "async", "-r"]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1, (done.stdout, done.stderr)
    report = json.loads(Path("report.json").read_text())
    (run,) = report["runs"]
    found = {
        (case["partition"], case["name"]): (
            case["result"],
            case["job_exitcode"],
            case["job_nodelist"],
        )
        for case in run["testcases"]
    }
    for backend in ("slurm", "squeue"):
        assert found[backend, "Passes"][0] == "pass", found
        assert found[backend, "Ends"][0] == "pass", found
        assert found[backend, "Fails"][0] == "fail", found
    assert found["slurm", "Ends"][1] == 3, found
    assert found["slurm", "Passes"][2], found
    words = [*words[:-1], "--name", "Passes", "--distribute=all", "--system", "here:slurm", "-r"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout, done.stderr)


if __name__ == "__main__":
    main()
    print("ReFrame passes", flush=True)
