"""The state directory that a command reads, with the argument that names it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

from rmsd_cli.errors import CommandError, CommandUsageError, told_by
from rmsd_client.api import Client
from rmsd_client.connection import server
from rmsd_client.errors import ClientError, UsageError
from rmsd_daemon.setup.config import default_state_dir
from rmsd_daemon.setup.loading import ConfigError, configured_state_dir

HELP = (
    "the daemon's state directory (default: that of the daemon that all commands find, running or "
    "stopped: $RMSD_STATE_DIR, ~/.local/state/rmsd, state_dir of the configuration, /var/lib/rmsd)"
)


def add_state_dir(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add STATE_DIR, as `state_dir`, for `state_dir_of`. `more` ends the help."""
    parser.add_argument(
        "state_dir", metavar="STATE_DIR", nargs="?", type=Path, help=f"{HELP}{more}"
    )


def state_dir_of(args: argparse.Namespace) -> Path:
    """Return the state directory that the command line names, or that of the daemon which the
    other commands find; if there is none yet, where `rmsd start` makes it.

    Raises:
        CommandError: several come into question, or none can be told.
    """
    named: Path | None = args.state_dir
    return named or _running(os.environ) or _stopped(os.environ) or _to_be_made(os.environ)


def existing_state_dir_of(args: argparse.Namespace) -> Path:
    """Return what `state_dir_of` does, but no directory that nothing names and that holds no
    database: what a command puts there, no daemon would look for.

    Raises:
        CommandError: several come into question, or none can be told, or there is none.
    """
    named: Path | None = args.state_dir
    env = os.environ
    if found := named or _running(env) or _stopped(env) or _configured(env):
        return found
    looked = ", ".join(str(place) for place in _places(env))
    raise CommandUsageError(f"no daemon has left a database in {looked}; name the state directory")


def _running(env: Mapping[str, str]) -> Path | None:
    """Return the directory that RMSD_STATE_DIR names, or that of the daemon which answers this
    machine's commands; None if there is no such daemon, or its database is not the caller's."""
    if env.get("RMSD_STATE_DIR"):
        return default_state_dir(env)
    try:
        address = server.find_server()
        if address.host and env.get("RMSD_SERVER"):
            raise CommandUsageError(
                f"RMSD_SERVER names {address}, and this command works on files: name the state "
                "directory"
            )
        if address.host:
            return None
        with Client(str(address), retry_for_s=0.0) as client:
            told = Path(str(client.status()["state_dir"]))
    except UsageError as error:
        raise told_by(error) from None
    except ClientError:  # the daemon is stopped
        return _beside_socket(address.path) if env.get("RMSD_SERVER") else None
    return told if _readable(told) else None


def _beside_socket(path: str) -> Path:
    """Return the folder of a stopped daemon's socket. A socket for every account is elsewhere than
    the state directory, and no database is in its folder."""
    folder = Path(path).parent
    if not (folder / "rmsd.db").exists():
        raise CommandUsageError(
            f"no daemon answers at unix:{path}, which RMSD_SERVER names, and {folder} has no "
            "database: name the state directory"
        )
    return folder


def _stopped(env: Mapping[str, str]) -> Path | None:
    """Return the directory with a database, None if there is none."""
    there = [place for place in _places(env) if (place / "rmsd.db").exists()]
    found = [place for place in there if _readable(place)] or there
    if len(found) > 1:
        raise CommandUsageError(
            f"no daemon answers, and {' and '.join(map(str, found))} have a database: name the "
            "one that is meant"
        )
    return found[0] if found else None


def _readable(place: Path) -> bool:
    return os.access(place / "rmsd.db", os.R_OK)


def _places(env: Mapping[str, str]) -> list[Path]:
    """Return the directories in which a daemon may be that `rmsd start` or a unit has started."""
    of_system = [Path(path).parent for path in server.SYSTEM_SOCKETS[1:]]
    configured = _configured(env)
    places = [default_state_dir(env), *([configured] if configured else []), *of_system]
    return list(dict.fromkeys(places))


def _configured(env: Mapping[str, str]) -> Path | None:
    try:
        return configured_state_dir(env)
    except ConfigError as error:
        raise CommandError(f"{error}; mend it, or name the state directory") from None


def _to_be_made(env: Mapping[str, str]) -> Path:
    return _configured(env) or default_state_dir(env)
