"""The invariants that must hold in the end, when nothing runs any more."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

from rmsd_core.lifecycle.refusals import MOST_REFUSALS, MOST_UNSURE
from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import Fault
from rmsd_daemon.offline.reader import snapshot
from rmsd_daemon.offline.verification import verify
from tests.daemon.fold import assert_counters_are_true, folded, stored, without_the_untold
from tests.world.arrays import count_of, tasks_of, wrong_tasks
from tests.world.ledger import SOMEHOW, Ledger, Violation
from tests.world.purpose import may_never_start, missed_deadline, wrong_start
from tests.world.strangers import USER

_ODD_TIMES = (
    "SELECT job_id, attempt, start_us, end_us FROM attempt, meta WHERE key = 'clock_us' "
    "AND (end_us < start_us OR end_us > CAST(value AS INTEGER))"
)
_ENDS = "SELECT job_id, count(*) FROM event WHERE kind = 'end' GROUP BY job_id HAVING count(*) > 1"


class AtRest:
    """The database at the end of a story, against its ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def check(self, *, complete: bool) -> None:
        """Check that everything has ended as it had to. `complete`: people have got every answer.
        After a restore a key may be unknown, and what is repeated with it another submit."""
        jobs = {row["id"]: row for row in self._jobs()}
        if endless := self._ledger.query("SELECT job_id, attempt FROM attempt WHERE cause IS NULL"):
            raise Violation(f"attempts {endless} have not ended, and their jobs have")
        if lost := self._ledger.acknowledged.keys() - jobs.keys() - self._ledger.pruned:
            raise Violation(f"jobs {sorted(lost)} were acknowledged, and are gone")
        honest = {
            job_id
            for job_id, row in jobs.items()
            if row["user"] != USER and row["array_index"] is None
        }
        if (
            complete
            and not self._ledger.was_restored
            and (more := honest - self._ledger.acknowledged.keys())
        ):
            raise Violation(f"jobs {sorted(more)} were submitted by nobody, or twice")
        for job_id, spec in self._ledger.acknowledged.items():
            if job_id in jobs:
                self._all_ended_truly(jobs[job_id], spec, jobs)
        self._waited_on_purpose(jobs)
        self._kept_deadlines(jobs)
        if odd := self._ledger.query(_ODD_TIMES):
            raise Violation(f"attempts {odd} end before they start, or after the present")
        for job_id, state in self._ledger.told_over().items():
            if job_id in jobs and state not in (SOMEHOW, jobs[job_id]["state"]):
                raise Violation(f"job {job_id} was {state}, and is {jobs[job_id]['state']}")
        if twice := self._ledger.query(_ENDS):
            raise Violation(f"job {twice[0][0]} ended {twice[0][1]} times")
        self._events_tell_the_tables()
        with snapshot(self._ledger.database.parent) as database:
            difference = verify(database, lambda _: None).difference
        if difference is not None:
            raise Violation(f"decided otherwise than stored: {difference}")

    def _waited_on_purpose(self, jobs: dict[int, dict[str, Any]]) -> None:
        """Check that no job started before its conditions had come true. A restore may have lost
        what was asked for meanwhile, and what other jobs have done."""
        if self._ledger.was_restored:
            return
        starts = self._ledger.query("SELECT job_id, min(start_us) FROM attempt GROUP BY job_id")
        starts_us = dict(starts)
        for job_id, spec in self._ledger.acknowledged.items():
            asked = spec.get("conditions")
            if asked is None or self._ledger.pruned:
                continue
            for row in (jobs[job_id], *tasks_of(jobs[job_id], jobs)):
                if row["id"] in starts_us:
                    released = not self._ledger.asked["release"].isdisjoint((job_id, row["id"]))
                    wrong = wrong_start(row, asked, jobs, starts_us, released=released)
                    if wrong:
                        raise Violation(f"job {row['id']} has started too early: {wrong}")

    def _kept_deadlines(self, jobs: dict[int, dict[str, Any]]) -> None:
        """Check that no job started so late that its limit reached beyond its deadline, and that
        none was ended for that too early."""
        starts_us: dict[int, list[int]] = {}
        for job_id, start_us in self._ledger.query("SELECT job_id, start_us FROM attempt"):
            starts_us.setdefault(job_id, []).append(start_us)
        for job_id, spec in self._ledger.acknowledged.items():
            if job_id not in jobs:
                continue
            # an array is as its tasks are
            rows = tasks_of(jobs[job_id], jobs) if count_of(spec) else [jobs[job_id]]
            for row in rows:
                wrong = missed_deadline(row, spec, starts_us.get(row["id"], ()))
                if wrong and not self._ledger.was_with_the_liar(row["id"]):
                    raise Violation(f"job {row['id']} has missed its deadline: {wrong}")

    def _events_tell_the_tables(self) -> None:
        told = folded(self._ledger.database)
        kept = without_the_untold(self._ledger.database, stored(self._ledger.database), told)
        assert_counters_are_true(self._ledger.database)
        for table, rows in kept.items():
            if told[table].keys() != rows.keys():
                raise Violation(f"{table} has {rows.keys()}, by the events {told[table].keys()}")
            for key, row in rows.items():
                for name, value in row.items():
                    if value != (other := told[table][key][name]):
                        raise Violation(
                            f"{name} of {table} {key} is {value}, not {other} of events"
                        )

    def _all_ended_truly(
        self, job: dict[str, Any], spec: dict[str, Any], jobs: dict[int, dict[str, Any]]
    ) -> None:
        """Check a job at its end, or the tasks of an array."""
        ended: list[Any] = [job]
        if count_of(spec):
            if wrong := wrong_tasks(job, spec, jobs, self._ledger.pruned):
                raise Violation(f"of array {job['id']} {wrong}")
            ended = tasks_of(job, jobs)
        for one in ended:
            if not self._ledger.was_with_the_liar(one["id"]):
                self._ended_truly(one, spec, jobs)

    def _ended_truly(
        self, job: dict[str, Any], spec: dict[str, Any], jobs: dict[int, dict[str, Any]]
    ) -> None:
        """Check a job that came to its end, or to its limit: timers are exact. After a restore a
        job may have run on a node that was given up before it was heard. The job is started there
        again, and its agent answers with how it ended: the job then has no time of its own."""
        run_us = round(spec["emulate"]["run_s"] * SECOND_US)
        time_limit_us = run_us  # no limit
        if spec["emulate"]["limited"] and spec["time_limit_s"]:
            time_limit_us = round(spec["time_limit_s"] * SECOND_US)
        expected = ("COMPLETED", run_us) if run_us <= time_limit_us else ("TIMEOUT", time_limit_us)
        self._ended_for_a_reason(job, spec, jobs)
        if job["id"] in self._ledger.limits_s:
            self._kept_its_new_limit(job, run_us, time_limit_us)
        elif job["state"] in ("COMPLETED", "TIMEOUT"):
            took_us = job["end_us"] - job["start_us"]
            told = job["state"], took_us - self._stood_us(job, expected[1])
            untimed = self._ledger.was_restored and told == (expected[0], 0)
            if told != expected and not untimed:
                raise Violation(f"job {job['id']} is told to be {told}, and was {expected}")

    def _stood_us(self, job: dict[str, Any], run_us: int) -> int:
        """Return how long a job stood still. Its agent may not have heard of a suspension before
        the job was over."""
        return int(min(job["suspended_us"], max(0, job["end_us"] - job["start_us"] - run_us)))

    def _kept_its_new_limit(self, job: dict[str, Any], run_us: int, old_us: int) -> None:
        """Check the limit of a job for which another one was asked. If the job ran already, its
        agent may have been told too late to extend a run, or to end it at the new limit."""
        asked_us = round(self._ledger.limits_s[job["id"]] * SECOND_US)
        given = job["id"] in self._ledger.has_limit and not self._ledger.was_restored
        if given and job["estimate_us"] != asked_us:
            raise Violation(f"job {job['id']} has lost its new limit: {job['estimate_us']}")
        untimed = self._ledger.was_restored or job["suspended_us"]
        if job["state"] not in ("COMPLETED", "TIMEOUT") or untimed:
            return
        limit_us = min(job["estimate_us"], old_us) if run_us != old_us else job["estimate_us"]
        changed_us = [one["at_us"] for one in json.loads(job["details"]).get("changes", ())]
        took_us = job["end_us"] - job["start_us"]
        completed = job["state"] == "COMPLETED"
        if changed_us and changed_us[-1] < job["start_us"]:
            limit_us = job["estimate_us"]
            right = completed == (run_us <= limit_us) and took_us == min(run_us, limit_us)
        else:
            right = took_us == run_us if completed else limit_us <= took_us <= run_us
        if not right:
            raise Violation(f"job {job['id']} is told to be {job['state']} after {took_us}")

    def _ended_for_a_reason(
        self, job: dict[str, Any], spec: dict[str, Any], jobs: dict[int, dict[str, Any]]
    ) -> None:
        """Check that a timer came to its end or its limit, or that its cancel was asked for."""
        match job["state"]:
            case "COMPLETED" | "TIMEOUT":
                return
            case "CANCELLED" if self._ledger.is_asked("cancel", job["id"]):
                return
            case "CANCELLED" if job["cause"] == "dependency":
                if self._ledger.was_restored or may_never_start(spec["conditions"], jobs):
                    return
            case "PREEMPTED" if job["cause"] == "preempt":
                return  # see `wrong_preemption`
            case "DEADLINE" if "deadline_in_s" in spec:
                return
            case "NODE_FAIL" if not spec.get("requeue", True):
                return
            case "FAILED" if self._was_refused_everywhere(job):
                return
        raise Violation(f"job {job['id']} is {job['state']}, for which there is no reason")

    def _was_refused_everywhere(self, job: dict[str, Any]) -> bool:
        """Return whether no node was left that could have taken the job, or so many nodes have
        refused it, perhaps by its own fault, that no others were tried."""
        refusals, avoids = json.loads(job["refusals"]), json.loads(job["avoids"])
        unsure = sum(fault == Fault.UNKNOWN for _, _, fault in refusals)
        if len(refusals) > MOST_REFUSALS:
            raise Violation(f"job {job['id']} was launched in vain {len(refusals)} times")
        return bool(refusals) and (not avoids or unsure >= MOST_UNSURE)

    def _jobs(self) -> list[dict[str, Any]]:
        with closing(sqlite3.connect(self._ledger.database)) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute("SELECT * FROM job")]
