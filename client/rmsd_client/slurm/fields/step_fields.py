"""The letters and names of squeue's formats for steps (-s), as one literal table."""

from __future__ import annotations

from rmsd_client.slurm.fields.account_fields import BY_NAME as ACCOUNTED
from rmsd_client.slurm.fields.formats import ShownField
from rmsd_client.slurm.words import jobs as of
from rmsd_client.slurm.words.account_row import Row
from rmsd_client.slurm.words.times import short_duration, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def _accounted(name: str) -> Callable[[Row], str]:
    return ACCOUNTED[name].show


def _elapsed(row: Row) -> str:
    return short_duration(row.values.get("elapsed_s") or row.job["elapsed_s"] or 0)


def _start(row: Row) -> str:
    return stamp(row.values.get("start_us") or row.job["start_us"], "N/A")


FIELDS = (
    ShownField("A", "jobid", "JOBID", lambda row: str(row.job["job_id"])),
    ShownField("b", "gres", "TRES_PER_NODE", "N/A"),
    ShownField("F", "arrayjobid", "ARRAY_JOB_ID", lambda row: str(of.array_job_id(row.job))),
    ShownField("i", "stepid", "STEPID", _accounted("jobid")),
    ShownField("j", "stepname", "NAME", _accounted("jobname")),
    ShownField("K", "arraytaskid", "ARRAY_TASK_ID", lambda row: of.array_task_id(row.job)),
    ShownField("l", "timelimit", "TIME_LIMIT", "UNLIMITED"),
    ShownField("M", "timeused", "TIME", _elapsed),
    ShownField("N", "nodes", "NODELIST", _accounted("nodelist")),
    ShownField("P", "partition", "PARTITION", lambda row: of.partition(row.job)),
    ShownField("S", "starttime", "START_TIME", _start),
    ShownField("t", "stepstate", "STATE", _accounted("state")),
    ShownField("u", "username", "USER", lambda row: str(row.job["user"])),
    ShownField("U", "userid", "USER", lambda row: str(of.uid_of(row.job["user"]))),
    ShownField("", "numtasks", "NUM_TASKS", _accounted("ntasks")),
)  # fmt: skip

BY_LETTER = {field.letter: field for field in FIELDS if field.letter}
BY_NAME = {name: field for field in FIELDS for name in field.names}
