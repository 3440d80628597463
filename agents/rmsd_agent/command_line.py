"""The command line of `rmsd-agent`: its options, and what they say of nodes and of the daemon."""

from __future__ import annotations

import argparse
import os
import re
import ssl
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple, NoReturn

from rmsd_agent.link.link import Server
from rmsd_agent.machine.inventory import (
    EMULATED_MEM_MIB_PER_CORE,
    emulated_nodes,
    real_node,
    short_hostname,
)
from rmsd_wire.link import NodeInfo
from rmsd_wire.names import is_node_name
from rmsd_wire.sizes import SizeError, parse_mem_mib

_DESCRIPTION = """\
Join this machine to an rmsd cluster as a node that runs jobs, or pretend to be many nodes
(--emulate). The agent dials the daemon and keeps the link for ever; jobs do not depend on it:
they run on, under a small shepherd process each, while the agent or the daemon is away, and what
became of them is reported when both are back. An agent of root runs each job as the account of its
user; any other runs its own account's jobs alone.
"""

_EPILOG = """\
signals:
  SIGTERM, SIGINT, SIGHUP, SIGQUIT
                    leave at once; jobs run on, and a new agent on the same state directory
                    takes them over (SIGHUP and SIGQUIT: unless they were ignored at the start)

environment:
  RMSD_STATE_DIR    its folder `agent` is the default of --state-dir
  RMSD_CA_FILE      the default of --ca-file

exit codes:
  0   asked to leave by a signal
  1   the state directory is in use or unusable, or the daemon refused this agent for good
  2   wrong usage
  77  the daemon does not accept this agent's key, nor lets it join

examples:
  rmsd-agent --server https://head:7632 --ca-file ca.pem --token-file join-token
  rmsd-agent --server https://head:7632 --ca-file ca.pem      # it has joined before
"""

_MAX_NAME = 63
"""Characters of a host's name; those of emulated nodes have a number behind it."""


class Emulate(NamedTuple):
    nodes: int
    cores: int


def default_state_dir() -> Path:
    if root := os.environ.get("RMSD_STATE_DIR"):
        return Path(root, "agent")
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(base, "rmsd", "agent")


class _Parser(argparse.ArgumentParser):
    """Wrong usage is one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"rmsd-agent: error: {message} ('rmsd-agent --help' tells more)\n")


def command_line() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = _Parser(
        prog="rmsd-agent",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_daemon(parser)
    _add_nodes(parser)
    _add_jobs_and_log(parser)
    return parser


def _add_daemon(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--server",
        metavar="URL",
        type=_server_url,
        required=True,
        help="the daemon: https://HOST:PORT, or unix:/PATH for a socket on this machine",
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        type=Path,
        help="file whose first line is a token of `rmsd token new --role agent`: with it the agent "
        "joins, once, and has a key of its own from then on",
    )
    parser.add_argument(
        "--ca-file",
        metavar="FILE",
        type=Path,
        default=os.environ.get("RMSD_CA_FILE"),
        help="certificates to trust, for https (default: the system's); for jobs as well",
    )
    parser.add_argument(
        "--state-dir",
        metavar="DIR",
        type=Path,
        help="what must survive a restart of the agent; one agent at a time "
        "(default: $RMSD_STATE_DIR/agent, $XDG_STATE_HOME/rmsd/agent or "
        "~/.local/state/rmsd/agent)",
    )


def _add_nodes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--emulate",
        metavar="N[xCORES]",
        type=_emulate,
        help="be N nodes of CORES cores (default: 1) that exist in name only, instead of this "
        "machine: for timers and trace replays, though real scripts run there as well",
    )
    parser.add_argument(
        "--emulate-prefix",
        metavar="PREFIX",
        type=_node_name,
        help="names of emulated nodes are PREFIX and a number "
        "(default: e on the daemon's machine, HOSTNAME-e over TCP)",
    )
    parser.add_argument(
        "--mem",
        metavar="SIZE",
        type=_mem_mib,
        help="memory of each emulated node, as 4G or 512M (default: 2G for each core)",
    )
    parser.add_argument(
        "--local-node",
        action=argparse.BooleanOptionalAction,
        help="offer this machine as a node (default: unless --emulate is given); without any "
        "node the agent only sees to the jobs that it still has",
    )
    parser.add_argument(
        "--name",
        metavar="NAME",
        type=_node_name,
        help="this machine's name as a node (default: its short host name)",
    )


def _add_jobs_and_log(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--allow-root-jobs",
        action="store_true",
        help="run jobs as root, too: of an agent of root, which runs every job as its user, and "
        "otherwise none as root",
    )
    parser.add_argument(
        "--cgroup",
        metavar="auto|none|DIR",
        type=_cgroup,
        default="auto",
        help="where jobs get cgroups (version 2) of their own: auto (the default) is in the "
        "agent's own if systemd has delegated it and memory can be limited there; DIR is a "
        "directory of the cgroup file system that is the agent's to divide",
    )
    parser.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="info",
        help="least level to log on stderr (default: info)",
    )
    parser.add_argument("--version", action="version", version=f"rmsd-agent {version('rmsd')}")


def nodes_of(parser: argparse.ArgumentParser, args: argparse.Namespace) -> list[NodeInfo]:
    emulate: Emulate | None = args.emulate
    local = args.local_node if args.local_node is not None else emulate is None
    if args.name is not None and not local and emulate is not None:
        parser.error(
            "--name is this machine's as a node; add --local-node, or see --emulate-prefix"
        )
    if emulate is None and (args.mem is not None or args.emulate_prefix is not None):
        parser.error("--mem and --emulate-prefix are for emulated nodes; add --emulate N")
    nodes = [real_node(args.name or short_hostname())] if local else []
    if emulate is not None:
        same_machine = args.server.startswith("unix:")
        prefix = args.emulate_prefix or ("e" if same_machine else f"{short_hostname()}-e")
        mem_mib = args.mem or emulate.cores * EMULATED_MEM_MIB_PER_CORE
        nodes += emulated_nodes(emulate.nodes, emulate.cores, mem_mib, prefix)
    return nodes


def _cgroup(text: str) -> str:
    if text in ("auto", "none") or text.startswith("/"):
        return text
    raise argparse.ArgumentTypeError(f"'{text}' is neither auto nor none nor an absolute path")


def _server_url(text: str) -> str:
    if re.fullmatch(r"https://[^/\s]+:\d+/?|unix:.+", text):
        return text
    raise argparse.ArgumentTypeError(f"'{text}' is neither https://HOST:PORT nor unix:/PATH")


def _emulate(text: str) -> Emulate:
    match = re.fullmatch(r"([1-9]\d{0,5})(?:x([1-9]\d{0,5}))?", text, re.ASCII)
    if match is None:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not N or NxCORES, two numbers from 1 to 999999"
        )
    return Emulate(int(match[1]), int(match[2] or 1))


def _node_name(text: str) -> str:
    if is_node_name(text) and len(text) <= _MAX_NAME:
        return text
    raise argparse.ArgumentTypeError(
        f"'{text}' is no name of a node: letters, digits, '-', '_' and '.', up to {_MAX_NAME}"
    )


def _mem_mib(text: str) -> int:
    try:
        return parse_mem_mib(text)
    except SizeError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def server_of(parser: argparse.ArgumentParser, args: argparse.Namespace) -> Server:
    if args.server.startswith("unix:"):
        if args.token_file is not None:
            parser.error("--token-file is for https; on a socket the daemon knows our account")
        return Server(args.server)
    ca_file = str(args.ca_file) if args.ca_file else None
    try:
        return Server(args.server, ssl.create_default_context(cafile=ca_file))
    except OSError as error:  # also what is no certificate
        parser.error(f"--ca-file {ca_file}: {error.strerror or error}")
