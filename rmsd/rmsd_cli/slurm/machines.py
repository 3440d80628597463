"""The nodes of slurm.conf: their names, sizes and sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rmsd_cli.slurm.devices import DeviceFiles, devices_of
from rmsd_cli.slurm.reading import Fields, SlurmConf, SlurmFileError, Value
from rmsd_wire.features import parse_features
from rmsd_wire.hostlist import HostlistError, compress, expand

MOST_NODES = 1_000_000
"""The nodes of all lines together, and of each partition."""


@dataclass(frozen=True, slots=True)
class Machines:
    """Nodes of one line, and what each of them gives to jobs. `mem_mib` None: not said. `devices`:
    as the option --gres of an agent has them. `every_device`: these are all of the line."""

    names: tuple[str, ...]
    cores: int
    mem_mib: int | None
    features: tuple[str, ...]
    devices: str = ""
    every_device: bool = True

    @property
    def are_features(self) -> bool:
        """Return whether an agent can have these features."""
        try:
            return parse_features(",".join(self.features)) == self.features
        except ValueError:
            return False


def hosts(text: str, place: str) -> list[str]:
    """Return the names of a host list, which may have several brackets in a name.

    Raises:
        SlurmFileError: it is no host list.
    """
    try:
        return _expanded(text)
    except HostlistError as error:
        raise SlurmFileError(f"{place}: {error}") from None


def _expanded(text: str, most: int = MOST_NODES) -> list[str]:
    names: list[str] = []
    for part in _parts(text):
        if part.count("[") < 2:
            names += expand(part, MOST_NODES)
        else:
            close = part.find("]") + 1
            if not close:
                raise HostlistError(f"'{part[:60]}': brackets do not match")
            for head in expand(part[:close], MOST_NODES):
                names += _expanded(head + part[close:], most - len(names))
        if len(names) > most:
            raise HostlistError(f"'{text[:60]}': more than {MOST_NODES} hosts")
    return names


def _parts(text: str) -> list[str]:
    """Return the parts between commas outside of brackets."""
    parts: list[str] = []
    depth = first = 0
    for at, char in enumerate(text):
        depth += {"[": 1, "]": -1}.get(char, 0)
        if char == "," and not depth:
            parts.append(text[first:at])
            first = at + 1
    parts.append(text[first:])
    return [part for part in parts if part]


def machines_of(conf: SlurmConf, files: DeviceFiles) -> list[Machines]:
    """Return the nodes of the file's lines.

    Raises:
        SlurmFileError: a line is not understood, or they have too many nodes together.
    """
    found: list[Machines] = []
    count = 0
    for fields in conf.nodes:
        found.append(_machines(fields, files))
        count += len(found[-1].names)
        _check_count(count, fields["nodename"].place)
    return found


def _check_count(count: int, place: str) -> None:
    """Raise SlurmFileError if there are too many nodes together, at a place."""
    if count > MOST_NODES:
        raise SlurmFileError(f"{place}: more than {MOST_NODES} nodes, with those before them")


def head_is_no_node(conf: SlurmConf) -> bool:
    """Return whether the file names the machines of slurmctld, and none of them is a node."""
    found = [one for one in conf.others if one.name.lower() == "slurmctldhost"]
    if "controlmachine" in conf.settings:
        found.append(conf.settings["controlmachine"])
    heads = {one.text.partition("(")[0].partition(".")[0] for one in found}
    names = {
        name.partition(".")[0]
        for fields in conf.nodes
        for key in ("nodename", "nodehostname")
        if key in fields
        for name in hosts(fields[key].text, fields[key].place)
    }
    return bool(heads - {"localhost"}) and not heads & names


def _machines(fields: Fields, files: DeviceFiles) -> Machines:
    name = fields["nodename"]
    names = tuple(hosts(name.text, name.place))
    cores = _cores(fields) - _number(fields, "corespeccount", 0) * _number(
        fields, "threadspercore", 1
    )
    mem = _number(fields, "realmemory", 0)
    return Machines(
        names,
        max(1, cores),
        max(1, mem - _number(fields, "memspeclimit", 0)) if mem else None,
        tuple(filter(None, fields["feature"].text.split(","))) if "feature" in fields
        else tuple(filter(None, fields["features"].text.split(","))) if "features" in fields
        else (),
        *(devices_of(fields["gres"].text, names[0], files) if "gres" in fields and names else ()),
    )  # fmt: skip


def _cores(fields: Fields) -> int:
    """Return the processors of a node, as many as Slurm gives to jobs."""
    if "cpus" in fields or "procs" in fields:
        return _number(fields, "cpus", 0) or _number(fields, "procs", 1)
    sockets = _number(fields, "sockets", 0) or (
        _number(fields, "boards", 1) * _number(fields, "socketsperboard", 1)
    )
    return sockets * _number(fields, "corespersocket", 1) * _number(fields, "threadspercore", 1)


def _number(fields: Fields, name: str, otherwise: int) -> int:
    value = fields.get(name)
    if value is None:
        return otherwise
    if not (value.text.isascii() and value.text.isdigit() and len(value.text) <= 15):
        raise SlurmFileError(f"{value.place}: {value.name}={value.text}: not a whole number")
    return int(value.text)


def named_nodes(value: Value, conf: SlurmConf, machines: Sequence[Machines]) -> str:
    """Return the host list of `Nodes=`, with the nodes of the sets that it names; "ALL" for all."""
    if value.text.upper() == "ALL":
        return "ALL"
    sets = {one["nodeset"].text: one for one in conf.sets}
    names: list[str] = []
    for part in _parts(value.text):
        if part.upper() == "ALL":
            return "ALL"
        names += _of_set(sets[part], machines) if part in sets else hosts(part, value.place)
        _check_count(len(names), value.place)
    return compress(list(dict.fromkeys(names)))


def _of_set(fields: Fields, machines: Sequence[Machines]) -> list[str]:
    names: list[str] = []
    if "feature" in fields:
        feature = fields["feature"].text
        names += [name for one in machines if feature in one.features for name in one.names]
    if "nodes" in fields:
        names += hosts(fields["nodes"].text, fields["nodes"].place)
    return names
