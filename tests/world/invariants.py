"""The invariants that must hold after every step, and in the end."""

from __future__ import annotations

import json
import random
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from itertools import chain, combinations
from pathlib import Path
from typing import Any

from rmsd_core.jobs.job import Job
from rmsd_core.jobs.request import Piece
from rmsd_core.lifecycle.core import Core
from rmsd_core.lifecycle.refusals import MOST_REFUSALS, MOST_UNSURE
from rmsd_core.model_time import SECOND_US
from rmsd_core.vocabulary import Cause, Fault, JobState
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.offline.reader import snapshot
from rmsd_daemon.offline.verification import verify
from rmsd_wire.link import EndedAttempt
from tests.core.limits import passed_limits
from tests.daemon.fold import assert_counters_are_true, folded, stored, without_the_untold
from tests.world.arrays import count_of, tasks_of, too_many_at_once, wrong_tasks
from tests.world.cluster import Cluster
from tests.world.loop import Process
from tests.world.purpose import may_never_start, missed_deadline, wrong_start
from tests.world.strangers import LIAR, USER

_Run = tuple[int, int, str, int]
"""(job_id, attempt, node, start): what an agent runs."""
_OVER = {state.value for state in JobState if state.terminal}
_SOMEHOW = "over"
_MOST_LEAVING = 8
"""The most killed trials of which all orders of leaving are looked at."""
_MOST_ID = 1 << 53
"""No story needs as many numbers, whatever an agent says that it knows of."""
_ODD_TIMES = (
    "SELECT job_id, attempt, start_us, end_us FROM attempt, meta WHERE key = 'clock_us' "
    "AND (end_us < start_us OR end_us > CAST(value AS INTEGER))"
)
_ENDS = "SELECT job_id, count(*) FROM event WHERE kind = 'end' GROUP BY job_id HAVING count(*) > 1"


class Violation(AssertionError):
    """Something that is promised does not hold."""


class Invariants:
    """The invariants of one cluster. `acknowledged`: the jobs that callers were told are accepted,
    by id.

    claimed: jobs that the lying agent has said to hold, or to have run, on nodes of its own.
    """

    def __init__(self, cluster: Cluster, database: Path, claimed: Collection[int]) -> None:
        self._cluster = cluster
        self._claimed = claimed
        self._liars_nodes: set[str] = set()  # the nodes that the liar has, or has had
        self._owners: dict[str, str] = {}  # the nodes' owners at the last look
        self._of_hostile: set[int] = set()
        self._cancel_asked: set[int] = set()  # cancels of callers who may
        actions = ("hold", "release", "requeue", "suspend", "resume")
        self._asked: dict[str, set[int]] = {name: set() for name in actions}
        self._limits_s: dict[int, float] = {}  # the limits that were asked for after the submit
        self._has_limit: set[int] = set()  # jobs whose new limit was acknowledged
        self._database = database
        self.acknowledged: dict[int, dict[str, Any]] = {}
        self._keys: dict[str, list[int]] = {}
        cluster.after_ends = self._after_ends
        # key: job; the attempts that ran to their end, as the daemon knows
        self._over: dict[int, EndedAttempt] = {}
        self._dead: set[str] = set()
        self._restored = False
        self._lost_ids: set[int] = set()  # given out, and lost by a restore
        self.attempts: Counter[str] = Counter()  # key: how the attempts ended, in the end
        self._told_over: dict[int, str] = {}  # key: id; the terminal state, or that there is one
        self._core: Core | None = None
        self._restoring = False
        self._batch = -1
        self._cores_allowed = 0  # the cores of the machine for which the present claims were made
        self._given: set[tuple[int, int]] = set()  # the attempts that have processors
        self._alive: dict[Process, frozenset[_Run]] = {}
        self._stored: dict[int, tuple[bool, int | None]] = {}  # jobs: live, end
        self._pruned: set[int] = set()  # jobs that were deleted, since they ended long ago

    # ------------------------------------------------------------ after every step

    def after_step(self, process: Process) -> None:
        if process.name == "daemon":
            self._after_daemon()
        else:
            self._after_agent(process)

    def _after_daemon(self) -> None:
        scheduler = self._cluster.scheduler
        if scheduler is None:
            return
        core, rebuilt = scheduler.core, scheduler.core is not self._core
        if scheduler.cluster.next_batch == self._batch and not rebuilt:
            return
        self._core, self._batch = core, scheduler.cluster.next_batch
        catches_up, self._restoring = self._restoring, scheduler.restoring
        core.sanity_check()
        self._look_at_what_is_deleted(scheduler)
        self._look_at_owners(scheduler, rebuilt=rebuilt)
        self._look_at_shares(scheduler)
        if (wrong := too_many_at_once(core)) and not self._restored:
            raise Violation(wrong)
        if not self._restored:
            self._look_at_refusals(core)
        pieces = [
            ((job.id, job.attempt), piece)
            for job in core.jobs.values()
            for piece in job.allocation
            if piece.node in job.open_nodes
        ]
        before, self._given = self._given, {attempt for attempt, _ in pieces}
        allowed_before = self._cores_allowed
        size = sum(node.cores for node in core.nodes.values())
        # A claim is honoured on a machine that has got smaller since it was made.
        smaller = _most_given(core) > size
        self._cores_allowed = max(self._cores_allowed, size) if smaller else size
        if rebuilt or catches_up or self._given <= before:
            # No place is given anew: the machine may have got smaller meanwhile. A job that runs
            # since a backup may be known before the end of the job that ran there.
            return
        used: Counter[str] = Counter()
        for _, piece in pieces:
            used[piece.node] += piece.cores
        self._look_at_partitions(scheduler, self._given - before)
        if not self._restored:  # a restore may adopt more than limits allow
            self._look_at_limits(scheduler)
        if scheduler.cluster.capacity == "counted":
            if used.total() > max(size, allowed_before):
                raise Violation(f"{used.total()} of {size} processors are given to jobs")
            return
        for name in {piece.node for attempt, piece in pieces if attempt not in before}:
            if used[name] > core.nodes[name].cores:
                raise Violation(
                    f"{used[name]} of {core.nodes[name].cores} cores of {name} are given to jobs"
                )

    def _look_at_partitions(self, scheduler: Scheduler, given: Collection[tuple[int, int]]) -> None:
        """Check that what is given anew lies in one of the partitions that the job names."""
        partitions = scheduler.core.partitions
        for job_id, _ in given:
            job = scheduler.core.jobs[job_id]
            nodes = {piece.node for piece in job.allocation}
            if partitions and not any(
                one.partition is None or partitions[one.partition].has(nodes)
                for one in job.request.components
                if one.partition is None or one.partition in partitions
            ):
                raise Violation(f"job {job_id} is on {sorted(nodes)}, outside its partitions")

    def _look_at_limits(self, scheduler: Scheduler) -> None:
        """Check that no limit of an account or a QOS is passed."""
        jobs = scheduler.core.jobs.values()
        if found := passed_limits(scheduler.cluster.accounts.policies, jobs):
            raise Violation(f"the limits of {found} are passed")

    def _look_at_what_is_deleted(self, scheduler: Scheduler) -> None:
        """Check that no job is deleted that is live, or that ended a short time ago."""
        if (kept_us := self._cluster.kept_us) is None:
            return
        found = {
            job_id: (bool(live), end_us)
            for job_id, live, end_us in self._query("SELECT id, live, end_us FROM job")
        }
        for job_id in self._stored.keys() - found.keys():
            live, end_us = self._stored[job_id]
            early = not live and end_us is not None and end_us > scheduler.cluster.now_us - kept_us
            if early or job_id in scheduler.details:
                raise Violation(f"job {job_id} was deleted, which was over at {end_us}")
            self._pruned.add(job_id)
        self._stored = found

    def _look_at_owners(self, scheduler: Scheduler, *, rebuilt: bool) -> None:
        """Check that the liar has taken no name of a node that is not forgotten."""
        before = {} if rebuilt else self._owners
        rows = scheduler.node_rows
        self._owners = {name: rows[name]["agent_id"] for name in scheduler.core.nodes}
        for name, owner in self._owners.items():
            if owner == LIAR:
                self._liars_nodes.add(name)
                if before.get(name, LIAR) != LIAR:
                    raise Violation(f"node {name} of agent {before[name]} is the liar's")

    def _look_at_shares(self, scheduler: Scheduler) -> None:
        most = self._cluster.most_jobs
        counts: Counter[str] = Counter()
        for job in scheduler.core.jobs.values():
            counts[job.user] += 1 if job.array is None else job.array.waiting
        for user, count in counts.items():
            if count > most:
                raise Violation(f"{user} has {count} live jobs, and may have {most}")

    def _after_agent(self, process: Process) -> None:
        agent = self._cluster.agents.get(process)
        timers = agent.timers if agent is not None else None
        running: frozenset[_Run] = frozenset()
        if timers is not None and timers.clock is not None:
            if wrong := list(timers.ended_while_suspended()):
                raise Violation(f"{wrong} are suspended, and have come to their ends")
            running = frozenset((*key, launch.model_start_us) for key, launch in timers.running())
        if running == self._alive.get(process):
            return
        self._alive = {
            other: keys for other, keys in self._alive.items() if other in self._cluster.agents
        }
        self._alive[process] = running
        runs: dict[int, _Run] = {}
        for theirs in self._alive.values():
            for run in theirs:
                other = runs.setdefault(run[0], run)
                one, two = sorted((other, run), key=_started)
                if self._is_claimed(run[0]):
                    continue
                if _started(one) != _started(two) and not self._given_up(one, two):
                    raise Violation(f"job {run[0]} runs at once as {one[1:]} and {two[1:]}")
                over = self._over.get(run[0])
                if over is not None and not self._may_run_again(over, run):
                    raise Violation(f"job {run[0]} has ended as {over}, and runs as {run[1:]}")

    def _after_ends(self, ended: Sequence[EndedAttempt]) -> None:
        """Attempts have ended, and the daemon has acknowledged it."""
        for one in ended:
            if one.batch and one.cause in (Cause.EXIT, Cause.LIMIT):
                self._over[one.job_id] = one

    def _may_run_again(self, over: EndedAttempt, run: _Run) -> bool:
        """Or it is the same run. The script of a killed trial may end by itself, seeing its other
        nodes being killed; this does not count."""
        if (over.attempt, over.start_us) == _started(run):
            return True
        if self._is_asked("requeue", over.job_id):
            return True  # the script ended by itself while it was being ended
        stored = self._query("SELECT request FROM job WHERE id = ?", over.job_id)
        if not stored:
            return True  # no restored backup has it: nobody has started it now
        [(request,)] = stored
        spread = over.cores < sum(part[0] * part[1] for part in json.loads(request))
        ended: _Run = (over.job_id, over.attempt, over.node, over.start_us)
        return spread or self._given_up(*sorted((ended, run), key=_started))

    def _given_up(self, earlier: _Run, later: _Run) -> bool:
        """Return whether a node was silent for so long that it was taken to be dead. A node that
        comes back after all is told to end the attempt."""
        if self._restored:  # the database may not know of it any more
            return not self._dead.isdisjoint((earlier[2], later[2]))
        if earlier[0] in self._pruned:
            return True
        query = "SELECT cause FROM attempt WHERE job_id = ? AND attempt = ?"
        return self._query(query, *earlier[:2]) == [("node",)]

    def node_lost(self, name: str) -> None:
        """The daemon takes it to be dead, or it is withdrawn."""
        self._dead.add(name)

    def accepted(self, key: str, ids: list[int], specs: list[dict[str, Any]]) -> None:
        """People are told so; it must be stored by now."""
        if len(ids) < len(specs) or max(ids) > _MOST_ID:
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
        found = {job_id for (job_id,) in self._query("SELECT id FROM job")}
        if lost := set(ids) - found - self._pruned:
            raise Violation(f"jobs {sorted(lost)} are acknowledged, and not stored")

    def cancel_asked(self, ids: Collection[int]) -> None:
        """Note that a person who may cancel these jobs asks for it."""
        self._cancel_asked.update(ids)

    def action_asked(self, job_id: int, action: str) -> None:
        """Note that a person asks for a job to be held, released or requeued."""
        self._asked[action].add(job_id)

    def _is_asked(self, action: str, job_id: int) -> bool:
        """Return whether the action was asked for, for the job or for the array of the task."""
        asked = self._asked.get(action, self._cancel_asked)
        if job_id in asked:
            return True
        found = self._query("SELECT array_id FROM job WHERE id = ?", job_id)
        return bool(found) and found[0][0] in asked

    def some_part(self, rng: random.Random, job_id: int) -> str:
        """Return the name of the job, or of a task if the job is an array."""
        if not (count := count_of(self.acknowledged.get(job_id, {}))) or rng.random() < 0.4:
            return str(job_id)
        return f"{job_id}_{rng.randrange(count)}"

    def update_asked(self, job_id: int, limit_s: float) -> bool:
        """Note that a person asks for another limit of a job; return whether it is the first."""
        return self._limits_s.setdefault(job_id, limit_s) is limit_s

    def updated(self, job_id: int) -> None:
        """Note that the new limit of a job was acknowledged."""
        self._has_limit.add(job_id)

    def held(self) -> list[int]:
        """Return the jobs that are held now."""
        live = self._query("SELECT id, conditions FROM job WHERE live")
        return [job_id for job_id, text in live if text != "[]" and json.loads(text)[0]]

    def suspended(self) -> list[int]:
        """Return the jobs that are suspended now."""
        return [job_id for (job_id,) in self._query("SELECT id FROM job WHERE state = 'SUSPENDED'")]

    def of_the_honest(self) -> set[int]:
        """Return the jobs of all people but the hostile user."""
        return self.acknowledged.keys() - self._of_hostile

    @property
    def was_restored(self) -> bool:
        return self._restored

    def is_with_the_liar(self, job: Job) -> bool:
        """Return whether the job runs on a node of the liar's."""
        return any(piece.node in self._liars_nodes for piece in job.allocation)

    def _is_claimed(self, job_id: int) -> bool:
        """Return whether the daemon may have believed the liar about the job, after a restore."""
        return self._restored and job_id in self._claimed

    def _was_with_the_liar(self, job_id: int) -> bool:
        """Return whether the liar was asked to run an attempt of the job, or was believed that."""
        found = self._query("SELECT allocation FROM attempt WHERE job_id = ?", job_id)
        nodes = {piece[0] for (allocation,) in found for piece in json.loads(allocation)}
        return not nodes.isdisjoint(self._liars_nodes) or self._is_claimed(job_id)

    def ids_of(self, key: str) -> list[int]:
        """The jobs of the submission with this key."""
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
                if before not in (None, _SOMEHOW, state):
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
                self._told_over.setdefault(job_id, _SOMEHOW)

    def told_over(self) -> dict[int, str]:
        """What people have been told up to now, for `restored`."""
        return dict(self._told_over)

    def restored(self, held: Collection[int], told_over: dict[int, str]) -> None:
        """Forget what a restore has lost; but no number is given out again.

        held: the jobs that the backup holds, which a job that was on its way to the database is
        not among. told_over: what people knew when it was made.
        """
        self._restored = True
        self._stored = {}
        self._told_over = told_over
        lost = self.acknowledged.keys() - held
        self._lost_ids |= lost
        self.acknowledged = {
            job_id: spec for job_id, spec in self.acknowledged.items() if job_id not in lost
        }
        self._keys = {key: ids for key, ids in self._keys.items() if lost.isdisjoint(ids)}

    # ------------------------------------------------------------ in the end

    def all_over(self) -> bool:
        return not self._query("SELECT 1 FROM job WHERE live LIMIT 1")

    def at_rest(self, *, complete: bool) -> None:
        """Nothing runs any more, and nobody submits. `complete`: people have got every answer.
        After a restore a key may be unknown, and what is repeated with it another submit."""
        if (scheduler := self._cluster.scheduler) is not None:
            self._look_at_what_is_deleted(scheduler)  # also since the last batch
        jobs = {row["id"]: row for row in self._jobs()}
        causes = self._query("SELECT cause, count(*) FROM attempt GROUP BY cause")
        self.attempts.update(dict(causes))
        if endless := self._query("SELECT job_id, attempt FROM attempt WHERE cause IS NULL"):
            raise Violation(f"attempts {endless} have not ended, and their jobs have")
        if lost := self.acknowledged.keys() - jobs.keys() - self._pruned:
            raise Violation(f"jobs {sorted(lost)} were acknowledged, and are gone")
        honest = {
            job_id
            for job_id, row in jobs.items()
            if row["user"] != USER and row["array_index"] is None
        }
        if complete and not self._restored and (more := honest - self.acknowledged.keys()):
            raise Violation(f"jobs {sorted(more)} were submitted by nobody, or twice")
        for job_id, spec in self.acknowledged.items():
            if job_id in jobs:
                self._all_ended_truly(jobs[job_id], spec, jobs)
        self._waited_on_purpose(jobs)
        self._kept_deadlines(jobs)
        if odd := self._query(_ODD_TIMES):
            raise Violation(f"attempts {odd} end before they start, or after the present")
        for job_id, state in self._told_over.items():
            if job_id in jobs and state not in (_SOMEHOW, jobs[job_id]["state"]):
                raise Violation(f"job {job_id} was {state}, and is {jobs[job_id]['state']}")
        if twice := self._query(_ENDS):
            raise Violation(f"job {twice[0][0]} ended {twice[0][1]} times")
        self._events_tell_the_tables()
        with snapshot(self._database.parent) as database:
            difference = verify(database, lambda _: None).difference
        if difference is not None:
            raise Violation(f"decided otherwise than stored: {difference}")

    def _waited_on_purpose(self, jobs: dict[int, dict[str, Any]]) -> None:
        """Check that no job started before its conditions had come true. A restore may have lost
        what was asked for meanwhile, and what other jobs have done."""
        if self._restored:
            return
        starts = self._query("SELECT job_id, min(start_us) FROM attempt GROUP BY job_id")
        starts_us = dict(starts)
        for job_id, spec in self.acknowledged.items():
            asked = spec.get("conditions")
            if asked is None or self._pruned:
                continue
            for row in (jobs[job_id], *tasks_of(jobs[job_id], jobs)):
                if row["id"] in starts_us:
                    released = not self._asked["release"].isdisjoint((job_id, row["id"]))
                    wrong = wrong_start(row, asked, jobs, starts_us, released=released)
                    if wrong:
                        raise Violation(f"job {row['id']} has started too early: {wrong}")

    def _kept_deadlines(self, jobs: dict[int, dict[str, Any]]) -> None:
        """Check that no job started so late that its limit reached beyond its deadline, and that
        none was ended for that too early."""
        starts_us: dict[int, list[int]] = {}
        for job_id, start_us in self._query("SELECT job_id, start_us FROM attempt"):
            starts_us.setdefault(job_id, []).append(start_us)
        for job_id, spec in self.acknowledged.items():
            if job_id not in jobs:
                continue
            # an array is as its tasks are
            rows = tasks_of(jobs[job_id], jobs) if count_of(spec) else [jobs[job_id]]
            for row in rows:
                wrong = missed_deadline(row, spec, starts_us.get(row["id"], ()))
                if wrong and not self._was_with_the_liar(row["id"]):
                    raise Violation(f"job {row['id']} has missed its deadline: {wrong}")

    def _events_tell_the_tables(self) -> None:
        told = folded(self._database)
        kept = without_the_untold(self._database, stored(self._database), told)
        assert_counters_are_true(self._database)
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
            if wrong := wrong_tasks(job, spec, jobs, self._pruned):
                raise Violation(f"of array {job['id']} {wrong}")
            ended = tasks_of(job, jobs)
        for one in ended:
            if not self._was_with_the_liar(one["id"]):
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
        if job["id"] in self._limits_s:
            self._kept_its_new_limit(job, run_us, time_limit_us)
        elif job["state"] in ("COMPLETED", "TIMEOUT"):
            took_us = job["end_us"] - job["start_us"]
            told = job["state"], took_us - self._stood_us(job, expected[1])
            untimed = self._restored and told == (expected[0], 0)
            if told != expected and not untimed:
                raise Violation(f"job {job['id']} is told to be {told}, and was {expected}")

    def _stood_us(self, job: dict[str, Any], run_us: int) -> int:
        """Return how long a job stood still. Its agent may not have heard of a suspension before
        the job was over."""
        return int(min(job["suspended_us"], max(0, job["end_us"] - job["start_us"] - run_us)))

    def _kept_its_new_limit(self, job: dict[str, Any], run_us: int, old_us: int) -> None:
        """Check the limit of a job for which another one was asked. If the job ran already, its
        agent may have been told too late to extend a run, or to end it at the new limit."""
        asked_us = round(self._limits_s[job["id"]] * SECOND_US)
        given = job["id"] in self._has_limit and not self._restored
        if given and job["estimate_us"] != asked_us:
            raise Violation(f"job {job['id']} has lost its new limit: {job['estimate_us']}")
        untimed = self._restored or job["suspended_us"]
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
            case "CANCELLED" if self._is_asked("cancel", job["id"]):
                return
            case "CANCELLED" if job["cause"] == "dependency":
                if self._restored or may_never_start(spec["conditions"], jobs):
                    return
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

    def _look_at_refusals(self, core: Core) -> None:
        """Check that no job is with a node again that has refused it, and that it avoids since."""
        for job in core.jobs.values():
            if not job.refusals or job.refusals[-1].attempt == job.attempt:
                continue
            if again := job.request.avoid.intersection(piece.node for piece in job.allocation):
                raise Violation(f"job {job.id} was sent again to {sorted(again)}, which refused it")

    def _query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self._database)) as connection:
            return connection.execute(sql, values).fetchall()

    def _jobs(self) -> list[dict[str, Any]]:
        with closing(sqlite3.connect(self._database)) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute("SELECT * FROM job")]


def _most_given(core: Core) -> int:
    """Return the most cores that can come to be given at once. The killed trials leave one after
    the other, in some order, and the jobs that claim their places are started."""
    jobs = core.jobs.values()
    given = sum(piece.cores for job in jobs for piece in job.holding())
    claims = [(claim.awaits, _cores(claim.place)) for job in jobs if (claim := job.claim)]
    leaving = {job.id: _cores(job.holding()) for job in jobs if job.draining}
    if not claims or len(leaving) > _MOST_LEAVING:
        return given + sum(cores for _, cores in claims)
    subsets = chain.from_iterable(combinations(leaving, n) for n in range(len(leaving) + 1))
    return max(
        given
        - sum(leaving[job_id] for job_id in gone)
        + sum(cores for awaits, cores in claims if awaits <= set(gone))
        for gone in subsets
    )


def _cores(pieces: Iterable[Piece]) -> int:
    return sum(piece.cores for piece in pieces)


def _started(run: _Run) -> tuple[int, int]:
    """What all parts of an attempt have in common."""
    return run[1], run[3]
