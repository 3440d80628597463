"""The rights of callers: a daemon of root's, and other accounts of the machine on its socket."""

from __future__ import annotations

import grp
import json
import os
import pwd
import socket
import stat
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest
from aiohttp import web

from rmsd_client.api import Client
from rmsd_client.errors import ApiError, ClientError
from rmsd_daemon.agents.endpoint import LinkEndpoint
from rmsd_daemon.api.accounts import AccountsApi
from rmsd_daemon.api.cancels import Cancels
from rmsd_daemon.api.events import EventsApi
from rmsd_daemon.api.job_changes import JobChanges
from rmsd_daemon.api.job_io import JobIoApi
from rmsd_daemon.api.monitoring import MonitoringApi
from rmsd_daemon.api.orders import OrdersApi
from rmsd_daemon.api.past_reservations import PastReservationsApi
from rmsd_daemon.api.priorities import PrioritiesApi
from rmsd_daemon.api.reservations import ReservationsApi
from rmsd_daemon.api.resources import Api
from rmsd_daemon.api.router import routes
from rmsd_daemon.api.steps import StepsApi
from rmsd_daemon.api.submits import Submits
from rmsd_daemon.api.tokens import TokensApi
from rmsd_daemon.api.usage import UsageApi
from rmsd_daemon.application import highest_role
from rmsd_daemon.callers.auth import Accounts, Authenticator, Caller, Role, Shown
from rmsd_daemon.callers.tokens import Tokens
from rmsd_daemon.domain.errors import Forbidden
from rmsd_daemon.front.operations import BY_ROUTE
from rmsd_wire.tokens import new_token
from tests.daemon.accounts import ADMIN, ANN, BOB, OPERATOR, client_of
from tests.daemon.grants import NO_JOBS, grant
from tests.live import Daemon
from tests.waiting import DEADLINE_S

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")


@pytest.fixture
def shared(start_daemon: Callable[..., Daemon]) -> Daemon:
    """Return a daemon that serves every account, with two emulated nodes of four cores."""
    config = f'kill_grace = "1s"\noperators = ["@{OPERATOR}"]\nadmins = ["{ADMIN}"]\n'
    daemon = start_daemon("--no-local-node", "--emulate", "2x4", config=config, begin=False)
    daemon.root.chmod(0o755)
    daemon.options = (*daemon.options, "--socket", str(daemon.root / "run" / "rmsd.sock"))
    return daemon.start()


def refusal(call: Callable[..., Any], *args: Any, **options: Any) -> tuple[int, str]:
    """Return status and text of the error that a call must end with."""
    with pytest.raises(ApiError) as caught:
        call(*args, **options)
    return caught.value.status, str(caught.value)


def timer(**spec: Any) -> dict[str, Any]:
    return {"emulate": {"run_s": 600}, "tasks": 8, "time_limit_s": 900, **spec}


async def nobody(request: web.Request) -> web.Response:
    raise AssertionError(request)


def test_every_route_is_in_the_table() -> None:
    """The server's routes are made from the table, and not without a handler for each."""
    kinds: list[Any] = [Api, Submits, Cancels, JobChanges, JobIoApi, EventsApi]
    kinds += [AccountsApi, StepsApi, UsageApi, OrdersApi, PrioritiesApi, ReservationsApi, TokensApi]
    kinds.append(PastReservationsApi)
    kinds += [MonitoringApi, LinkEndpoint]
    assert {(one.method, one.path) for one in routes(kinds)} == set(BY_ROUTE)
    with pytest.raises(ValueError, match=r"is missing: agent_link$"):
        routes(kinds[:-1])
    with pytest.raises(ValueError, match=r"is missing: nobody$"):
        routes([*kinds, SimpleNamespace(OPERATIONS=("nobody",), nobody=nobody)])


def test_roles_cover_what_is_below_and_agents_stand_aside() -> None:
    ladder = [Role.USER, Role.OPERATOR, Role.ADMIN]
    for i, role in enumerate(ladder):
        assert [role.covers(least) for least in ladder] == [True] * (i + 1) + [False] * (2 - i)
        assert not role.covers(Role.AGENT)
        assert not Role.AGENT.covers(role)
    assert Role.AGENT.covers(Role.AGENT)


def test_roles_come_from_names_and_groups() -> None:
    accounts = Accounts(operators=[f"@{OPERATOR}", "elsewhere"], admins=[ADMIN])
    names = (ANN, OPERATOR, ADMIN, "elsewhere", "nobody-at-all", "root", "0", str(os.getuid()))
    assert [accounts.role_of(name).value for name in names] == [
        "user", "operator", "admin", "operator", "user", "admin", "admin", "admin",
    ]  # fmt: skip


@pytest.fixture
def accounts_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the accounts of this machine by a login of digits, with the uid of nobody, an account
    whose number is another one's login, and two entries of one uid."""
    entries = [
        pwd.struct_passwd((name, "x", uid, 100 + uid, "", "/", "/bin/sh"))
        for name, uid in (
            ("olga", 70001), ("70001", 70002), ("70009", 70003), ("olga-too", 70001),
            ("carl", 70004),
        )
    ]  # fmt: skip

    def by_name(name: str) -> pwd.struct_passwd:
        alias = name.lower()  # some directories ignore the case of names
        return next((entry for entry in entries if entry.pw_name == alias), None) or _missing(name)

    def by_uid(uid: int) -> pwd.struct_passwd:
        return next((entry for entry in entries if entry.pw_uid == uid), None) or _missing(uid)

    monkeypatch.setattr(pwd, "getpwnam", by_name)
    monkeypatch.setattr(pwd, "getpwuid", by_uid)
    monkeypatch.setattr(os, "getgrouplist", lambda _, gid: [gid])
    groups = {70101: "staff", 70104: "clerks"}
    monkeypatch.setattr(
        grp, "getgrgid", lambda gid: grp.struct_group((groups.get(gid, "others"), "x", gid, []))
    )


def _missing(key: object) -> NoReturn:
    raise KeyError(key)


@pytest.mark.usefixtures("accounts_here")
def test_a_login_of_digits_has_no_role_of_the_account_with_that_number() -> None:
    accounts = Accounts(operators=["carl"], admins=["@staff"])
    assert accounts.role_of("olga") is Role.ADMIN
    assert accounts.role_of("70001") is Role.USER
    # no login has this name: the number's account counts
    assert accounts.role_of("70004") is Role.OPERATOR


@pytest.mark.usefixtures("accounts_here")
def test_all_names_of_an_account_have_its_role() -> None:
    accounts = Accounts(operators=["@clerks"], admins=["olga"])
    for name in ("olga", "OLGA", "olga-too", "Olga-Too"):
        assert accounts.role_of(name) is Role.ADMIN
    tokens = Tokens([grant(new_token(), user="carl", role=Role.ADMIN)], NO_JOBS)
    assert accounts.role_of("CARL") is Role.OPERATOR
    assert highest_role(accounts, tokens, "CARL") is Role.ADMIN


@pytest.mark.usefixtures("accounts_here")
def test_a_number_without_an_account_is_not_the_account_of_that_name() -> None:
    """A user may have such numbers, as in a user namespace (/etc/subuid)."""
    tokens = Tokens([], NO_JOBS)
    authenticator = Authenticator(Accounts([], []), tokens, everybody=True)
    assert authenticator.caller_of(70003).user == "70009"
    assert authenticator.caller_of(70008).user == "70008"
    with pytest.raises(Forbidden, match="no name here that is its own"):
        authenticator.caller_of(70009)


@pytest.mark.usefixtures("accounts_here")
def test_who_loses_a_role_loses_it_for_what_is_under_way() -> None:
    """A stream of events told an operator of earlier of the jobs of all, as long as it was open."""
    accounts = Accounts(operators=["carl"], admins=["olga"])
    token = new_token()
    tokens = Tokens([grant(token, user="carl", role=Role.USER)], NO_JOBS)
    authenticator = Authenticator(accounts, tokens, everybody=True)
    carl, olga = authenticator.caller_of(70004), authenticator.caller_of(70001)
    by_token = authenticator.caller(Shown(None, f"Bearer {token.text}", "127.0.0.1"))
    assert (carl.role, olga.role, by_token.role) == (Role.OPERATOR, Role.ADMIN, Role.OPERATOR)
    callers = (carl, olga, by_token)
    accounts.set_lists(["carl", "olga"], ["olga"])
    for caller in callers:
        authenticator.still(caller)
    accounts.set_lists([], [])
    for caller in callers:
        with pytest.raises(Forbidden, match="does not have the role"):
            authenticator.still(caller)


def test_only_operators_see_the_jobs_of_others() -> None:
    assert Caller("ann", Role.USER, "").sees(1, "ann")
    assert not Caller("ann", Role.USER, "").sees(1, "bob")
    assert Caller("ann", Role.OPERATOR, "").sees(1, "bob")
    assert not Caller("", Role.AGENT, "").sees(1, "bob")


def after_ok(job_id: int) -> dict[str, Any]:
    return {"dependencies": [{"relation": "afterok", "job_id": job_id}]}


@needs_root
@pytest.mark.live
def test_only_an_operator_releases_what_an_operator_holds(shared: Daemon) -> None:
    with client_of(shared, ANN) as ann, client_of(shared, OPERATOR) as operator:
        [hers] = ann.submit([timer(conditions={"hold": True})])
        job_id = hers["job_id"]
        operator.change(job_id, "hold")
        assert ann.job(job_id)["reason"] == "JobHeldAdmin"
        ann.change(job_id, "hold")  # the hold stays the operator's
        with pytest.raises(ApiError, match="only an operator can release"):
            ann.change(job_id, "release")
        assert operator.change(job_id, "release")["conditions"] is None
        ann.cancel(job_id)


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@needs_root
@pytest.mark.live
def test_only_an_operator_suspends_jobs_and_resumes_them(shared: Daemon) -> None:
    with client_of(shared, ANN) as ann, client_of(shared, OPERATOR) as operator:
        [hers] = ann.submit([timer()])
        job_id = hers["job_id"]
        shared.wait_for(job_id, "RUNNING")
        with pytest.raises(ApiError, match="only an operator can suspend"):
            ann.change(job_id, "suspend")
        operator.change(job_id, "suspend")
        with pytest.raises(ApiError, match="only an operator can suspend"):
            ann.change(job_id, "resume")
        assert ann.job(job_id)["state"] == "SUSPENDED"
        ann.cancel(job_id)
        assert operator.wait(job_id)["state"] == "CANCELLED"


@needs_root
@pytest.mark.live
def test_a_user_cannot_see_or_touch_the_job_of_another(shared: Daemon) -> None:
    with client_of(shared, ANN) as ann, client_of(shared, BOB) as bob:
        [hers] = ann.submit([timer(name="secret-name", comment="secret-comment")])
        [his] = bob.submit([timer()])
        job_id, his_id = hers["job_id"], his["job_id"]
        assert [job["job_id"] for job in ann.jobs(states="all")] == [job_id]
        assert [job["job_id"] for job in bob.jobs(states="all")] == [his_id]
        assert bob.jobs(states="all", user=ANN) == bob.jobs(ids=[job_id]) == []
        unknown = (404, "there is no job {}")
        task = {"node": "e1", "step": "s", "task": 0, "argv": ["true"]}
        for look in (
            bob.job,
            bob.attempts,
            bob.explain,
            bob.output,
            bob.cancel,
            lambda number: bob.change(number, "hold"),
            lambda number: bob.cancel_all([his_id, number]),
            lambda number: bob.job(number, wait_s=600.0),
            lambda number: bob.start_task(number, task),
            lambda number: bob.signal_task(number, "s", 0, "e1", 15),
        ):
            assert refusal(look, job_id) == (404, unknown[1].format(job_id))
            assert refusal(look, 10**6) == (404, unknown[1].format(10**6))
        for number in (job_id, 10**6):
            with pytest.raises(ApiError, match=f"there is no job {number}"):
                bob.submit([timer(conditions=after_ok(number))])
        shared.wait_for(job_id, "RUNNING")
        why = bob.explain(his_id)
        assert [other["job_id"] for other in why["wait"]["holders"]] == [job_id]
        told = json.dumps([why, bob.plan(), bob.nodes(), bob.status()])
        assert "secret" not in told
        assert [start["job_id"] for start in bob.plan()["starts"]] == [his_id]
        assert ann.plan()["starts"] == []
        assert {other["user"] for other in why["wait"]["holders"]} == {""}
        ann.cancel(job_id)
        bob.cancel(his_id)


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@needs_root
@pytest.mark.live
def test_operators_see_all_and_admins_stop_the_daemon(shared: Daemon) -> None:
    with (
        client_of(shared, ANN) as ann,
        client_of(shared, OPERATOR) as operator,
        client_of(shared, ADMIN) as admin,
    ):
        roles = [client.status()["you"]["role"] for client in (ann, operator, admin)]
        assert roles == ["user", "operator", "admin"]
        job_id = ann.submit([timer(name="hers")])[0]["job_id"]
        assert operator.job(job_id)["name"] == "hers"
        assert [job["user"] for job in operator.jobs()] == [ANN]
        for act in (
            ann.drain,
            lambda node, _: ann.resume(node),
            lambda node, _: ann.forget_node(node),
        ):
            status, text = refusal(act, "e1", "why not")
            assert (status, "is for the role 'operator'" in text) == (403, True)
        assert operator.drain("e1", "disk")["reason"] == "disk"
        operator.resume("e1")
        assert operator.cancel(job_id)["user"] == ANN
        for client in (ann, operator):
            status, text = refusal(client.shutdown)
            assert (status, "is for the role 'admin'" in text) == (403, True)
        admin.shutdown()
    assert shared.process is not None
    assert shared.process.wait(DEADLINE_S) == 0


@needs_root
@pytest.mark.live
def test_nobody_submits_for_an_account_that_may_do_more(shared: Daemon) -> None:
    def submit(client: Client, user: str) -> Any:
        return client.submit([timer(user=user)])[0]["job_id"]

    with (
        client_of(shared, ANN) as ann,
        client_of(shared, OPERATOR) as operator,
        client_of(shared, ADMIN) as admin,
    ):
        assert ann.job(submit(ann, ANN))["user"] == ANN
        assert refusal(submit, ann, BOB)[0] == 403
        assert operator.job(submit(operator, BOB))["user"] == BOB
        for user in ("root", "0", ADMIN):
            assert refusal(submit, operator, user)[0] == 403
        assert admin.job(submit(admin, "root"))["user"] == "root"


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@needs_root
@pytest.mark.live
def test_nobody_runs_a_task_in_the_job_of_an_account_that_may_do_more(shared: Daemon) -> None:
    """A task is a command of the caller's that runs as the job's user."""
    with (
        client_of(shared, ANN) as ann,
        client_of(shared, OPERATOR) as operator,
        client_of(shared, ADMIN) as admin,
    ):

        def status_of_task(client: Client, job_id: int) -> int:
            body = json.dumps({"argv": ["true"], "node": "e1", "step": "s", "task": 0})
            path = f"/v1/jobs/{job_id}/tasks"
            return client.connection.request("POST", path, body.encode()).status

        hers, theirs = (client.submit([timer(tasks=1)])[0]["job_id"] for client in (ann, admin))
        for job_id in (hers, theirs):
            shared.wait_for(job_id, "RUNNING")
        assert status_of_task(operator, theirs) == 403
        assert status_of_task(ann, theirs) == 404
        assert status_of_task(operator, hers) != 403


def test_a_token_gives_a_role_too() -> None:
    """A caller that stands in for an account must not gain what the account's tokens open."""
    accounts = Accounts(["olga"], [])
    token, revoked = new_token(), new_token()
    tokens = Tokens([grant(token, user="bob", role=Role.ADMIN)], NO_JOBS)
    assert highest_role(accounts, tokens, "bob") is Role.ADMIN
    assert highest_role(accounts, tokens, "olga") is Role.OPERATOR
    assert highest_role(accounts, tokens, "carl") is Role.USER
    ended = grant(revoked, user="carl", role=Role.ADMIN)
    tokens.put(ended)
    assert highest_role(accounts, tokens, "carl") is Role.ADMIN
    tokens.put(ended.revoked(1))
    assert highest_role(accounts, tokens, "carl") is Role.USER


@needs_root
@pytest.mark.live
def test_the_link_is_for_agents_alone(shared: Daemon) -> None:
    with client_of(shared, ADMIN) as admin:
        response = admin.connection.request("GET", "/v1/link", None, {}, 0.0)
    assert response.status == 403
    assert "this is for the role 'agent'" in json.loads(response.body)["detail"]


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@needs_root
@pytest.mark.live
def test_the_socket_is_open_and_the_state_is_not(shared: Daemon) -> None:
    public = shared.root / "run" / "rmsd.sock"
    paths = (public.parent, public, shared.state, shared.state / "rmsd.sock")
    modes = [stat.S_IMODE(path.stat().st_mode) for path in paths]
    assert modes == [0o755, 0o666, 0o711, 0o600]
    for path in shared.state.rglob("*"):
        assert path.is_dir() or not path.stat().st_mode & 0o077, path
    told = shared.rmsd("status").stdout
    assert f"serves: every account of this machine on {public}; operators: @{OPERATOR}" in told
    second = shared.rmsd("start", "--no-local-node", "--state-dir", f"{shared.root}/other",
                  "--socket", str(public))  # fmt: skip
    assert (second.returncode, f"another daemon serves {public}" in second.stderr) == (1, True)
    shared.stop()
    assert not public.exists()
    public.parent.chmod(0o777)
    unsafe = shared.rmsd(*shared.command()[1:])
    assert (unsafe.returncode, "can be changed by others" in unsafe.stderr) == (1, True)


@needs_root
@pytest.mark.live
def test_jobs_run_as_who_submitted_them(start_daemon: Callable[..., Daemon]) -> None:
    """The jobs run on the daemon's own machine, from the submit on the socket to the output."""
    daemon = start_daemon(begin=False)
    daemon.root.chmod(0o755)
    daemon.options = ("--socket", str(daemon.root / "run" / "rmsd.sock"))
    daemon.start()
    daemon.work.chmod(0o777)
    script = '#!/bin/sh\nid -un\necho "$RMSD_SERVER"\ncat "$0" > /dev/null && echo read\n'
    with client_of(daemon, ANN) as ann, client_of(daemon, BOB) as bob:
        job_id = ann.submit([{"script": script, "workdir": str(daemon.work)}])[0]["job_id"]
        done = ann.wait(job_id, DEADLINE_S)
        assert (done["state"], done["message"]) == ("COMPLETED", "")
        said = [ANN, f"unix:{daemon.root}/run/rmsd.sock", "read"]
        assert ann.output(job_id).data.decode().splitlines() == said
        assert refusal(bob.output, job_id)[0] == 404


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@needs_root
@pytest.mark.live
def test_without_a_public_socket_root_is_served_alone(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node")
    assert "serves: root alone on its Unix socket" in daemon.rmsd("status").stdout
    daemon.root.chmod(0o755)
    os.seteuid(65534)
    try:
        with (
            Client(f"unix:{daemon.state}/rmsd.sock", retry_for_s=0) as client,
            pytest.raises(ClientError, match="Permission denied"),
        ):
            client.status()
    finally:
        os.seteuid(0)


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
@needs_root
@pytest.mark.live
def test_urls_that_do_not_answer_delay_the_notices_of_their_user_alone(shared: Daemon) -> None:
    with (
        socket.create_server(("127.0.0.1", 0), backlog=100) as deaf,
        socket.create_server(("127.0.0.1", 0)) as listener,
        client_of(shared, ANN) as ann,
        client_of(shared, BOB) as bob,
    ):
        over = {"emulate": {"run_s": 0}}
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/"
        ids = [told["job_id"] for told in ann.submit([over | {"notify": url}] * 40)]
        for job_id in ids:
            ann.wait(job_id)
        bob.submit([over | {"notify": f"http://127.0.0.1:{listener.getsockname()[1]}/"}])
        listener.settimeout(DEADLINE_S)
        connection, _ = listener.accept()
        with connection:
            assert connection.recv(5) == b"POST "
