"""The parts of submits: directives in scripts, command lines, the user's settings."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from signal import valid_signals
from unittest.mock import patch

from rmsd_client.connection import site_file
from rmsd_client.connection.server import parse_address
from rmsd_client.errors import ClientError, UsageError
from rmsd_client.submit.directives import parse_directives
from rmsd_client.submit.export import parse_export
from rmsd_client.submit.options import parse_command_line
from rmsd_client.submit.settings import from_configuration, from_environment
from tests.fuzz.harness import Harness, scratch

_MOST = 1_000_000_000


def directives(text: str) -> None:
    """Check that usable settings are read, or a UsageError raised."""
    with suppress(UsageError):
        _usable(parse_directives(text, "script", lambda warning: None))  # noqa: ARG005


def command_line(words: list[str]) -> None:
    """Check that usable settings are read and other words kept, or a UsageError raised."""
    with suppress(UsageError):
        settings, rest = parse_command_line(words)
        _usable(settings)
        assert words[len(words) - len(rest.rest) :] == rest.rest


def environment(variables: dict[str, str]) -> None:
    """Check that usable settings are read, or a UsageError raised."""
    with suppress(UsageError):
        _usable(from_environment(variables, lambda warning: None))  # noqa: ARG005


def settings_file(content: bytes) -> None:
    """Check that usable settings are read, or a UsageError raised."""
    path = scratch() / "config.toml"
    path.write_bytes(content)
    with suppress(UsageError):
        _usable(from_configuration(str(path)))


def sites_file(content: bytes) -> None:
    """Check that texts are read, or a UsageError raised."""
    path = scratch() / "client.toml"
    path.write_bytes(content)
    with patch.object(site_file, "PATH", str(path)), suppress(UsageError):
        assert all(isinstance(value, str) for value in site_file.read().values())


def export(text: str) -> None:
    """Expect an environment or a ValueError."""
    with suppress(ValueError):
        passed = parse_export(text).environment({"RMS_JOB_ID": "1", "HOME": "/"})
        assert all(isinstance(value, str) for value in passed.values())


def address(text: str) -> None:
    """Expect an address or a ClientError."""
    with suppress(ClientError):
        found = parse_address(text, "--server")
        assert found.path.startswith("/") or (found.host and 0 < found.port < 65536)


def _usable(settings: Mapping[str, object]) -> None:
    for name in ("ntasks", "cpus-per-task", "nodes"):
        count = settings.get(name, 1)
        assert isinstance(count, int)
        assert 1 <= count <= _MOST
    warn = settings.get("signal")
    if warn is not None:
        assert isinstance(warn, dict)
        assert warn["number"] in valid_signals()
        assert 0 <= warn["before_s"] <= 65535


def check(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    directives(text)
    words = text.split("\n")
    command_line(words)
    environment(dict(word.partition("=")[::2] for word in words))
    settings_file(data)
    sites_file(data)
    export(text)
    address(text)


HARNESS = Harness(
    what="directives, command lines, settings, addresses",
    check=check,
    readers=(
        "rmsd_client.submit.directives",
        "rmsd_client.submit.export",
        "rmsd_client.submit.options",
        "rmsd_client.submit.slurm_options",
        "rmsd_client.submit.settings",
        "rmsd_client.connection.site_file",
    ),
    seeds=(
        b'server = "https://head:7632"\nca_file = "/etc/rmsd/ca.pem"\n',
        b"server = " + b"[" * 2000,
        b"server = " + b"9" * 5000,
        b"#!/bin/sh\n#RSUB -n 4 --time=1-0:30 # comment\n#SBATCH --mem 4G -p long\n\necho\n",
        b"#RSUB --signal=B:USR1@60 --export='A=x,y',B\n#RSUB -J \"a b\" --no-requeue\n",
        b"-n2\n-c=3\n--wrap\nsleep 1\n--time\n90s\n--\nrest",
        b"-N\n000000000001999999999\n--signal=000000001999",
        b"RSUB_TIME=2h\nRSUB_WAIT=yes\nRSUB_X=1",
        b"[rsub]\ntime = '2h'\nntasks = 3\nwait = true\n",
        b"rsub.time = " + b"[" * 2000,
        b"rsub.ntasks = 0x" + b"9" * 5000,
        b"unix:/run/rmsd.sock",
        b"https://[::1]:7607",
        b"https://h:000001999999",
    ),
)
