"""Bugs to plant: each breaks one promise, and the stories must find it."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import text

from rmsd_agent.attempts.timers import Timers
from rmsd_agent.reports import Key
from rmsd_core.jobs.array import Array
from rmsd_core.jobs.conditions import Conditions, Dependency, Fate
from rmsd_core.jobs.job import Job
from rmsd_core.jobs.phase import Done
from rmsd_core.jobs.request import Request, avoiding
from rmsd_core.lifecycle import eligibility, refusals, restoring, starting, updates
from rmsd_core.lifecycle.deadlines import Deadlines
from rmsd_core.lifecycle.inputs import Exited
from rmsd_core.lifecycle.state import CoreState
from rmsd_core.machine.counted import CountedCapacity
from rmsd_core.machine.node_capacity import NodeCapacity
from rmsd_core.machine.nodes import Nodes
from rmsd_core.planning.limits import LimitIndex
from rmsd_core.planning.planner_memory import PlannerMemory
from rmsd_daemon.agents.admission import Admission
from rmsd_daemon.agents.hearing import Hearing
from rmsd_daemon.agents.sessions import Session
from rmsd_daemon.callers.auth import Caller
from rmsd_daemon.callers.tokens import Tokens
from rmsd_daemon.domain import texts
from rmsd_daemon.domain.rates import Rates
from rmsd_daemon.domain.shares import Shares
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.loop import cluster_state, launch, writer
from rmsd_daemon.loop.cluster_state import ClusterState
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.offline import backups
from rmsd_daemon.queries.filters import Filter
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.store import external_changes, records, retention
from rmsd_daemon.store.idempotency import IdempotencyKeys
from rmsd_daemon.store.store import Store
from rmsd_wire.link import Launch, StopAttempt
from rmsd_wire.link_calls import Reply


def _acknowledge_before_commit() -> None:
    """A batch is stored with the next one."""
    commit = Store.commit
    held: list[Any] = []

    def late(self: Store, changes: Any) -> None:
        held.append(changes)
        if len(held) > 1:
            commit(self, held.pop(0))

    Store.commit = late


def _give_processors_twice() -> None:
    for kind in (CountedCapacity, NodeCapacity):
        kind.take = lambda *_: None


def _confirm_before_the_kill() -> None:
    """An agent says at once that what it is told to end has ended; it runs on."""

    def stop(self: Timers, stop: StopAttempt, key: Key) -> None:
        timer = self._timers[key]
        if timer.end_us is not None:
            timer.end_us, timer.cause = None, stop.cause
            self._reports.exited(key, timer.status(), None)

    Timers.stop = stop
    Timers.forget = lambda *_: None


def _forget_an_event() -> None:
    events = records.events

    def without(batch: int, now_us: int, inputs: Sequence[Any], *rest: Any) -> list[Any]:
        return [row for row in events(batch, now_us, inputs, *rest) if row["kind"] != "launched"]

    records.events = without


def _end_twice() -> None:
    events = records.events

    def more(*args: Any) -> list[Any]:
        return [row for row in events(*args) for _ in range(1 + (row["kind"] == "end"))]

    records.events = more


def _change_a_table_alone() -> None:
    """A job's record gets what no event says."""
    commit = Store.commit

    def more(self: Store, changes: Any) -> None:
        for row in changes.job_changes:
            row["corrections"] += not row["live"]
        commit(self, changes)

    Store.commit = more


def _ignore_the_limit() -> None:
    make = Timers._make

    def unlimited(self: Timers, launch: Launch, *suspended: Any) -> Any:
        made = make(self, launch, *suspended)
        if made.end_us is not None and launch.emulation is not None:
            made.end_us = launch.model_start_us + launch.emulation.run_us
        return made

    Timers._make = unlimited


def _decide_by_chance() -> None:
    start = starting.start_trial

    def now_and_then(*args: Any) -> bool:
        return random.random() < 0.5 and start(*args)

    starting.start_trial = now_and_then


def _forget_keys() -> None:
    """A submit that is repeated after a restart is another one."""
    IdempotencyKeys.reload = lambda *_: None


def _lose_a_job() -> None:
    """A start does not find the newest job that is live."""
    load = Store.load

    def short(self: Store, *args: Any) -> Any:
        snapshot = load(self, *args)
        del snapshot.jobs[-1:]
        return snapshot

    Store.load = short


def _never_stop() -> None:
    """What is told to end never does."""

    def stop(self: Timers, stop: StopAttempt, key: Key) -> None:  # noqa: ARG001
        self._timers[key].end_us = None

    Timers.stop = stop


def _give_numbers_again() -> None:
    """A restore does not look at what was there before."""
    mark = backups.mark
    backups.mark = lambda new, held, _: mark(new, held, held)


def _ask_nobody() -> None:
    """A restored database does not say that it is one."""
    mark = backups.mark

    def silent(new: Path, *rest: Any) -> None:
        mark(new, *rest)
        with closing(sqlite3.connect(new)) as database, database:
            database.execute("DELETE FROM meta WHERE key = ?", (records.RESTORED_KEY,))

    backups.mark = silent


def _tell_of_ends_too_early() -> None:
    """A job leaves the list of live jobs before its end is stored."""

    may_be = JobHistory._may_be

    def may_be_live(self: JobHistory, job_id: int, wanted: Filter) -> bool:
        return job_id in self._scheduler.core.jobs and may_be(self, job_id, wanted)

    JobHistory._may_be = may_be_live


def _fail_at_the_first_refusal() -> None:
    """One bad node empties the queue."""
    refusals.goes_on = lambda *_: False


def _send_back_to_who_refused() -> None:
    """A job may be given any node that has space, also one that has refused it."""
    for kind in (CountedCapacity, NodeCapacity):
        place = kind.place

        def anywhere(self: Any, request: Request, place: Any = place) -> Any:
            return place(self, avoiding(request, frozenset()))

        kind.place = anywhere


def _forget_ends() -> None:
    """A start does not know how jobs have ended that others await."""
    restore = restoring.restore

    def without(state: CoreState, jobs: Any, memory: PlannerMemory) -> list[Job]:
        return restore(state, jobs, replace(memory, unsettled={}))

    restoring.restore = without


def _pass_limits() -> None:
    """No limit of an account or a QOS holds a job back."""
    LimitIndex.refusal = lambda *_: None


def _leave_the_partition() -> None:
    """Every node is in every partition."""
    NodeCapacity.is_member = lambda *_: True


# ------------------------------------------------------------ jobs that wait on purpose


def _start_dependents_early() -> None:
    """A dependency on a job is fulfilled, however that job ends."""

    def fate(one: Dependency, other: Job, _: int) -> Fate:
        return True if type(other.phase) is Done else one

    eligibility.fate = fate


def _start_held_jobs() -> None:
    """A hold does not keep a job out of the queue."""
    Conditions.stand = property(
        lambda self: bool(self.begin_us is not None or self.dependencies or self.never)
    )


def _forget_begin_times() -> None:
    at = Conditions.at
    Conditions.at = lambda self, now_us: at(self, now_us)._replace(begin_us=None)


def _start_late_jobs() -> None:
    """A job waits on though it can no longer end before its deadline."""
    Deadlines.next_us = lambda _: None


def _let_suspended_limits_run() -> None:
    """A suspended job comes to its end and to its limit as if it ran."""
    make = Timers._make

    def running(self: Timers, launch: Launch, since_us: int | None, before_us: int) -> Any:
        made = make(self, launch, None, before_us)
        made.since_us = since_us
        return made

    Timers._make = running


# ------------------------------------------------------------ what retention may do then


def _delete_too_early() -> None:
    """A job is deleted a short time after its end."""
    prune = retention.prune

    def early(connection: Any, kept: retention.KeptFor, *rest: Any) -> Any:
        history_us = kept.history_us and kept.history_us // 10
        return prune(connection, retention.KeptFor(kept.events_us, history_us), *rest)

    writer.prune = early  # type: ignore[attr-defined]


def _delete_live_jobs() -> None:
    """A job is deleted that was submitted long ago, and is not over."""
    query = str(retention.OLD_JOBS).replace(" AND NOT live", "")
    query = query.replace("end_us IS NOT NULL AND end_us < ", "submit_us < ")
    retention.OLD_JOBS = text(query.replace("INDEXED BY job_end", ""))


def _delete_a_needed_event() -> None:
    """The snapshot goes with the events before it."""
    add = retention.add_snapshot

    def late(connection: Any, event: int, at_us: int) -> None:
        add(connection, event + 1, at_us)

    external_changes.add_snapshot = late  # type: ignore[attr-defined]


# ------------------------------------------------------------ what a lying agent may do then


def _believe_any_agent() -> None:
    """Agents may tell of the jobs on others' nodes."""
    Hearing._may_tell = lambda *_: True


def _take_any_name() -> None:
    """A node's name is whose agent claims it last."""
    Admission.why_not_hosted = lambda *_, **__: ""


def _use_up_the_numbers() -> None:
    """Every number is passed over that an agent says it knows of."""
    cluster_state.MOST_FORGOTTEN = 1 << 62


def _take_any_time() -> None:
    """An end is when the agent says that it was."""
    news = ClusterState.news

    def as_told(self: ClusterState, exited: Exited) -> Exited | None:
        return None if news(self, exited) is None else exited

    ClusterState.news = as_told


def _fail_of_an_answer() -> None:
    """An answer that nobody has asked for is given to who has asked for it."""

    def reply(self: Session, message: Reply) -> None:
        self._calls[message.call].set_result(message)

    Session.reply = reply


def _keep_claims() -> None:
    """What is claimed on a node is given there, though the node has less now."""
    Nodes.shrinks = lambda *_: False


# ------------------------------------------------------------ what a hostile user may do then


def _show_all_to_all() -> None:
    """Everybody may see and end everybody's jobs."""
    Caller.sees = lambda *_: True


def _list_all_to_all() -> None:
    """A list of jobs has those of others."""
    Filter.seen_by = lambda self, _: self


def _count_no_jobs() -> None:
    """A user may have any number of jobs."""
    Shares.take = lambda *_: None


def _count_no_requests() -> None:
    """A user may send any number of requests."""
    Rates.wait_s = lambda *_: 0.0


def _let_dead_tokens_in() -> None:
    """A token holds, whether it is revoked, expired or not."""
    Tokens.state = lambda *_: "valid"


def _forget_bodies() -> None:
    """A key that is repeated means the first request, whatever this one says."""
    repeated = IdempotencyKeys.repeated

    async def whatever(self: IdempotencyKeys, key: str, _: str) -> list[int] | None:
        known = self._find(key)
        return await repeated(self, key, known.digest if known else "")

    IdempotencyKeys.repeated = whatever


def _share_keys() -> None:
    """The keys of all users are in one drawer."""
    submit = Scheduler.submit

    async def shared(self: Scheduler, jobs: Any, key: str | None, *rest: Any) -> list[int]:
        return await submit(self, jobs, key and key.partition(":")[2], *rest)

    Scheduler.submit = shared


def _take_any_text() -> None:
    """Texts of a submit may be as long as one likes, and hold anything."""
    texts.check_texts = lambda _: None


def _lose_tasks() -> None:
    """The core forgets the task behind each task that becomes a job."""
    take = Array.take

    def more(self: Array[Job], first: int, last: int) -> list[tuple[int, int]]:
        return take(self, first, last + (last - first == 1))

    Array.take = more


def _ignore_the_limit_of_arrays() -> None:
    """An array runs as many tasks as there is room for."""
    Array.may_run_more = property(lambda _: True)


def _lose_updates() -> None:
    """A change of a job is acknowledged, and the core does nothing."""
    updates.update = lambda *_: None


def _launch_with_the_old_limit() -> None:
    """A job that was changed while it waited is launched with the limit of its submit."""
    limit_s = launch.real_time_limit_s

    def old(job: Job, details: Details, rate: float) -> float | None:
        first = next((one for one in details.changes if one.field == "time_limit_s"), None)
        if first is None:
            return limit_s(job, details, rate)
        return float(first.before) / rate

    launch.real_time_limit_s = old


BUGS: dict[str, Callable[[], None]] = {
    "lose-tasks": _lose_tasks,
    "ignore-the-limit-of-arrays": _ignore_the_limit_of_arrays,
    "acknowledge-before-commit": _acknowledge_before_commit,
    "give-processors-twice": _give_processors_twice,
    "confirm-before-the-kill": _confirm_before_the_kill,
    "forget-an-event": _forget_an_event,
    "end-twice": _end_twice,
    "change-a-table-alone": _change_a_table_alone,
    "ignore-the-limit": _ignore_the_limit,
    "lose-updates": _lose_updates,
    "launch-with-the-old-limit": _launch_with_the_old_limit,
    "decide-by-chance": _decide_by_chance,
    "forget-keys": _forget_keys,
    "lose-a-job": _lose_a_job,
    "never-stop": _never_stop,
    "give-numbers-again": _give_numbers_again,
    "ask-nobody": _ask_nobody,
    "tell-of-ends-too-early": _tell_of_ends_too_early,
    "delete-too-early": _delete_too_early,
    "delete-live-jobs": _delete_live_jobs,
    "delete-a-needed-event": _delete_a_needed_event,
    "fail-at-the-first-refusal": _fail_at_the_first_refusal,
    "send-back-to-who-refused": _send_back_to_who_refused,
    "forget-ends": _forget_ends,
    "leave-the-partition": _leave_the_partition,
    "limit-passed": _pass_limits,
    "start-dependents-early": _start_dependents_early,
    "start-held-jobs": _start_held_jobs,
    "start-late-jobs": _start_late_jobs,
    "let-suspended-limits-run": _let_suspended_limits_run,
    "forget-begin-times": _forget_begin_times,
    "believe-any-agent": _believe_any_agent,
    "take-any-name": _take_any_name,
    "use-up-the-numbers": _use_up_the_numbers,
    "take-any-time": _take_any_time,
    "fail-of-an-answer": _fail_of_an_answer,
    "keep-claims": _keep_claims,
    "show-all-to-all": _show_all_to_all,
    "list-all-to-all": _list_all_to_all,
    "count-no-jobs": _count_no_jobs,
    "count-no-requests": _count_no_requests,
    "let-dead-tokens-in": _let_dead_tokens_in,
    "forget-bodies": _forget_bodies,
    "share-keys": _share_keys,
    "take-any-text": _take_any_text,
}
