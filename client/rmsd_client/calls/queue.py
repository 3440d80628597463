"""The queue in columns, as GET /v1/queue tells it: the values of one field of all jobs together.

A list of ten thousand jobs is checked and printed a field at a time, since a step for each value of
each job takes longer than all else.
"""

from __future__ import annotations

import json

from rmsd_client.calls.calls import MOST_LIST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from rmsd_client.calls.calls import ApiCalls

_INT, _FLOAT, _TEXT = frozenset((int,)), frozenset((int, float)), frozenset((str,))
_OR_NONE = frozenset((type(None),))
FIELDS: dict[str, frozenset[type]] = {
    "job_id": _INT,
    "name": _TEXT,
    "user": _TEXT,
    "state": _TEXT,
    "reason": _TEXT,
    "partition": _TEXT,
    "submit_us": _INT,
    "elapsed_s": _FLOAT | _OR_NONE,
    "time_limit_s": _FLOAT | _OR_NONE,
    "cpus": _INT,
    "nodes": _INT | _OR_NONE,
    "nodelist": _TEXT,
    "mem_mib": _INT,
    "account": _TEXT,
    "qos": _TEXT,
    "array_job_id": _INT | _OR_NONE,
    "array_task_id": _INT | _OR_NONE,
    "array_task_str": _TEXT,
    "mem_per_cpu_mib": _INT,
    "part_count": _INT,
}
"""The fields of `rmsd_wire.api.queue.QueueRow` in their order, with the types of their values."""
_LATER = 2
"""The number of fields at the end that older daemons do not tell: each is 0 then."""
_MOST = 1 << 62


def columns_of(calls: ApiCalls, target: str) -> dict[str, Sequence[Any]]:
    """Return the values of each field. Raises Unreachable if the answer is not one of a daemon."""
    body = calls.call("GET", target, most=MOST_LIST).body
    try:
        rows = json.loads(body)["jobs"]
        columns = list(zip(*rows, strict=True)) or [()] * len(FIELDS)
        if 0 < len(FIELDS) - len(columns) <= _LATER:  # an older daemon
            columns += [(0,) * len(rows)] * (len(FIELDS) - len(columns))
    except (ValueError, TypeError, KeyError, RecursionError):
        raise calls.no_daemon("its answer is no queue") from None
    if len(columns) < len(FIELDS):
        raise calls.no_daemon("a job of its queue has too few fields")
    found: dict[str, Sequence[Any]] = dict(
        zip(FIELDS, columns, strict=False)
    )  # a newer daemon has more of them
    for name, values in found.items():
        _check(calls, name, values)
    return found


def _check(calls: ApiCalls, name: str, values: Sequence[Any]) -> None:
    """Raise Unreachable if a value of a column is none of its field. Numbers have a bound, which
    NaN is not below."""
    types = set(map(type, values))
    if not types <= FIELDS[name]:
        raise calls.no_daemon(f"a '{name}' of its queue is of another type")
    if types & _FLOAT and not all(-_MOST < one < _MOST for one in set(values) - {None}):
        raise calls.no_daemon(f"a '{name}' of its queue is a number that cannot be")
