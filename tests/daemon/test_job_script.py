"""The script of a job, as the API shows it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.live import Daemon

pytestmark = pytest.mark.live

_MOST = 64 * 1024


def _script(daemon: Daemon, name: int | str) -> dict[str, Any]:
    answer = daemon.client.connection.request("GET", f"/v1/jobs/{name}/script")
    assert answer.status == 200, answer.body
    told: dict[str, Any] = json.loads(answer.body)
    assert "secret" not in answer.body.decode()  # the environment is not shown
    return told


def test_scripts_are_shown_of_jobs_that_wait_run_and_are_over(daemon: Daemon) -> None:
    env = {"env": {"TOKEN": "secret"}}
    over = daemon.submit("# ä", **env)
    daemon.wait(over)
    runs = daemon.submit("sleep 600", tasks=8, **env)
    waits = daemon.submit("# waits", **env)
    for job_id, text in ((over, "# ä"), (runs, "sleep 600"), (waits, "# waits")):
        told = _script(daemon, job_id)
        assert (told["script"], told["is_whole"]) == (f"#!/bin/sh\n{text}\n", True)


def test_tasks_have_the_script_of_their_array(daemon: Daemon) -> None:
    array = daemon.submit("# of an array", array="0-2")
    daemon.wait(array)
    for name in (array, f"{array}_0", f"{array}_2"):
        assert "# of an array" in _script(daemon, name)["script"]


def test_a_long_script_is_cut(daemon: Daemon) -> None:
    beyond = len("#!/bin/sh\n\n")
    fits = daemon.submit("#" * (_MOST - beyond))
    longer = daemon.submit("#" * (_MOST - beyond + 1))
    told = _script(daemon, fits)
    assert (len(told["script"]), told["is_whole"]) == (_MOST, True)
    told = _script(daemon, longer)
    assert (len(told["script"]), told["is_whole"]) == (_MOST, False)


def test_a_job_without_a_script_has_an_empty_one(daemon: Daemon) -> None:
    assert _script(daemon, daemon.emulate(0.0))["script"] == ""
    assert daemon.client.connection.request("GET", "/v1/jobs/4711/script").status == 404
