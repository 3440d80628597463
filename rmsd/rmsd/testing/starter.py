"""The way from a starter of a private cluster to one of Slurm's commands, with the faults between
the command and the daemon.

The faults are where the command's requests leave it. So what the command prints of them, and its
exit code, are its own.
"""

from __future__ import annotations

import json
import os

from rmsd.testing.faults import Faults
from rmsd_client import api
from rmsd_client.connection.http import MOST_BODY, Connection, Response
from rmsd_client.errors import Unreachable
from rmsd_client.slurm import starter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_OF_ACCOUNTING = ("sacct", "sacctmgr")
"""The commands that Slurm's database answers, not its controller."""


def start(command: str, path: str) -> None:
    """Run a command of Slurm's, and end the process with its exit code."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(path)))
    os.environ["RMSD_SERVER"] = f"unix:{folder}/state/rmsd.sock"
    _Faulty.command, _Faulty.folder = command, folder
    vars(api)["Connection"] = _Faulty
    starter.start(command, path)


class _Faulty(Connection):
    """A connection to the daemon with the cluster's faults."""

    command = ""
    folder = ""

    def request(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        wait_s: float = 0.0,
        most: int = MOST_BODY,
    ) -> Response:
        """Send a request and read its answer, unless a fault is in the way."""
        faults = Faults(f"{self.folder}/faults")
        if self.command in _OF_ACCOUNTING:
            answer = super().request(method, target, body, headers, wait_s, most)
            return self._late(answer, lag_s) if (lag_s := faults.lag_s) else answer
        if faults.is_unreachable:
            raise Unreachable("")
        if (method, target) != ("POST", "/v1/jobs"):
            return super().request(method, target, body, headers, wait_s, most)
        acts = self._acts()
        for act in acts:
            if act["act"] == "refuse":
                faults.refuse(1)
        if (message := faults.next_refusal()) is not None:
            problem = {"title": message, "detail": message}
            return Response(400, {}, json.dumps(problem).encode())
        answer = super().request(method, target, body, headers, wait_s, most)
        if acts and answer.status < 300:
            from rmsd.testing.story import carry_out

            carry_out(acts, self.folder, json.loads(answer.body)["jobs"][0]["job_id"])
        return answer

    def _acts(self) -> list[dict[str, Any]]:
        """Return what the cluster's story has for this submit."""
        if not os.path.exists(f"{self.folder}/story.json"):
            return []
        from rmsd.testing.story import acts_of_next_submit

        return acts_of_next_submit(self.folder)

    def _late(self, answer: Response, lag_s: float) -> Response:
        """Return an answer as it would have been some seconds ago."""
        from rmsd.testing.accounting import jobs_at, steps_at

        if answer.status != 200:
            return answer
        content = json.loads(answer.body)
        if "jobs" not in content and "steps" not in content:
            return answer
        clock = json.loads(super().request("GET", "/v1/status").body)["clock"]
        at_us = round(clock["model_us"] - lag_s * clock["rate"] * 1_000_000)
        for key, as_of in (("jobs", jobs_at), ("steps", steps_at)):
            if key in content:
                content[key] = as_of(content[key], at_us)
        return Response(answer.status, answer.headers, json.dumps(content).encode())
