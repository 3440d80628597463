"""Tokens of jobs: each opens its own job alone, and ends with its attempt.

Long: most tests start a daemon with TLS.
"""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
from http.client import HTTPResponse
from pathlib import Path

import pytest

from rmsd_client.api import Client
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.vocabulary import JobState
from rmsd_daemon.callers.auth import Role
from rmsd_daemon.callers.job_tokens import JobTokens, read_key
from rmsd_daemon.callers.tokens import Tokens
from rmsd_daemon.domain.errors import DaemonError as Refusal
from rmsd_daemon.domain.errors import Unavailable
from rmsd_daemon.front.problems import problem_of
from rmsd_wire.tokens import new_token
from tests.client.slurm.site import SlurmSite
from tests.daemon.token_calls import fields, status_of
from tests.jobs import phase_in
from tests.tcp import Tcp
from tests.waiting import DEADLINE_S, wait_until

pytestmark = pytest.mark.long


def test_a_jobs_token_is_its_attempts(tmp_path: Path) -> None:
    key = read_key(tmp_path / "key")
    assert read_key(tmp_path / "key") == key
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
    job = Job(
        id=7, user="ann", submit_us=0, request=Request((Component(1),)), estimate_us=1,
        requeue=True, restartable=True, attempt=2, phase=phase_in(JobState.RUNNING),
    )  # fmt: skip
    tokens = JobTokens(key, {7: job}.get)
    right = tokens.text(7, 2)
    caller = tokens.caller(right, "n1")
    assert caller is not None
    assert (caller.user, caller.role, caller.job_id) == ("ann", Role.USER, 7)
    forged = JobTokens(bytes(32), {7: job}.get).text(7, 2)
    renamed = right.replace("_7.", "_8.")
    for text in (tokens.text(7, 1), tokens.text(8, 1), forged, renamed, right[:-1], ""):
        assert tokens.caller(text, "n1") is None
    for state in JobState:
        job.phase = phase_in(state)
        runs = state.value in ("CONFIGURING", "RUNNING", "SUSPENDED", "COMPLETING")
        assert (tokens.caller(right, "n1") is not None) == runs


def test_a_jobs_token_is_not_refused_before_its_attempt_is_known() -> None:
    """After a restore, `rrun` was told that its token is not known, and ended its job by that."""

    def check(job_id: int) -> None:
        raise Unavailable(f"job {job_id} is as it was in the backup")

    tokens = JobTokens(bytes(32), {}.get, check)
    with pytest.raises(Unavailable):
        tokens.caller(tokens.text(7, 2), "n1")
    assert (
        tokens.caller(JobTokens(b"another key of 32 bytes or more..", {}.get).text(7, 2), "n1")
        is None
    )


@pytest.mark.live
def test_a_jobs_token_opens_its_own_job_alone(tcp: Tcp) -> None:
    daemon, file = tcp.daemon, tcp.daemon.root / "of-job"
    file.touch(mode=0o600)
    own = daemon.submit(f'echo "$RMSD_TOKEN" > {file}; sleep 600')
    other = daemon.submit("sleep 600")
    wait_until(lambda: file.read_text().endswith("\n"))
    with Client(tcp.url, str(file), str(tcp.ca), retry_for_s=DEADLINE_S) as client:
        assert client.job(own)["job_id"] == own
        for call in (
            client.jobs, client.nodes, client.status, client.tokens, client.shutdown, client.plan,
            lambda: client.job(other), lambda: client.cancel(other),
            lambda: client.submit([{"emulate": {"run_s": 1}}]),
            lambda: client.make_token(fields(new_token())),
        ):  # fmt: skip
            assert status_of(call) == 403
        assert [job["job_id"] for job in client.jobs(ids=[own])] == [own]
        assert client.steps([own]) == ([], [])
        assert status_of(client.steps, [own, other]) == 403
        for ids in ([other], [own, other], [f"{other}_0"], [f"{own}_0"], [f"{own}_[0-1]"]):
            assert status_of(client.jobs, ids=ids) in (403, 404)
        client.cancel(own)
        daemon.wait(own)
        assert status_of(client.job, own) == 401
    daemon.client.cancel(other)


@pytest.mark.live
def test_slurms_commands_find_their_own_job_with_its_token(tcp: Tcp) -> None:
    """The job is a task of an array, which scripts name in two ways."""
    daemon, file = tcp.daemon, tcp.daemon.root / "of-job"
    file.touch(mode=0o600)
    array = daemon.submit(f'echo "$RMSD_TOKEN" > {file}; sleep 600', array="3")
    wait_until(lambda: file.read_text().endswith("\n"))
    site, task = SlurmSite(daemon), f"{array}_3"
    own = str(daemon.client.job(task)["job_id"])
    env = {
        "RMSD_SERVER": tcp.url, "RMSD_CA_FILE": str(tcp.ca), "RMSD_TOKEN": file.read_text().strip(),
        "XDG_CONFIG_HOME": str(daemon.root / "no-settings"),
    }  # fmt: skip
    for name in (own, task):
        assert site.out("squeue", "-h", "-o", "%i %T", "-j", name, **env) == f"{task} RUNNING\n"
        assert f"JobId={own} " in site.out("scontrol", "show", "job", name, **env)
        assert f"{task}|RUNNING" in site.out(
            "sacct", "-XnP", "-o", "JobID,State", "-j", name, **env
        )
    site.out("scancel", "-s", "CONT", own, **env)
    more = site.run("squeue", "--me", **env)
    assert more.returncode == 1
    assert "for that job alone; for more, keep a token of your own" in more.stderr
    site.out("scancel", own, **env)
    assert daemon.wait(int(own))["state"] == "CANCELLED"


@pytest.mark.live
def test_a_jobs_token_ends_with_its_attempt_also_for_what_waits(tcp: Tcp) -> None:
    """A long poll that was begun in time is answered like one that comes too late."""
    daemon, file = tcp.daemon, tcp.daemon.root / "of-job"
    file.touch(mode=0o600)
    own = daemon.submit(f'echo "$RMSD_TOKEN" > {file}; sleep 600')
    wait_until(lambda: file.read_text().endswith("\n"))
    head = f"Host: x\r\nAuthorization: Bearer {file.read_text().strip()}\r\n\r\n"
    trust = ssl.create_default_context(cafile=str(tcp.ca))
    job = f"/v1/jobs/{own}"
    polls = [f"{job}?wait_s=60", f"{job}/output?wait_s=60&offset=1000"]
    with contextlib.ExitStack() as held:
        socks = []
        for poll in polls:
            plain = socket.create_connection(("127.0.0.1", tcp.port), DEADLINE_S)
            sock = held.enter_context(trust.wrap_socket(plain, server_hostname="127.0.0.1"))
            # The poll comes together with a request whose answer shows that both have arrived.
            requests = (f"GET {target} HTTP/1.1\r\n{head}" for target in (job, poll))
            sock.sendall("".join(requests).encode())
            answer = HTTPResponse(sock)
            answer.begin()
            assert (answer.status, json.loads(answer.read())["job"]["job_id"]) == (200, own)
            socks.append(sock)
        daemon.client.cancel(own)
        assert daemon.wait(own)["state"] == "CANCELLED"
        for sock in socks:
            answer = HTTPResponse(sock)
            answer.begin()
            assert answer.status == 401
            assert b"is over, and so is its token" in answer.read()


@pytest.mark.live
def test_a_jobs_token_explains_no_other_job_of_its_user(tcp: Tcp) -> None:
    daemon, file = tcp.daemon, tcp.daemon.root / "of-job"
    file.touch(mode=0o600)
    own = daemon.submit(f'echo "$RMSD_TOKEN" > {file}; sleep 600', tasks=8, time_limit_s=600.0)
    other = daemon.submit("true", name="secret", tasks=8)
    wait_until(lambda: file.read_text().endswith("\n"))
    [shown] = daemon.client.explain(own)["held_up"]
    assert (shown["job_id"], shown["name"]) == (other, "secret")
    with Client(tcp.url, str(file), str(tcp.ca), retry_for_s=DEADLINE_S) as client:
        [hidden] = client.explain(own)["held_up"]
    assert (hidden["job_id"], hidden["name"], hidden["user"]) == (other, "", "")
    daemon.client.cancel_all([own, other])


def test_a_token_of_an_earlier_attempt_opens_nothing_of_the_next() -> None:
    job = Job(
        id=7, user="ann", submit_us=0, request=Request((Component(1),)), estimate_us=1,
        attempt=2, phase=phase_in(JobState.RUNNING),
    )  # fmt: skip
    jobs = JobTokens(bytes(32), {7: job}.get)
    tokens = Tokens([], jobs)
    caller = tokens.caller(f"Bearer {jobs.text(7, 2)}", "n1")
    tokens.check(caller)
    for attempt, state in ((3, JobState.RUNNING), (2, JobState.PENDING), (2, JobState.COMPLETED)):
        job.attempt, job.phase = attempt, phase_in(state)
        with pytest.raises(Refusal, match="attempt 2 of job 7 is over") as refused:
            tokens.check(caller)
        assert problem_of(refused.value).status == 401
    assert caller.sees(7, "ann")
    assert not caller.sees(8, "ann")


@pytest.mark.live
def test_no_old_token_opens_a_new_job_of_the_same_number(tcp: Tcp) -> None:
    """Numbers begin at 1 again where the database was deleted."""
    daemon = tcp.daemon
    key = (daemon.state / "job-tokens.key").read_bytes()
    daemon.stop()
    daemon.start()
    assert (daemon.state / "job-tokens.key").read_bytes() == key
    daemon.stop()
    for file in daemon.state.glob("rmsd.db*"):
        file.unlink()
    daemon.start()
    assert (daemon.state / "job-tokens.key").read_bytes() != key
