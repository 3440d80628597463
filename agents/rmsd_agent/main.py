"""The program `rmsd-agent`: from its command line to its exit code."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import structlog

from rmsd_agent.agent import Agent
from rmsd_agent.attempts.binding import Binding, binding_of
from rmsd_agent.attempts.site_programs import ProgramPaths
from rmsd_agent.command_line import (
    command_line,
    devices_in,
    filter_in,
    nodes_of,
    options_of,
    programs_of,
    server_of,
)
from rmsd_agent.health_check import HealthCheck
from rmsd_agent.link.link import AgentRefusedError, Link
from rmsd_agent.link.membership import Membership
from rmsd_agent.machine import delegation
from rmsd_agent.machine.delegation import Delegation, DelegationError
from rmsd_agent.machine.device_filter import DeviceFilter
from rmsd_agent.machine.inventory import resized
from rmsd_agent.machine.users import IS_ROOT
from rmsd_agent.node_watch import NodeWatch, why_unable
from rmsd_agent.state.state_dir import AgentStateDir, StateError
from rmsd_process import logs
from rmsd_process.open_files import raise_open_files
from rmsd_process.ownership import closed_file
from rmsd_process.service_manager import STOPPING, ServiceManager
from rmsd_wire.node_info import NodeInfo

log: structlog.typing.FilteringBoundLogger = structlog.get_logger()

_ENDING = (signal.SIGTERM, signal.SIGINT)
_ENDING_UNLESS_IGNORED = (signal.SIGHUP, signal.SIGQUIT)


def main() -> None:
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str], kind: Callable[..., Agent] = Agent) -> int:
    """Be an agent until a signal or the daemon ends it, and return the exit code.

    `kind` makes the agent: clusters for tests have one that can be told to fail.
    """
    parser = command_line()
    options = options_of(parser, arguments)
    logs.configure(options.log_level)
    devices = devices_in(options)
    nodes = nodes_of(parser, options, devices)
    if options.allow_root_jobs and not IS_ROOT:
        parser.error("--allow-root-jobs is for an agent of root; this one is not")
    server = server_of(parser, options)
    programs = programs_of(parser, options, nodes)
    try:
        state = AgentStateDir(options.state_dir)
        found = _delegation(options.cgroup, f"rmsd-{state.agent_id[:12]}")
    except (StateError, DelegationError) as error:
        print(f"rmsd-agent: error: {error}", file=sys.stderr)
        return 1
    if not nodes and not any(state.jobs.iterdir()):
        parser.error("no node at all: --no-local-node goes with --emulate N")
    raise_open_files()
    extra_env = {"RMSD_SERVER": options.server}
    if options.ca_file:
        extra_env["RMSD_CA_FILE"] = str(options.ca_file.absolute())
    device_filter = filter_in(options, nodes, devices, found)
    manager, health = ServiceManager(), HealthCheck(programs)
    membership = None
    if server.socket_path is None:
        membership = Membership(state.path, state.agent_id, options.token_file)
    try:
        serving = _serve(
            kind,
            state,
            [_as_told(node, found, device_filter, _why_unable(state, health)) for node in nodes],
            partial(resized, cores=options.cores, mem_mib=options.mem_mib, devices=devices),
            Link(server, membership, manager),
            extra_env,
            allow_root_jobs=options.allow_root_jobs,
            cgroup_tree=found,
            binding=binding_of(nodes) if options.bind_processors else None,
            programs=programs,
            health=health,
            device_filter=device_filter,
        )
        asyncio.run(serving)
    except AgentRefusedError as error:
        print(f"rmsd-agent: error: {error}", file=sys.stderr)
        return error.exit_code
    finally:
        manager.tell(STOPPING)
        # Nothing interrupts the rest, to the very end of the process.
        for number in (*_ENDING, *_ENDING_UNLESS_IGNORED):
            signal.signal(number, signal.SIG_IGN)
        state.close()
    return 0


async def _serve(
    kind: Callable[..., Agent],
    state: AgentStateDir,
    nodes: list[NodeInfo],
    look: Callable[[NodeInfo], NodeInfo],
    link: Link,
    extra_env: dict[str, str],
    *,
    allow_root_jobs: bool,
    cgroup_tree: Delegation | None,
    binding: Binding | None,
    programs: ProgramPaths,
    health: HealthCheck,
    device_filter: DeviceFilter | None,
) -> None:
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    assert task is not None
    told = False
    watches: list[asyncio.Task[None]] = []

    def leave(*_: object) -> None:
        nonlocal told
        if not told and not loop.is_closed():
            told = True
            loop.call_soon_threadsafe(task.cancel)

    # The loop would remove handlers of its own when it is closed, which is before our exit.
    for number in _ENDING:
        signal.signal(number, leave)
    for number in _ENDING_UNLESS_IGNORED:
        if signal.getsignal(number) is not signal.SIG_IGN:  # `nohup` ignores SIGHUP: leave that
            signal.signal(number, leave)
    agent = kind(
        state,
        nodes,
        link,
        extra_env,
        allow_root_jobs=allow_root_jobs,
        delegation=cgroup_tree,
        binding=binding,
        programs=programs,
        device_filter=device_filter,
    )
    if IS_ROOT and (closed := state.closed_to_users()) is not None:
        log.warning("scripts-out-of-reach", directory=str(closed), state_dir=str(state.path))
    ca_file = extra_env.get("RMSD_CA_FILE")
    if IS_ROOT and ca_file is not None and (closed := closed_file(Path(ca_file))) is not None:
        log.warning("ca-file-out-of-reach", closed=str(closed), ca_file=ca_file)
    log.info("starting", nodes=len(nodes), state_dir=str(state.path), pid=os.getpid())
    with contextlib.suppress(asyncio.CancelledError):
        try:
            await agent.open()
            watch = NodeWatch(nodes, look, partial(_why_unable, state, health))
            watches.append(loop.create_task(watch.run(agent, link)))
            watches.append(loop.create_task(health.run(watch.look_now)))
            await link.run(agent)
        finally:
            for one in watches:
                one.cancel()
            await agent.close()


def _why_unable(state: AgentStateDir, health: HealthCheck) -> str:
    """Return why no job can be started on the nodes; "" if one can."""
    return why_unable(state) or health.why


def _delegation(asked: str, name: str) -> Delegation | None:
    """Return the tree of cgroups for jobs, below this name, or None if jobs get no cgroups."""
    if asked == "none":
        return None
    return delegation.find(name, None if asked == "auto" else Path(asked))


def _as_told(
    node: NodeInfo, found: Delegation | None, device_filter: DeviceFilter | None, unable: str
) -> NodeInfo:
    """Return the node with a note of what keeps its jobs to their memory (the kernel, or a guard
    that polls) and to their devices (the kernel, or nothing), and of why it can start none now."""
    by_kernel = found is not None and "memory" in found.controllers
    limit = "cgroup" if by_kernel else "polling"
    shuts_off = node.kind == "real" and device_filter is not None
    return msgspec.structs.replace(
        node, memory_limit=limit, device_limit="cgroup" if shuts_off else "", unable=unable
    )


if __name__ == "__main__":
    main()
