"""The state of the cluster in the loop: the core, and what the daemon keeps beside it.

A batch turns works into the core's inputs, and the core's effects into a transaction. After a
failed commit the whole state is built anew from the database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version

import msgspec

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.effects import Effects, End
from rmsd_core.lifecycle.inputs import (
    Exited,
    Input,
    Launched,
    NodeGone,
    NodeLeaving,
    NodeUp,
    Submit,
)
from rmsd_core.machine.partitions import Partition
from rmsd_core.planning.planner_memory import PlannerMemory, without_plan
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.vocabulary import JobState
from rmsd_daemon.domain.shares import Shares
from rmsd_daemon.domain.submission import Details, NewJob
from rmsd_daemon.loop.mailbox import (
    Arrival,
    ReadyInputs,
    Register,
    Report,
    Work,
    audit_entries_of,
    new_jobs,
)
from rmsd_daemon.loop.reconcile import Reconciled, reconcile
from rmsd_daemon.setup.clock import DaemonClock, slip_us
from rmsd_daemon.store import records
from rmsd_daemon.store.changes import Changes, changes_of
from rmsd_daemon.store.records import RESTORED, RESTORED_KEY, Row, event_row, node_of
from rmsd_daemon.store.retention import PRUNED_ID
from rmsd_daemon.store.snapshot import Snapshot

MOST_FORGOTTEN = 10_000_000
"""The most job numbers unknown to the database that an agent can make it skip. An older database
does not know them after its restore."""


class ClusterState:
    """The core, and beside it the details of live jobs, the rows of nodes, the users' shares and
    the numbers to be given out next. The state is ahead of the database while a commit runs. A job
    has `details` only once it is committed, and until its end is committed."""

    core: Core
    details: dict[int, Details]
    node_rows: dict[str, Row]
    shares: Shares
    _memory: PlannerMemory  # the memory as stored

    def __init__(
        self,
        recipe: Recipe,
        capacity: CapacityKind,
        clock: DaemonClock,
        drain_after: int | None,
        partitions: Sequence[Partition] = (),
    ) -> None:
        self.recipe = recipe
        self.capacity: CapacityKind = capacity
        self.clock = clock
        self._drain_after = drain_after
        self.partitions = tuple(partitions)
        self.now_us = 0
        self._clock_steps = 0
        self.next_id = 1
        self.next_batch = 1
        self.pruned_id = 0  # the highest number of a job that was deleted

    # ------------------------------------------------------------ from the database

    def rebuild(self, snapshot: Snapshot, on_their_way: Sequence[NewJob]) -> None:
        """Begin anew from the stored state. The jobs `on_their_way` keep their numbers, and count
        for their users."""
        self.core = Core(
            self.recipe,
            self.capacity,
            slip_us=slip_us(self.clock.rate),
            drain_after=self._drain_after,
            partitions=self.partitions,
        )
        self.details = {job.id: details for job, details in snapshot.jobs}
        self.shares = Shares(
            [
                *((job.user, details) for job, details in snapshot.jobs),
                *((new.job.user, new.details) for new in on_their_way),
            ]
        )
        self.node_rows = {row["name"]: row for row in snapshot.nodes}
        self.core.restore(
            [node_of(row) for row in snapshot.nodes],
            [job for job, _ in snapshot.jobs],
            snapshot.history,
            snapshot.memory,
        )
        self._memory = snapshot.memory
        self.core.pass_over_seqs(snapshot.next_seq)
        self.next_id = max(self.next_id, snapshot.next_id)
        self.next_batch = snapshot.next_batch
        self.now_us = int(snapshot.meta.get("clock_us", 0))
        self.pruned_id = int(snapshot.meta.get(PRUNED_ID, 0))

    def restored_event(self) -> Row:
        """Return the event with what later decisions depend on beside their inputs: a batch of its
        own, stored with the next one."""
        payload: Row = {
            "version": version("rmsd"),
            "recipe": self.recipe.name,
            "capacity": self.capacity,
            "rate": self.clock.rate,
            "drain_after": self._drain_after,
            "partitions": records.partition_rows(self.core.partitions.values()),
            "jobs": len(self.core.jobs),
            "next_seq": self.core.next_seq,
            "planner": msgspec.to_builtins(self._memory, str_keys=True),
        }
        return event_row(self._batch(), self.now_us, RESTORED, None, payload)

    def _batch(self) -> int:
        self.next_batch += 1
        return self.next_batch - 1

    def forget_over(self, effects: Effects) -> bool:
        """Forget the jobs that are over. Returns whether one of them has a notice to send."""
        notices = False
        for decision in effects.decisions:
            if isinstance(decision, End):
                job = self.core.job(decision.job_id)
                details = self.details.pop(job.id, None)
                if details is not None:
                    self.shares.give_back(job.user, details)
                    notices |= bool(details.notify)
        return notices

    def pruned(self, job_ids: Sequence[int]) -> None:
        """Note that these jobs are deleted, with an event in a batch of its own."""
        self._batch()
        self.pruned_id = max(self.pruned_id, *job_ids)

    # ------------------------------------------------------------ questions

    def present_us(self) -> int:
        """Return the model time of the next batch, in microseconds. It does not go back, though the
        clock may."""
        return max(self.now_us, self.clock.now_us())

    def clock_has_stepped(self) -> bool:
        """Return whether the clock has stepped since the last call."""
        self.clock.now_us()
        before, self._clock_steps = self._clock_steps, self.clock.steps
        return self._clock_steps != before

    def live(self, job_id: int) -> tuple[Job, Details] | None:
        """Return a live job whose submit is committed; None if there is none."""
        job, details = self.core.jobs.get(job_id), self.details.get(job_id)
        return None if job is None or details is None else (job, details)

    def expected_nodes(self) -> list[str]:
        return [name for name, node in self.core.nodes.items() if node.link != "down"]

    def is_news(self, exited: Exited) -> bool:
        """Return whether the exit matters. If it does, its time now lies between the job's start
        and the present."""
        job = self.core.jobs.get(exited.job_id)
        if job is None or job.attempt != exited.attempt or exited.node not in job.open_nodes:
            return False
        assert job.start_us is not None
        exited.end_us = min(max(exited.end_us, job.start_us), self.now_us)
        return True

    # ------------------------------------------------------------ works in

    def number(self, jobs: Sequence[NewJob]) -> range:
        """Give the jobs of a submit their numbers."""
        first = self.next_id
        self.next_id += len(jobs)
        for job_id, new in enumerate(jobs, first):
            new.job.id = job_id
        return range(first, self.next_id)

    def inputs(
        self, works: Iterable[Work], is_told: Callable[[Input], bool]
    ) -> tuple[list[Input], list[Reconciled]]:
        """Return the core's inputs, and for each agent that said Hello the difference between what
        it holds and what it should hold. `is_told` says which ready inputs a put-off report tells
        better."""
        inputs: list[Input] = [NodeGone(name) for name in self.core.left()]
        greetings: list[Reconciled] = []
        for work in works:
            match work:
                case Arrival(jobs):
                    inputs += [Submit(new.job) for new in jobs]
                case ReadyInputs():
                    inputs += [item for item in work.inputs if not is_told(item)]
                case Report(input=Launched() as launched):
                    if _is_awaited(self.core.jobs.get(launched.job_id), launched):
                        inputs.append(launched)
                case Report(input=Exited() as exited):
                    if self.is_news(exited):
                        # Copy the outcome: the core changes it, and the batch may have to be
                        # repeated.
                        inputs.append(replace(exited, outcome=replace(exited.outcome)))
                case Register():
                    inputs += self._registered(work)
                    names = {row["name"] for row in work.nodes}
                    greetings.append(
                        reconcile(self.core, self.details, names, work.leaving, work.held)
                    )
        return inputs, greetings

    def _registered(self, hello: Register) -> list[Input]:
        """Keep the rows of the nodes that an agent hosts, and return its Hello as inputs."""
        known = [*(item.job_id for item in hello.held), *(one.job_id for one in hello.ended)]
        self._pass_over_ids(known)
        inputs: list[Input] = []
        for row in hello.nodes:
            self.node_rows[row["name"]] = row
            features = tuple(row["features"])
            inputs.append(NodeUp(row["name"], row["cores"], row["mem_mib"], features))
        return inputs + [NodeLeaving(name) for name in hello.leaving if name in self.core.nodes]

    def _pass_over_ids(self, known: Iterable[int]) -> None:
        """Skip the job numbers that an agent knows: they were given out, whatever the database
        says. No agent can use up the numbers that there are."""
        most = self.next_id + MOST_FORGOTTEN
        self.next_id = max([self.next_id, *(job_id + 1 for job_id in known if job_id < most)])

    # ------------------------------------------------------------ changes out

    def changes(
        self,
        works: Sequence[Work],
        inputs: Sequence[Input],
        effects: Effects,
        unstored: Sequence[Row],
        *,
        ends_a_restore: bool,
    ) -> Changes:
        """Return the transaction of a batch. The events `unstored` come first in it."""
        new = new_jobs(works)
        details = {one.job.id: one.details for one in new}
        batch = self._batch()
        changes = changes_of(
            batch, self.now_us, inputs, effects, details, self.core, self.node_rows
        )
        changes.events[:0] = unstored
        changes.scripts = [
            {"job_id": one.job.id, "payload": msgspec.json.encode(one.payload).decode()}
            for one in new
        ]
        changes.notices = [
            {"job_id": decision.job_id, "target": target}
            for decision in effects.decisions
            if isinstance(decision, End) and (target := self._notify(decision.job_id, details))
        ]
        changes.submissions = [
            {
                "key": arrival.key,
                "digest": arrival.digest,
                "first_id": arrival.jobs[0].job.id,
                "count": len(arrival.jobs),
            }
            for arrival in works
            if isinstance(arrival, Arrival) and arrival.key is not None
        ]
        changes.audit = list(audit_entries_of(works))
        changes.meta = self._meta(batch, ends_a_restore=ends_a_restore)
        self._remember_plan(changes)
        return changes

    def _meta(self, batch: int, *, ends_a_restore: bool) -> dict[str, str]:
        meta = {
            "batch": str(batch),
            "clock_us": str(self.now_us),
            "clock_scaled": str(int(self.clock.scaled)),
            "last_id": str(self.next_id - 1),
            # A start need not count, and finds out whether it misses a live job.
            "live": str(len(self.core.jobs)),
            "next_seq": str(self.core.next_seq),
        }
        if ends_a_restore:
            meta[RESTORED_KEY] = ""
        return meta

    def _remember_plan(self, changes: Changes) -> None:
        """Add to the transaction what has changed in the planner's memory: a plan may have as many
        starts as jobs wait, of which an event changes few."""
        before, self._memory = self._memory, self.core.memory()
        if without_plan(self._memory) != without_plan(before):
            changes.meta["planner"] = msgspec.json.encode(without_plan(self._memory)).decode()
        planned_us, stored_us = self._memory.planned_us, before.planned_us
        changes.planned = [
            {"job_id": job_id, "planned_us": at_us}
            for job_id, at_us in planned_us.items()
            if stored_us.get(job_id) != at_us
        ]
        changes.unplanned = [
            {"b_job_id": job_id} for job_id in stored_us if job_id not in planned_us
        ]

    def _notify(self, job_id: int, new: Mapping[int, Details]) -> str:
        """Return to whom the job's end is told; "" if to nobody. `new` are the jobs of this
        batch."""
        details = new.get(job_id) or self.details.get(job_id)
        return details.notify if details is not None else ""

    def no_op(self) -> list[Row]:
        """Return the event of a call of the core that was told nothing and decided nothing."""
        return records.events(self._batch(), self.now_us, (), (), {}, {}, {})


def _is_awaited(job: Job | None, launched: Launched) -> bool:
    return job is not None and job.attempt == launched.attempt and job.state is JobState.CONFIGURING
