"""TLS connections that may send next to nothing but content, in memory."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path

import pytest

from rmsd_cli import certificates
from rmsd_process.tls_content import TlsContext
from tests.key_updates import CIPHER, Records, recorded

ENOUGH = 1000
"""The key updates that are too many for a connection without content."""


class End:
    """One end of a connection in memory."""

    def __init__(self, context: ssl.SSLContext, **named: bool) -> None:
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, **named)

    def tried(self, act: Callable[[], object]) -> object:
        """Call `act` and return its result, or None if more must come first."""
        try:
            return act()
        except ssl.SSLWantReadError:
            return None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tls")
    certificates.make(folder, ["localhost"])
    return folder


@pytest.fixture
def server(folder: Path) -> End:
    context = TlsContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return End(context, server_side=True)


def shaken_hands(server: End, context: ssl.SSLContext) -> End:
    """Return the client, after its handshake with the server."""
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    client = End(context)
    for end, other in (client, server), (server, client), (client, server), (server, client):
        end.tried(end.tls.do_handshake)
        other.incoming.write(end.outgoing.read())
    return client


@pytest.fixture
def records(server: End, tmp_path: Path) -> Records:
    """Return the records of a client that has shaken hands with the server."""
    keys = tmp_path / "keys"
    client = shaken_hands(server, recorded(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), keys))
    cipher = client.tls.cipher()
    assert cipher is not None
    assert cipher[0] == CIPHER
    return Records(keys)


def test_content_is_read_between_a_few_key_updates(server: End, records: Records) -> None:
    for _ in range(10):
        server.incoming.write(records.key_updates(10) + records.content(b"x" * 4000))
        assert server.tls.read(1 << 14) == b"x" * 4000
        assert server.tried(server.tls.read) is None
    server.incoming.write(records.content(b"abc"))
    buffer = bytearray(8)
    assert server.tls.read(8, buffer) == 3
    assert buffer[:3] == b"abc"


def test_a_peer_that_sends_messages_without_content_is_broken_off(
    server: End, records: Records
) -> None:
    server.incoming.write(records.key_updates(ENOUGH))
    with pytest.raises(ssl.SSLError, match="without content"):
        server.tls.read()


def test_a_little_content_between_them_does_not_help(server: End, records: Records) -> None:
    for _ in range(2 * ENOUGH):
        server.incoming.write(records.key_updates(1) + records.content(b"x"))
    with pytest.raises(ssl.SSLError, match="without content"):  # noqa: PT012
        while server.tls.read():
            pass


def test_much_content_is_no_credit_for_later(server: End, records: Records) -> None:
    for _ in range(100):
        server.incoming.write(records.content(b"x" * 16_000))
        assert server.tls.read(1 << 14)
    server.incoming.write(records.key_updates(ENOUGH))
    with pytest.raises(ssl.SSLError, match="without content"):
        server.tls.read()


def test_nor_may_a_connection_that_is_being_shut_down(server: End, records: Records) -> None:
    assert server.tried(server.tls.unwrap) is None
    server.incoming.write(records.key_updates(ENOUGH))
    with pytest.raises(ssl.SSLError, match="without content"):
        server.tls.unwrap()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("cipher", ["ECDHE+AESGCM", "ECDHE+CHACHA20", "ECDHE+AES256:!AESGCM"])
def test_a_byte_in_each_record_is_content_enough(
    server: End, version: ssl.TLSVersion, cipher: str
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.maximum_version = version
    context.set_ciphers(cipher)
    client = shaken_hands(server, context)
    for _ in range(5000):
        client.tls.write(b"x")
        server.incoming.write(client.outgoing.read())
        assert server.tls.read() == b"x"


def test_a_record_may_come_in_parts(server: End, records: Records) -> None:
    """Large messages of agents were taken for messages without content."""
    for _ in range(20):
        record = records.content(b"x" * 16_000)
        for at in range(0, len(record), 4000):
            assert server.tried(server.tls.read) is None
            server.incoming.write(record[at : at + 4000])
        got = b""
        while len(got) < 16_000:
            got += server.tls.read(5000)
        assert got == b"x" * 16_000
