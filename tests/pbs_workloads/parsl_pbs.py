# mypy: ignore-errors
"""Parsl's providers PBSProProvider and TorqueProvider: tasks on a block, and jobs of the provider
alone that end well, fail, are cancelled and are refused."""

import sys
import time
from pathlib import Path

import parsl
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.jobs.states import JobState
from parsl.launchers import SingleNodeLauncher
from parsl.providers import PBSProProvider, TorqueProvider


def until(condition):
    end_s = time.monotonic() + 120
    while not (found := condition()):
        assert time.monotonic() < end_s, "a condition has not come true"
        time.sleep(0.5)
    return found


@parsl.python_app
def square(number):
    import os

    return number * number, os.environ["PBS_JOBID"], os.environ["GREETING"]


def provider_of(kind, queue="main", **more):
    return kind(
        queue=queue, account="lab", walltime="00:10:00", launcher=SingleNodeLauncher(),
        scheduler_options="#PBS -m n", init_blocks=1, max_blocks=1,
        worker_init=f"export GREETING=hello PATH={Path(sys.executable).parent}:$PATH", **more,
    )  # fmt: skip


def workload(kind, **more):
    provider = provider_of(kind, **more)
    executor = HighThroughputExecutor(
        label=kind.__name__, address="127.0.0.1", max_workers_per_node=2, provider=provider
    )
    config = Config(executors=[executor], run_dir=f"runs-{kind.__name__}", usage_tracking=0)
    with parsl.load(config):
        results = [one.result(timeout=120) for one in [square(i) for i in range(10)]]
        assert [one[0] for one in results] == [i * i for i in range(10)]
        assert {one[1:] for one in results} == {(block, "hello") for block in provider.resources}
    alone = provider_of(kind, **more)
    alone.script_dir = str(Path.cwd())
    ok, slow = alone.submit("true", 1), alone.submit("sleep 600", 1)

    def states():
        return dict(zip((ok, slow), [s.state for s in alone.status([ok, slow])], strict=True))

    until(lambda: states() == {ok: JobState.COMPLETED, slow: JobState.RUNNING})
    assert alone.cancel([slow]) == [True]
    until(lambda: states()[slow] == JobState.COMPLETED)
    refused = provider_of(kind, queue="nosuch", **more)
    refused.script_dir = str(Path.cwd())
    told = "Unknown queue"  # Torque's provider has no other sign than that there is no number
    try:
        assert refused.submit("true", 1) is None
    except parsl.providers.errors.SubmitException as error:
        told = error.stderr
    assert "Unknown queue" in told, told


if __name__ == "__main__":
    workload(PBSProProvider, cpus_per_node=2, select_options="mem=500mb")
    print("PBSProProvider passes", flush=True)
    workload(TorqueProvider)
    print("TorqueProvider passes", flush=True)
