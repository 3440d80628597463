# mypy: ignore-errors
"""Nipype's plugins SLURM and SLURMGraph: a workflow with a map and a join, one with a node that
fails, and a graph of dependent jobs."""

import os
import subprocess
import time
from pathlib import Path

from nipype import Function, MapNode, Node, Workflow, config

ARGS = {"sbatch_args": "--mem=500M --time=5 -p main", "poll_sleep_duration": 1}


def double(x):
    import os

    assert os.environ["SLURM_JOB_ID"]
    return 2 * x


def add(values):
    return sum(values)


def fails(x):  # noqa: ARG001 - its name is the input
    raise ValueError("this node fails")


def node(function, names, kind=Node, **words):
    return kind(Function(names, ["out"], function), name=function.__name__, **words)


def workflow(name):
    flow = Workflow(name, base_dir=str(Path.cwd()))
    doubled = node(double, ["x"], MapNode, iterfield=["x"])
    doubled.inputs.x = [1, 2, 3]
    flow.connect(doubled, "out", node(add, ["values"]), "values")
    return flow


def result(flow):
    """Return what `add` has found; None if nothing yet."""
    from nipype.utils.filemanip import loadpkl

    path = Path(flow.base_dir, flow.name, "add/result_add.pklz")
    return loadpkl(str(path)).outputs.out if path.exists() else None


def states():
    words = ["sacct", "-XnPo", "State"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()


def main():
    os.environ.setdefault("LOGNAME", "user")  # Nipype reads it
    config.update_config({"execution": {"job_finished_timeout": 30, "crashdump_dir": "."}})
    flow = workflow("polled")
    flow.run("SLURM", ARGS)
    assert result(flow) == 12
    broken = workflow("broken")
    broken.connect(broken.get_node("add"), "out", node(fails, ["x"]), "x")
    try:
        broken.run("SLURM", ARGS)
        raise AssertionError("the workflow did not fail")
    except RuntimeError as error:
        said = str(error)
    assert "fails" in said, said
    crashes = [path.name for path in Path().glob("crash-*")]
    assert len(crashes) == 1, crashes
    graph = workflow("graph")
    graph.run("SLURMGraph", {"sbatch_args": "--mem=500M --time=5"})
    for _ in range(120):
        if result(graph) is not None:
            break
        time.sleep(0.5)
    assert result(graph) == 12, states()


if __name__ == "__main__":
    main()
    print("Nipype passes", flush=True)
