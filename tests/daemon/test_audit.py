"""The audit trail: every change and every refusal is on record with its caller.

Long: the tests start a daemon with TLS.
"""

from __future__ import annotations

import json
import os

import pytest

from rmsd_wire.tokens import new_token
from tests.daemon.token_calls import status_of
from tests.tcp import Tcp

pytestmark = pytest.mark.long


@pytest.mark.live
def test_the_audit_trail(tcp: Tcp) -> None:
    """The trail tells who did what, and who was refused, also from the state directory without a
    daemon."""
    daemon, ann = tcp.daemon, tcp.token(user="ann")
    with tcp.client(ann) as client:
        jobs = client.submit([{"emulate": {"run_s": 600}}] * 3)
        own = daemon.emulate(600)
        client.cancel(jobs[0]["job_id"])
        assert status_of(client.cancel, own) == 404
        assert status_of(client.drain, "e1", "why") == 403
        assert status_of(client.audit) == 403
    daemon.client.drain("e1", "why")
    first = jobs[0]["job_id"]
    told = [
        ("ann", "submit", f"jobs {first}-{first + 2}", "done"),
        (daemon.client.status()["you"]["user"], "submit", f"job {own}", "done"),
        ("ann", "cancel", f"job {first} of ann", "done"),
        ("ann", "refused", f"DELETE /v1/jobs/{own}", f"there is no job {own}"),
    ]
    entries = daemon.client.audit()
    lines = [(one["user"], one["action"], one["subject"], one["outcome"]) for one in entries]
    assert lines[1:5] == told
    assert [one["subject"] for one in entries[5:]] == [
        "POST /v1/nodes/e1", "GET /v1/audit", "node e1",
    ]  # fmt: skip
    assert [one["user"] for one in daemon.client.audit(user="ann")] == ["ann"] * 5
    assert all(f"token {ann.id}" in one["via"] for one in daemon.client.audit(user="ann"))
    daemon.stop()
    stored = json.loads(daemon.rmsd("audit", "--json", str(daemon.state)).stdout)["entries"]
    assert stored == entries
    assert daemon.rmsd("audit", "--since", "1h", "--user", "bob", str(daemon.state)).stdout == ""
    assert os.stat(daemon.state / "rmsd.db").st_mode & 0o077 == 0


@pytest.mark.live
def test_for_whom_a_job_was_submitted_is_on_record(tcp: Tcp) -> None:
    spec = {"emulate": {"run_s": 1}}
    with tcp.client(tcp.token(user="olga", role="operator")) as client:
        jobs = client.submit([{**spec, "user": user} for user in ("olga", "carl", "bob")])
    first = jobs[0]["job_id"]
    said = [one for one in tcp.daemon.client.audit() if one["action"] == "submit"]
    assert [(one["user"], one["subject"]) for one in said] == [
        ("olga", f"jobs {first}-{first + 2} of bob, carl")
    ]


@pytest.mark.live
def test_tasks_in_the_jobs_of_others_are_on_record(tcp: Tcp) -> None:
    """Tasks that are started with a token are on record as well, but not a job's own, of which
    there may be many. What is typed at a terminal is on record once for each task."""
    daemon, boss = tcp.daemon, tcp.token(user="boss", role="admin")
    job_id = daemon.submit("rrun true; sleep 600")
    daemon.wait_for(job_id, "RUNNING")
    [node] = daemon.client.job(job_id)["nodelist"].split(",")
    task = {"node": node, "step": "s", "task": 0, "argv": ["sleep", "600"]}
    with tcp.client(boss) as client:
        client.start_task(job_id, {**task, "terminal": {}})
        for key in (b"l", b"s", b""):
            client.task_input(job_id, "s", 0, node, key, False, (0, 0))
        client.signal_task(job_id, "s", 0, node, 9)
    daemon.client.start_task(job_id, {**task, "step": "own"})
    done = [one for one in daemon.client.audit() if "task" in one["action"]]
    whose = daemon.client.job(job_id)["user"]
    subject = f"task 0 of step s of job {job_id} of {whose}"
    assert [(one["user"], one["action"], one["subject"]) for one in done] == [
        ("boss", "start-task", subject),
        ("boss", "task-input", subject),
        ("boss", "stop-task", subject),
    ]
    assert all(f"token {boss.id}" in one["via"] for one in done)
    daemon.client.cancel(job_id)
    daemon.wait(job_id)


@pytest.mark.live
def test_who_is_refused_cannot_write_the_record(tcp: Tcp) -> None:
    """The record is one line, with the address, whatever the path has in it."""
    with tcp.client(new_token()) as client:
        path = "/v1/x%0a2026-11-21T10:00:00%20%20root%20(admin)%1b[31m"
        assert client.connection.request("GET", path).status == 401
    [entry] = tcp.daemon.client.audit()
    assert (entry["user"], entry["via"]) == ("", "from 127.0.0.1")
    assert entry["subject"] == f"GET {path}"


@pytest.mark.live
def test_a_flood_of_refusals_does_not_fill_the_disk_nor_hide_others(tcp: Tcp) -> None:
    with tcp.client(new_token()) as client, tcp.client(tcp.token(user="ann")) as ann:
        for _ in range(200):
            assert status_of(client.status) == 401
        assert status_of(ann.shutdown) == 403
    entries = [entry for entry in tcp.daemon.client.audit() if entry["action"] == "refused"]
    assert 20 <= len(entries) < 200
    assert [entry["user"] for entry in entries if entry["user"]] == ["ann"]
