"""TCP is TLS and nothing else.

Long: daemons with keys of their own are started.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import ssl
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.client import HTTPSConnection
from pathlib import Path

import psutil
import pytest
from cryptography.hazmat.primitives import serialization

from rmsd_cli import certificates
from rmsd_client.api import Client
from rmsd_client.errors import NotPermitted, UsageError
from rmsd_daemon.front.tls import Tls, TlsError
from tests.commands import BIN
from tests.key_updates import Records, recorded
from tests.live import Daemon
from tests.tcp import Tcp
from tests.waiting import DEADLINE_S, wait_until

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.fixture
def tcp(start_daemon: Callable[..., Daemon]) -> Tcp:
    tcp = Tcp(start_daemon("--no-local-node", begin=False))
    tcp.daemon.start()
    return tcp


def serial_of(tcp: Tcp) -> str:
    """Return the serial number of the certificate that the daemon shows now."""
    context = ssl.create_default_context(cafile=str(tcp.ca))
    with (
        socket.create_connection(("127.0.0.1", tcp.port), DEADLINE_S) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as sock,
    ):
        assert sock.version() == "TLSv1.3"
        certificate = sock.getpeercert()
        assert certificate is not None
        return str(certificate["serialNumber"])


def test_who_speaks_no_tls_gets_no_answer(tcp: Tcp) -> None:
    with socket.create_connection(("127.0.0.1", tcp.port), DEADLINE_S) as sock:
        sock.sendall(b"GET /v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        try:
            answer = b"".join(iter(lambda: sock.recv(4096), b""))
        except ConnectionError:
            answer = b""
    assert b"HTTP" not in answer
    with pytest.raises(UsageError, match="is not encrypted"):
        Client(f"http://127.0.0.1:{tcp.port}")


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated")
def test_old_versions_of_tls_are_refused(tcp: Tcp) -> None:
    context = ssl.create_default_context(cafile=str(tcp.ca))
    context.set_ciphers("DEFAULT:@SECLEVEL=0")  # the client must not be the one that refuses

    def version() -> str | None:
        with (
            socket.create_connection(("127.0.0.1", tcp.port), DEADLINE_S) as plain,
            context.wrap_socket(plain, server_hostname="127.0.0.1") as sock,
        ):
            return sock.version()

    context.maximum_version = ssl.TLSVersion.TLSv1_2
    assert version() == "TLSv1.2"
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises((ssl.SSLError, ConnectionError)) as refused:
        version()
    assert "NO_PROTOCOLS" not in str(refused.value)  # our own words for that


@pytest.mark.parametrize("updates", [10, 1000])
def test_who_sends_key_updates_without_end_gets_no_answer(
    tcp: Tcp, tmp_path: Path, updates: int
) -> None:
    """A hundred clients without a token that sent nothing else kept the daemon for seconds."""
    context = recorded(ssl.create_default_context(cafile=str(tcp.ca)), tmp_path / "keys")
    with (
        socket.create_connection(("127.0.0.1", tcp.port), DEADLINE_S) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as sock,
    ):
        records = Records(tmp_path / "keys")
        sent = records.key_updates(updates)
        sent += records.content(b"GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        with contextlib.suppress(ConnectionError):
            while sent:
                sent = sent[os.write(sock.fileno(), sent) :]
            answer = sock.recv(4096)
        assert answer[:12] == (b"HTTP/1.1 401" if updates == 10 else b"")


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_large_body_is_answered(tcp: Tcp, version: ssl.TLSVersion) -> None:
    """The daemon reads 16 KiB at a time, so that most records come in parts. It took the parts for
    messages without content, and closed the connection."""
    context = ssl.create_default_context(cafile=str(tcp.ca))
    context.maximum_version = version
    body = b'{"jobs": [{"script": "#!/bin/sh", "comment": %b}]}' % (b" " * 500_000 + b'"c"')
    shown = {"Authorization": f"Bearer {tcp.token(role='user').text}"}
    connection = HTTPSConnection("127.0.0.1", tcp.port, timeout=DEADLINE_S, context=context)
    with contextlib.closing(connection):
        for _ in range(5):
            connection.request("POST", "/v1/jobs", body, shown)
            answer = connection.getresponse()
            assert (answer.status, answer.read()[:9]) == (201, b'{"jobs":[')


def test_a_client_trusts_the_right_authority_and_the_right_name_alone(
    tcp: Tcp, tmp_path: Path
) -> None:
    token = str(tcp.file(tcp.token()))
    with tcp.client(tcp.token()) as client:
        assert client.status()["pid"] == tcp.daemon.pid
    certificates.make(tmp_path / "other", ["127.0.0.1"])
    for url, ca in ((tcp.url, tmp_path / "other" / "ca.pem"), (tcp.url, None)):
        with (
            Client(url, token, str(ca) if ca else None, retry_for_s=DEADLINE_S) as client,
            pytest.raises(NotPermitted, match="cannot prove that it is the daemon"),
        ):
            client.status()
    certificates.make(tcp.daemon.state / "tls", ["elsewhere.example"])
    assert tcp.daemon.process is not None
    tcp.daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "certificate-loaded" in tcp.daemon.log.read_text())
    with (
        Client(tcp.url, token, str(tcp.ca), retry_for_s=DEADLINE_S) as client,
        pytest.raises(NotPermitted, match=r"cannot prove that it is the daemon: .*mismatch"),
    ):
        client.status()


def test_a_new_certificate_is_taken_on_sighup(tcp: Tcp) -> None:
    before = serial_of(tcp)
    assert tcp.daemon.rmsd("tls", "new").returncode == 0
    assert serial_of(tcp) == before
    assert tcp.daemon.process is not None
    tcp.daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: serial_of(tcp) != before)
    after = serial_of(tcp)
    (tcp.daemon.state / "tls" / "key.pem").write_text("nonsense")
    tcp.daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "certificate-refused" in tcp.daemon.log.read_text())
    assert serial_of(tcp) == after
    [why] = tcp.daemon.client.status()["reload_refused"]
    assert "key.pem" in why


def test_a_certificate_that_comes_without_its_key_is_not_taken(tcp: Tcp, tmp_path: Path) -> None:
    """SIGHUP may come between the replacements of the two files: nobody is kept out then."""
    before = serial_of(tcp)
    certificates.make(tmp_path / "new", ["127.0.0.1"])
    (tmp_path / "new" / "cert.pem").replace(tcp.daemon.state / "tls" / "cert.pem")
    assert tcp.daemon.process is not None
    tcp.daemon.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "certificate-refused" in tcp.daemon.log.read_text())
    assert serial_of(tcp) == before


def test_no_passphrase_is_asked_for(tmp_path: Path) -> None:
    certificates.make(tmp_path, ["127.0.0.1"])
    key = serialization.load_pem_private_key((tmp_path / "key.pem").read_bytes(), None)
    encrypted = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"secret"),
    )
    (tmp_path / "key.pem").write_bytes(encrypted)
    with pytest.raises(TlsError, match="the key is encrypted"):
        Tls(tmp_path / "cert.pem", tmp_path / "key.pem")


def test_half_open_handshakes_hold_nothing(tcp: Tcp) -> None:
    """Connections that never say a word of TLS: others are served, and they are closed."""
    silent = [socket.create_connection(("127.0.0.1", tcp.port), DEADLINE_S) for _ in range(100)]
    try:
        for sock in silent[::2]:
            sock.sendall(b"\x16\x03\x01\x02\x00\x01")  # a ClientHello that does not go on
        with tcp.client(tcp.token()) as client:
            assert client.status()["pid"] == tcp.daemon.pid
        for sock in silent:
            sock.settimeout(DEADLINE_S)
            try:
                while sock.recv(4096):
                    pass
            except ConnectionError:
                continue
    finally:
        for sock in silent:
            sock.close()
    assert "request-failed" not in tcp.daemon.log.read_text()


def test_a_connection_that_asks_nothing_holds_little(tcp: Tcp) -> None:
    context = ssl.create_default_context(cafile=str(tcp.ca))
    daemon = psutil.Process(tcp.daemon.pid)

    def connect() -> ssl.SSLSocket:
        sock = socket.create_connection(("127.0.0.1", tcp.port), DEADLINE_S)
        return context.wrap_socket(sock, server_hostname="127.0.0.1")

    with contextlib.ExitStack() as held:
        for _ in range(100):
            held.enter_context(connect())
        before = daemon.memory_info().rss
        for _ in range(500):
            held.enter_context(connect())
        with tcp.client(tcp.token()) as client:
            assert client.status()["pid"] == tcp.daemon.pid
        assert daemon.memory_info().rss - before < 500 * 128 << 10


def test_connections_that_come_together_find_room_in_the_queue(tcp: Tcp) -> None:
    """A connection that finds no room tries again after one second, and two, while others come in
    between."""
    with contextlib.ExitStack() as held:
        assert tcp.daemon.process is not None
        tcp.daemon.process.send_signal(signal.SIGSTOP)
        held.callback(tcp.daemon.process.send_signal, signal.SIGCONT)
        for _ in range(400):
            sock = socket.create_connection(("127.0.0.1", tcp.port), DEADLINE_S)
            held.enter_context(sock)


def test_without_a_certificate_there_is_no_tcp(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(begin=False)
    listen = ["start", "--no-local-node", "--listen", "127.0.0.1:7632"]
    refused = daemon.rmsd(*listen)
    assert (refused.returncode, "`rmsd tls new`" in refused.stderr) == (1, True)
    made = daemon.rmsd("tls", "new", "--host", "head.example", "--host", "10.1.2.3")
    assert "for head.example, 10.1.2.3, " in made.stdout
    folder = daemon.state / "tls"
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert modes == {"ca.pem": 0o644, "cert.pem": 0o644, "ca-key.pem": 0o600, "key.pem": 0o600}
    (folder / "key.pem").chmod(0o644)
    public = daemon.rmsd(*listen)
    assert (public.returncode, "chmod 600" in public.stderr) == (1, True)
    authority = (folder / "ca.pem").read_bytes()
    again = daemon.rmsd("tls", "new", "--host", "other.example")
    assert "for other.example, head.example, " in again.stdout
    assert "10.1.2.3" in again.stdout.splitlines()[0]
    assert "earlier certificate, which are kept: head.example, " in again.stdout
    assert (folder / "ca.pem").read_bytes() == authority
    (folder / "cert.pem").unlink()
    assert "head.example" not in daemon.rmsd("tls", "new").stdout


def test_a_certificate_is_for_hosts_alone(start_daemon: Callable[..., Daemon]) -> None:
    unusable = ["bad host", "", " ", "-x", "x-", "a..b", "a.", "h\u00e4d", "https://head", "head:1"]
    assert not [name for name in unusable if certificates.is_host(name)]
    usable = ["head", "n-1.example", "*.example", "10.1.2.3", "::1", "fe80::1", "a_b", "X9"]
    assert all(certificates.is_host(name) for name in usable)
    refused = start_daemon(begin=False).rmsd("tls", "new", "--host=bad host", expect=2)
    assert "--host 'bad host' is not a host name or an address" in refused.stderr


def test_an_expired_certificate_is_told_of(
    start_daemon: Callable[..., Daemon], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Past(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:
            assert tz is UTC
            return datetime.now(UTC) - timedelta(days=1000)

    monkeypatch.setattr(certificates, "datetime", Past)
    tcp = Tcp(start_daemon("--no-local-node", begin=False))
    tcp.daemon.start()
    assert "certificate-expired" in tcp.daemon.log.read_text()


def test_an_agent_trusts_the_right_authority_alone(tcp: Tcp, tmp_path: Path) -> None:
    certificates.make(tmp_path / "other", ["127.0.0.1"])
    token = tcp.file(tcp.token(role="agent"))
    command = [BIN / "rmsd-agent", "--server", tcp.url, "--token-file", token, "--emulate", "1"]
    command += ["--state-dir", tmp_path / "agent", "--ca-file", tmp_path / "other" / "ca.pem"]
    with (tmp_path / "log").open("wb") as log:
        agent = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        wait_until(lambda: "no-link" in (tmp_path / "log").read_text())
        assert agent.poll() is None
    finally:
        agent.terminate()
        agent.wait(DEADLINE_S)
    assert "certificate verify failed" in (tmp_path / "log").read_text()
    assert [one["uses"] for one in tcp.daemon.client.tokens()] == [1]
