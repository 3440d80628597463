"""Arrays of other users: nobody is told whether they are arrays, nor which tasks they have.

Long: daemons with TLS are started.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rmsd_client.api import Client
from rmsd_client.errors import ApiError
from tests.tcp import Tcp

pytestmark = [pytest.mark.long, pytest.mark.live]
HERS, NEVER = 1, 10**6
"""An array of ann's, and a number that no job has."""


def awaiting(job_id: int, index: int) -> dict[str, Any]:
    dependency = {"relation": "afterany", "job_id": job_id, "array_task_id": index}
    return {"emulate": {"run_s": 1.0}, "conditions": {"dependencies": [dependency]}}


def said(ask: Callable[[int], Any], job_id: int) -> str:
    """Return the refusal, with `N` for the number of the job."""
    with pytest.raises(ApiError) as caught:
        ask(job_id)
    return str(caught.value).replace(str(job_id), "N")


def test_of_anothers_array_nobody_learns_which_tasks_it_has(tcp: Tcp) -> None:
    """The words of the refusal told it: "there is no job 4" for a task that there was."""

    def client_of(user: str) -> Client:
        return tcp.client(tcp.token(user=user, role="user"))

    with client_of("ann") as ann, client_of("bob") as bob:
        asked = {"emulate": {"run_s": 1000.0}, "array": "1-3"}
        assert [job["job_id"] for job in ann.submit([asked])] == [HERS]
        for index in (1, 77):
            name = f"_{index}"
            for ask in (
                lambda number, name=name: bob.job(f"{number}{name}"),
                lambda number, name=name: bob.explain(f"{number}{name}"),
                lambda number, name=name: bob.cancel_named([f"{number}{name}"]),
                lambda number: bob.cancel_named(waiting=[number]),
                lambda number, index=index: bob.submit([awaiting(number, index)]),
            ):
                assert said(ask, HERS) == said(ask, NEVER)
        ann.submit([awaiting(HERS, 2)])
        assert ann.job(f"{HERS}_2")["array_task_id"] == 2
        assert ann.cancel_named([f"{HERS}_2"]) == [HERS]
