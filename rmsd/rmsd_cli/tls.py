"""Make a certificate for `rmsd start --listen`, if there is none from elsewhere. The private
authority is kept; the certificate for this machine is made anew each time. Clients and agents get
`ca.pem` and nothing else.
"""

from __future__ import annotations

import argparse
import os
import socket
from pathlib import Path

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_daemon.setup.config import default_state_dir

EPILOG = """\
files, in the folder tls of the state directory:
  ca.pem       the authority: copy it to clients and agents (RMSD_CA_FILE,
               --ca-file, or ~/.config/rmsd/ca.pem)
  ca-key.pem   its key: for the next certificate; it may be kept elsewhere
  cert.pem     the daemon's certificate, for 820 days, and key.pem, its key

A daemon that runs takes a new certificate on SIGHUP.

exit codes:
  0   done
  1   a file cannot be read or written
  2   wrong usage

examples:
  rmsd tls new
  rmsd tls new --host head.cluster.example --host 10.0.0.1
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="new")
    new = actions.add_parser("new", help="make a certificate", description="Make a certificate.")
    new.add_argument(
        "--host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name or address that clients use for this machine, beside its host name and "
        "localhost; several times: all of them",
    )
    new.add_argument(
        "--state-dir",
        metavar="DIR",
        type=Path,
        help="the daemon's state directory (default: $RMSD_STATE_DIR, $XDG_STATE_HOME/rmsd or "
        "~/.local/state/rmsd)",
    )


def run(args: argparse.Namespace) -> int:
    from rmsd_cli.certificates import make

    own = [socket.gethostname(), socket.getfqdn(), "localhost", "127.0.0.1", "::1"]
    hosts = list(dict.fromkeys([*args.host, *own]))
    if unusable := [host for host in hosts if not host.isascii() or not host.strip()]:
        raise CommandUsageError(f"--host {unusable[0]!r} is not a host name or an address")
    state_dir: Path = args.state_dir or default_state_dir(os.environ)
    folder = state_dir / "tls"
    try:
        ends = make(folder, hosts)
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}") from None
    except ValueError as error:
        raise CommandError(f"{folder}: {error}") from None
    print(f"{folder / 'cert.pem'}: for {', '.join(hosts)}, until {ends:%Y-%m-%d}")
    print(f"{folder / 'ca.pem'}: copy this to clients and agents (RMSD_CA_FILE, --ca-file)")
    return 0
