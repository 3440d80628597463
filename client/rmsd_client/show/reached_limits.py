"""The limits of accounts and QOS that keep a job from starting, with their numbers."""

from __future__ import annotations

from rmsd_client.console.cli import plural
from rmsd_client.errors import ApiError
from rmsd_client.show.limit_reasons import LIMIT_REASONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from rmsd_client.api import Client

    Json = Mapping[str, Any]

_COUNTED = {
    "GrpJobsLimit": ("max_running", "running"),
    "MaxJobsLimit": ("max_running_per_user", "running"),
    "MaxJobsPerUserLimit": ("max_running_per_user", "running"),
    "GrpCpuLimit": ("max_cpus", "cpus"),
    "MaxCpuPerUserLimit": ("max_cpus_per_user", "cpus"),
}
"""The limits that reasons are about, whose words begin with QOS or Assoc: the key of each, and what
it counts."""
_ALSO_OF_EACH = "AssocGrpCpuLimit"
"""Slurm's word for the processors of an account, and for those of a user within one."""


def find_reached_limits(client: Client, job: Json) -> str:
    """Return which limits keep a job from starting; "" if none does."""
    if job["state"] != "PENDING" or job["reason"] not in LIMIT_REASONS:
        return ""
    try:
        return reached_limits(job, client.accounts(job["user"]))
    except ApiError:  # the caller may not ask
        return ""


def reached_limits(job: Json, told: Json) -> str:
    """Return which limits a job would pass, as `GET /v1/accounts` tells of its user; "" if that
    does not say it."""
    reason = str(job["reason"])
    is_qos = reason.startswith("QOS")
    found = _COUNTED.get(reason.removeprefix("QOS").removeprefix("Assoc"))
    if found is None:
        return ""
    key, counted = found
    more = 1 if counted == "running" else int(job["cpus"])
    keys = (key, f"{key}_per_user") if reason == _ALSO_OF_EACH else (key,)
    texts = []
    for one in _limited(job, told, is_qos=is_qos):
        what = f"the {'QOS' if is_qos else 'account'} {one['name']}"
        for key in keys:
            most, of_each = one["limits"][key], key.endswith("_per_user")
            if most is None:
                continue
            if of_each and is_qos:  # the daemon does not tell what a user has by QOS
                texts.append(f"a user may have {_text(most, counted)} with {what}")
                continue
            has = one["in_use"][counted]
            if of_each:
                has = _of_user(job["user"], one["name"], counted, told)
            if has + more > most:
                whose, where = (job["user"], f" in {what}") if of_each else (what, "")
                texts.append(f"{whose} has {_text(has, counted)} of {most}{where}")
    return ", ".join(texts)


def _text(count: int, counted: str) -> str:
    return f"{count} running" if counted == "running" else plural(count, "cpu")


def _limited(job: Json, told: Json, *, is_qos: bool) -> Iterator[Json]:
    """Yield the QOS of a job, or its account and those above that."""
    if is_qos:
        yield from (one for one in told["qos"] if one["name"] == job["qos"])
        return
    by_name = {one["name"]: one for one in told["accounts"]}
    yield from (by_name[name] for name in _upward(job["account"], by_name))


def _upward(name: str | None, by_name: Mapping[str, Json]) -> Sequence[str]:
    found: dict[str, None] = {}
    while name is not None and name in by_name and name not in found:
        found[name] = None
        name = by_name[name]["parent"]
    return list(found)


def _of_user(user: str, account: str, counted: str, told: Json) -> int:
    """Return what the jobs of a user hold in an account and those below it."""
    by_name = {one["name"]: one for one in told["accounts"]}
    own = [one for one in told["associations"] if one["user"] == user]
    below = [one for one in own if account in _upward(one["account"], by_name)]
    return sum(one["in_use"][counted] for one in below)
