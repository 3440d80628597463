# mypy: ignore-errors
"""Hydra's submitit launcher: a sweep of three jobs, and one whose function fails."""

import subprocess
import sys
from pathlib import Path

APP = """
import os
import hydra

@hydra.main(version_base=None, config_path=None)
def app(config):
    print(config.x, os.environ["SLURM_JOB_ID"], flush=True)
    open(f"{os.environ['WORK']}/{config.x}", "w").write(os.environ["SLURM_ARRAY_TASK_ID"])
    if config.x == 0:
        raise ValueError("zero")

app()
"""
LAUNCHER = (
    "hydra/launcher=submitit_slurm", "hydra.launcher.partition=main",
    "hydra.launcher.timeout_min=5", "hydra.launcher.mem_gb=1", "hydra.launcher.cpus_per_task=1",
    "hydra.launcher.max_num_timeout=1",
)  # fmt: skip


def sweep(values):
    import os

    words = [sys.executable, "app.py", "-m", f"+x={values}", *LAUNCHER]
    env = {**os.environ, "WORK": str(Path.cwd())}
    return subprocess.run(words, capture_output=True, text=True, check=False, env=env)


def main():
    Path("app.py").write_text(APP)
    done = sweep("1,2,3")
    assert done.returncode == 0, done.stderr
    assert {Path(str(x)).read_text() for x in (1, 2, 3)} == {"0", "1", "2"}
    failed = sweep("4,0")
    assert failed.returncode != 0
    assert "ValueError: zero" in failed.stderr, failed.stderr
    assert Path("4").exists()


if __name__ == "__main__":
    main()
    print("Hydra's submitit launcher passes", flush=True)
