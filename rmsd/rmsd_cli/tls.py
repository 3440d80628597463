"""Make a certificate for `rmsd start --listen`, if there is none from elsewhere. The private
authority is kept; the certificate for this machine is made anew each time, and is for the names of
the one that it replaces as well. Clients and agents get `ca.pem` and nothing else.
"""

from __future__ import annotations

import argparse
import socket
from pathlib import Path

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_cli.state_dir_argument import HELP, state_dir_of

EPILOG = """\
files, in the folder tls of the state directory:
  ca.pem       the authority: copy it to clients and agents (RMSD_CA_FILE,
               --ca-file, or ~/.config/rmsd/ca.pem)
  ca-key.pem   its key: for the next certificate; it may be kept elsewhere
  cert.pem     the daemon's certificate, for 820 days, and key.pem, its key

A daemon that runs takes a new certificate on SIGHUP. Names that a certificate should no
longer have go with it: delete cert.pem first.

exit codes:
  0   done
  1   a file cannot be read or written
  2   wrong usage

examples:
  rmsd tls new
  rmsd tls new --host head.cluster.example --host 10.0.0.1
"""


_LOOPBACK = ("localhost", "127.0.0.1", "::1")


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
        help=HELP,
    )


def run(args: argparse.Namespace) -> int:
    from rmsd_cli.certificates import is_host, make, names_of

    if unusable := [host for host in args.host if not is_host(host)]:
        raise CommandUsageError(f"--host {unusable[0]!r} is not a host name or an address")
    machine = [name for name in (socket.gethostname(), socket.getfqdn()) if is_host(name)]
    folder = state_dir_of(args) / "tls"
    try:
        earlier = names_of(folder)
        hosts = list(dict.fromkeys([*args.host, *earlier, *machine, *_LOOPBACK]))
        ends = make(folder, hosts)
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}") from None
    except ValueError as error:
        raise CommandError(f"{folder}: {error}") from None
    print(f"{folder / 'cert.pem'}: for {', '.join(hosts)}, until {ends:%Y-%m-%d}")
    if kept := [name for name in earlier if name not in (*args.host, *machine, *_LOOPBACK)]:
        print(f"names of the earlier certificate, which are kept: {', '.join(kept)}")
    print(f"{folder / 'ca.pem'}: copy this to clients and agents (RMSD_CA_FILE, --ca-file)")
    return 0
