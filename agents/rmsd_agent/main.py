"""The command line of `rmsd-agent`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import re
import signal
import ssl
import sys
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple, NoReturn

import msgspec
import structlog

from rmsd_agent import delegation, logs
from rmsd_agent.agent import Agent
from rmsd_agent.delegation import Delegation, DelegationError
from rmsd_agent.inventory import (
    EMULATED_MEM_MIB_PER_CORE,
    emulated_nodes,
    real_node,
    short_hostname,
)
from rmsd_agent.limits import raise_open_files
from rmsd_agent.link import Link, Refused, Server
from rmsd_agent.membership import Membership
from rmsd_agent.records import IS_ROOT, StateDir, StateError
from rmsd_wire.link import NodeInfo
from rmsd_wire.names import is_node_name
from rmsd_wire.sizes import SizeError, parse_mem_mib

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

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
_ENDING = (signal.SIGTERM, signal.SIGINT)
_ENDING_UNLESS_IGNORED = (signal.SIGHUP, signal.SIGQUIT)


class Emulate(NamedTuple):
    nodes: int
    cores: int


def main() -> None:
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Be an agent until a signal or the daemon ends it; the exit code."""
    parser = _parser()
    args = parser.parse_args(arguments)
    logs.configure(args.log_level)
    nodes = _nodes(parser, args)
    if args.allow_root_jobs and not IS_ROOT:
        parser.error("--allow-root-jobs is for an agent of root; this one is not")
    server = _server(parser, args)
    try:
        state = StateDir(args.state_dir or default_state_dir())
    except StateError as error:
        print(f"rmsd-agent: error: {error}", file=sys.stderr)
        return 1
    try:
        found = _delegation(args.cgroup, f"rmsd-{state.agent_id[:12]}")
    except DelegationError as error:
        print(f"rmsd-agent: error: {error}", file=sys.stderr)
        return 1
    if not nodes and not any(state.jobs.iterdir()):
        parser.error("no node at all: --no-local-node goes with --emulate N")
    raise_open_files()
    extra_env = {"RMSD_SERVER": args.server}
    if args.ca_file:
        extra_env["RMSD_CA_FILE"] = str(args.ca_file.absolute())
    membership = None
    if server.socket_path is None:
        membership = Membership(state.path, state.agent_id, args.token_file)
    try:
        serving = _serve(
            state,
            [_with_limits(node, found) for node in nodes],
            Link(server, membership),
            extra_env,
            allow_root_jobs=args.allow_root_jobs,
            cgroup_tree=found,
        )
        asyncio.run(serving)
    except Refused as error:
        print(f"rmsd-agent: error: {error}", file=sys.stderr)
        return error.exit_code
    finally:
        # Nothing interrupts the rest, to the very end of the process.
        for number in (*_ENDING, *_ENDING_UNLESS_IGNORED):
            signal.signal(number, signal.SIG_IGN)
        state.close()
    return 0


async def _serve(
    state: StateDir,
    nodes: list[NodeInfo],
    link: Link,
    extra_env: dict[str, str],
    *,
    allow_root_jobs: bool,
    cgroup_tree: Delegation | None,
) -> None:
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    told = False

    def leave(*_: object) -> None:
        nonlocal told
        if not told and not loop.is_closed():
            told = True
            loop.call_soon_threadsafe(task.cancel)

    # Not as handlers of the loop's: it would give them back when it is closed, before our exit.
    for number in _ENDING:
        signal.signal(number, leave)
    for number in _ENDING_UNLESS_IGNORED:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` has it
            signal.signal(number, leave)
    agent = Agent(
        state,
        nodes,
        link,
        extra_env,
        allow_root_jobs=allow_root_jobs,
        delegation=cgroup_tree,
    )
    if IS_ROOT and (closed := state.closed_to_users()) is not None:
        log.warning("scripts-out-of-reach", directory=str(closed), state_dir=str(state.path))
    log.info("starting", nodes=len(nodes), state_dir=str(state.path), pid=os.getpid())
    with contextlib.suppress(asyncio.CancelledError):
        try:
            await agent.open()
            await link.run(agent)
        finally:
            await agent.close()


def default_state_dir() -> Path:
    if root := os.environ.get("RMSD_STATE_DIR"):
        return Path(root, "agent")
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(base, "rmsd", "agent")


class _Parser(argparse.ArgumentParser):
    """Wrong usage is one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"rmsd-agent: error: {message} ('rmsd-agent --help' tells more)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="rmsd-agent",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
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
    return parser


def _nodes(parser: argparse.ArgumentParser, args: argparse.Namespace) -> list[NodeInfo]:
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


def _delegation(asked: str, name: str) -> Delegation | None:
    """The cgroups that jobs get, in a tree of this name; None: they get none."""
    if asked == "none":
        return None
    return delegation.find(name, None if asked == "auto" else Path(asked))


def _with_limits(node: NodeInfo, found: Delegation | None) -> NodeInfo:
    """With who keeps its jobs to their memory: the kernel, or a guard that polls."""
    by_kernel = found is not None and "memory" in found.controllers
    return msgspec.structs.replace(node, memory_limit="cgroup" if by_kernel else "polling")


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


def _server(parser: argparse.ArgumentParser, args: argparse.Namespace) -> Server:
    if args.server.startswith("unix:"):
        if args.token_file is not None:
            parser.error("--token-file is for https; on a socket the daemon knows our account")
        return Server(args.server)
    ca_file = str(args.ca_file) if args.ca_file else None
    try:
        return Server(args.server, ssl.create_default_context(cafile=ca_file))
    except OSError as error:  # also what is no certificate
        parser.error(f"--ca-file {ca_file}: {error.strerror or error}")


if __name__ == "__main__":
    main()
