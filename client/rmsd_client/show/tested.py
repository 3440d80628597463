"""The answer to `--test-only`: when and where a job would start, in Slurm's words."""

from __future__ import annotations

from rmsd_client.show.job_fields import local_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NO_START = {
    "held": "it would be held until `rjob release`",
    "dependency": "it would wait for other jobs",
    "nodes": "it would wait for nodes that are down or drained",
    "deadline": "it would start too late to end before its deadline",
    "limit": "a limit of its account or its QOS, or a license, would hold it back",
    "far": "too many jobs wait before it",
}


def would_start(told: dict[str, Any]) -> str | None:
    """Return the line of Slurm for a `TestReply`; None if the start cannot be told."""
    if told["start_us"] is None:
        return None
    return (
        f"Job {told['job_id']} to start at {local_time(told['start_us'])} "
        f"using {told['cpus']} processors on nodes {told['nodelist'] or '(any)'} "
        f"in partition {told['partition']}"
    )


def why_unknown(told: dict[str, Any]) -> str:
    """Return why the start cannot be told."""
    why = _NO_START.get(told["no_start"], "no place was found for it")
    return f"the start of the job cannot be told: {why}"
