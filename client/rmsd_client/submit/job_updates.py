"""The options of `rjob update` as the fields of a `JobUpdate`."""

from __future__ import annotations

from rmsd_client.errors import UsageError
from rmsd_client.submit.options import OPTIONS, PerCpu
from rmsd_wire.durations import DurationError, parse_duration_s

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Json = dict[str, Any]

UPDATED: dict[str, tuple[str, str, str]] = {
    "time": ("t", "TIME", "the time limit; +TIME adds to it"),
    "job-name": ("J", "NAME", "the name"),
    "comment": ("", "TEXT", "the comment"),
    "ntasks": ("n", "N", "how many tasks"),
    "cpus-per-task": ("c", "N", "processors of each task"),
    "nodes": ("N", "N", "on exactly this many nodes; any: on as few as hold the tasks"),
    "mem": ("", "SIZE", "memory on each node"),
    "mem-per-cpu": ("", "SIZE", "memory for each processor, instead of --mem"),
    "partition": ("p", "LIST", "the partitions, in the order of its wishes"),
    "constraint": ("C", "FEATURE", "a feature of the nodes; none: any node"),
    "nodelist": ("w", "NODES", "nodes that it must have; none: any nodes, as many as before"),
    "exclude": ("x", "NODES", "nodes that it must not have, in place of those of before; none"),
    "begin": ("b", "TIME", "not before this time; now: at once"),
    "deadline": ("", "TIME", "it ends if its limit would reach beyond this time; none"),
    "dependency": ("d", "LIST", "the jobs that it waits for, in place of those of before; none"),
    "requeue": ("", "yes|no", "whether it may run again if its node is lost"),
    "nice": ("", "POINTS", "points that its priority is lowered by"),
    "reservation": ("", "NAME", "the advance reservation inside which it runs; none"),
}
"""The options of `rjob update`: short name, value, meaning. The values are those of `rsub`."""

_FIELDS = {
    "time": "time_limit_s",
    "job-name": "name",
    "ntasks": "tasks",
    "cpus-per-task": "cpus_per_task",
    "mem": "mem_mib",
    "mem-per-cpu": "mem_per_cpu_mib",
}
_NONE = {"nodes": "any", "constraint": "none", "dependency": "none"}


def update_of(action: str, texts: Mapping[str, str | None]) -> Json:
    """Return the `JobUpdate` that the options ask for; {} if there are none.

    Raises:
        UsageError: a value is not usable; or there is none for an update, or some for another
            action.
    """
    given = {name: text for name, text in texts.items() if text is not None}
    if action != "update":
        if given:
            raise UsageError(f"--{next(iter(given))} goes with 'rjob update'")
        return {}
    if not given:
        raise UsageError("say what to update, as in: rjob update 42 -t 2:00:00")
    asked: Json = {}
    for name, text in given.items():
        if name != "time" or longer_by_s(text) is None:
            asked |= _fields_of(name, text)
    return asked


def longer_by_s(text: str | None) -> float | None:
    """Return the seconds that `+TIME` adds to a limit; None if the text is no such value.

    Raises:
        UsageError: no time follows the plus.
    """
    if text is None or not text.startswith("+"):
        return None
    try:
        seconds = parse_duration_s(text[1:])
    except DurationError as error:
        raise UsageError(f"--time: {error}") from None
    if seconds is None:
        raise UsageError("--time: say UNLIMITED without '+' for no limit")
    return seconds


def _fields_of(name: str, text: str) -> Json:
    if name in _NONE and text == _NONE[name]:
        return {"dependencies": []} if name == "dependency" else {name: None}
    if name in ("reservation", "nodelist", "exclude") and text == "none":
        return {name: ""}
    if name == "deadline" and text == "none":
        return {"deadline_us": None}
    if name == "begin" and text == "now":
        return {"begin_us": None}
    if name == "requeue":
        if text not in ("yes", "no"):
            raise UsageError(f"--requeue: '{text}' is not yes or no")
        return {"requeue": text == "yes"}
    [option] = [one for one in OPTIONS if one.name == name]
    value = option.value(text, f"--{name}={text}")
    if isinstance(value, PerCpu):
        value = value.mib
    if name in ("begin", "deadline", "dependency"):
        assert isinstance(value, dict)
        return value
    return {_FIELDS.get(name, name): value}
