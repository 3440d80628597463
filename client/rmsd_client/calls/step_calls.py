"""The calls of the Python API about steps, tasks and signals."""

from __future__ import annotations

from rmsd_client.calls.calls import query_of, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from rmsd_client.calls.calls import ApiCalls

    Json = dict[str, Any]
    JobName = int | str

NODE_S = 30.0
"""The daemon's wait for a node before it answers that the node is away."""
_IDS = 500  # job numbers in one request, whose line has up to 8190 bytes


class StepCalls:
    """The part of a client that is about steps."""

    def __init__(self, calls: ApiCalls) -> None:
        self._calls = calls

    def start_task(self, job_id: JobName, task: Mapping[str, Any]) -> None:
        """Start one task of a step (`TaskSpec`) on a node of a running job. A repeated call has no
        effect."""
        self._calls.ask("TaskReply", "POST", f"/v1/jobs/{job_id}/tasks", task, wait_s=NODE_S)

    def signal_task(self, job_id: JobName, step: str, task: int, node: str, signal: int) -> None:
        """Send a signal to all processes of a task."""
        query = query_of(node=node, signal=signal)
        target = f"/v1/jobs/{job_id}/tasks/{quote(step)}/{task}{query}"
        self._calls.call("DELETE", target, wait_s=NODE_S)

    def begin_step(self, job_id: int, step: Mapping[str, Any]) -> int:
        """Tell of a step (`StepBody`) that begins. Returns its number in the job."""
        target = f"/v1/jobs/{job_id}/steps"
        return int(self._calls.ask("StepReply", "POST", target, step)["number"])

    def end_step(self, job_id: int, number: int, end: Mapping[str, Any]) -> None:
        """Tell how a step has ended (`StepEndBody`)."""
        self._calls.ask("StepReply", "POST", f"/v1/jobs/{job_id}/steps/{number}", end)

    def steps(self, job_ids: Iterable[int]) -> tuple[list[Json], list[Json]]:
        """Return the steps of jobs (`StepView`s) that the daemon remembers, and how the worst steps
        of their attempts have ended (`WorstStep`s), which it does not forget."""
        replies = self.step_replies(job_ids)
        return (
            [step for reply in replies for step in reply["steps"]],
            [worst for reply in replies for worst in reply["worst"]],
        )

    def step_replies(self, job_ids: Iterable[int]) -> list[Json]:
        """Return the daemon's answers (`StepsReply`s) about the steps of jobs, one for each portion
        of their numbers."""
        asked = [query_of(ids=",".join(map(str, some))) for some in portions(job_ids)]
        return [self._calls.ask("StepsReply", "GET", f"/v1/steps{query}") for query in asked]

    def use(self, job_id: JobName) -> Json:
        """Return what a running job uses now on its nodes (`JobUseReply`)."""
        return self._calls.ask("JobUseReply", "GET", f"/v1/jobs/{job_id}/use", wait_s=NODE_S)

    def task_input(
        self,
        job_id: int,
        step: str,
        task: int,
        node: str,
        data: bytes,
        eof: bool,
        size: tuple[int, int] = (0, 0),
    ) -> tuple[int, bool]:
        """Give bytes to a task that was started with `stdin`, or have them typed at its terminal;
        `eof`: nothing follows; `size`: the new rows and columns of the terminal. Returns how many
        bytes were taken, and whether the task takes no more."""
        import base64  # few steps read anything

        body = {"node": node, "data": base64.b64encode(data).decode(), "eof": eof}
        if size != (0, 0):
            body |= {"rows": size[0], "cols": size[1]}
        target = f"/v1/jobs/{job_id}/tasks/{quote(step)}/{task}/input"
        reply = self._calls.ask("TaskInputReply", "POST", target, body, wait_s=NODE_S)
        return int(reply["taken"]), bool(reply["over"])

    def signal_step(self, job_id: int, number: int, signal: int) -> None:
        """Send a signal to all processes of a step, by its number in the job."""
        self._signal(job_id, {"signal": signal, "step": number})

    def signal_job(self, job_id: int, signal: int, to: str = "all") -> None:
        """Send a signal to a running job: to its "script" alone, to its "steps", or to "all"."""
        self._signal(job_id, {"signal": signal, "to": to})

    def _signal(self, job_id: int, body: Json) -> None:
        target = f"/v1/jobs/{job_id}/signal"
        self._calls.ask("SignalReply", "POST", target, body, wait_s=NODE_S)


def portions(ids: Iterable[JobName]) -> list[list[JobName]]:
    """Return the job numbers in portions for one request each, in the order in which the daemon has
    jobs."""
    known = sorted(set(ids), key=lambda name: int(str(name).partition("_")[0]))
    return [known[i : i + _IDS] for i in range(0, len(known), _IDS)] or [[]]
