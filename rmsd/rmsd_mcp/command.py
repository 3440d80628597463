"""Serve the cluster to a model: a server of the Model Context Protocol on standard input and
output. Programs with a model start it themselves; its tools submit jobs, explain, show and cancel
them, with the rights of this account. It ends when its input does."""

from __future__ import annotations

import argparse

from rmsd_cli.extras import needs_extra
from rmsd_client.connection.server import find_server
from rmsd_process.installed import installed_version

EPILOG = """\
A client is told to start it, as with this entry of its configuration:
  {"mcpServers": {"rmsd": {"command": "rmsd", "args": ["mcp"]}}}

tools:
  queue, job, explain, log, nodes   read
  preview                           tells when a job would start, as rsub --test-only
  what_if                           tries other schedulers, as rmsd what-if
  submit, hold, release             change jobs
  cancel                            asks the client's user, or takes a second call
                                    with the confirmation that the first has told

environment:
  RMSD_SERVER, RMSD_STATE_DIR, RMSD_TOKEN_FILE, RMSD_CA_FILE  as for all clients

exit codes:
  0   the client has left
  1   the package 'mcp' is not installed
  2   wrong usage

examples:
  rmsd mcp
  rmsd mcp --server https://head:6820 --token-file ~/.config/rmsd/model-token
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--server", metavar="URL", help="where the daemon is")
    parser.add_argument("--token-file", metavar="FILE", help="file whose first line is the token")
    parser.add_argument("--ca-file", metavar="FILE", help="certificates to trust, for https")


def run(args: argparse.Namespace) -> int:
    find_server(args.server)  # an address that is none is told now, not to the model
    with needs_extra("mcp"):
        from rmsd_mcp.caller import ToolCaller
        from rmsd_mcp.server import make_server
    caller = ToolCaller(args.server, args.token_file, args.ca_file)
    make_server(caller, installed_version("rmsd").partition(" ")[2]).run("stdio")
    return 0
