"""The nodes that a submit asks for by name or by feature."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import msgspec

from rmsd_core.jobs.request import Component, Request
from rmsd_core.machine.features import FeaturesError, counted
from rmsd_daemon.domain.errors import Malformed
from rmsd_daemon.domain.texts import bytes_of, check_text
from rmsd_wire.api.submission import SubmitSpec
from rmsd_wire.hostlist import HostlistError, expand

MOST_NAMES = 1024
"""The most nodes that a job may name, or exclude: each job keeps them in memory."""
_MOST_TEXT = 16 << 10
MOST_NAMES_AT_ONCE = 50_000
"""The most nodes that the jobs of one submit may name, counted for each partition that a job names:
each name is looked at several times, and is in the database as often."""
_NAME_BYTES = 512
"""The bytes that a name counts as beside its characters, though it takes 64 in memory. A pass looks
at the names of all waiting jobs: half a million of a user, which take a tenth of a second."""
_AROUND_BYTES = 3
"""The bytes that a name takes in the database beside its characters."""


def with_nodes(spec: SubmitSpec) -> SubmitSpec:
    """Return the spec with the number of nodes that those it names make.

    Raises:
        Malformed: it asks for fewer nodes than it names, or for no range of nodes.
    """
    if spec.most_nodes is not None:
        spec = _with_least_nodes(spec, spec.most_nodes)
    return msgspec.structs.replace(spec, nodes=nodes_with(spec.nodelist, spec.nodes))


def nodes_with(nodelist: str, nodes: int | None) -> int | None:
    """Return the number of nodes of a job that names these and asks for so many.

    Raises:
        Malformed: it asks for fewer nodes than it names.
    """
    named = len(_names("nodelist", nodelist))
    if not named or nodes is None:
        return named or nodes
    if nodes < named:
        raise Malformed(f"'nodes' is {nodes}, and 'nodelist' names {named}")
    return nodes


def named_after(before: str, after: str, nodes: int | None) -> int | None:
    """Return the number of nodes that a job asks for as it names others than before: as many as it
    names if that was so before, or if it has asked for no number."""
    named = len(_names("nodelist", after))
    alone = not nodes or nodes == len(_names("nodelist", before))
    return named if named and alone else nodes


def _with_least_nodes(spec: SubmitSpec, most: int) -> SubmitSpec:
    """Return the spec with the least nodes of its range: one for each node that it names."""
    if spec.nodes is None or most < spec.nodes:
        raise Malformed(f"'most_nodes' is {most}; it goes with 'nodes', which is not more")
    named = len(_names("nodelist", spec.nodelist))
    return msgspec.structs.replace(spec, nodes=max(spec.nodes, min(named, most)))


def nodes_to_try(
    least: int, most: int, tasks: int, cpus_per_task: int, most_cores: int
) -> Iterator[int]:
    """Yield the numbers of nodes of a range on which tasks may fit that do not on `least` nodes,
    ascending: those with fewer tasks on a node, and no more there than `most_cores` cores hold."""
    nodes, fewest = least, -(-tasks * cpus_per_task // max(1, most_cores))
    while (on_a_node := -(-tasks // nodes)) > 1:
        nodes = max(-(-tasks // (on_a_node - 1)), fewest)
        if nodes > most:
            return
        yield nodes


def placed(component: Component, nodelist: str, exclude: str) -> Component:
    """Return the component with the nodes that it must have, and those that it must not."""
    require = _names("nodelist", nodelist)
    excluded = _names("exclude", exclude)
    if both := sorted(set(require) & set(excluded)):
        raise Malformed(f"'nodelist' and 'exclude' both name {both[0]}")
    return component._replace(require=require, exclude=tuple(sorted(excluded)))


def checked_features(text: str | None) -> str | None:
    """Return the features that are asked for, as the core reads them.

    Raises:
        Malformed: they are not understood; the message says what is.
    """
    if not text:
        return None
    try:
        counted(text)
    except FeaturesError as error:
        raise Malformed(f"'constraint' is '{text}': {error}") from None
    return text


def named_nodes(nodelist: str, exclude: str) -> int:
    """Return how many nodes a job names, all in all."""
    return len(_names("nodelist", nodelist)) + len(_names("exclude", exclude))


def bytes_of_names(nodelist: str, exclude: str) -> int:
    """Return how many bytes the names of nodes take in memory that a job's lists stand for."""
    names = (*_names("nodelist", nodelist), *_names("exclude", exclude))
    return sum([len(name) + _NAME_BYTES for name in names])


def bytes_stored(request: Request) -> int:
    """Return how many bytes the names of nodes take wherever the database has the request: each of
    its components has all of them, however short the lists are that stand for them."""
    first = request.components[0]
    names = (*first.require, *first.exclude)
    return len(request.components) * (bytes_of(names) + _AROUND_BYTES * len(names))


@lru_cache(maxsize=16)
def _names(field: str, text: str) -> tuple[str, ...]:
    check_text(field, text, _MOST_TEXT)
    try:
        names = tuple(dict.fromkeys(expand(text, MOST_NAMES)))
    except HostlistError as error:
        raise Malformed(f"'{field}': {error}") from None
    return names
