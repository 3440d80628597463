"""Tokens: what they open, until when, and what is kept of them.

Long: most tests start a daemon with TLS.
"""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import socket
import ssl
import stat
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from rmsd_client.api import Client
from rmsd_client.errors import ApiError, NotPermitted
from rmsd_client.http import Response
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Component, Request
from rmsd_core.vocabulary import JobState
from rmsd_daemon.callers.auth import Role
from rmsd_daemon.callers.job_tokens import JobTokens, read_key
from rmsd_daemon.callers.tokens import Tokens, now_us
from rmsd_daemon.domain.errors import DaemonError as Refusal
from rmsd_daemon.front.problems import problem_of
from rmsd_wire.tokens import Token, new_token, parse_token
from tests.command_lines import words_of
from tests.daemon.grants import NO_JOBS, grant
from tests.jobs import phase_in
from tests.live import Daemon
from tests.tcp import Tcp
from tests.waiting import DEADLINE_S, wait_until

pytestmark = pytest.mark.long


def shown(token: Token) -> str:
    return f"Bearer {token.text}"


def test_a_token_is_read_as_it_was_written() -> None:
    token = new_token()
    assert parse_token(f" {token.text}\n") == token
    for text in ("", "secret", token.text[:-1], token.text.upper(), f"{token.text}0", "rms__"):
        assert parse_token(text) is None


def test_a_token_stands_for_its_user() -> None:
    token = new_token()
    tokens = Tokens([grant(token, role=Role.OPERATOR)], NO_JOBS)
    caller = tokens.caller(shown(token), "10.0.0.7")
    assert (caller.user, caller.role, caller.own, caller.may_command) == (
        "ann", Role.OPERATOR, False, False,
    )  # fmt: skip
    assert token.id in caller.via
    assert "10.0.0.7" in caller.via
    known = tokens.get(token.id)
    assert known is not None
    assert token.secret not in repr((caller, known, tokens.view(known)))


def test_what_does_not_hold_opens_nothing() -> None:
    good, expired, revoked, child = (new_token() for _ in range(4))
    maker = new_token()
    tokens = Tokens(
        [
            grant(good),
            grant(expired, expires_us=now_us() - 1),
            grant(revoked).revoked(now_us()),
            grant(maker).revoked(now_us()),
            grant(child, made_with=maker.id),
        ],
        NO_JOBS,
    )
    tokens.caller(shown(good), "")
    wrong = Token(good.id, new_token().secret)
    for header, why in (
        ("", "a token is needed"),
        (good.text, "not a token"),
        (f"Basic {good.text}", "not a token"),
        ("Bearer x", "not a token"),
        (shown(wrong), "is not known"),
        (shown(new_token()), "is not known"),
        (shown(expired), "is expired"),
        (shown(revoked), "is revoked"),
        (shown(child), "is revoked"),
    ):
        with pytest.raises(Refusal) as refused:
            tokens.caller(header, "")
        assert (problem_of(refused.value).status, why in str(refused.value)) == (401, True)
        assert good.secret not in str(refused.value)


def test_a_long_line_of_tokens_ends_with_any_of_its_makers() -> None:
    line = [new_token() for _ in range(2000)]
    grants = [grant(token, made_with=line[i - 1].id if i else "") for i, token in enumerate(line)]
    tokens = Tokens(grants, NO_JOBS)
    assert tokens.state(grants[-1]) == "valid"
    tokens.put(grants[0].revoked(now_us()))
    assert tokens.state(grants[-1]) == "revoked"


@pytest.fixture
def tcp(start_daemon: Callable[..., Daemon]) -> Tcp:
    config = "allow_root_jobs = true\n"
    daemon = start_daemon("--no-local-node", "--emulate", "2x4", config=config, begin=False)
    tcp = Tcp(daemon)
    daemon.start()
    return tcp


def status_of(call: Callable[..., Any], *args: Any) -> int:
    with pytest.raises(ApiError) as failed:
        call(*args)
    return failed.value.status


def fields(token: Token, **more: Any) -> dict[str, Any]:
    return {"id": token.id, "digest": token.digest, "expires_s": 60.0, **more}


@pytest.mark.live
def test_over_tcp_the_token_decides(tcp: Tcp) -> None:
    ann, bob = tcp.token(user="ann"), tcp.token(user="bob")
    operator = tcp.token(user="olga", role="operator")
    for token in (None, new_token(), Token(ann.id, bob.secret)):
        with tcp.client(token) as client:
            assert status_of(client.status) == 401
    with tcp.client(ann) as of_ann, tcp.client(bob) as of_bob, tcp.client(operator) as of_olga:
        assert of_ann.status()["you"]["user"] == of_ann.user() == "ann"
        job_id = of_ann.submit([{"emulate": {"run_s": 600}}])[0]["job_id"]
        assert of_ann.job(job_id)["user"] == "ann"
        assert status_of(of_bob.job, job_id) == 404
        assert of_olga.job(job_id)["user"] == "ann"
        assert status_of(of_olga.shutdown) == 403
        own = ("--server", tcp.url, "--ca-file", str(tcp.ca), "--token-file", str(tcp.file(ann)))
        refused = tcp.daemon.rmsd("what-if", "--recipe", "easy", *own)
        assert (refused.returncode, "sees only their own" in refused.stderr) == (77, True)
        command = [{"emulate": {"run_s": 1}, "notify": "touch x"}]
        assert status_of(of_ann.submit, command) == 403
        assert tcp.daemon.client.cancel(job_id)["user"] == "ann"


@pytest.mark.live
def test_a_revoked_token_opens_nothing_at_once_and_after_a_restart(tcp: Tcp) -> None:
    ann = tcp.token(user="ann")
    with tcp.client(ann) as client:
        client.status()
        tcp.daemon.client.revoke_token(ann.id)
        assert status_of(client.status) == 401
        tcp.daemon.client.revoke_token(ann.id)  # again is no news
        tcp.daemon.stop()
        tcp.daemon.start()
        assert status_of(client.status) == 401


@pytest.mark.live
def test_a_token_that_is_revoked_while_a_submit_comes_submits_nothing(tcp: Tcp) -> None:
    ann = tcp.token(user="ann")
    body = b'{"jobs": [{"emulate": {"run_s": 1}}]}'
    head = (
        f"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ann.text}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    trust = ssl.create_default_context(cafile=str(tcp.ca))
    with (
        socket.create_connection(("127.0.0.1", tcp.port), DEADLINE_S) as plain,
        trust.wrap_socket(plain, server_hostname="127.0.0.1") as sock,
    ):
        sock.sendall(head.encode() + body[:10])
        with tcp.client(ann) as client:
            client.status()  # the head has been taken before this
        tcp.daemon.client.revoke_token(ann.id)
        sock.sendall(body[10:])
        assert sock.recv(12) == b"HTTP/1.1 401"
    assert tcp.daemon.client.jobs(states="all") == []


@pytest.mark.live
def test_a_token_that_expires_opens_nothing(tcp: Tcp) -> None:
    token = tcp.token(user="ann", expires_s=0.5)

    def refused() -> bool:
        with tcp.client(token) as client:
            try:
                client.status()
            except ApiError as error:
                return error.status == 401
        return False

    wait_until(refused)


@pytest.mark.live
def test_users_make_tokens_for_themselves_alone(tcp: Tcp) -> None:
    ann = tcp.token(user="ann", expires_s=600.0)
    with tcp.client(ann) as client:
        for more in (
            {"role": "operator"}, {"role": "admin"}, {"role": "agent"}, {"user": "bob"},
        ):  # fmt: skip
            assert status_of(client.make_token, fields(new_token(), **more)) == 403
        for bad in ({"id": "x"}, {"digest": "0"}, {"expires_s": -1.0}, {"uses": 2}, {"name": "\n"}):
            assert status_of(client.make_token, {**fields(new_token()), **bad}) == 400
        second = new_token()
        made = client.make_token(fields(second, expires_s=None))
        # The new token ends with the one that made it. The same request again makes no second
        # token.
        [own] = [record for record in client.tokens() if record["id"] == ann.id]
        assert made["expires_us"] == own["expires_us"]
        assert client.make_token(fields(second, expires_s=None)) == made
        assert status_of(client.make_token, {**fields(second), "digest": "0" * 64}) == 409
        other = tcp.token(user="bob")
        assert {record["id"] for record in client.tokens()} == {ann.id, second.id}
        assert status_of(client.revoke_token, other.id) == 404
        assert client.revoke_token(ann.id)["state"] == "revoked"  # oneself, and is told so
        with tcp.client(second) as of_second:
            assert status_of(of_second.status) == 401


@pytest.mark.live
def test_a_user_makes_a_hundred_tokens_at_once_and_then_one_a_minute(tcp: Tcp) -> None:
    with tcp.client(tcp.token(user="ann")) as client:

        def make(token: Token) -> Response:
            body = json.dumps(fields(token)).encode()
            return client.connection.request("POST", "/v1/tokens", body)

        made = [new_token() for _ in range(100)]
        for token in made:
            assert make(token).status == 201
        refused = make(new_token())
        assert refused.status == 429
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert make(made[0]).status == 201  # a repetition
        assert status_of(client.make_token, {**fields(new_token()), "id": "x"}) == 400
        assert len(client.tokens()) == 101
    tcp.token(user="bob")


@pytest.mark.live
def test_a_long_poll_ends_with_its_token(tcp: Tcp) -> None:
    """What is answered late is not answered to who may not have it any more."""
    ann = tcp.token(user="ann")
    with tcp.client(ann) as client, ThreadPoolExecutor(1) as pool:
        job_id = client.submit([{"emulate": {"run_s": 600}}])[0]["job_id"]
        answered = pool.submit(status_of, client.job, job_id, DEADLINE_S)
        time.sleep(0.5)  # the request waits by then, most likely
        assert not answered.done()
        tcp.daemon.client.revoke_token(ann.id)
        tcp.daemon.client.cancel(job_id)
        assert answered.result(DEADLINE_S) == 401


@pytest.mark.live
def test_output_that_is_followed_ends_with_the_token(tcp: Tcp) -> None:
    """What a job writes after the revocation is not told to who has followed its output."""
    daemon, gate = tcp.daemon, tcp.daemon.work / "gate"
    os.mkfifo(gate)
    job_id = daemon.submit(f"echo begun; read line < {gate}; echo secret; sleep 600")
    owner = tcp.token(user=daemon.client.job(job_id)["user"])
    with tcp.client(owner) as client, ThreadPoolExecutor(1) as pool:
        assert client.output(job_id, wait_s=DEADLINE_S).data == b"begun\n"
        followed = pool.submit(
            status_of, lambda: client.output(job_id, offset=6, wait_s=DEADLINE_S)
        )
        time.sleep(0.5)  # the request waits by then, most likely
        daemon.client.revoke_token(owner.id)
        gate.write_text("go on\n")
        assert followed.result(DEADLINE_S) == 401
    daemon.client.cancel(job_id)


@pytest.mark.live
def test_nothing_secret_is_kept_or_told(tcp: Tcp) -> None:
    """Not in the state directory, not in logs, not in the arguments of any process."""
    token = tcp.token(user="ann")
    with tcp.client(token) as client:
        client.submit([{"emulate": {"run_s": 0}, "env": {"RMSD_TOKEN": token.text}}])
        tcp.daemon.client.revoke_token(token.id)
        assert status_of(client.status) == 401
        arguments = [" ".join(words_of(process)) for process in tcp.daemon.processes()]
    tcp.daemon.stop()
    files = [path for path in tcp.daemon.state.rglob("*") if path.is_file()]
    texts = [path.read_bytes() for path in [*files, tcp.daemon.log]]
    assert any(token.id.encode() in text for text in texts)
    assert not any(token.secret.encode() in text for text in texts)
    assert not any(token.secret in text for text in arguments)


@pytest.mark.live
def test_a_name_without_an_account_is_told(tcp: Tcp) -> None:
    """The name may be that of an account elsewhere, or a slip of the pen."""
    for name, told in ((pwd.getpwuid(0).pw_name, False), ("no-such-account", True)):
        made = tcp.daemon.run("rmsd", "token", "new", "--user", name)
        assert parse_token(made.stdout) is not None
        assert (f"there is no account '{name}' on this machine" in made.stderr) == told


@pytest.mark.live
def test_the_commands(tcp: Tcp) -> None:
    made = tcp.daemon.run(
        "rmsd", "token", "new", "--user", "ann", "--name", "laptop", "--expires", "1d"
    )
    token = parse_token(made.stdout)
    assert token is not None
    assert "role user, for ann, until" in made.stderr
    assert token.secret not in made.stderr
    table = tcp.daemon.rmsd("token", "list").stdout
    assert [line.split()[:4] for line in table.splitlines()[1:]] == [
        [token.id, "user", "ann", "valid"]
    ]
    listed = json.loads(tcp.daemon.rmsd("token", "list", "--json").stdout)["tokens"]
    assert [(one["id"], one["name"]) for one in listed] == [(token.id, "laptop")]
    assert tcp.daemon.rmsd("token", "revoke", token.id).returncode == 0
    assert "revoked" in tcp.daemon.rmsd("token", "list").stdout
    assert tcp.daemon.rmsd("token", "revoke", "nonsense").returncode == 1
    join = json.loads(
        tcp.daemon.run(
            "rmsd", "token", "new", "--role", "agent", "--expires", "never", "--json"
        ).stdout
    )
    assert (join["token"]["uses"], join["token"]["expires_us"]) == (1, None)
    for wrong in (
        ["--expires", "soon"],
        ["--uses", "3"],
        ["--expires", "0"],
        ["--role", "agent", "--user", "ann"],
    ):
        assert tcp.daemon.rmsd("token", "new", *wrong).returncode == 2
    trail = [line.split("  ", 2)[2] for line in tcp.daemon.rmsd("audit").stdout.splitlines()]
    assert trail == [
        f"token new {token.id} (user for ann)",
        f"token revoke {token.id} (user for ann)",
        f"token new {join['token']['id']} (agent for agents)",
    ]


@pytest.mark.live
def test_one_bad_id_does_not_keep_the_others_from_being_revoked(tcp: Tcp) -> None:
    first, second = tcp.token(user="ann"), tcp.token(user="bob")
    done = tcp.daemon.rmsd("token", "revoke", "none", first.id, "nothing", second.id)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [f"token {token.id} is revoked" for token in (first, second)]
    errors = done.stderr.splitlines()
    assert [line.startswith("rmsd: error: ") for line in errors] == [True, True]
    assert ["none" in errors[0], "nothing" in errors[1]] == [True, True]
    assert {token["state"] for token in tcp.daemon.client.tokens()} == {"revoked"}


@pytest.mark.live
def test_an_administrator_stops_the_daemon_from_afar(tcp: Tcp) -> None:
    def stop(**asked: Any) -> subprocess.CompletedProcess[str]:
        token_file = str(tcp.file(tcp.token(user="eve", **asked)))
        where = ("--server", tcp.url, "--ca-file", str(tcp.ca), "--token-file", token_file)
        return tcp.daemon.rmsd("stop", *where)

    assert stop(role="operator").returncode == 77
    assert stop(role="admin").returncode == 0
    assert tcp.daemon.process is not None
    assert tcp.daemon.process.wait(DEADLINE_S) == 0
    done = json.loads(tcp.daemon.rmsd("audit", "--json", str(tcp.daemon.state)).stdout)
    assert [(one["user"], one["action"]) for one in done["entries"][-1:]] == [("eve", "shutdown")]


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
        client.cancel(own)
        daemon.wait(own)
        assert status_of(client.job, own) == 401
    daemon.client.cancel(other)


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
def test_a_token_file_that_others_can_read_is_not_used(tcp: Tcp) -> None:
    path = tcp.file(tcp.token(user="ann"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o640)
    with pytest.raises(NotPermitted, match="chmod 600"):
        Client(tcp.url, str(path), str(tcp.ca))


@pytest.mark.live
def test_the_audit_trail(tcp: Tcp) -> None:
    """Who did what, and who was refused; also from the state directory, without a daemon."""
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
    """And those that are started with a token; but not a job's own, of which there may be many."""
    daemon, boss = tcp.daemon, tcp.token(user="boss", role="admin")
    job_id = daemon.submit("rrun true; sleep 600")
    daemon.wait_for(job_id, "RUNNING")
    [node] = daemon.client.job(job_id)["nodelist"].split(",")
    task = {"node": node, "step": "s", "task": 0, "argv": ["sleep", "600"]}
    with tcp.client(boss) as client:
        client.start_task(job_id, task)
        client.signal_task(job_id, "s", 0, node, 9)
    daemon.client.start_task(job_id, {**task, "step": "own"})
    done = [one for one in daemon.client.audit() if one["action"].endswith("-task")]
    whose = daemon.client.job(job_id)["user"]
    subject = f"task 0 of step s of job {job_id} of {whose}"
    assert [(one["user"], one["action"], one["subject"]) for one in done] == [
        ("boss", "start-task", subject),
        ("boss", "stop-task", subject),
    ]
    assert all(f"token {boss.id}" in one["via"] for one in done)
    daemon.client.cancel(job_id)
    daemon.wait(job_id)


@pytest.mark.live
def test_who_is_refused_cannot_write_the_record(tcp: Tcp) -> None:
    """It is one line, with the address, whatever the path has in it."""
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
