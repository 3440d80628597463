"""Tokens: what stands in token files and headers, and what a daemon and an agent make of it."""

from __future__ import annotations

from contextlib import suppress

from rmsd_agent.link.membership import Membership
from rmsd_client.connection.server import read_token
from rmsd_client.errors import UsageError
from rmsd_core.jobs.job import Job
from rmsd_daemon.callers.job_tokens import JobTokens
from rmsd_wire.tokens import DIGEST, ID, Token, parse_token
from tests.fuzz.harness import Harness, scratch

_KEY = b"k" * 32


def text(content: str) -> None:
    """Expect a token that is the same when it is written again, or none."""
    token = parse_token(content)
    if token is not None:
        assert ID.fullmatch(token.id)
        assert DIGEST.fullmatch(token.digest)
        assert token.text == content.strip()
        assert parse_token(token.text) == token


def of_a_job(content: str) -> None:
    """No text opens a job but one that was made for it: jobs are not even looked for."""
    assert JobTokens(_KEY, _never).caller(content, "somewhere") is None


def _never(job_id: int) -> Job | None:
    raise AssertionError(f"a forged token opens job {job_id}")


def file(content: bytes) -> None:
    """Expect a line of printable ASCII, or a UsageError; of an agent a key that fits into a
    header."""
    path = scratch() / "token"
    path.touch(mode=0o600)
    path.write_bytes(content)
    (scratch() / "key").write_bytes(content)
    with suppress(UsageError):
        token = read_token(str(path))
        assert token
        assert token.isascii()
        assert token.isprintable()
        assert " " not in token
    headers = Membership(scratch(), "agent", None).headers
    assert all(value.isascii() and value.isprintable() for value in headers.values())


def check(data: bytes) -> None:
    words = data.decode("latin-1")
    text(words)
    of_a_job(words)
    file(data)


_TOKEN = Token("0123456789ab", "c" * 64).text.encode()

HARNESS = Harness(
    what="tokens, and the files that they are in",
    check=check,
    readers=(
        "rmsd_wire.tokens",
        "rmsd_daemon.callers.job_tokens",
    ),
    seeds=(
        _TOKEN,
        b" " + _TOKEN + b"\r\nmore\n",
        _TOKEN.upper(),
        _TOKEN.replace(b"_", b"\xc2\xb2"),
        b"rms_job_12.1_" + b"0" * 64,
        b"\xef\xbb\xbf" + _TOKEN,
        b"\0" * 70,
        b"9" * 5000,
    ),
)
