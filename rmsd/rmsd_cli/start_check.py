"""`rmsd start --check`: whether a daemon with this configuration could start, without a start."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator

from rmsd_daemon.front.tls import Tls, TlsError
from rmsd_daemon.setup.config import Config
from rmsd_daemon.setup.loading import find_file
from rmsd_daemon.setup.state_dir import StateDirError, check_directory
from rmsd_daemon.setup.unknown_names import unknown_names, unknown_roles
from rmsd_daemon.setup.without_effect import without_effect


def check(config: Config, given: str | None) -> int:
    """Print what is wrong on standard error, or that nothing is on standard output. Return the exit
    code. `given`: the configuration file that the command line names."""
    for setting, names in (*unknown_roles(config), *unknown_names(config)):
        some = ", ".join(names)
        print(f"rmsd start: warning: {setting}: not known here: {some}", file=sys.stderr)
    for setting, why in without_effect(config):
        print(f"rmsd start: warning: {setting} has no effect: {why}", file=sys.stderr)
    problems = list(_problems(config))
    for problem in problems:
        print(f"rmsd start: error: {problem}", file=sys.stderr)
    if problems:
        return 1
    path = find_file(given, os.environ)
    what = "no configuration file, and the defaults are" if path is None else f"{path} is"
    print(f"{what} usable; nothing was started")
    return 0


def _problems(config: Config) -> Iterator[str]:
    """Yield why a daemon with this configuration could not start."""
    if config.state_dir.exists():
        try:
            check_directory(config.state_dir)
        except StateDirError as error:
            yield str(error)
    else:
        there = next(path for path in config.state_dir.absolute().parents if path.exists())
        if not os.access(there, os.W_OK | os.X_OK):
            yield f"{config.state_dir} cannot be made: {there} cannot be changed"
    if config.listen is None:
        return
    try:
        Tls(*config.certificate)
    except TlsError as error:
        yield str(error)
    try:
        _bind(config.listen)
    except OSError as error:
        yield f"cannot listen on {config.listen}: {error.strerror}"


def _bind(address: str) -> None:
    """Check that the host is this machine's. Its port may be that of the daemon that runs.

    Raises:
        OSError: the host is unknown, or another machine's.
    """
    host = address.rpartition(":")[0].strip("[]")
    for family, kind, protocol, _, there in socket.getaddrinfo(
        host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    ):
        with socket.socket(family, kind, protocol) as sock:
            sock.bind(there)
