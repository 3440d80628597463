"""`rnode`: the nodes; drain, resume, reboot and forget them."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from typing import Any

from rmsd_client.api import Client
from rmsd_client.console import cli
from rmsd_client.console.terminal import Column, format_table, table_width, wants_colour
from rmsd_client.errors import EXIT_FAILURE, EXIT_OK, ApiError, UsageError
from rmsd_client.nodes import device_text, reboots, reservations
from rmsd_client.show.job_fields import local_time
from rmsd_wire.durations import format_duration
from rmsd_wire.hostlist import HostlistError, compress, expand
from rmsd_wire.sizes import format_mem

Node = dict[str, Any]

_PROGRAM = "rnode"
_COLOURS = {
    "idle": "green",
    "mixed": "blue",
    "allocated": "blue",
    "draining": "yellow",
    "drained": "yellow",
    "rebooting": "yellow",
    "suspect": "red",
    "down": "red",
}

_MEMORY_LIMITS = {
    "cgroup": "kept by the kernel (cgroup)",
    "polling": "looked at by the agent, about once a second (polling)",
    "": "none: its agent is of an earlier version",
}

_ALL = "ALL"
"""The word for all nodes, as in a reservation."""

_EXAMPLES = """\
  rnode                                     the nodes, equal ones together
  rnode -N                                  one line for each
  rnode show n01                            everything about a node
  rnode partitions                          the partitions, with their nodes and limits
  rnode drain n[01-04] memory is replaced   start nothing new on four nodes
  rnode resume n[01-04]                     use them again
  rnode reboot n[01-04] --asap --reason 'new kernel'
                                            let four nodes become idle, and reboot each
  rnode reboot n01 --cancel                 not after all
  rnode forget n07                          take a node that is down off the list
  rnode reserve repair --start 20:00 --duration 2h --nodes ALL --flags maint
                                            let no job run from 20:00 to 22:00
  rnode reserve course --start now+1hour --duration 90m --cores 32 --users ann,bob
  rnode reserve lab --start 08:00 --duration 2h --nodes n01 --groups students --flags weekly
                                            every week, until it is deleted
  rnode reservations                        the reservations that are not over
  rnode unreserve course                    delete one"""


def main() -> int:
    return cli.run(_PROGRAM, rnode)


def rnode(argv: Sequence[str]) -> int:
    """Show or change nodes; returns the exit code."""
    args = command_parser().parse_intermixed_args(argv)
    reserving = args.action in reservations.ACTIONS
    names = _expand(args.names) if args.names and not reserving else []
    reservations.check(args)
    _check(args, names)
    reboots.check(args)
    with cli.connect(args, _PROGRAM) as client:
        if args.action == "list":
            _show_list(client, args)
            return EXIT_OK
        if args.action == "partitions":
            _show_partitions(client, args)
            return EXIT_OK
        if reserving:
            return reservations.act(client, args)
        if names == [_ALL] and args.action != "forget":
            names = [node["name"] for node in client.nodes()]
        if args.action == "show":
            return _show_nodes(client, names, args)
        return _change(client, names, args)


def command_parser() -> ArgumentParser:
    """Return the parser of the command line."""
    parser = cli.make_parser(
        _PROGRAM,
        "rnode [options] [list | partitions | show NODES | drain NODES REASON... | resume NODES\n"
        "             | reboot NODES [--asap] [--next-state STATE] [--reason TEXT] [--cancel]\n"
        "             | forget NODES | reservations [NAME] | reserve NAME ... | unreserve NAME]",
        "Show the nodes, drain them (nothing new starts there, what runs there runs on),\n"
        "resume them, reboot them once they are idle, forget those that are down, or\n"
        "reserve them for some time. NODES is a host list such as n[01-04,7],head, or ALL.",
        examples=_EXAMPLES,
        help_flags=("--help",),
    )
    add = parser.add_argument
    add(
        "action",
        nargs="?",
        choices=(
            *("list", "partitions", "show", "drain", "resume", "reboot", "forget"),
            *reservations.ACTIONS,
        ),
        default="list",
        help="the action (default: list)",
    )
    add("names", nargs="?", metavar="NODES", help="a host list, or the name of a reservation")
    add("reason", nargs="*", metavar="REASON", help="why: a drain needs a reason")
    add(
        "--force",
        action="store_true",
        help="forget nodes that are suspect, too: their agents are "
        "gone for good, and their jobs are requeued",
    )
    add("-N", "--node", action="store_true", help="one line for each node")
    add("-h", "--noheader", action="store_true", help="no header")
    add("--json", action="store_true", help="the daemon's answer as it is")
    add("--color", choices=("auto", "always", "never"), default="auto",
        help="colour the states; auto is on a terminal, unless NO_COLOR is set")  # fmt: skip
    reboots.add_options(parser)
    reservations.add_options(parser)
    return parser


def _expand(text: str) -> list[str]:
    try:
        return expand(text)
    except HostlistError as error:
        raise UsageError(str(error)) from None


def _check(args: Namespace, names: Sequence[str]) -> None:
    if args.action in reservations.ACTIONS:
        if args.reason:
            raise UsageError(
                f"{args.action}: '{args.reason[0]}' is not understood; several nodes are one word, "
                "as n1,n2, or 'n[1-4]' in quotes"
            )
        return
    lists = args.action in ("list", "partitions")
    if lists and names:
        raise UsageError(f"{args.action} takes no nodes; 'rnode show NODES' does")
    if not lists and not names:
        raise UsageError(f"{args.action}: which nodes?")
    if args.action == "drain" and not " ".join(args.reason).strip():
        raise UsageError("drain: a reason is needed: rnode drain NODES REASON...")
    if args.force and args.action != "forget":
        raise UsageError(f"{args.action}: --force goes with forget")
    if args.action != "drain" and args.reason:
        raise UsageError(
            f"{args.action}: '{args.reason[0]}' is not understood; several nodes are one list, as "
            f"{args.action} n1,n2 or {args.action} n[1-4]"
        )


# ---------------------------------------------------------------- showing


def _show_list(client: Client, args: Namespace) -> None:
    nodes = client.nodes()
    if args.json:
        print(json.dumps({"schema": "rmsd.nodes/1", "nodes": nodes}))
        return
    groups = [[node] for node in nodes] if args.node else group_equal(nodes)
    with_devices = any(node.get("devices") for node in nodes)
    columns = [
        Column("NODELIST", shrink=12),
        Column("NODES", right=True, vital=False),
        Column("STATE"),
        Column("CPUS", right=True),
        Column("MEMORY", right=True, vital=False),
        *([Column("DEVICES", shrink=8)] if with_devices else []),
        Column("FEATURES", shrink=8, vital=False),
        Column("REASON", shrink=8),
    ]
    colours = None
    if wants_colour(args.color):
        more = len(columns) - 3
        colours = [[None, None, _COLOURS.get(g[0]["state"]), *[None] * more] for g in groups]
    lines = format_table(
        columns,
        [_row(group, with_devices=with_devices) for group in groups],
        header=not args.noheader,
        width=table_width(),
        colours=colours,
    )
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _show_partitions(client: Client, args: Namespace) -> None:
    partitions = client.partitions()
    if args.json:
        print(json.dumps({"schema": "rmsd.partitions/1", "partitions": partitions}))
        return
    preempts = any(one["preempt"] != "off" for one in partitions)
    columns = [
        Column("PARTITION", shrink=8),
        Column("STATE"),
        Column("CPUS", right=True),
        Column("MAX_TIME", right=True),
        Column("MAX_NODES", right=True, vital=False),
        Column("TIER", right=True, vital=False),
        *([Column("PREEMPT", vital=False)] if preempts else []),
        Column("USERS", shrink=8, vital=False),
        Column("NODELIST", shrink=12),
    ]
    rows = [
        [
            one["name"] + ("*" if one["is_default"] else ""),
            one["state"],
            f"{one['cores_used']}/{one['cores']}",
            format_duration(one["max_time_s"]),
            str(one["max_nodes"] or "all"),
            str(one["tier"]),
            *([one["preempt"]] if preempts else []),
            "others" if one["users"] is None else ",".join(one["users"]) or "all",
            one["nodelist"],
        ]
        for one in partitions
    ]
    lines = format_table(columns, rows, header=not args.noheader, width=table_width())
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def group_equal(nodes: Iterable[Node]) -> list[list[Node]]:
    """Return groups of nodes with the same state, size, features, devices and reason, in order of
    their first nodes."""
    groups: dict[tuple[Any, ...], list[Node]] = {}
    for node in nodes:
        devices = device_text.gres(node)
        kind = (node["state"], node["cores"], node["mem_mib"], node["reason"], devices)
        groups.setdefault((*kind, *node["features"]), []).append(node)
    return list(groups.values())


def _row(group: Sequence[Node], *, with_devices: bool) -> list[str]:
    first = group[0]
    used, cores = (sum(node[key] for node in group) for key in ("cores_used", "cores"))
    return [
        compress([node["name"] for node in group]),
        str(len(group)),
        first["state"],
        f"{used}/{cores}",
        format_mem(first["mem_mib"]),
        *([device_text.counted(group)] if with_devices else []),
        ",".join(first["features"]),
        first["reason"],
    ]


def _show_nodes(client: Client, names: Sequence[str], args: Namespace) -> int:
    by_name = {node["name"]: node for node in client.nodes()}
    found = [by_name[name] for name in names if name in by_name]
    if args.json:
        print(json.dumps({"schema": "rmsd.nodes/1", "nodes": found}))
    else:
        print("\n\n".join(map(_full_text, found)), end="\n" if found else "")
    missing = [name for name in names if name not in by_name]
    if missing:
        cli.complain(_PROGRAM, f"no such node: {compress(missing)}")
    return EXIT_FAILURE if missing else EXIT_OK


def _full_text(node: Node) -> str:
    lines = [
        ("Node", node["name"]),
        ("State", f"{node['state']} ({node['reason']})" if node["reason"] else node["state"]),
        *_last_drain(node),
        *reboots.lines(node),
        *_reserved(node),
        ("Kind", node["kind"]),
        ("Cores", f"{node['cores_used']} of {node['cores']} used"),
        ("Memory", f"{format_mem(node['mem_used_mib'])} of {format_mem(node['mem_mib'])} used"),
        *device_text.lines(node),
        ("Mem limit", _MEMORY_LIMITS.get(node["memory_limit"], node["memory_limit"])),
        ("Features", ", ".join(node["features"]) or "none"),
        ("Partitions", ", ".join(node.get("partitions", ())) or "none"),
        ("Jobs", ", ".join(map(str, node["jobs"])) or "none"),
    ]
    for title, key in (("Host", "hostname"), ("System", "os"), ("Processor", "cpu_model"),
                       ("Agent", "agent_version")):  # fmt: skip
        if node[key]:
            lines.append((title, node[key]))
    titled = [(f"{title}:" if title else "", value) for title, value in lines]
    return "\n".join(f"{title:<12}{cli.printable(value)}" for title, value in titled)


def _reserved(node: Node) -> list[tuple[str, str]]:
    """Return the advance reservation that is active on the node."""
    if not (name := node.get("reservation")):  # older daemons do not tell it
        return []
    return [("Reserved", f"{name} (maintenance)" if node["is_in_maintenance"] else name)]


def _last_drain(node: Node) -> list[tuple[str, str]]:
    """Return who has drained or resumed the node last, and when."""
    if node.get("drain_us") is None:  # older daemons do not tell it
        return []
    text = f"by {node['drain_by'] or 'the daemon itself'}, {local_time(node['drain_us'])}"
    return [("Drained" if node["is_drained"] else "Resumed", text)]


# ---------------------------------------------------------------- changing


def _change(client: Client, names: Sequence[str], args: Namespace) -> int:
    if len(names) > 1:
        known = {node["name"] for node in client.nodes()}
        if unknown := [name for name in names if name not in known]:
            cli.complain(_PROGRAM, f"there is no node '{unknown[0]}'; no node was changed")
            return EXIT_FAILURE
    if args.action == "drain" and any(node["name"] == args.reason[0] for node in client.nodes()):
        # the shell makes two words of n[1-2] where it finds files of these names
        raise UsageError(
            f"drain: '{args.reason[0]}' is a node, and no reason; several nodes are one word, as "
            "n1,n2, or 'n[1-4]' in quotes; no node was changed"
        )
    code = EXIT_OK
    changed = []
    for name in names:
        try:
            if args.action == "drain":
                changed.append(client.drain(name, " ".join(args.reason)))
            elif args.action == "reboot":
                changed.append(reboots.ask(client, name, args))
            elif args.action == "forget":
                client.forget_node(name, force=args.force)
            else:
                changed.append(node := client.resume(name))
                if node["state"] == "rebooting":
                    cli.warn(_PROGRAM, f"{name} takes work again once it has rebooted")
        except ApiError as error:
            cli.complain(_PROGRAM, str(error))
            code = error.exit_code
    if args.json:
        print(json.dumps({"schema": "rmsd.nodes/1", "nodes": changed}))
    return code
