"""Show the queue in the terminal, and beside it the output of the chosen job, live. Jobs can be
explained, held, released and cancelled there, as far as this account may. It follows the daemon's
events, also over a restart of the daemon."""

from __future__ import annotations

import argparse
import sys

from rmsd_cli.errors import CommandUsageError
from rmsd_cli.extras import needs_extra
from rmsd_client.api import Client
from rmsd_top.keys import KEYS

EPILOG = f"""\
{KEYS}

environment:
  RMSD_SERVER, RMSD_STATE_DIR, RMSD_TOKEN_FILE, RMSD_CA_FILE  as for all clients
  NO_COLOR                                                    no colours

exit codes:
  0   done
  1   the package 'textual' is not installed
  2   wrong usage, or this is no terminal
  75  no daemon can be reached at the start
  77  not permitted

examples:
  rmsd top
  rmsd top --mine
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mine", action="store_true", help="begin with my jobs alone")
    parser.add_argument("--server", metavar="URL", help="where the daemon is")
    parser.add_argument("--token-file", metavar="FILE", help="file whose first line is the token")
    parser.add_argument("--ca-file", metavar="FILE", help="certificates to trust, for https")


def run(args: argparse.Namespace) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CommandUsageError("this needs a terminal; `rstat` lists the queue for programs")
    with needs_extra("top"):
        from rmsd_top.app import TopApp

    def connect() -> Client:
        return Client(args.server, args.token_file, args.ca_file, retry_for_s=0.0)

    with Client(args.server, args.token_file, args.ca_file) as client:
        client.status()  # an error is told in the terminal as it was
    TopApp(connect, mine=args.mine).run()
    return 0
