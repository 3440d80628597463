"""Tokens: what they open, until when, and what is kept of them.

Long: most tests start a daemon with TLS.
"""

from __future__ import annotations

import json
import os
import pwd
import socket
import ssl
import stat
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPSConnection
from typing import Any

import pytest

from rmsd_client.api import Client
from rmsd_client.connection.http import Response
from rmsd_client.errors import ApiError, NotPermitted
from rmsd_daemon.callers.auth import Role
from rmsd_daemon.callers.tokens import Tokens, now_us
from rmsd_daemon.domain.errors import DaemonError as Refusal
from rmsd_daemon.front.problems import problem_of
from rmsd_wire.tokens import Token, new_token, parse_token
from tests.command_lines import words_of
from tests.daemon.grants import NO_JOBS, grant
from tests.daemon.token_calls import fields, shown, status_of
from tests.tcp import Tcp
from tests.waiting import DEADLINE_S, wait_until


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@contextmanager
def _asked(tcp: Tcp, token: Token, target: str) -> Iterator[HTTPSConnection]:
    """Give a connection on which something was asked that the daemon answers later.

    The daemon reads what has come in the order of its connections. So the request is under way once
    others that were sent after it are answered.
    """
    context = ssl.create_default_context(cafile=str(tcp.ca))
    headers = {"Authorization": shown(token)}
    with closing(
        HTTPSConnection("127.0.0.1", tcp.port, timeout=DEADLINE_S, context=context)
    ) as one:
        one.request("GET", "/v1/status", headers=headers)  # the connection stands after that
        assert one.getresponse().read()
        one.request("GET", target, headers=headers)
        for _ in range(3):
            tcp.daemon.client.status()
        yield one


@pytest.mark.live
def test_a_long_poll_ends_with_its_token(tcp: Tcp) -> None:
    """A late answer does not go to a caller that may not have it any more."""
    ann = tcp.token(user="ann")
    with tcp.client(ann) as client:
        job_id = client.submit([{"emulate": {"run_s": 600}}])[0]["job_id"]
    with _asked(tcp, ann, f"/v1/jobs/{job_id}?wait_s={DEADLINE_S}") as waiting:
        tcp.daemon.client.revoke_token(ann.id)
        tcp.daemon.client.cancel(job_id)
        assert waiting.getresponse().status == 401


@pytest.mark.slow
@pytest.mark.live
def test_output_that_is_followed_ends_with_the_token(tcp: Tcp) -> None:
    """What a job writes after the revocation is not told to the caller that has followed its
    output."""
    daemon, gate = tcp.daemon, tcp.daemon.work / "gate"
    os.mkfifo(gate)
    job_id = daemon.submit(f"echo begun; read line < {gate}; echo secret; sleep 600")
    owner = tcp.token(user=daemon.client.job(job_id)["user"])
    with tcp.client(owner) as client:
        assert client.output(job_id, wait_s=DEADLINE_S).data == b"begun\n"
    with _asked(tcp, owner, f"/v1/jobs/{job_id}/output?offset=6&wait_s={DEADLINE_S}") as waiting:
        daemon.client.revoke_token(owner.id)
        gate.write_text("go on\n")
        assert waiting.getresponse().status == 401
    daemon.client.cancel(job_id)


@pytest.mark.slow
@pytest.mark.live
def test_nothing_secret_is_kept_or_told(tcp: Tcp) -> None:
    """No secret is in the state directory, in logs, or in the arguments of a process."""
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


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
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


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
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


@pytest.mark.live
def test_a_token_file_that_others_can_read_is_not_used(tcp: Tcp) -> None:
    path = tcp.file(tcp.token(user="ann"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o640)
    with pytest.raises(NotPermitted, match="chmod 600"):
        Client(tcp.url, str(path), str(tcp.ca))
