"""The ledger of a story: the acts of callers, and what they were told."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from typing import Any

from rmsd_core.jobs.job import Job
from rmsd_core.vocabulary import JobState
from tests.world.arrays import count_of
from tests.world.strangers import USER

_OVER = {state.value for state in JobState if state.terminal}
SOMEHOW = "over"
"""The state of a job that a list of all live jobs does not name any more."""
MOST_ID = 1 << 53
"""No story needs as many numbers, whatever an agent says that it knows of."""


class Violation(AssertionError):
    """Something that is promised does not hold."""


class Ledger:
    """The acts of callers on one cluster, and the answers to them. `acknowledged`: the jobs
    that callers were told are accepted, by id.

    claimed: jobs that the lying agent has said to hold, or to have run, on nodes of its own.
    """

    def __init__(self, database: Path, claimed: Collection[int]) -> None:
        self.database = database
        self._claimed = claimed
        self._liars_nodes: set[str] = set()  # the nodes that the liar has, or has had
        self._of_hostile: set[int] = set()
        self._cancel_asked: set[int] = set()  # cancels of callers who may
        actions = ("hold", "release", "requeue", "suspend", "resume")
        self.asked: dict[str, set[int]] = {name: set() for name in actions}
        self.limits_s: dict[int, float] = {}  # the limits that were asked for after the submit
        self.has_limit: set[int] = set()  # jobs whose new limit was acknowledged
        self.acknowledged: dict[int, dict[str, Any]] = {}
        self._keys: dict[str, list[int]] = {}
        self._told_over: dict[int, str] = {}  # key: id; the terminal state, or that there is one
        self.was_restored = False
        self._lost_ids: set[int] = set()  # given out, and lost by a restore
        self._stored: dict[int, tuple[bool, int | None]] = {}  # jobs: live, end
        self.pruned: set[int] = set()  # jobs that were deleted, since they ended long ago

    def accepted(self, key: str, ids: list[int], specs: list[dict[str, Any]]) -> None:
        """Note that people are told so; it must be stored by now."""
        if len(ids) < len(specs) or max(ids) > MOST_ID:
            raise Violation(f"jobs have the ids {ids}: an agent has used up the numbers")
        if key.startswith(f"{USER}:"):
            self._of_hostile.update(ids)
        if self._keys.setdefault(key, ids) != ids:
            raise Violation(f"submission {key} is {self._keys[key]}, and then {ids}")
        if again := self._lost_ids.intersection(ids):
            raise Violation(f"jobs {sorted(again)} have numbers that were given out before")
        for job_id, spec in zip(ids, specs, strict=True):
            if self.acknowledged.setdefault(job_id, spec) is not spec:
                raise Violation(f"job {job_id} is two jobs")
        found = {job_id for (job_id,) in self.query("SELECT id FROM job")}
        if lost := set(ids) - found - self.pruned:
            raise Violation(f"jobs {sorted(lost)} are acknowledged, and not stored")

    def cancel_asked(self, ids: Collection[int]) -> None:
        """Note that a person who may cancel these jobs asks for it."""
        self._cancel_asked.update(ids)

    def action_asked(self, job_id: int, action: str) -> None:
        """Note that a person asks for a job to be held, released or requeued."""
        self.asked[action].add(job_id)

    def is_asked(self, action: str, job_id: int) -> bool:
        """Return whether the action was asked for, for the job or for the array of the task."""
        asked = self.asked.get(action, self._cancel_asked)
        if job_id in asked:
            return True
        found = self.query("SELECT array_id FROM job WHERE id = ?", job_id)
        return bool(found) and found[0][0] in asked

    def some_part(self, rng: random.Random, job_id: int) -> str:
        """Return the name of the job, or of a task if the job is an array."""
        if not (count := count_of(self.acknowledged.get(job_id, {}))) or rng.random() < 0.4:
            return str(job_id)
        return f"{job_id}_{rng.randrange(count)}"

    def update_asked(self, job_id: int, limit_s: float) -> bool:
        """Note that a person asks for another limit of a job; return whether it is the first."""
        return self.limits_s.setdefault(job_id, limit_s) is limit_s

    def updated(self, job_id: int) -> None:
        """Note that the new limit of a job was acknowledged."""
        self.has_limit.add(job_id)

    def held(self) -> list[int]:
        """Return the jobs that are held now, or are to be once they wait again."""
        live = self.query("SELECT id, conditions, requeue_hold FROM job WHERE live")
        return [
            job_id
            for job_id, text, later in live
            if later or (text != "[]" and json.loads(text)[0])
        ]

    def suspended(self) -> list[int]:
        """Return the jobs that are suspended now."""
        return [job_id for (job_id,) in self.query("SELECT id FROM job WHERE state = 'SUSPENDED'")]

    def of_the_honest(self) -> set[int]:
        """Return the jobs of all people but the hostile user."""
        return self.acknowledged.keys() - self._of_hostile

    def is_with_the_liar(self, job: Job) -> bool:
        """Return whether the job runs on a node of the liar's."""
        return any(piece.node in self._liars_nodes for piece in job.allocation)

    def _is_claimed(self, job_id: int) -> bool:
        """Return whether the daemon may have believed the liar about the job, after a restore."""
        return self.was_restored and job_id in self._claimed

    def was_with_the_liar(self, job_id: int) -> bool:
        """Return whether the liar was asked to run an attempt of the job, or was believed that."""
        found = self.query("SELECT allocation FROM attempt WHERE job_id = ?", job_id)
        nodes = {piece[0] for (allocation,) in found for piece in json.loads(allocation)}
        return not nodes.isdisjoint(self._liars_nodes) or self._is_claimed(job_id)

    def ids_of(self, key: str) -> list[int]:
        """Return the jobs of the submission with this key."""
        return self._keys[key]

    def told(self, jobs: list[dict[str, Any]], over: Collection[int]) -> None:
        """People are told how jobs are; what is over stays as it is. When they asked, they had been
        told of those in `over`."""
        for job in jobs:
            if job["array_tasks"] is not None:
                continue  # lists tell of the tasks for which the array stands
            job_id, state = job["job_id"], job["state"]
            before = self._told_over.get(job_id)
            if state in _OVER:
                if before not in (None, SOMEHOW, state):
                    raise Violation(f"job {job_id} was {before}, and now {state}")
                self._told_over[job_id] = state
            elif before is not None and job_id in over:
                raise Violation(f"job {job_id} was over, and now {state}")

    def told_live(self, jobs: list[dict[str, Any]], known: Collection[int]) -> None:
        """People are told that these are all live jobs: so of those that were `known` when they
        asked, the others are over."""
        live = {job["job_id"] for job in jobs}
        for job_id in known:
            is_array = count_of(self.acknowledged.get(job_id, {}))
            if job_id not in live and job_id in self.acknowledged and not is_array:
                self._told_over.setdefault(job_id, SOMEHOW)

    def told_over(self) -> dict[int, str]:
        """Return what people have been told up to now, for `restored`."""
        return dict(self._told_over)

    def restored(self, held: Collection[int], told_over: dict[int, str]) -> None:
        """Forget what a restore has lost; but no number is given out again.

        held: the jobs that the backup holds, which a job that was on its way to the database is
        not among. told_over: what people knew when it was made.
        """
        self.was_restored = True
        self._stored = {}
        self._told_over = told_over
        lost = self.acknowledged.keys() - held
        self._lost_ids |= lost
        self.acknowledged = {
            job_id: spec for job_id, spec in self.acknowledged.items() if job_id not in lost
        }
        self._keys = {key: ids for key, ids in self._keys.items() if lost.isdisjoint(ids)}

    def all_over(self) -> bool:
        return not self.query("SELECT 1 FROM job WHERE live LIMIT 1")

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(sql, values).fetchall()
