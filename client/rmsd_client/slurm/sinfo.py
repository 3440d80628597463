"""`sinfo`: partitions and nodes."""

from __future__ import annotations

import os
import re
import sys

from rmsd_client.api import Client
from rmsd_client.nodes import device_text
from rmsd_client.slurm.command_lines.clusters import check_clusters, print_cluster
from rmsd_client.slurm.command_lines.command_line import (
    DIFFERS,
    IGNORED,
    MAYBE,
    NO,
    YES,
    Opt,
    Table,
    help_of,
)
from rmsd_client.slurm.command_lines.ending import SlurmError, run
from rmsd_client.slurm.command_lines.site import VERSION
from rmsd_client.slurm.fields.formats import (
    ShownField,
    line_of,
    parse_letters,
    parse_names,
    print_date,
)
from rmsd_client.slurm.fields.iterating import repeated
from rmsd_client.slurm.show.show import node_state, reason_us, reason_user
from rmsd_client.slurm.words.hosts import named_nodes
from rmsd_client.slurm.words.jobs import uid_of
from rmsd_client.slurm.words.partitions import SitePartition, load_partitions
from rmsd_client.slurm.words.times import short_duration, stamp
from rmsd_wire.hostlist import compress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rmsd_client.slurm.fields.formats import FormatPart

    Node = dict[str, Any]
    Options = dict[str, str]

SINFO = Table(
    "sinfo",
    (
        Opt("a", "all", NO, IGNORED, "no partitions are hidden"),
        Opt("M", "clusters", YES, DIFFERS, "this cluster's name and `all` alone"),
        Opt("d", "dead", NO),
        Opt("e", "exact", NO),
        Opt("", "federation", NO, IGNORED),
        Opt("o", "format", YES),
        Opt("O", "Format", YES),
        Opt("F", "future", NO, IGNORED),
        Opt("", "help", NO),
        Opt("", "hide", NO, IGNORED),
        Opt("i", "iterate", YES),
        Opt("", "json", MAYBE, DIFFERS, "the fields in docs/slurm.md"),
        Opt("R", "list-reasons", NO),
        Opt("", "local", NO, IGNORED),
        Opt("l", "long", NO),
        Opt("N", "Node", NO),
        Opt("", "noconvert", NO, IGNORED),
        Opt("h", "noheader", NO),
        Opt("n", "nodes", YES),
        Opt("p", "partition", YES),
        Opt("r", "responding", NO),
        Opt("S", "sort", YES),
        Opt("t", "states", YES),
        Opt("s", "summarize", NO),
        Opt("T", "reservation", NO),
        Opt("", "usage", NO),
        Opt("v", "verbose", NO, IGNORED),
        Opt("V", "version", NO),
        Opt("", "yaml", MAYBE, DIFFERS, "prints JSON, which is YAML"),
    ),
)

VARIABLES = {"SINFO_FORMAT": "format", "SINFO_PARTITION": "partition", "SINFO_SORT": "sort"}

_SHORT = {
    "idle": "idle", "mixed": "mix", "allocated": "alloc", "draining": "drng", "drained": "drain",
    "suspect": "down*", "down": "down", "maint": "maint", "reserved": "resv",
    "rebooting": "boot^", "reboot": "boot", "mixed@": "mix@", "allocated@": "alloc@",
    "draining@": "drng@",
}  # fmt: skip
_LONG = {
    "idle": "idle", "mixed": "mixed", "allocated": "allocated", "draining": "draining",
    "drained": "drained", "suspect": "down*", "down": "down", "maint": "maint",
    "reserved": "reserved", "rebooting": "reboot^", "reboot": "reboot", "mixed@": "mixed@",
    "allocated@": "allocated@", "draining@": "draining@",
}  # fmt: skip


_STATES = (
    *("all", "alloc", "allocated", "blocked", "cloud", "comp", "completing", "down", "drain"),
    *("drained", "draining", "drng", "error", "fail", "failing", "failg", "future", "futr"),
    *("idle", "inval", "maint", "mix", "mixed", "no_respond", "perfctrs", "planned", "plnd"),
    *("power_down", "powered_down", "powering_down", "power_up", "powering_up", "reboot"),
    *("reboot_issued", "reboot_requested", "resv", "reserved", "resume", "undrain", "unk"),
    "unknown",
)
"""The states of nodes that Slurm knows, in full and short. Nodes here are in a few of them."""


def _state(node: Node) -> str:
    """Return the state of a node: an idle one may be reserved, in maintenance or about to reboot,
    and a busy one may be to reboot."""
    if node.get("reboot") in ("requested", "asap"):  # older daemons do not tell it
        state = str(node["state"])
        if state in ("idle", "drained"):
            return "reboot"
        return f"{state}@" if state in _BUSY else state
    if node["state"] != "idle" or not node.get("reservation"):  # older daemons do not tell it
        return str(node["state"])
    return "maint" if node["is_in_maintenance"] else "reserved"


class NodeGroup:
    """Nodes of one partition that are shown in one line."""

    __slots__ = ("nodes", "partition")

    def __init__(self, partition: SitePartition, nodes: list[Node]) -> None:
        self.partition = partition
        self.nodes = nodes

    @property
    def state(self) -> str:
        return _state(self.nodes[0]) if self.nodes else "n/a"

    def total(self, key: str) -> int:
        return sum(node[key] for node in self.nodes)

    def least(self, key: str) -> str:
        """Return the value that all nodes have, or the least one with a plus."""
        values = {node[key] for node in self.nodes} or {0}
        return f"{min(values)}{'+' if len(values) > 1 else ''}"

    def count(self, *states: str) -> int:
        return sum(node["state"] in states for node in self.nodes)


_BUSY = ("mixed", "allocated", "draining")
_GONE = ("draining", "drained", "rebooting", "suspect", "down")


def _cpu_counts(group: NodeGroup) -> str:
    used = group.total("cores_used")
    other = sum(n["cores"] - n["cores_used"] for n in group.nodes if n["state"] in _GONE)
    total = group.total("cores")
    return f"{used}/{max(0, total - used - other)}/{other}/{total}"


def _node_counts(group: NodeGroup) -> str:
    busy, idle = group.count(*_BUSY), group.count("idle")
    return f"{busy}/{idle}/{len(group.nodes) - busy - idle}/{len(group.nodes)}"


def _reason(group: NodeGroup) -> str:
    return str(group.nodes[0]["reason"] if group.nodes else "") or "none"


def _reason_user(group: NodeGroup) -> str:
    return reason_user(group.nodes[0]) if _reason(group) != "none" else "Unknown"


def _reason_uid(group: NodeGroup) -> str:
    user = _reason_user(group)
    return user if user == "Unknown" else f"{user}({uid_of(user)})"


def _names(group: NodeGroup) -> str:
    return compress([node["name"] for node in group.nodes])


def _complete_state(group: NodeGroup) -> str:
    return node_state(group.nodes[0]).lower() if group.nodes else "n/a"


def _partition(group: NodeGroup) -> str:
    return group.partition.name + ("*" if group.partition.is_default else "")


def _features(group: NodeGroup) -> str:
    return ",".join(group.nodes[0]["features"] if group.nodes else ()) or "(null)"


def _sct(group: NodeGroup) -> str:
    cores = group.least("cores")
    return f"1:{cores}:1"


def _devices(group: NodeGroup) -> str:
    return (device_text.gres(group.nodes[0]) if group.nodes else "") or "(null)"


FIELDS = (
    ShownField("a", "available", "AVAIL", lambda g: g.partition.availability),
    ShownField("A", "nodeai", "NODES(A/I)",
               lambda g: f"{g.count(*_BUSY)}/{g.count('idle')}"),
    ShownField("b", "features_act", "ACTIVE_FEATURES", _features),
    ShownField("B", "maxcpuspernode", "MAX_CPUS_PER_NODE", "UNLIMITED"),
    ShownField("c", "cpus", "CPUS", lambda g: g.least("cores")),
    ShownField("C", "cpusstate", "CPUS(A/I/O/T)", _cpu_counts),
    ShownField("d", "disk", "TMP_DISK", "0"),
    ShownField("D", "nodes", "NODES", lambda g: str(len(g.nodes))),
    ShownField("e", "freemem", "FREE_MEM", "N/A"),
    ShownField("E", "reason", "REASON", _reason),
    ShownField("f", "features", "AVAIL_FEATURES", _features),
    ShownField("F", "nodeaiot", "NODES(A/I/O/T)", _node_counts),
    ShownField("g", "groups", "GROUPS", lambda g: g.partition.groups("all")),
    ShownField("G", "gres", "GRES", _devices),
    ShownField("h", "oversubscribe share", "OVERSUBSCRIBE", "NO"),
    ShownField("H", "timestamp", "TIMESTAMP",
               lambda g: stamp(reason_us(g.nodes[0]) if g.nodes else None)),
    ShownField("I", "priorityjobfactor", "PRIO_JOB_FACTOR",
               lambda g: str(g.partition.priority)),
    ShownField("l", "time", "TIMELIMIT",
               lambda g: short_duration(g.partition.max_time_s, "infinite")),
    ShownField("L", "defaulttime", "DEFAULTTIME",
               lambda g: short_duration(g.partition.default_time_s, "n/a")),
    ShownField("m", "memory", "MEMORY", lambda g: g.least("mem_mib")),
    ShownField("M", "preemptmode", "PREEMPT_MODE", lambda g: g.partition.preempt.upper()),
    ShownField("n", "nodehost", "HOSTNAMES", _names),
    ShownField("N", "nodelist", "NODELIST", _names),
    ShownField("o", "nodeaddr", "NODE_ADDR", _names),
    ShownField("O", "cpusload", "CPU_LOAD", "N/A"),
    ShownField("p", "prioritytier", "PRIO_TIER", lambda g: str(g.partition.tier)),
    ShownField("P", "partition", "PARTITION", _partition),
    ShownField("r", "root", "ROOT", "no"),
    ShownField("R", "partitionname", "PARTITION", lambda g: g.partition.name),
    ShownField("s", "size", "JOB_SIZE",
               lambda g: f"1-{g.partition.max_nodes}" if g.partition.max_nodes else "1-infinite"),
    ShownField("S", "allocnodes", "ALLOCNODES", "all"),
    ShownField("t", "statecompact", "STATE", lambda g: _SHORT.get(g.state, g.state)),
    ShownField("T", "statelong", "STATE", lambda g: _LONG.get(g.state, g.state)),
    ShownField("", "statecomplete", "STATECOMPLETE", _complete_state),
    ShownField("u", "user", "USER", _reason_user),
    ShownField("U", "userlong", "USER", _reason_uid),
    ShownField("v", "version", "VERSION", VERSION),
    ShownField("V", "cluster", "CLUSTER", "N/A"),
    ShownField("w", "weight", "WEIGHT", "1"),
    ShownField("X", "sockets", "SOCKETS", "1"),
    ShownField("Y", "cores", "CORES", lambda g: g.least("cores")),
    ShownField("Z", "threads", "THREADS", "1"),
    ShownField("z", "socketcorethread", "S:C:T", _sct),
    ShownField("", "allocmem", "ALLOCMEM", lambda g: g.least("mem_used_mib")),
    ShownField("", "gresused", "GRES_USED",
               lambda g: (device_text.gres_used(g.nodes[0]) if g.nodes else "") or "(null)"),
    ShownField("", "comment", "COMMENT", "(null)"),
    ShownField("", "extra", "EXTRA", "(null)"),
    ShownField("", "port", "PORT", "0"),
)  # fmt: skip

BY_LETTER = {field.letter: field for field in FIELDS if field.letter}
BY_NAME = {name: field for field in FIELDS for name in field.names}

_DEFAULT = "%9P %.5a %.10l %.6D %.6t %N"
_LONG_FORMAT = "%9P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N"
_NODE = "%N %.6D %.9P %6t"
_NODE_LONG = "%N %.6D %.9P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E"
_SUMMARY = "%9P %.5a %.10l %.16F %N"
_REASONS = "%20E %9u %19H %N"
_PER_NODE = frozenset("tTEfbGuUH")
"""The fields whose values nodes of one line have in common."""
_SIZES = frozenset("cmdwzXYZ")
"""The fields whose values nodes of one line have in common with --exact. Otherwise a line has the
least of them."""
_PER_PARTITION = frozenset("aPRlLshgpSrIM")
"""The fields of partitions: without any, a line has nodes of all partitions, each once."""
_PROBLEM = "sinfo: error: Invalid node format specification"
_PROBLEM_OF_NAMES = "sinfo: error: Invalid job format specification"


def main() -> int:
    return run("sinfo", sinfo, "slurm_load_partitions")


def sinfo(argv: Sequence[str]) -> int:
    """Show partitions or nodes; returns the exit code."""
    found, words = SINFO.read(argv, permute=True)
    if words:
        raise SlurmError(f"sinfo: error: Unrecognized argument: {words[0]}")
    options: Options = {
        name: os.environ[variable] for variable, name in VARIABLES.items() if variable in os.environ
    }
    options |= {option.long: value or "" for option, value in found}
    if "help" in options or "usage" in options:
        print(help_of(SINFO, "sinfo [OPTIONS]"))
        return 0
    if "version" in options:
        print(f"slurm {VERSION}")
        return 0
    is_named = check_clusters("sinfo", options)

    def once() -> int:
        if not {"json", "yaml"} & options.keys():
            print_cluster(options, is_named=is_named)
        return _once(options)

    return repeated("sinfo", options, once)


def _once(options: Options) -> int:
    if "reservation" in options:
        from rmsd_client.slurm.verbs.reservations import table_of

        with Client() as client:
            lines = table_of(client.reservations())
        print("\n".join(lines[1:] if "noheader" in options and len(lines) > 1 else lines))
        return 0
    _check_states(options.get("states", ""))
    with Client() as client:
        nodes = client.nodes()
        partitions = load_partitions(client)
    if options.get("partition"):
        partitions = [one for one in partitions if one.name in options["partition"].split(",")]
    nodes = [node for node in nodes if _fits(node, options)]
    if "json" in options or "yaml" in options:
        from rmsd_client.slurm.show.json_views import print_sinfo

        print_sinfo(nodes, partitions)
        return 0
    parts = _parts(options, nodes)
    if "list-reasons" in options:
        nodes = [node for node in nodes if node["reason"]]
    groups = _groups(nodes, partitions, parts, options)
    if "list-reasons" in options:
        groups = [group for group in groups if group.nodes]
    if "sort" in options:
        groups = sorted_by(groups, options["sort"])
    if "long" in options and not {"noheader", "iterate"} & options.keys():
        print_date()
    lines = [] if "noheader" in options else [line_of(parts, None)]
    lines += [line_of(parts, group) for group in groups]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


def _check_states(text: str) -> None:
    """Raise SlurmError if a word of `-t` is no state of nodes."""
    for word in filter(None, text.lower().split(",")):
        if word.rstrip("*$~#!%@^-+") not in _STATES:
            raise SlurmError(
                f'sinfo: error: Bad state string: "{word}"',
                f"sinfo: error: Valid node states are: {','.join(_STATES).upper()}",
            )


def _fits(node: Node, options: Options) -> bool:
    if options.get("nodes") and node["name"] not in named_nodes("sinfo", options["nodes"]):
        return False
    if options.get("states") and options["states"].lower() != "all":
        words = set(options["states"].lower().rstrip("*").split(","))
        state = _state(node)
        own = {_SHORT[state].rstrip("*@^"), _LONG[state].rstrip("*@^")}
        if reboot := node.get("reboot"):  # older daemons do not tell it
            own |= {"reboot_issued" if reboot == "issued" else "reboot_requested", "reboot"}
        if node["state"] in ("draining", "drained"):
            own |= {"drain", "drained", "draining"}
        if not own & words:
            return False
    gone = node["state"] in ("rebooting", "suspect", "down")
    return not ("dead" in options and not gone) and not ("responding" in options and gone)


def _groups(
    nodes: list[Node],
    partitions: Sequence[SitePartition],
    parts: Sequence[FormatPart],
    options: Options,
) -> list[NodeGroup]:
    """Return the lines to be shown: nodes that look alike together, unless each has its own."""
    fields = [part.field for part in parts if part.field is not None]
    names = frozenset(field.title for field in fields if field.show is _names)
    of_partition = [field for field in fields if field.letter in _PER_PARTITION]
    if "Node" in options or names & {"HOSTNAMES", "NODE_ADDR"}:
        return _one_by_one(nodes, partitions, is_divided=bool(of_partition))
    exact = _SIZES if "exact" in options else frozenset[str]()
    of_node = [one for one in fields if one.letter in _PER_NODE | exact or not one.letter]
    groups: dict[tuple[tuple[str, ...], ...], dict[str, Node]] = {}
    first: dict[tuple[str, ...], SitePartition] = {}
    for partition in partitions:
        shared = _values(of_partition, NodeGroup(partition, []))
        first.setdefault(shared, partition)
        own = [node for node in nodes if node["name"] in partition.nodes]
        for node in own:
            key = shared, _values(of_node, NodeGroup(partition, [node]))
            groups.setdefault(key, {})[node["name"]] = node
        if not own and not options.get("states") and (of_partition or len(partitions) == 1):
            groups.setdefault((shared,), {})
    return [NodeGroup(first[key[0]], list(own.values())) for key, own in groups.items()]


def _values(fields: Sequence[ShownField], group: NodeGroup) -> tuple[str, ...]:
    return tuple([field.show(group) for field in fields])


def _one_by_one(
    nodes: list[Node], partitions: Sequence[SitePartition], *, is_divided: bool
) -> list[NodeGroup]:
    """Return a group for each node by name, `is_divided`: in each of its partitions."""
    found = {
        (node["name"], partition.name if is_divided else ""): NodeGroup(partition, [node])
        for partition in reversed(partitions)
        for node in nodes
        if node["name"] in partition.nodes
    }
    by_place = {partition.name: at for at, partition in enumerate(partitions)}
    return sorted(
        found.values(), key=lambda one: (one.nodes[0]["name"], by_place[one.partition.name])
    )


def sorted_by(groups: list[NodeGroup], text: str) -> list[NodeGroup]:
    """Return the lines by the letters of -S. `#P` is the order in which partitions come, and other
    words that are no letters change nothing, as in Slurm."""
    for word in reversed(text.split(",")):
        field = BY_LETTER.get(word.lstrip("+-"))
        if field is not None:
            shown = {id(group): _natural(field.show(group)) for group in groups}
            groups = sorted(groups, key=lambda one: shown[id(one)], reverse=word.startswith("-"))
    return groups


def _natural(text: str) -> list[str | int]:
    """Return a key that sorts numbers in texts by their values."""
    return [int(part) if part.isdigit() else part for part in re.split(r"([0-9]+)", text)]


def _parts(options: Options, nodes: Sequence[Node]) -> list[FormatPart]:
    if "format" in options:
        return parse_letters(options["format"], BY_LETTER, _PROBLEM)
    if "Format" in options:
        return parse_names(options["Format"], BY_NAME, _PROBLEM_OF_NAMES)
    if "list-reasons" in options:
        return parse_letters(_REASONS, BY_LETTER, _PROBLEM)
    if "summarize" in options:
        return parse_letters(_SUMMARY, BY_LETTER, _PROBLEM)
    if "Node" in options:
        width = max([8, *(len(node["name"]) for node in nodes)])
        text = _NODE_LONG if "long" in options else _NODE
        return parse_letters(text.replace("%N", f"%{width}N"), BY_LETTER, _PROBLEM)
    return parse_letters(_LONG_FORMAT if "long" in options else _DEFAULT, BY_LETTER, _PROBLEM)
