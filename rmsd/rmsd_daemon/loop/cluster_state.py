"""The state of the cluster in the loop: the core, and what the daemon keeps beside it.

A batch turns works into the core's inputs, and the core's effects into a transaction. After a
failed commit the whole state is built anew from the database.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import msgspec

from rmsd_core.jobs.accounts import Policies
from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.core import CapacityKind, Core
from rmsd_core.lifecycle.effects import Detach, Drop, Effects, End
from rmsd_core.lifecycle.inputs import (
    Exited,
    Input,
    Launched,
    NodeGone,
    NodeLeaving,
    Submit,
)
from rmsd_core.machine.partitions import Partition
from rmsd_core.planning.planner_memory import PlannerMemory, without_tables
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.vocabulary import JobState
from rmsd_daemon.domain.accounts import ANY_ACCOUNT, AccountRules
from rmsd_daemon.domain.arrays import Corresponding, indices_of
from rmsd_daemon.domain.shares import Shares, jobs_in
from rmsd_daemon.domain.submission import Details, NewJob
from rmsd_daemon.loop.live_details import LiveDetails
from rmsd_daemon.loop.live_index import LiveIndex
from rmsd_daemon.loop.mailbox import (
    Arrival,
    ReadyInputs,
    Register,
    Report,
    Work,
    amended_details,
    audit_entries_of,
    new_jobs,
    restarted_details,
)
from rmsd_daemon.loop.notice_rows import ends_told, notice_rows
from rmsd_daemon.loop.rebuilt import Rebuilt, is_backup, rebuild
from rmsd_daemon.loop.reconcile import Reconciled, reconcile
from rmsd_daemon.loop.replaced import free_in_parts
from rmsd_daemon.setup.clock import DaemonClock, as_of_wake, most_looks, most_starts, slip_us
from rmsd_daemon.store import records
from rmsd_daemon.store.changes import Changes, changes_of
from rmsd_daemon.store.idempotency import Numbers
from rmsd_daemon.store.nodes import node_up
from rmsd_daemon.store.partitions import partition_rows
from rmsd_daemon.store.policies import policies_row
from rmsd_daemon.store.records import RESTORED, RESTORED_KEY, Row, event_row
from rmsd_daemon.store.retention import PRUNED_ID
from rmsd_daemon.store.snapshot import Snapshot
from rmsd_process.running_version import RUNNING_VERSION

MOST_FORGOTTEN = 10_000_000
"""The most job numbers that an agent can make an older database skip, which is restored."""


class ClusterState:
    """The core, and beside it the details of live jobs, the rows of nodes, the users' shares and
    the numbers to be given out next. The state is ahead of the database while a commit runs. A job
    has `details` only once it is committed, and until its end is committed."""

    core: Core
    details: LiveDetails
    index: LiveIndex
    node_rows: dict[str, Row]
    shares: Shares
    _policies: Policies  # the core began with them
    _memory: PlannerMemory  # the memory as stored
    _is_backup: bool  # the stored state is that of a backup whose nodes are still to be heard

    def __init__(
        self,
        recipe: Recipe,
        capacity: CapacityKind,
        clock: DaemonClock,
        drain_after: int | None,
        partitions: Sequence[Partition] = (),
        accounts: AccountRules = ANY_ACCOUNT,
    ) -> None:
        self.recipe = recipe
        self.capacity: CapacityKind = capacity
        self.clock = clock
        self._drain_after = drain_after
        self.partitions = tuple(partitions)
        self.accounts = accounts
        self.now_us = self._clock_steps = 0
        self.next_id = 1
        self.next_batch = 1
        self.pruned_id = 0  # the highest number of a job that was deleted
        self.reviving: set[int] = set()  # jobs that are over, and are to run again
        self.details, self.index = LiveDetails(), LiveIndex()
        self._of_tasks: dict[int, Details] = {}  # the details of the tasks of arrays

    # ------------------------------------------------------------ from the database

    def rebuilt(self, snapshot: Snapshot) -> Rebuilt:
        """Return the stored state with a core that goes on from it, for `take`. A thread may call
        this, since nothing changes here."""
        policies = self.accounts.policies
        core = Core(
            self.recipe,
            self.capacity,
            slip_us=slip_us(self.clock.rate),
            most_starts=most_starts(self.clock.rate),
            most_looks=most_looks(self.clock.rate),
            drain_after=self._drain_after,
            partitions=self.partitions,
            policies=policies,
        )
        return rebuild(snapshot, core, policies, self.accounts)

    def take(self, rebuilt: Rebuilt, on_their_way: Iterable[NewJob] = ()) -> None:
        """Begin anew from the stored state. The jobs `on_their_way` keep their numbers, and count
        for their users."""
        snapshot = rebuilt.snapshot
        if self.details:
            free_in_parts([*self.core.owned(), *self.details.values()])
        self.core, self._policies = rebuilt.core, rebuilt.policies
        self.details, self._of_tasks = rebuilt.details, {}
        self.shares, self.index = rebuilt.shares, rebuilt.index
        self.shares.add((new.job.user, new.details, new.details.count) for new in on_their_way)
        self.node_rows = {row["name"]: row for row in snapshot.nodes}
        self._is_backup = is_backup(snapshot)
        self._memory = snapshot.memory
        self.next_id = max(self.next_id, snapshot.next_id)
        self.next_batch = snapshot.next_batch
        self.now_us = int(snapshot.meta.get("clock_us", 0))
        self.pruned_id = int(snapshot.meta.get(PRUNED_ID, 0))

    def restored_event(self) -> Row:
        """Return the event with what later decisions depend on beside their inputs: a batch of its
        own, stored with the next one."""
        payload: Row = {
            "version": RUNNING_VERSION,
            "recipe": self.recipe.name,
            "capacity": self.capacity,
            "rate": self.clock.rate,
            "drain_after": self._drain_after,
            "partitions": partition_rows(self.core.partitions.values()),
            "policies": policies_row(self._policies),
            "jobs": len(self.core.jobs),
            "next_seq": self.core.next_seq,
            "of_backup": self._is_backup,
            "planner": msgspec.to_builtins(self._memory, str_keys=True),
        }
        return event_row(self._batch(), self.now_us, RESTORED, None, payload)

    def _batch(self) -> int:
        self.next_batch += 1
        return self.next_batch - 1

    def pruned(self, job_ids: Sequence[int]) -> None:
        """Note that these jobs are deleted, with an event in a batch of its own."""
        self._batch()
        self.pruned_id = max(self.pruned_id, *job_ids)
        self.reviving.difference_update(job_ids)

    # ------------------------------------------------------------ questions

    def present_us(self) -> int:
        """Return the model time of the next batch, in microseconds. It does not go back, though the
        clock may."""
        return max(self.now_us, self.clock.now_us())

    def begin_batch(self, wake_us: int | None) -> int:
        """Begin a batch, and return its model time. `wake_us`: when the core was to be woken, if
        nothing else has come in. Time does not go back; retention may have noted a later one."""
        self.now_us = max(self.now_us, as_of_wake(self.present_us(), wake_us))
        return self.now_us

    def clock_has_stepped(self) -> bool:
        """Return whether the clock has stepped since the last call."""
        self.clock.now_us()
        before, self._clock_steps = self._clock_steps, self.clock.steps
        return self._clock_steps != before

    def live(self, job_id: int) -> tuple[Job, Details] | None:
        """Return a live job whose submit is committed; None if there is none. A waiting task of an
        array counts, and so does one that was cancelled while its array is live."""
        job, details = self.core.jobs.get(job_id), self.details.get(job_id)
        if job is None and details is None:
            return self._waiting_task(job_id)
        return None if job is None or details is None else (job, details)

    def is_live(self, job_id: int) -> bool:
        """Return whether the job is not over, a waiting task of an array among them."""
        return job_id in self.core.jobs or self.live(job_id) is not None

    def tasks_over(self, other: Corresponding) -> int:
        """Return how many tasks of an array are over."""
        job = self.core.jobs.get(other.array_id)
        return len(indices_of(other.tasks)) if job is None or job.array is None else job.array.over

    def known_to(self, registers: Sequence[Register]) -> tuple[dict[int, Job], dict[int, Details]]:
        """Return the live jobs, and with them the waiting tasks of arrays that agents know."""
        known = {one.job_id for hello in registers for one in hello.ended}
        known |= {one.job_id for hello in registers for one in hello.held}
        known -= self.core.jobs.keys()
        found = {job_id: live for job_id in known if (live := self.live(job_id)) is not None}
        jobs = {job_id: job for job_id, (job, _) in found.items() if not job.state.terminal}
        details = {job_id: details for job_id, (_, details) in found.items()}
        return self.core.jobs | jobs, self.details | details

    def _waiting_task(self, job_id: int) -> tuple[Job, Details] | None:
        """Return a task of a live array that is no job of its own, as if it were one."""
        job = self.core.waiting_task(job_id)
        if job is None or job.task is None or job.task.array_id not in self.details:
            return None
        return job, self._details_of_tasks(job.task.array_id)

    def _details_of_tasks(self, array_id: int) -> Details:
        """Return the details of the tasks of a committed array; all of them share one value."""
        if array_id not in self._of_tasks:
            self._of_tasks[array_id] = self.details[array_id].of_task()
        return self._of_tasks[array_id]

    def expected_nodes(self) -> list[str]:
        """Return the nodes whose agents are expected: those of a backup that were down, too, since
        they may have come back and run jobs after it."""
        nodes = self.core.nodes.items()
        return [name for name, node in nodes if self._is_backup or node.link != "down"]

    def news(self, exited: Exited) -> Exited | None:
        """Return the exit as the core is told it, with a time between the job's start and the
        present; None if the exit is no news."""
        job = self.core.jobs.get(exited.job_id)
        if job is None or job.attempt != exited.attempt or exited.node not in job.open_nodes:
            return None
        assert job.start_us is not None
        return replace(exited, end_us=min(max(exited.end_us, job.start_us), self.now_us))

    # ------------------------------------------------------------ works in

    def number(self, jobs: Sequence[NewJob]) -> Numbers:
        """Give the jobs of a submit their numbers. Those of tasks come after that of their
        array."""
        for new in jobs:
            new.job.id = self.next_id
            self.next_id += 1 + (0 if new.job.array is None else new.job.array.count)
        return numbers_of(jobs)

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
                    if (news := self.news(exited)) is not None:
                        inputs.append(news)
                case Register():
                    inputs += self._registered(work)
                    boots = {row["name"]: row["boot_id"] for row in work.nodes}
                    greetings.append(
                        reconcile(self.core, self.details, boots, work.leaving, work.held)
                    )
        return inputs, greetings

    def _registered(self, hello: Register) -> list[Input]:
        """Keep the rows of the nodes that an agent hosts, and return its Hello as inputs."""
        known = [*(item.job_id for item in hello.held), *(one.job_id for one in hello.ended)]
        self._pass_over_ids(known)
        inputs: list[Input] = []
        for row in hello.nodes:
            self.node_rows[row["name"]] = row
            inputs.append(node_up(row))
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
        amended = amended_details(works, effects.refused)
        restarted = restarted_details(works, effects.refused)

        def of_tasks(array_id: int) -> Details:
            if array_id in details and array_id not in self._of_tasks:
                self._of_tasks[array_id] = details[array_id].of_task()
            return self._details_of_tasks(array_id)

        changes = changes_of(
            batch,
            self.now_us,
            inputs,
            effects,
            details,
            restarted,
            amended,
            self.core,
            self.node_rows,
            of_tasks,
        )
        changes.events[:0] = unstored
        changes.scripts = [
            {"job_id": one.job.id, "payload": msgspec.json.encode(one.payload).decode()}
            for one in new
        ]

        def details_of(job: Job) -> Details | None:
            found = (details | restarted).get(job.id) or self.details.get(job.id)
            return of_tasks(job.task.array_id) if found is None and job.task else found

        changes.notices = notice_rows(effects, self.core, details_of)
        changes.no_more_told = ends_told(effects, self.core, details_of)
        changes.submissions = [
            {
                "key": arrival.key,
                "digest": arrival.digest,
                **_submission(numbers_of(arrival.jobs)),
            }
            for arrival in works
            if isinstance(arrival, Arrival) and arrival.key is not None
        ]
        changes.audit = list(audit_entries_of(works))
        changes.meta = self._meta(batch, ends_a_restore=ends_a_restore)
        self._remember_plan(changes)
        return changes

    def changes_of_passes(self, events: Sequence[Row]) -> Changes:
        """Return the transaction of calls of the core that decided nothing: their events, and the
        plan that they have led to."""
        changes = Changes(events=list(events))
        changes.meta = self._meta(self.next_batch - 1, ends_a_restore=False)
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
        starts as jobs wait, of which an event changes few; the usage of users and the virtual jobs
        are alike."""
        before, self._memory = self._memory, self.core.memory()
        rest = without_tables(self._memory)
        if rest != without_tables(before):
            changes.meta["planner"] = msgspec.json.encode(rest).decode()
        planned_us, stored_us = self._memory.planned_us, before.planned_us
        changes.planned = [
            {"job_id": job_id, "planned_us": at_us}
            for job_id, at_us in planned_us.items()
            if stored_us.get(job_id) != at_us
        ]
        changes.unplanned = [
            {"b_job_id": job_id} for job_id in stored_us if job_id not in planned_us
        ]
        changes.add_usage(self._memory, self.core.take_changed_usage())
        for job_id, virtual in self.core.take_changed_virtual().items():
            if virtual is None:
                changes.not_virtual.append({"b_job_id": job_id})
            else:
                changes.virtual.append({"job_id": job_id, **virtual._asdict()})

    def committed(self, works: Sequence[Work], effects: Effects) -> None:
        """Note that the jobs of a batch are committed: those submitted, the tasks of arrays that
        have become jobs, and those that were changed."""
        for new in new_jobs(works):
            self.details[new.job.id] = new.details
        for job_id, details in restarted_details(works, effects.refused).items():
            self.details[job_id] = details
            self.shares.add([(self.core.job(job_id).user, details, 1)])
        for job_id, details in amended_details(works, effects.refused).items():
            if (before := self.details.get(job_id)) is not None:
                self.shares.replace(self.core.job(job_id).user, before, details)
                self.details[job_id] = details
        for decision in effects.decisions:
            if isinstance(decision, Detach):
                self.details[decision.job_id] = self._details_of_tasks(decision.array_id)
        self.index.note(map(self.core.job, effects.changed))

    def forget_over(self, effects: Effects) -> None:
        """Forget the jobs that are over."""
        for decision in effects.decisions:
            if isinstance(decision, Drop):
                count = sum(last - first for first, last in decision.dropped)
                job = self.core.job(decision.job_id)
                self.shares.give_back(job, count)
            elif isinstance(decision, End):
                job = self.core.job(decision.job_id)
                self._of_tasks.pop(job.id, None)
                if (details := self.details.pop(job.id, None)) is not None:
                    self.shares.give_back(job, jobs_in(job), details)

    def no_op(self) -> list[Row]:
        """Return the event of a call of the core that was told nothing and decided nothing."""
        return records.events(self._batch(), self.now_us, (), (), {}, {}, {}, {})


def numbers_of(jobs: Sequence[NewJob]) -> Numbers:
    """Return the numbers that the jobs of a submit have been given."""
    arrays = [(new.job.id, new.details.count) for new in jobs if new.details.array is not None]
    count = len(jobs) + sum(tasks for _, tasks in arrays)
    return Numbers(jobs[0].job.id, count, arrays)


def _submission(numbers: Numbers) -> Row:
    return {"first_id": numbers.first_id, "count": numbers.used, "arrays": numbers.arrays}


def _is_awaited(job: Job | None, launched: Launched) -> bool:
    return job is not None and job.attempt == launched.attempt and job.state is JobState.CONFIGURING
