"""The options that choose the daemon of a command, and the client that they make."""

from __future__ import annotations

import argparse

from rmsd_client.api import Client
from rmsd_client.console.cli import notice

OPTIONS = ("server", "token_file", "ca_file")
"""The names of these options in the parsed arguments."""

ENVIRONMENT = "RMSD_SERVER, RMSD_STATE_DIR, RMSD_TOKEN_FILE, RMSD_CA_FILE  as for all clients"


def add_server_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--server", metavar="URL", help="unix:/PATH or https://HOST:PORT")
    parser.add_argument("--token-file", metavar="FILE", help="file with the token, for https")
    parser.add_argument(
        "--ca-file",
        metavar="FILE",
        help="certificates to trust, for https (default: ~/.config/rmsd/ca.pem, or the system's)",
    )


def client_of(args: argparse.Namespace) -> Client:
    """Return a client of the daemon that `args` name; it gives up soon."""
    return Client(
        args.server, args.token_file, args.ca_file, retry_for_s=1.0, notice=notice("rmsd")
    )
