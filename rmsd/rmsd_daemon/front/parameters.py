"""The parameters of requests: the words and numbers of their paths and query strings."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rmsd_core.vocabulary import CODES, LIVE_STATES, JobState
from rmsd_daemon.domain.errors import Malformed, no_such_job
from rmsd_daemon.domain.texts import is_number
from rmsd_daemon.queries.filters import MAX_ID, Filter
from rmsd_wire.api.list_limits import DEFAULT_LIMIT, MAX_LIMIT
from rmsd_wire.arrays import split_names

_MAX_IDS = 10_000
_STATES = {state.value: state for state in JobState} | {code: s for s, code in CODES.items()}


_KNOWN = frozenset(
    (
        *("states", "user", "name", "partition", "ids", "tasks"),
        *("since_us", "ended_since_us", "limit", "before", "decisions"),
    )
)
"""The parameters of GET /v1/jobs."""


def parse_filter(query: Mapping[str, str]) -> Filter:
    """Return the filter of a query string of GET /v1/jobs. Live jobs are the default, unless ids
    are given.

    Raises:
        DaemonError: a key or state is unknown, or a value that should be a number is none.
    """
    if unknown := sorted(set(query) - _KNOWN):
        raise Malformed(f"unknown parameter '{unknown[0]}'; there are {', '.join(sorted(_KNOWN))}")
    ids = None
    if "ids" in query:
        ids = frozenset[int]()  # `names.narrowed` finds them
        check_ids(split_names(query["ids"]))
    default = "all" if ids is not None else ""
    states = _states(query.get("states", default))
    before = query.get("before")
    tasks = query.get("tasks", "together")
    if tasks not in ("together", "apart"):
        raise Malformed(f"'tasks' is '{tasks}'; it must be 'together' or 'apart'")
    return Filter(
        states,
        users=_one_of(query.get("user")),
        names=_one_of(query.get("name")),
        partitions=_one_of(query.get("partition")),
        ids=ids,
        limit=parse_limit(query, DEFAULT_LIMIT if ids is None else _MAX_IDS),
        before=MAX_ID if before is None else parse_number("before", before),
        since_us=parse_number("since_us", query.get("since_us", "0")),
        ended_since_us=parse_number("ended_since_us", query.get("ended_since_us", "0")),
        expands=tasks == "apart",
    )


def wants_decisions(query: Mapping[str, str]) -> bool:
    """Return whether a query string of GET /v1/jobs asks for the decisions about jobs. Raises
    Malformed if it does not say so properly."""
    found = query.get("decisions", "false")
    if found not in ("true", "false"):
        raise Malformed(f"'decisions' is '{found}'; it must be 'true' or 'false'")
    return found == "true"


def parse_limit(query: Mapping[str, str], default: int) -> int:
    """Return the `limit` of a query string, at most `MAX_LIMIT`. Raises DaemonError if it is no
    number."""
    limit = parse_number("limit", query.get("limit", str(default)))
    if not limit:
        raise Malformed("'limit' is 0; it must be at least 1")
    return min(limit, MAX_LIMIT)


def parse_plan(query: Mapping[str, str]) -> tuple[int, int]:
    """Return the `until_us` and the `limit` of a query string of GET /v1/plan. Raises DaemonError
    if one is no number."""
    until_us, limit = (
        parse_number(name, query[name]) if name in query else MAX_ID
        for name in ("until_us", "limit")
    )
    if not limit:
        raise Malformed("'limit' is 0; it must be at least 1")
    return until_us, limit


def check_ids(ids: Collection[object]) -> None:
    """Raise DaemonError if there are more ids than one request may name."""
    if len(ids) > _MAX_IDS:
        raise Malformed(f"{len(ids)} job ids are more than {_MAX_IDS}")


def _one_of(text: str | None) -> frozenset[str] | None:
    """Return names separated by commas, and the text itself: a name may contain commas."""
    return None if text is None else frozenset({text, *filter(None, text.split(","))})


def _states(text: str) -> frozenset[JobState]:
    names = [name.strip().upper() for name in text.split(",") if name.strip()]
    if not names:
        return LIVE_STATES
    if "ALL" in names:
        return frozenset(JobState)
    for name in names:
        if name not in _STATES:
            raise Malformed(
                f"unknown state '{name}' in 'states'; there are "
                f"{', '.join(f'{code} {state.value}' for state, code in CODES.items())} and all"
            )
    return frozenset(_STATES[name] for name in names)


def parse_number(field: str, text: str) -> int:
    """Return a number of the query string. Raises DaemonError if the parameter is not a usable
    number."""
    if not is_number(text) or int(text) >= MAX_ID:
        raise Malformed(f"'{field}' has '{text}', which is not a usable number")
    return int(text)


def parse_job_id(text: str) -> int:
    """Return the number of a job. Raises NotFound if no job can have it."""
    if not is_number(text) or int(text) >= MAX_ID:
        raise no_such_job(text)
    return int(text)
