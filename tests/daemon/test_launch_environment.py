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
