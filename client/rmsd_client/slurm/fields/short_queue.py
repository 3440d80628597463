"""The usual lists of squeue, of the queue in short: ten thousand jobs take as many views several
times as long."""

from __future__ import annotations

from rmsd_client.errors import ApiError
from rmsd_client.slurm.fields.formats import lines_of
from rmsd_client.slurm.fields.queue_fields import BY_LETTER
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.waiting_tasks import CUT_OFF
from rmsd_core.vocabulary import LIVE_STATES
from rmsd_wire.arrays import parse_array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    from rmsd_client.api import Client
    from rmsd_client.slurm.fields.formats import FormatPart

    Columns = Mapping[str, Sequence[Any]]

LIVE: frozenset[str] = LIVE_STATES | {"STOPPED"}
"""Slurm's states of jobs that are not over. No job here is ever STOPPED, but users may ask."""

_OPTIONS = frozenset(
    (
        *("account", "array", "format", "Format", "iterate", "long", "me", "name", "noconvert"),
        *("noheader", "partition", "qos", "states", "user"),
    )
)
_CHOICES: dict[str, Callable[[dict[str, Any]], str]] = {
    "account": of.account,
    "name": lambda job: str(job["name"]),
    "partition": of.partition,
    "qos": of.qos,
}
"""The options that choose jobs by one of their values, which the option is called as."""
_ALWAYS = {"state", "partition", "array_task_id", "array_task_str", "part_count"}
"""The columns by which jobs are chosen, sorted, and told apart whatever is shown."""


def suffices(options: Mapping[str, str], states: AbstractSet[str]) -> bool:
    """Return whether the queue in short has the jobs that the options ask for."""
    return options.keys() <= _OPTIONS and states <= LIVE


def lines(
    client: Client,
    options: Mapping[str, str],
    parts: Sequence[FormatPart],
    states: AbstractSet[str],
    user: str | None,
) -> list[str] | None:
    """Return the lines of the jobs, by partition and state; None if the queue in short does not
    tell all that they show."""
    if any(part.field is not None and part.field.reads is None for part in parts):
        return None
    if user == "":  # an empty list names no user
        return []
    try:
        columns: Columns = client.queue(user)
    except ApiError as error:
        if error.status == 404:  # an older daemon
            return None
        raise
    shown = {name for part in parts if part.field for name in part.field.reads or ()}
    needed = shown | options.keys() & _CHOICES.keys() | _ALWAYS
    columns = {name: values for name, values in columns.items() if name in needed}
    if any(columns["part_count"]):  # the queue in short does not tell what each part has
        return None
    if "array" in options:
        if any(text.endswith(CUT_OFF) for text in columns["array_task_str"]):
            return None
        columns = _apart(columns)
    columns = _chosen(columns, options, states)
    columns = _sorted(columns)
    return lines_of(parts, columns, len(columns["state"]))


def _rows(columns: Columns, rows: Sequence[int]) -> Columns:
    """Return these rows of the columns, in this order."""
    return {name: list(map(values.__getitem__, rows)) for name, values in columns.items()}


def _apart(columns: Columns) -> Columns:
    """Return the columns with a row for each waiting task of an array."""
    rows: list[int] = []
    indices: list[int | None] = []
    texts: list[str] = []
    for row, (text, index) in enumerate(
        zip(columns["array_task_str"], columns["array_task_id"], strict=True)
    ):
        if not text or index is not None:
            found: list[int | None] = [index]
        else:
            runs = parse_array(text).runs
            found = [one for first, last, step in runs for one in range(first, last + 1, step)]
        rows += [row] * len(found)
        indices += found
        texts += [text] if found == [index] else [""] * len(found)
    return {**_rows(columns, rows), "array_task_id": indices, "array_task_str": texts}


def _chosen(columns: Columns, options: Mapping[str, str], states: AbstractSet[str]) -> Columns:
    """Return the rows of the jobs that the options mean."""
    wanted: list[tuple[str, AbstractSet[str]]] = [("state", states)]
    for name, value_of in _CHOICES.items():
        if name in options:
            words = set(filter(None, options[name].split(",")))
            known = {one for one in set(columns[name]) if value_of({name: one}) in words}
            wanted.append((name, known))
    for name, allowed in wanted:
        if not set(columns[name]) <= allowed:
            columns = _rows(columns, [at for at, one in enumerate(columns[name]) if one in allowed])
    return columns


def _sorted(columns: Columns) -> Columns:
    """Return the rows by partition, by short state, and by the number of the job, as they come."""
    keys = list(zip(columns["partition"], columns["state"], strict=True))
    distinct = set(keys)
    if len(distinct) < 2:
        return columns
    short = BY_LETTER["t"].show
    ranks = {
        one: (of.partition({"partition": one[0]}), short({"state": one[1]})) for one in distinct
    }
    by_row = list(map(ranks.__getitem__, keys))
    return _rows(columns, sorted(range(len(keys)), key=by_row.__getitem__))
