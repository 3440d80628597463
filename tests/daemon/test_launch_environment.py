"""The variables with which a job is launched."""

from __future__ import annotations

from rmsd_core.jobs.request import Piece
from rmsd_daemon.domain.submission import Rules, new_job
from rmsd_daemon.loop.launch import JobRules, launches
from rmsd_wire.api.submission import SubmitSpec
from tests.jobs import running


def test_a_job_has_no_variables_of_the_job_that_has_submitted_it() -> None:
    env = dict.fromkeys(("RMS_JOB_RESERVATION", "RMS_TRIAL_END", "RMS_ARRAY_TASK_ID"), "its")
    rules = Rules("nodes", None, 1 << 20, "/")
    new = new_job(SubmitSpec(script="#!/bin/sh\n", env=env), "ann", 0, rules)
    running(new.job, Piece("n1", 4), start_us=5, launched=False)
    for launch in launches(new.job, new.details, new.payload, 1.0, JobRules(5.0)):
        assert not env.keys() & launch.env.keys()


def test_a_job_has_the_memory_of_its_processors_as_it_has_asked_for_it() -> None:
    spec = SubmitSpec(script="#!/bin/sh\n#SBATCH -x\n", tasks=3, mem_per_cpu_mib=50)
    new = new_job(spec, "ann", 0, Rules("nodes", None, 1 << 20, "/"))
    running(new.job, Piece("n1", 3, 150), start_us=5, launched=False)
    [launch] = launches(new.job, new.details, new.payload, 1.0, JobRules(5.0))
    told = {name: text for name, text in launch.env.items() if "_MEM_" in name}
    assert told == {
        "RMS_MEM_PER_CPU": "50",
        "RMS_MEM_PER_NODE": "150",
        "SLURM_MEM_PER_CPU": "50",
    }
