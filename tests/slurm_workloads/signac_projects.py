# mypy: ignore-errors
"""signac-flow: a project's operations as jobs, its status, a job that waits for another one, one
that fails, one that is not submitted twice, and a group with parallel operations and memory."""

import os
import re
import subprocess
import sys
from pathlib import Path

PROJECT = """
import time
from pathlib import Path
import flow
from flow import FlowProject
from flow.environment import DefaultSlurmEnvironment

class Project(FlowProject):
    pass

group = Project.make_group(name="both")

@Project.post.isfile("a.txt")
@Project.operation(directives={"np": 2, "walltime": 0.1, "memory": "512m"})
def a(job):
    while not Path(job.project.path, "go").exists():
        time.sleep(0.1)
    Path(job.fn("a.txt")).write_text("a")

@group
@Project.pre.isfile("a.txt")
@Project.post.isfile("b.txt")
@Project.operation(directives={"np": 1})
def b(job):
    Path(job.fn("b.txt")).write_text("b")

@group
@Project.pre.isfile("a.txt")
@Project.post.isfile("never")
@Project.operation
def c(job):
    assert job.sp.x != 1, "one"

if __name__ == "__main__":
    Project().main()
"""


def project(*words, code=0):
    done = subprocess.run(
        [sys.executable, "project.py", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == code, (words, done.stdout, done.stderr)
    return done.stdout + done.stderr


def out(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def jobs():
    return out("squeue", "--me", "-h", "-o", "%i").split()


def main():
    import flow
    import signac

    made = signac.init_project(".")
    for x in range(3):
        made.open_job({"x": x}).init()
    Path("project.py").write_text(PROJECT)
    from flow.environment import DefaultSlurmEnvironment

    assert flow.get_environment() is DefaultSlurmEnvironment, flow.get_environment()
    assert "#SBATCH --ntasks=2" in project("submit", "-o", "a", "--pretend")
    project("submit", "-o", "a", "-j", *[job.id for job in made][:2])
    assert len(jobs()) == 2
    project("submit", "-o", "a")  # the third alone
    assert len(jobs()) == 3, jobs()
    while out("squeue", "--me", "-h", "-o", "%t").split() != ["R"] * 3:
        pass
    shown = project("status", "--detailed")
    assert len(re.findall(r"^\w+ +a +\[A\]", shown, re.MULTILINE)) == 3, shown
    Path("go").touch()
    while jobs():
        pass
    assert all(Path(job.fn("a.txt")).exists() for job in made)
    project("submit", "-o", "c", "--hold", "-j", made.open_job({"x": 0}).id)
    (held,) = jobs()
    assert out("squeue", "-h", "-j", held, "-o", "%t %r").split() == ["PD", "JobHeldUser"]
    out("scancel", held)
    while jobs():
        pass
    project("submit", "-o", "both", "--parallel", "--bundle=3")
    while jobs():
        pass
    assert all(Path(job.fn("b.txt")).exists() for job in made)
    os.environ["SBATCH_PARTITION"] = "nosuch"
    assert "invalid partition specified: nosuch" in project("submit", "-o", "c", code=1)
    del os.environ["SBATCH_PARTITION"]


if __name__ == "__main__":
    main()
    print("signac-flow passes", flush=True)
