"""Mails about jobs, by a program that stands for sendmail and to a server that speaks SMTP."""

from __future__ import annotations

import os
import socket
import socketserver
import sqlite3
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from rmsd_cli import certificates
from rmsd_client.errors import ApiError
from tests.daemon.mail_site import EMULATED, SENDMAIL, Site
from tests.daemon.silent_names import silence
from tests.key_updates import Records, recorded
from tests.live import Daemon
from tests.waiting import DEADLINE_S, wait_until

pytestmark = pytest.mark.live


@pytest.fixture
def site(start_daemon: Callable[..., Daemon], tmp_path: Path) -> Site:
    return Site(start_daemon, tmp_path)


def test_a_user_is_told_of_begin_and_end(
    start_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    site = Site(start_daemon, tmp_path, 'mail_from = "batch"\nmail_domain = "example.org"\n')
    asked = {"mail_types": ["BEGIN", "END"], "mail_user": "anna, otto@example.com"}
    job_id = site.daemon.submit("exit 3", name="süß", **asked)
    began, ended = site.subjects_in_the_end(job_id)
    assert began == f"Job_id={job_id} Name=süß Began, Queued time T"
    assert ended == f"Job_id={job_id} Name=süß Failed, Run time T, FAILED, ExitCode 3"
    options, message = site.mails()[0]
    assert options == "-i -f batch@example.org -- anna@example.org otto@example.com"
    assert message["To"] == "anna@example.org, otto@example.com"
    assert message["From"] == "batch@example.org"
    assert f"Job: {job_id}\nName: süß\n" in message.get_content()
    job = site.daemon.client.job(job_id)
    assert (job["mail_types"], job["mail_user"]) == (["BEGIN", "END"], "anna,otto@example.com")


def test_a_mail_without_an_address_goes_to_the_jobs_user(site: Site) -> None:
    job_id = site.daemon.emulate(0.01, mail_types=["END"])
    site.subjects_in_the_end(job_id)
    [(options, _)] = site.mails()
    assert options == f"-i -f rmsd -- {site.daemon.client.job(job_id)['user']}"


def test_failures_alone_are_told(site: Site) -> None:
    jobs = {
        "good": site.daemon.submit("true", mail_types=["FAIL"]),
        "bad": site.daemon.submit("exit 1", mail_types=["FAIL"]),
        "cancelled": site.daemon.submit("sleep 600", mail_types=["FAIL"]),
        "late": site.daemon.submit("sleep 600", time_limit_s=0.2, mail_types=["TIME_LIMIT"]),
        "soon": site.daemon.submit("exit 1", mail_types=["TIME_LIMIT"]),
    }
    site.daemon.client.cancel(jobs["cancelled"])
    bad, late = site.subjects_in_the_end(*jobs.values())
    assert bad.startswith(f"Job_id={jobs['bad']} Name=job Failed, Run time")
    assert late.startswith(f"Job_id={jobs['late']} Name=job Failed, Run time")
    assert late.endswith(" TIMEOUT")


def test_an_array_is_told_of_as_a_whole_or_by_tasks(site: Site) -> None:
    both = ["BEGIN", "END"]
    whole = site.daemon.emulate(0.01, array="0-3", name="whole", mail_types=both)
    assert site.subjects_in_the_end(whole) == [
        f"Array Job_id={whole} Name=whole Began, Queued time T",
        f"Array Job_id={whole} Name=whole Ended, COMPLETED, ExitCode 0",
    ]
    tasks = site.daemon.emulate(0.01, array="7,9", name="task", mail_types=[*both, "ARRAY_TASKS"])
    told = [subject for subject in site.subjects_in_the_end(tasks) if "Name=task" in subject]
    assert len(told) == 4
    for index, job_id in ((7, tasks + 1), (9, tasks + 2)):
        assert sum(f"Job_id={tasks}_{index} ({job_id}) " in subject for subject in told) == 2


def test_begin_is_told_once_though_the_job_starts_again_and_the_daemon_too(site: Site) -> None:
    asked = ["BEGIN", "REQUEUE"]
    job_id = site.daemon.submit("sleep 600", name="j", mail_types=asked)
    wait_until(lambda: site.daemon.client.job(job_id)["state"] == "RUNNING")
    wait_until(site.settled)
    site.daemon.kill()
    site.daemon.start()
    for attempt in (2, 3):
        site.daemon.client.change(job_id, "requeue")
        wait_until(
            lambda attempt=attempt: (
                (job := site.daemon.client.job(job_id))["attempt"] == attempt
                and job["state"] == "RUNNING"
            )
        )
    site.daemon.client.cancel(job_id)
    assert site.subjects_in_the_end(job_id) == [
        f"Job_id={job_id} Name=j Began, Queued time T",
        f"Job_id={job_id} Name=j Requeued, requeue",
        f"Job_id={job_id} Name=j Requeued, requeue",
    ]
    with closing(sqlite3.connect(site.daemon.state / "rmsd.db", DEADLINE_S)) as database:
        assert database.execute("SELECT * FROM notice").fetchall() == []


def test_begin_is_not_told_again_when_a_job_that_is_over_is_requeued(site: Site) -> None:
    job_id = site.daemon.submit("true", name="j", mail_types=["BEGIN"])
    began = site.subjects_in_the_end(job_id)
    site.daemon.client.change(job_id, "run-again")
    wait_until(lambda: site.daemon.client.job(job_id)["attempt"] == 2)
    assert (
        site.subjects_in_the_end(job_id)
        == began
        == [f"Job_id={job_id} Name=j Began, Queued time T"]
    )


def test_a_dependency_that_can_never_be_fulfilled_is_told(site: Site) -> None:
    bad = site.daemon.submit("exit 1")
    after = {"dependencies": [{"relation": "afterok", "job_id": bad}]}
    asked: dict[str, Any] = {"mail_types": ["INVALID_DEPEND"], "name": "after"}
    waits = site.daemon.submit("true", conditions=after, **asked)
    ends = site.daemon.submit("true", conditions={**after, "end_if_never": True}, **asked)
    site.daemon.wait(ends)
    wait_until(lambda: len(site.subjects()) == 2)
    assert site.subjects() == [
        f"Job_id={waits} Name=after Invalid dependency",
        f"Job_id={ends} Name=after Ended, CANCELLED",
    ]


def test_no_name_of_a_job_adds_a_header_to_a_mail(site: Site) -> None:
    """An encoded word in the subject was decoded: its line end began another header, or, with other
    versions of Python, the mail was an error after which the notice kept its place for ever."""
    word = "=?utf-8?q?=0aBcc:_eve@example.org=0a=0aPay_here:?="
    job_id = site.daemon.emulate(0.01, name=f"a {word}", mail_types=["END"])
    [subject] = site.subjects_in_the_end(job_id)
    assert subject.startswith(f"Job_id={job_id} Name=a = ?utf-8?q?=0aBcc:_eve@example.org")
    [(_, message)] = site.mails()
    assert message["Bcc"] is None
    assert message.get_content().startswith(f"Job: {job_id}\n")


def test_a_site_without_mail_says_so(daemon: Daemon) -> None:
    [job] = daemon.client.submit(
        [{"emulate": {"run_s": 0.01}, "mail_types": ["END"], "mail_user": "$USER"}]
    )
    assert job["mail_types"] == []
    assert daemon.wait(job["job_id"])["mail_types"] == []


@pytest.mark.slow
@pytest.mark.parametrize("address", ["-oops", "a b", "a@b;c", "$USER@x", "a@b,", "a@" + "b" * 300])
def test_what_is_no_address_is_refused(site: Site, address: str) -> None:
    with pytest.raises(ApiError, match="must be an address"):
        site.daemon.submit("true", mail_types=["END"], mail_user=address)


def test_there_are_no_other_events_and_no_lists_of_addresses(site: Site) -> None:
    with pytest.raises(ApiError, match="'mail_types' has 'LUNCH'"):
        site.daemon.submit("true", mail_types=["LUNCH"])
    with pytest.raises(ApiError, match="has 5 addresses, more than 4"):
        site.daemon.submit("true", mail_types=["END"], mail_user="a,b,c,d,e")


def test_nobody_gets_more_mails_than_the_site_allows(
    start_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    site = Site(start_daemon, tmp_path, "max_mails_per_hour = 2\n")
    jobs = [site.daemon.emulate(0.01, mail_types=["END"]) for _ in range(4)]
    assert len(site.subjects_in_the_end(*jobs)) == 2
    problems = [site.daemon.client.job(job_id)["notify_problem"] for job_id in jobs]
    assert problems.count("more than 2 mails in an hour (max_mails_per_hour)") == 2
    [refused, *_] = [one for one, why in zip(jobs, problems, strict=True) if why]
    shown = site.daemon.run("rstat", str(refused), expect=0).stdout
    assert "given up: more than 2 mails in an hour (max_mails_per_hour)" in shown


def test_a_mail_that_the_program_does_not_take_is_sent_again(site: Site) -> None:
    broken = site.program.with_name("sendmail.broken")
    broken.touch()
    job_id = site.daemon.emulate(0.01, mail_types=["END"])
    site.daemon.wait(job_id)
    wait_until(lambda: "no such host" in site.daemon.log.read_text())
    assert site.subjects() == []
    broken.unlink()
    wait_until(lambda: len(site.subjects()) == 1)


class _Smtp(socketserver.StreamRequestHandler):
    """A mail server that takes one mail a connection; `server.taken` has them."""

    def handle(self) -> None:
        self._say("220 here")
        while line := self.rfile.readline().decode().strip():
            word = line.upper()[:4]
            if word == "DATA":
                self._say("354 go on")
                lines = []
                while (text := self.rfile.readline().decode()) != ".\r\n":
                    lines.append(text)
                cast("Any", self.server).taken.append("".join(lines))
            elif word in ("MAIL", "RCPT"):
                cast("Any", self.server).said.append(line)
            elif word == "QUIT":
                self._say("221 bye")
                return
            self._say("250 yes")

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@pytest.fixture
def server() -> Iterator[Any]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Smtp) as made:
        server: Any = made
        server.taken, server.said = [], []
        thread = threading.Thread(target=made.serve_forever, args=(0.05,))
        thread.start()
        yield server
        made.shutdown()
        thread.join()


def test_a_server_of_the_site_takes_mails(start_daemon: Callable[..., Daemon], server: Any) -> None:
    where = f"smtp://127.0.0.1:{server.server_address[1]}"
    daemon = start_daemon(*EMULATED, config=f'mail = "{where}"\nmail_domain = "example.org"\n')
    job_id = daemon.emulate(0.01, name="far", mail_types=["END"], mail_user="anna")
    wait_until(lambda: server.taken)
    assert [line.partition(" SIZE")[0].upper() for line in server.said] == [
        "MAIL FROM:<RMSD@EXAMPLE.ORG>",
        "RCPT TO:<ANNA@EXAMPLE.ORG>",
    ]
    assert f"Subject: Job_id={job_id} Name=far Ended," in server.taken[0]


def _told(daemon: Daemon, event: str) -> bool:
    return event in daemon.log.read_text()


def test_what_a_mail_program_leaves_behind_sends_no_mail_again(site: Site) -> None:
    """A child that kept the standard error of the program, which had taken the mail, had the mail
    sent four times."""
    child = "sleep 600 &\n"
    site.program.write_text(SENDMAIL.format() + child)
    job_id = site.daemon.emulate(0.01, mail_types=["END"])
    assert len(site.subjects_in_the_end(job_id)) == 1
    assert not _told(site.daemon, "notice-failed")


_NOISY = f"""#!{sys.executable}
import os, select, sys
os.set_blocking(2, False)
try:
    while True:
        os.write(2, b"x" * 4096)
except BlockingIOError:
    sys.exit(0 if select.select([], [2], [], 2.0)[1] else 1)
"""
"""Succeeds if somebody reads what it says."""


@pytest.mark.slow
def test_errors_of_a_mail_program_without_end_are_not_read(site: Site) -> None:
    """All of them were in the daemon's memory: gigabytes, within the time of one mail."""
    site.program.write_text(_NOISY)
    job_id = site.daemon.emulate(0.01, mail_types=["END"])
    site.daemon.wait(job_id)
    wait_until(lambda: _told(site.daemon, f'ended with 1: {"x" * 200}"'))


@pytest.mark.slow
def test_a_server_whose_name_nobody_knows_does_not_keep_the_daemon_from_its_end(
    start_daemon: Callable[..., Daemon],
) -> None:
    config = 'mail = "smtp://silent.invalid"\n'
    daemon = start_daemon(*EMULATED, config=config, begin=False)
    asked = silence(daemon)
    daemon.start()
    daemon.emulate(0.01, mail_types=["END"])
    wait_until(asked.exists)
    assert daemon.stop() == 0


def test_a_mail_server_that_sends_key_updates_without_end_is_not_heard(
    start_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    """Such a server kept the daemon's processor for as long as it liked."""
    certificates.make(tmp_path, ["localhost"])
    context = recorded(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), tmp_path / "keys")
    context.num_tickets = 0
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        mail = f'mail = "smtp://localhost:{listening.getsockname()[1]}"\n'
        daemon = start_daemon(*EMULATED, config=mail, begin=False)
        daemon.env["SSL_CERT_FILE"] = str(tmp_path / "ca.pem")
        daemon.start()
        daemon.emulate(0.01, mail_types=["END"])
        plain, _ = listening.accept()
        plain.sendall(b"220 here\r\n")
        assert plain.recv(1000).startswith(b"EHLO")
        plain.sendall(b"250-here\r\n250 STARTTLS\r\n")
        assert plain.recv(1000) == b"STARTTLS\r\n"
        plain.sendall(b"220 go on\r\n")
        with context.wrap_socket(plain, server_side=True) as sock:
            assert sock.recv(4) == b"EHLO"
            os.write(sock.fileno(), Records(tmp_path / "keys", "SERVER").key_updates(1000))
            wait_until(lambda: _told(daemon, "notice-failed"))
            assert "did not take the mail" not in daemon.log.read_text()
            assert "Timed out" not in daemon.log.read_text()
