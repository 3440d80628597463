"""Jobs that share their nodes with jobs of their user alone, and their submits."""

from __future__ import annotations

from rmsd_core.jobs.gres import Demands
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.effects import Start
from rmsd_core.lifecycle.inputs import Input, Submit
from rmsd_core.model_time import SECOND_US


def by_user(job_id: int, units: int = 1, *, user: str = "ann", estimate_s: int = 60) -> Job:
    request = Request((Component(units, needs=Demands(by_user=True)),))
    return Job(job_id, user, 0, request, estimate_s * SECOND_US)


def submit(core: Core, now_s: int, *jobs: Job) -> list[int]:
    """Submit the jobs, and return which jobs start."""
    started: list[int] = []
    inputs: list[Input] = [Submit(job) for job in jobs]
    while True:
        answer = core.handle(now_s * SECOND_US, inputs)
        core.sanity_check()
        started += [one.job_id for one in answer.decisions if isinstance(one, Start)]
        if answer.wake_us is None or answer.wake_us > now_s * SECOND_US:
            return started
        inputs = []
