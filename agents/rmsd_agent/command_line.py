"""The command line of `rmsd-agent`, and the nodes and the daemon that its options describe."""

from __future__ import annotations

import argparse
import os
import ssl
from collections.abc import Sequence
from typing import NoReturn

import msgspec

from rmsd_agent.attempts.site_programs import ProgramPaths
from rmsd_agent.link.link import Server
from rmsd_agent.machine.delegation import Delegation
from rmsd_agent.machine.device_filter import DeviceFilter, filter_of
from rmsd_agent.machine.devices import Devices, devices_of
from rmsd_agent.machine.inventory import (
    EMULATED_MEM_MIB_PER_CORE,
    NO_DEVICES,
    emulated_nodes,
    real_node,
    short_hostname,
)
from rmsd_agent.options import OPTIONS, Options
from rmsd_process.installed import add_version_option
from rmsd_process.ownership import ChangeableError, NotExecutableError, check_program
from rmsd_wire.features import parse_features
from rmsd_wire.gres import parse_devices
from rmsd_wire.node_info import NodeInfo
from rmsd_wire.settings import add_options, environment_help

_DESCRIPTION = """\
Join this machine to an rmsd cluster as a node that runs jobs, or pretend to be many nodes
(--emulate). The agent dials the daemon and keeps the link for ever; jobs do not depend on it:
they run on, under a small shepherd process each, while the agent or the daemon is away, and what
became of them is reported when both are back. An agent of root runs each job as the account of its
user; any other runs its own account's jobs alone.
"""

_EPILOG = f"""\
signals:
  SIGTERM, SIGINT, SIGHUP, SIGQUIT
                    leave at once; jobs run on, and a new agent on the same state directory
                    takes them over (SIGHUP and SIGQUIT: unless they were ignored at the start)

environment:
{environment_help(OPTIONS)}

exit codes:
  0   asked to leave by a signal
  1   the state directory is in use or unusable, or the daemon refused this agent for good
  2   wrong usage
  77  the daemon does not accept this agent's key, nor lets it join

examples:
  rmsd-agent --server https://head:7632 --ca-file ca.pem --token-file join-token
  rmsd-agent --server https://head:7632 --ca-file ca.pem      # it has joined before
"""


class _Parser(argparse.ArgumentParser):
    """A parser that reports wrong usage in one line."""

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
    add_options(parser, OPTIONS, parse=True)
    add_version_option(parser, "--version")
    return parser


def options_of(parser: argparse.ArgumentParser, arguments: list[str]) -> Options:
    """Return the options of a command line; wrong usage ends the process."""
    values = vars(parser.parse_args(arguments))
    for row in OPTIONS:
        if row.key in values:
            values[row.field] = values.pop(row.key)
        elif row.from_env is not None:
            values[row.field] = row.from_env(os.environ)
    return Options(**values)


def devices_in(options: Options) -> Devices:
    """Return the devices of this machine, if it is a node."""
    return devices_of(options.gres) if _is_node(options) else NO_DEVICES


def filter_in(
    options: Options, nodes: Sequence[NodeInfo], devices: Devices, tree: Delegation | None
) -> DeviceFilter | None:
    """Return the filter of the files of devices, or None if there is none."""
    machine = next((node.name for node in nodes if node.kind == "real"), None)
    if machine is None or not options.constrain_devices:
        return None
    return filter_of(machine, devices.all, tree)


def _is_node(options: Options) -> bool:
    return options.local_node if options.local_node is not None else options.emulate is None


def nodes_of(
    parser: argparse.ArgumentParser, options: Options, devices: Devices = NO_DEVICES
) -> list[NodeInfo]:
    emulate = options.emulate
    local = _is_node(options)
    if options.name is not None and not local and emulate is not None:
        parser.error(
            "--name is this machine's as a node; add --local-node, or see --emulate-prefix"
        )
    if emulate is None and options.emulate_prefix is not None:
        parser.error("--emulate-prefix is for emulated nodes; add --emulate N")
    if emulate is None and options.emulate_gres is not None:
        parser.error("--emulate-gres is for emulated nodes; add --emulate N")
    if not local and options.gres not in ("auto", "none"):
        parser.error("--gres is of this machine as a node; see --emulate-gres, or add --local-node")
    if not local and options.cores is not None:
        parser.error("--cores is of this machine as a node; add --local-node, or see --emulate")
    if not local and emulate is None and options.mem_mib is not None:
        parser.error("--mem is of nodes, and there is none; leave out --no-local-node")
    nodes = []
    if local:
        name = options.name or short_hostname()
        nodes.append(real_node(name, options.cores, options.mem_mib, devices))
    if emulate is not None:
        same_machine = options.server.startswith("unix:")
        prefix = options.emulate_prefix or ("e" if same_machine else f"{short_hostname()}-e")
        given = None if local else options.mem_mib
        mem_mib = given or emulate.cores * EMULATED_MEM_MIB_PER_CORE
        gres = parse_devices(options.emulate_gres or "")
        nodes += emulated_nodes(emulate.nodes, emulate.cores, mem_mib, prefix, gres)
    features = parse_features(options.features)
    return [msgspec.structs.replace(node, features=features) for node in nodes]


def programs_of(
    parser: argparse.ArgumentParser, options: Options, nodes: Sequence[NodeInfo]
) -> ProgramPaths:
    """Return the programs of the site around jobs on this machine. No other account may be able to
    change them, since they run as the agent's account."""
    local = [node.name for node in nodes if node.kind == "real"]
    given = {
        "--prolog": options.prolog,
        "--epilog": options.epilog,
        "--health-check": options.health_check,
        "--reboot-program": options.reboot_program,
    }
    for option, path in given.items():
        if path is None:
            continue
        if not local:
            parser.error(f"{option} is of this machine as a node; add --local-node")
        try:
            check_program(path)
        except OSError as error:
            parser.error(f"{option} {path}: {error.strerror}")
        except (ChangeableError, NotExecutableError) as error:
            parser.error(f"{option}: {error}")
    node = local[0] if local else ""
    return ProgramPaths(
        node,
        options.prolog,
        options.epilog,
        options.program_timeout_s,
        options.health_check,
        options.health_check_interval_s,
        options.reboot_program,
    )


def server_of(parser: argparse.ArgumentParser, options: Options) -> Server:
    if options.server.startswith("unix:"):
        if options.token_file is not None:
            parser.error("--token-file is for https; on a socket the daemon knows our account")
        return Server(options.server)
    ca_file = str(options.ca_file) if options.ca_file else None
    try:
        return Server(options.server, ssl.create_default_context(cafile=ca_file))
    except OSError as error:  # also raised for a file that is no certificate
        parser.error(f"--ca-file {ca_file}: {error.strerror or error}")
