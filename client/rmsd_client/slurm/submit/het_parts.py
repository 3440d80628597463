"""The components of a heterogeneous job: how a command line and a script name them, and the submit
of one job that has them as its parts.

A job has its nodes and processors as one request. So the components must need the same on each of
their nodes. They may differ in their names, in the numbers of their nodes and tasks, and in the
processors of each task, if all nodes have as many processors in use.
"""

from __future__ import annotations

from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.submit.requests import failure_of, make_spec, values_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rmsd_client.slurm.command_lines.command_line import Table
    from rmsd_client.slurm.submit.requests import Source, Values

    Spec = dict[str, Any]

SEPARATOR = ":"
_OF_ONE = frozenset(
    (
        *("nodes", "ntasks", "ntasks-per-node", "cpus-per-task", "mem-per-cpu", "mem-per-gpu"),
        *("partition", "constraint", "nodelist", "exclusive", "gres", "gpus", "gpus-per-node"),
        *("gpus-per-task", "ntasks-per-gpu", "cpus-per-gpu", "licenses", "array", "relative"),
        *("multi-prog", "het-group", "wrap"),
    )
)
"""The options that count for the component that names them. The others count for those behind it,
too, as in Slurm."""

_ALIKE = {
    "mem_mib": "mem",
    "mem_per_cpu_mib": "mem-per-cpu",
    "gres": "gres",
    "gres_per_task": "gpus-per-task",
    "exclusive": "exclusive",
    "constraint": "constraint",
    "partition": "partition",
    "time_limit_s": "time",
    "account": "account",
    "qos": "qos",
    "reservation": "reservation",
    "exclude": "exclude",
    "nice": "nice",
    "deadline_in_s": "deadline",
    "deadline_us": "deadline",
    "conditions": "begin, --dependency or --hold",
}
"""The fields of a submit that all components must have alike, with their options."""
_SAME_AS_NONE = {"mem_mib": 0, "time_limit_s": None}
"""The values of fields that mean what a missing field means; of others these are empty ones."""
_SUPPORTED = (
    "the components of a heterogeneous job need the same processors, memory and devices on each "
    "node here; they may differ in --nodes, --ntasks, --cpus-per-task and --job-name"
)


def read_components(table: Table, argv: Sequence[str]) -> tuple[list[Values], list[str]]:
    """Return the options of each component of a command line, and the words behind the last one.

    Raises:
        SlurmError: an option cannot be read, or has no effect here.
    """
    components: list[Values] = []
    words = list(argv)
    while True:
        found, words = table.read(words, permute=False)
        components.append(values_of(table, found))
        if words[:1] != [SEPARATOR]:
            return components, words
        del words[0]


def read_commands(table: Table, argv: Sequence[str]) -> list[tuple[Values, list[str]]]:
    """Return the options and the command of each component of a step. A component without a command
    runs that of the next one that has a command."""
    components: list[tuple[Values, list[str]]] = []
    words = list(argv)
    while True:
        found, words = table.read(words, permute=False)
        end = words.index(SEPARATOR) if SEPARATOR in words else len(words)
        components.append((values_of(table, found), words[:end]))
        if end == len(words):
            break
        words = words[end + 1 :]
    command: list[str] = []
    for at in reversed(range(len(components))):
        values, own = components[at]
        command = own or command
        components[at] = values, command
    return components


def passed_down(components: Iterable[Values]) -> list[Values]:
    """Return the options of each component, with those of the components before it that count for
    it as well."""
    carried: Values = {}
    found: list[Values] = []
    for values in components:
        found.append({**carried, **values})
        carried = {name: text for name, text in found[-1].items() if name not in _OF_ONE}
    return found


def beside_first(values: Values, number: int) -> Values:
    """Return those of the values, which variables set, that count for a component: behind the first
    one those of the options that each component names for itself."""
    if number == 0:
        return values
    return {name: text for name, text in values.items() if name in _OF_ONE}


def joined_spec(
    program: str, components: Sequence[Values], source: Source, pattern: str
) -> dict[str, Any]:
    """Return the SubmitSpec of a job with these components; `pattern` is the file for its output,
    if none is named.

    Raises:
        SlurmError: a value is unusable, or the components differ in what they need on a node.
    """
    specs = [make_spec(program, values, source, pattern) for values in components]
    if len(specs) == 1:
        return specs[0]
    parts = [_part(spec) for spec in specs]
    for number, (spec, part) in enumerate(zip(specs, parts, strict=True)):
        _check_alone(program, spec, number)
        for field, option in _ALIKE.items():
            default = _SAME_AS_NONE.get(field)
            if (specs[0].get(field) or default) != (spec.get(field) or default):
                texts = [values.get(option) for values in (components[0], components[number])]
                raise _differs(program, number, f"--{option}", *texts)
        cpus = [_cpus_on_node(parts[0], specs[0]), _cpus_on_node(part, spec)]
        if cpus[0] != cpus[1]:
            raise _differs(program, number, "processors on a node", *map(str, cpus))
    counts = {name: sum(part[name] for part in parts) for name in ("nodes", "tasks")}
    if len({spec.get("cpus_per_task") or 1 for spec in specs}) > 1:
        if specs[0].get("gres_per_task"):
            raise SlurmError(
                f"{program}: error: components that differ in --cpus-per-task cannot have devices "
                "for each task here; ask for devices on each node (--gres)"
            )
        for part, spec in zip(parts, specs, strict=True):
            part["cpus_per_task"] = spec.get("cpus_per_task") or 1
        counts |= {"tasks": counts["nodes"], "cpus_per_task": _cpus_on_node(parts[0], specs[0])}
    whole = {name: value for name, value in specs[0].items() if name != "most_nodes"}
    return {**whole, **counts, "parts": parts}


def _part(spec: Spec) -> dict[str, Any]:
    """Return the part of the job that a component is. One that names no number of nodes is on one
    node, and one that names a range is on the fewest of that."""
    nodes = int(spec.get("nodes") or 1)
    return {"name": spec["name"], "nodes": nodes, "tasks": spec.get("tasks") or nodes}


def _cpus_on_node(part: dict[str, Any], spec: Spec) -> int:
    """Return how many processors a component needs on a node: for the most tasks that are there."""
    return int(-(-part["tasks"] // part["nodes"]) * (spec.get("cpus_per_task") or 1))


def _check_alone(program: str, spec: Spec, number: int) -> None:
    """Raise SlurmError if a component asks for what only a job of one component may have."""
    if spec.get("array"):
        raise SlurmError(f"{failure_of(program)}: Invalid job array specification")
    if spec.get("nodelist"):
        raise SlurmError(
            f"{program}: error: component {number} names its nodes (--nodelist), which is not "
            "supported in a heterogeneous job; --exclude names nodes that no component gets"
        )
    if number and spec.get("licenses"):
        raise SlurmError(
            f"{program}: error: component {number} asks for licenses; ask for those of all "
            "components in the first one"
        )


def _differs(
    program: str, number: int, what: str, first: str | None, own: str | None
) -> SlurmError:
    """Return the error of a component that differs from the first one. The texts are what both ask
    for; None or "": nothing that has a text."""
    told = f"{first or 'none'} and {own or 'none'}"
    return SlurmError(
        f"{program}: error: components 0 and {number} differ in {what}: {told}",
        f"{program}: error: {_SUPPORTED}",
    )
