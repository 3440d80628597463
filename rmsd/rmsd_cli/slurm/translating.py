"""Make rmsd's configuration of what slurm.conf says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rmsd_cli.slurm import preemption
from rmsd_cli.slurm.devices import DeviceFiles
from rmsd_cli.slurm.machines import Machines, head_is_no_node, machines_of, named_nodes
from rmsd_cli.slurm.priorities import priorities_of
from rmsd_cli.slurm.reading import Fields, SlurmConf, Value
from rmsd_cli.slurm.settings import (
    READ_ELSEWHERE,
    SLURMS_DEFAULTS,
    TRANSLATED,
    WHY_LEFT,
    Left,
    Toml,
    limits_memory,
    mebibytes,
    spelled_duration,
    whole,
)
from rmsd_wire.durations import DurationError, parse_duration_s
from rmsd_wire.hostlist import compress
from rmsd_wire.licenses import LicenseError, parse_licenses
from rmsd_wire.names import CONFIGURED_NAME

_NODE_FIELDS = {
    "nodename", "nodeaddr", "nodehostname", "port", "cpus", "procs", "boards", "sockets",
    "socketsperboard", "corespersocket", "threadspercore", "realmemory", "memspeclimit",
    "corespeccount",
}  # fmt: skip
_WHY_NODE: Mapping[str, str] = {
    "feature": "a name is no feature of an agent; see its option --features",
    "features": "a name is no feature of an agent; see its option --features",
    "gres": "an agent has whole devices, which jobs consume; see its option --gres",
    "reason": "say `rnode drain NODE REASON` once the node has joined",
    "state": "say `rnode drain NODE REASON` once the node has joined, or do not start its agent",
    "tmpdisk": "free disk space is not accounted",
    "weight": "the nodes for a job are chosen by what is left on them",
}

_SHARED = "a job has whole nodes only if it says --exclusive; a partition cannot ask for it"


@dataclass(slots=True)
class Translated:
    """A configuration, and what was left out: the place, the name and why."""

    settings: dict[str, Toml] = field(default_factory=dict)
    licenses: dict[str, int] = field(default_factory=dict)
    partitions: dict[str, dict[str, Toml]] = field(default_factory=dict)
    machines: Sequence[Machines] = ()
    left: list[str] = field(default_factory=list)
    services: list[str] = field(default_factory=list)

    def leave(self, value: Value, why: str) -> None:
        self.left.append(f"{value.place}: {value.name}={value.text}: {why}")


def translate(conf: SlurmConf, cgroup: Mapping[str, Value], files: DeviceFiles) -> Translated:
    """Return rmsd's configuration. `cgroup`: the settings of cgroup.conf, which say whether jobs
    are kept to their memory. `files`: the files of devices, which gres.conf names."""
    made = Translated(settings=dict(SLURMS_DEFAULTS), machines=machines_of(conf, files))
    processors = sum(one.cores * len(one.names) for one in made.machines)
    priorities = priorities_of(conf.settings, conf.partitions, processors)
    made.settings["recipe"] = priorities.recipe
    made.left += priorities.notes
    for value, why in priorities.left:
        made.leave(value, why)
    if not limits_memory(conf.settings, cgroup):
        made.settings["limit_memory"] = False
    for key, value in conf.settings.items():
        _setting(made, key, value)
    if (left := preemption.why_left(conf.settings)) is not None:
        made.leave(*left)
    if "selecttype" in conf.settings and conf.settings["selecttype"].text.endswith("linear"):
        made.leave(conf.settings["selecttype"], _SHARED)
    for value in conf.others:
        if value.name.lower() == "downnodes":
            made.leave(value, _WHY_NODE["state"])
        else:
            made.services.append(value.name)
    _leave_of_nodes(made, conf)
    if made.machines and head_is_no_node(conf):
        made.settings["local_node"] = False
    for fields in conf.partitions:
        _partition(made, conf, fields)
    for name, points in priorities.partitions.items():
        if name in made.partitions:
            made.partitions[name]["priority"] = points
    return made


def _setting(made: Translated, key: str, value: Value) -> None:
    if key in TRANSLATED:
        name, read = TRANSLATED[key]
        try:
            made.settings[name] = read(value.text)
        except Left as why:
            made.leave(value, str(why))
    elif key == "licenses":
        try:
            made.licenses = dict(parse_licenses(value.text.replace(";", ",")))
        except LicenseError as error:
            made.leave(value, str(error))
    elif key in WHY_LEFT:
        made.leave(value, WHY_LEFT[key])
    elif key not in READ_ELSEWHERE:
        made.services.append(value.name)


def _leave_of_nodes(made: Translated, conf: SlurmConf) -> None:
    """Say once for each field of the nodes' lines what is not read."""
    told: set[str] = set()
    for fields, machines in zip(conf.nodes, made.machines, strict=True):
        for key, value in fields.items():
            if key in _NODE_FIELDS or (key, value.text.upper()) in _HARMLESS:
                continue
            if key == "gres" and machines.every_device:
                continue
            if key in ("feature", "features") and machines.are_features:
                continue
            why = _WHY_NODE.get(key, "not a part of rmsd's configuration")
            if value.text.upper() == "CLOUD":
                why = "no program starts nodes when they are needed"
            if f"{value.place} {key}" not in told:
                told.add(f"{value.place} {key}")
                made.leave(value, why)


def _yes(text: str) -> bool:
    return text.upper() in ("YES", "TRUE", "1", "Y")


def _duration(text: str) -> str:
    try:
        found = parse_duration_s(text)
    except DurationError as error:
        raise Left(str(error)) from None
    if found is None:
        raise Left("")
    return spelled_duration(found)


def _count(text: str) -> int:
    if text.upper() in ("UNLIMITED", "INFINITE"):
        raise Left("")
    if whole(text) == 0:
        raise Left("only operators could use it; say state=INACTIVE")
    return whole(text)


def _state(text: str) -> str:
    if text.lower() not in ("up", "down", "drain", "inactive"):
        raise Left(f"'{text}' is no state of a partition")
    return text.lower()


def _groups(text: str) -> list[str]:
    if text.upper() == "ALL":
        raise Left("")
    return [f"@{name}" for name in text.split(",") if name]


def _tier(text: str) -> int:
    return max(1, min(65535, whole(text)))


_PARTITION: Mapping[str, tuple[str, Callable[[str], Toml]]] = {
    "default": ("default", _yes),
    "state": ("state", _state),
    "maxtime": ("max_time", _duration),
    "defaulttime": ("default_time", _duration),
    "maxnodes": ("max_nodes", _count),
    "defmempernode": ("default_mem", mebibytes),
    "allowgroups": ("users", _groups),
    "priority": ("tier", _tier),
    "prioritytier": ("tier", _tier),
}
"""The key of a partition, and what reads the value. Left without a reason: there is no limit."""

_WHY_PARTITION: Mapping[str, str] = {
    "allowaccounts": "a partition does not check accounts: ALL MAY USE IT; see its users",
    "denyaccounts": "a partition does not check accounts: ALL MAY USE IT; see its users",
    "allowqos": "a partition does not check QOS: ALL MAY USE IT; see its users",
    "denyqos": "a partition does not check QOS: ALL MAY USE IT; see its users",
    "qos": "a partition has no QOS, nor the limits of one",
    "allocnodes": "jobs may be submitted from everywhere",
    "defmempercpu": "memory is by node here; set default_mem",
    "disablerootjobs": "whether root may run jobs is up to allow_root_jobs",
    "exclusiveuser": "jobs of several users share a node",
    "maxcpuspernode": "a job may have all processors of a node",
    "maxmempercpu": "a job may ask for all memory of a node",
    "maxmempernode": "a job may ask for all memory of a node",
    "minnodes": "a job may have fewer nodes",
    "overtimelimit": "the time beyond the limit is one for all; see overrun",
}
_HARMLESS = {
    ("hidden", "NO"), ("minnodes", "0"), ("minnodes", "1"),
    ("rootonly", "NO"), ("disablerootjobs", "NO"), ("exclusiveuser", "NO"),
    ("allowaccounts", "ALL"), ("allowqos", "ALL"), ("oversubscribe", "NO"), ("shared", "NO"),
    ("state", "UNKNOWN"), ("state", "IDLE"),
    ("allocnodes", "ALL"), ("defaulttime", "NONE"), ("lln", "NO"),
}  # fmt: skip
"""Values that say what is so anyway."""


def _partition(made: Translated, conf: SlurmConf, fields: Fields) -> None:
    value = fields["partitionname"]
    name = value.text
    if not CONFIGURED_NAME.fullmatch(name):
        made.leave(
            value, "the name of a partition has letters, digits and _ . + - alone; rename it"
        )
        return
    nodes = named_nodes(fields["nodes"], conf, made.machines) if "nodes" in fields else ""
    if not nodes:
        made.leave(value, "the partition has no nodes")
        return
    if name in made.partitions:
        made.leave(value, "the partition is there twice; the later one holds")
    table: dict[str, Toml] = {"nodes": nodes}
    made.partitions[name] = table
    for key, each in fields.items():
        if (
            key in ("partitionname", "nodes", "priorityjobfactor", *preemption.FIELDS)
            or (key, each.text.upper()) in _HARMLESS
        ):
            continue
        _partition_field(made, table, key, each)
    _preemption(made, conf, table, fields)
    if table.get("default") is False:
        del table["default"]
    _check_times(made, table, value)
    _check_default(made, name, table, value)


def _preemption(made: Translated, conf: SlurmConf, table: dict[str, Toml], fields: Fields) -> None:
    mode, left = preemption.mode_of(conf.settings, fields)
    for value, why in left:
        made.leave(value, why)
    if mode == "off":
        return
    table["preempt"] = mode
    if whole(fields["gracetime"].text if "gracetime" in fields else "0"):
        table["preempt_grace"] = spelled_duration(whole(fields["gracetime"].text))
    if (exempt := conf.settings.get("preemptexempttime")) is not None:
        try:
            table["preempt_exempt"] = _duration(exempt.text)
        except Left as why:
            if str(why):
                made.leave(exempt, str(why))


def _partition_field(made: Translated, table: dict[str, Toml], key: str, value: Value) -> None:
    if key in _PARTITION:
        name, read = _PARTITION[key]
        try:
            table[name] = read(value.text)
        except Left as why:
            if str(why):
                made.leave(value, str(why))
    elif key == "rootonly":
        table["users"] = ["root"]
    elif key in ("oversubscribe", "shared"):
        exclusive = value.text.upper().startswith("EXCLUSIVE")
        made.leave(value, _SHARED if exclusive else "no processor is given to two jobs")
    else:
        made.leave(value, _WHY_PARTITION.get(key, "not a part of rmsd's configuration"))


def _check_times(made: Translated, table: dict[str, Toml], value: Value) -> None:
    longest, usual = table.get("max_time"), table.get("default_time")
    if (
        longest
        and usual
        and (parse_duration_s(str(usual)) or 0) > (parse_duration_s(str(longest)) or 0)
    ):
        made.left.append(f"{value.place}: {value.text}: DefaultTime is longer than MaxTime")
        del table["default_time"]


def _check_default(made: Translated, name: str, table: dict[str, Toml], value: Value) -> None:
    """Let the last partition with Default=YES be the default, as Slurm does."""
    if "default" not in table:
        return
    for other, earlier in made.partitions.items():
        if other != name and earlier.pop("default", False):
            made.left.append(
                f"{value.place}: {other} is not the default: {name} says Default=YES after it"
            )


def toml_of(made: Translated, source: str) -> str:
    """Return the configuration as TOML, with the nodes' agents in comments: nodes join by
    themselves."""
    lines = [f"# Made of {source} by `rmsd slurm import`.", ""]
    lines += [f"{key} = {_spelled(value)}" for key, value in made.settings.items()]
    if made.licenses:
        lines += ["", "[licenses]"]
        lines += [f"{_key(name)} = {total}" for name, total in made.licenses.items()]
    for name, table in made.partitions.items():
        lines += ["", f"[partitions.{_key(name)}]"]
        lines += [f"{key} = {_spelled(value)}" for key, value in table.items()]
    if made.machines:
        lines += ["", "# Nodes join by themselves. Slurm's file gives them these sizes, for their",
                  "# agents; without the options, an agent gives all of its machine."]  # fmt: skip
        for one in made.machines:
            mem = "" if one.mem_mib is None else f" --mem {one.mem_mib}M"
            devices = f" --gres '{one.devices}'" if one.devices else ""
            features = ",".join(one.features) if one.are_features else ""
            more = f"{mem}{devices} --features {features}" if features else mem + devices
            lines.append(f"# {compress(one.names)}: rmsd-agent --cores {one.cores}{more}")
    return "\n".join(lines) + "\n"


def _spelled(value: Toml) -> str:
    return json.dumps(value)


def _key(name: str) -> str:
    plain = name.replace("_", "").replace("-", "")
    return name if plain.isascii() and plain.isalnum() else json.dumps(name)
