"""The numbers of the limits that keep a job from starting."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from rmsd_client.api import Client
from rmsd_client.errors import ApiError
from rmsd_client.show.reached_limits import find_reached_limits, reached_limits

_NONE = dict.fromkeys(
    (*("max_running", "max_running_per_user"), *("max_cpus", "max_cpus_per_user")), None
)


def _use(running: int, cpus: int) -> dict[str, int]:
    return {"submitted": running, "running": running, "cpus": cpus}


def _account(name: str, parent: str | None, running: int, **limits: int) -> dict[str, Any]:
    limited = {**_NONE, **limits}
    return {"name": name, "parent": parent, "limits": limited, "in_use": _use(running, 4 * running)}


_TOLD: dict[str, Any] = {
    "accounts": [
        _account("physics", None, 9, max_running=9, max_cpus=40),
        _account("lab", "physics", 5, max_running_per_user=3, max_cpus_per_user=14),
        _account("other", None, 1, max_running=1),
    ],
    "qos": [
        {
            "name": "normal",
            "limits": {**_NONE, "max_running": 4, "max_running_per_user": 2},
            "in_use": _use(4, 16),
        }
    ],
    "associations": [
        {"user": "ann", "account": "lab", "in_use": _use(3, 12)},
        {"user": "bob", "account": "lab", "in_use": _use(2, 8)},
    ],
}
_JOB = {"user": "ann", "account": "lab", "qos": "normal", "cpus": 8, "state": "PENDING"}


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("AssocMaxJobsLimit", "ann has 3 running of 3 in the account lab"),
        ("AssocGrpJobsLimit", "the account physics has 9 running of 9"),
        (
            "AssocGrpCpuLimit",
            "ann has 12 cpus of 14 in the account lab, the account physics has 36 cpus of 40",
        ),
        ("QOSGrpJobsLimit", "the QOS normal has 4 running of 4"),
        ("QOSMaxJobsPerUserLimit", "a user may have 2 running with the QOS normal"),
        ("QOSMaxWallDurationPerJobLimit", ""),
        ("Resources", ""),
    ],
)
def test_a_limit_is_told_with_its_numbers(reason: str, told: str) -> None:
    assert reached_limits({**_JOB, "reason": reason}, _TOLD) == told


def test_other_jobs_and_callers_are_told_no_limits() -> None:
    def refuse(_user: str) -> Any:
        raise ApiError(403, "no")

    client = cast("Client", SimpleNamespace(accounts=refuse))
    assert find_reached_limits(client, {**_JOB, "reason": "AssocMaxJobsLimit"}) == ""
    assert find_reached_limits(client, {**_JOB, "reason": "Resources"}) == ""
    told = cast("Client", SimpleNamespace(accounts=lambda _user: _TOLD))
    found = find_reached_limits(told, {**_JOB, "reason": "AssocMaxJobsLimit"})
    assert found == "ann has 3 running of 3 in the account lab"
