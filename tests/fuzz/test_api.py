"""Requests by the hundred, made from the API's own description, good and bad. The answers are as
the description says, and never an error of the daemon's.

Each run draws other cases (`tests/fresh.py`). More of them: `RMSD_API_EXAMPLES=1000 pytest
tests/fuzz`.

Long: hundreds of requests are sent to a daemon.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import GenerationConfig, ProjectConfig, ProjectsConfig, SchemathesisConfig
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from rmsd_client.errors import ApiError
from rmsd_daemon.api.openapi import document
from tests.fuzz.unix_http import BASE_URL, session
from tests.live import Daemon
from tests.waiting import DEADLINE_S

pytestmark = [pytest.mark.live, pytest.mark.long]

_EXAMPLES = int(os.environ.get("RMSD_API_EXAMPLES", "20"))
_JOBS = 8
"""Job numbers are drawn from 0 to this; there are some of most of them."""

_config = SchemathesisConfig(
    projects=ProjectsConfig(
        default=ProjectConfig(
            base_url=BASE_URL,
            generation=GenerationConfig(max_examples=_EXAMPLES),
        )
    )
)
SCHEMA = schemathesis.openapi.from_dict(json.loads(document()), config=_config)
SCHEMA = SCHEMA.exclude(path="/v1/shutdown")
SCHEMA = SCHEMA.exclude(path="/v1/events")  # a stream does not end: tests/daemon/test_events.py


@pytest.fixture(scope="module")
def api() -> Iterator[requests.Session]:
    """Yield a daemon with jobs that are over, that run and that wait."""
    daemon = Daemon("--no-local-node", "--emulate", "2x2", config='kill_grace = "1s"\n')
    try:
        daemon.start()
        daemon.wait(daemon.submit("echo here"))
        daemon.submit("sleep 1000", tasks=2)
        daemon.emulate(1000.0, tasks=2)
        daemon.submit("true", tasks=4)
        made = session(daemon.state / "rmsd.sock")
        yield made
        made.close()
        log = daemon.log.read_text()
        assert "request-failed" not in log
        assert "pass-failed" not in log
        for job in daemon.client.jobs():
            with contextlib.suppress(ApiError):  # the job has just ended
                daemon.client.cancel(job["job_id"])
        assert daemon.wait(daemon.emulate(0.0))["state"] == "COMPLETED"
    finally:
        daemon.close()


_NOT_SAID = [negative_data_rejection, positive_data_acceptance]
"""The description gives types, and not all of the rules of what may be asked for."""


@SCHEMA.parametrize()
@settings(suppress_health_check=list(HealthCheck))
def test_the_api_is_as_described(case: schemathesis.Case, api: requests.Session) -> None:
    if isinstance(number := case.path_parameters.get("id"), int):
        case.path_parameters["id"] = number % _JOBS
    if isinstance(case.query.get("wait_s"), int | float):
        case.query["wait_s"] = min(case.query["wait_s"], 0.01)  # nothing is worth waiting for
    if isinstance(case.body, dict) and isinstance(jobs := case.body.get("jobs"), list):
        for spec in jobs:
            _make_usable(spec)
    case.call_and_validate(session=api, timeout=DEADLINE_S, excluded_checks=_NOT_SAID)


def _make_usable(spec: Any) -> None:
    """Change a job that would be refused for how its texts begin, so that what comes behind that is
    looked at as well."""
    if isinstance(spec, dict) and not spec.get("emulate"):
        spec["script"] = f"#!/bin/true\n{spec.get('script')}"
        spec["workdir"] = f"/{spec.get('workdir')}"
