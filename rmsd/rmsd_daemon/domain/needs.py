"""The demands that few jobs have: whole nodes, all memory, devices."""

from __future__ import annotations

import math
from typing import Protocol

from rmsd_core.jobs.gres import Amounts, Demands, name_of
from rmsd_daemon.domain.errors import Malformed
from rmsd_wire.api.submission import SubmitSpec
from rmsd_wire.gres import GresError, parse_gres


class Asked(Protocol):
    """The details of a job, as far as they are looked at here."""

    @property
    def tasks(self) -> int: ...
    @property
    def nodes(self) -> int | None: ...
    @property
    def exclusive(self) -> bool: ...
    @property
    def all_mem(self) -> bool: ...
    @property
    def gres(self) -> Amounts: ...
    @property
    def gres_per_task(self) -> Amounts: ...
    @property
    def mem_per_cpu_mib(self) -> int: ...


def asked_devices(spec: SubmitSpec) -> tuple[Amounts, Amounts]:
    """Return the devices that a submit asks for on each node, and those for each task.

    Raises:
        Malformed: they are not understood, or both name the same.
    """
    per_node, per_task = _parsed("gres", spec.gres), _parsed("gres_per_task", spec.gres_per_task)
    if both := {name_of(kind) for kind, _ in per_node} & {name_of(kind) for kind, _ in per_task}:
        raise Malformed(f"'gres' and 'gres_per_task' both ask for {min(both)}")
    return per_node, per_task


def _parsed(field: str, text: str) -> Amounts:
    try:
        return parse_gres(text)
    except GresError as error:
        raise Malformed(f"'{field}': {error}") from None


def needs_of(details: Asked) -> Demands | None:
    """Return what few jobs ask for; None if the job asks for none of it. On a number of nodes, what
    is for each task is for the most tasks that a node gets."""
    per_task, per_node = details.gres_per_task, details.gres
    if details.nodes is not None and per_task:
        most = math.ceil(details.tasks / details.nodes)
        on_node: Amounts = tuple([(kind, most * count) for kind, count in per_task])
        per_task, per_node = (), per_node + on_node
    unit_mem = details.nodes is None and details.mem_per_cpu_mib > 0
    needs = Demands(details.exclusive, details.all_mem, per_node, per_task, unit_mem)
    return needs if any(needs) else None
