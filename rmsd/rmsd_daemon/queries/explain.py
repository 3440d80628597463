"""`rstat --explain`: the known reasons why a job starts and ends when it does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from itertools import islice

from rmsd_core.jobs.job import Job
from rmsd_core.lifecycle.core import Core
from rmsd_core.machine.advance_reservations import AdvanceReservation
from rmsd_core.machine.features import matches
from rmsd_core.model_time import SECOND_US, duration_s
from rmsd_core.planning.expected import ExpectedStarts
from rmsd_core.planning.portions import PORTION, Portions
from rmsd_core.planning.present import HORIZON_US
from rmsd_core.planning.why import Why
from rmsd_core.recipes.extensions import PREDICTORS
from rmsd_core.recipes.matched_history import MatchedHistory
from rmsd_core.recipes.prediction import RecentHistory, multiplied_us
from rmsd_core.vocabulary import RUNNING_STATES, JobState
from rmsd_daemon.callers.auth import Caller, Role
from rmsd_daemon.domain.slices import in_slices
from rmsd_daemon.domain.submission import Details
from rmsd_daemon.loop.scheduler import Scheduler
from rmsd_daemon.queries import views
from rmsd_daemon.queries.expected_starts import StartQuery, start_view
from rmsd_daemon.queries.history import JobHistory
from rmsd_daemon.queries.reservations import reservation_view
from rmsd_daemon.store.records import Row
from rmsd_wire.api.accounts import LicenseView
from rmsd_wire.api.explanation import (
    ExplainReply,
    NodeState,
    OtherJob,
    PredictionChange,
    PredictionView,
    PriorityView,
    UsedRun,
    WaitView,
)
from rmsd_wire.api.jobs import JobView

_SHOWN = 10
"""The number of jobs shown of a list of other jobs."""
_LOOKED_THROUGH = 1000
"""The number of the user's latest runs among which those of a matched prediction are looked for."""
_WALKS = 3
"""The most walks over the queue for one explanation."""
_NODES_SHOWN = 100
"""The number of nodes shown of those that take no work now."""

_Event = tuple[int, str, Row]


class Explainer:
    """Facts about one job, from the core's memory, its expected starts and the stored events."""

    def __init__(self, scheduler: Scheduler, history: JobHistory, start_query: StartQuery) -> None:
        self._scheduler = scheduler
        self._history = history
        self._start_query = start_query
        self._walk = asyncio.Lock()

    async def explain(
        self,
        job: Job,
        details: Details,
        view: Callable[[], JobView],
        caller: Caller,
        worked: Callable[[float], None],
    ) -> ExplainReply:
        """Explain a job that waits, runs or is over; `view` makes its view. Jobs that `caller` may
        not see appear by number, without names. `worked` is called with the seconds for which the
        event loop was occupied."""
        events = await self._history.prediction_events(job.id)
        attempts = await self._history.latest_attempts(job.id)
        prediction = await self._prediction(job, events)
        starts = await self._start_query.of(job.id)
        why, holds_up, worked_s = await self._others_of(job, starts)
        unavailable, not_held = list[str](), 0
        if why is not None:
            (unavailable, not_held), took_s = await in_slices(self._nodes_for(job, details))
            worked_s += took_s
        # Await nothing from here on, so that all other facts are of one moment.
        began_s = time.monotonic()
        expected = starts.expected.get(job.id)
        waits = job.state is JobState.PENDING
        reply = ExplainReply(
            job=view(),
            recipe=self._scheduler.recipe.name,
            plan_us=starts.now_us,
            start=start_view(job.id, expected) if waits and expected is not None else None,
            expected_end_us=_in_sight(job.expected_end_us, starts.now_us)
            if job.state in RUNNING_STATES and not job.is_speculation
            else None,
            prediction=prediction,
            changes=list(_changes(events, has_urgent=self._scheduler.recipe.has_urgent)),
            promised_us=_in_sight(job.record.reserved_us, starts.now_us),
            promised_at_us=job.remembered.reserved_at_us,
            wait=None
            if why is None
            else self._wait(job, starts, caller, why, unavailable, min(why.free, not_held)),
            held_up=[self._other(one, starts, caller) for one in holds_up[:_SHOWN]],
            held_up_count=len(holds_up),
            attempts=[views.attempt_view(row) for row in attempts],
            unable=self._node_states(self._unable(job)),
        )
        worked(worked_s + time.monotonic() - began_s)
        return reply

    async def _others_of(
        self, job: Job, starts: ExpectedStarts
    ) -> tuple[Why | None, list[Job], float]:
        """Return what a job in the queue waits for, the jobs that wait for a running job to end,
        and how long it has occupied the event loop to find them [s]. One answer walks over the
        queue at a time. If the phase of the job changes meanwhile, they are found anew, some
        times."""
        worked_s = 0.0
        async with self._walk:
            for _ in range(_WALKS):
                phase, why, holds_up = type(job.phase), None, list[Job]()
                if _is_queued(job):
                    why, took_s = await in_slices(self._scheduler.core.why(job, starts))
                else:
                    holds_up, took_s = await in_slices(self._held_up(job, starts))
                worked_s += took_s
                if type(job.phase) is phase:
                    break
        return why if _is_queued(job) else None, holds_up, worked_s

    # ------------------------------------------------------------ the prediction

    async def _prediction(self, job: Job, events: list[_Event]) -> PredictionView:
        used, known = await self._used(job, events)
        recipe = self._scheduler.recipe
        return PredictionView(
            predict=recipe.predict,
            times=recipe.times,
            correct=recipe.correct,
            metric=recipe.history.metric,
            used=used,
            used_known=known,
        )

    async def _used(self, job: Job, events: list[_Event]) -> tuple[list[UsedRun], bool]:
        """Return the runs that the job's first prediction was made from, and whether they are
        certain. The runs that had ended by then must give the same prediction again."""
        recipe = self._scheduler.recipe
        make = PREDICTORS[recipe.predict].make
        predictor = make(recipe) if make else None
        if not isinstance(predictor, RecentHistory | MatchedHistory):
            return [], predictor is None
        made_us = max([job.submit_us, *(at_us for at_us, kind, _ in events if kind == "repredict")])
        same_us = job.estimate_us if recipe.history.type == "extended" else None
        is_recent = isinstance(predictor, RecentHistory)
        limit = recipe.history.size if is_recent else _LOOKED_THROUGH
        runs = await self._history.runs_of(job.user, made_us, limit, same_us)
        if runs is None:
            return [], False
        for _, seq, run_us, estimate_us, size in runs:
            predictor.record(job.user, seq, run_us, estimate_us, size)
        predicted_us = predictor.predict_us(job, made_us, ())
        if (
            not job.remembered.corrections
            and multiplied_us(predicted_us, recipe.times) != job.prediction_us
        ):
            return [], False
        seqs = predictor.seqs_for(job)
        used = [UsedRun(at, run_us / SECOND_US) for at, seq, run_us, *_ in runs if seq in seqs]
        return used, True

    # ------------------------------------------------------------ others

    def _wait(
        self,
        job: Job,
        starts: ExpectedStarts,
        caller: Caller,
        why: Why,
        unavailable: list[str],
        free: int,
    ) -> WaitView:
        core = self._scheduler.core
        no_start = self._start_query.why_none(job, starts)
        before = self._tasks_before(job, starts) if no_start == "task" else why.before
        head = None if why.head is None else self._other(why.head, starts, caller, why.head_us)
        return WaitView(
            place=why.place,
            waiting=why.waiting,
            free_cpus=free,
            fits_now=why.fits,
            in_turn=why.in_turn,
            head=head,
            beside_cpus=why.beside,
            holders=self._others(why.holders, starts, caller),
            holders_count=len(why.holders),
            before=self._others(before, starts, caller),
            before_count=len(before),
            awaits=sorted(job.awaits),
            unavailable=self._node_states(unavailable[:_NODES_SHOWN]),
            unavailable_count=len(unavailable),
            never_fits=self._never_fits(job),
            no_start=no_start,
            refused_by=sorted(job.request.avoid),
            priority=priority_view(core, job, starts.now_us),
            reservations=[
                reservation_view(one, core, starts.now_us, is_told=self._is_told(one, job, caller))
                for one in why.closing
            ],
            licenses=[
                LicenseView(name=name, total=total, used=used)
                for name, used, total in core.licenses_of(job)
            ],
        )

    def _is_told(self, one: AdvanceReservation, job: Job, caller: Caller) -> bool:
        """Return whether the caller is told whose jobs may run inside a reservation."""
        is_inside = one.name == job.reservation and self._scheduler.core.may_be_inside(job)
        return is_inside or caller.role.covers(Role.OPERATOR)

    def _never_fits(self, job: Job) -> str | None:
        """Return why the job can never run here, None if it can."""
        core, named = self._scheduler.core, job.request.partitions
        if named and not any(name in core.partitions for name in named):
            return (
                f"its partition {', '.join(named)} is not configured any more; `rjob update -p` "
                "moves the job to another one"
            )
        return core.never_fits(job.request)

    def _tasks_before(self, job: Job, starts: ExpectedStarts) -> list[Job]:
        """Return the tasks of the job's array that are in the queue with an expected start, the
        last to end first: those that a task which is in no queue waits for."""
        parent = self._scheduler.core.jobs.get(job.task.array_id) if job.task is not None else None
        if parent is None or parent.array is None:
            return []
        queued = [one for one in parent.array.tasks.values() if one.id in starts.expected]
        return sorted(queued, key=lambda one: starts.expected[one.id].end_us, reverse=True)

    def _held_up(self, job: Job, starts: ExpectedStarts) -> Portions[list[Job]]:
        """Return the jobs that wait for this job to end. There are none for a run that may be
        killed at once. For a job that is being ended, they are the jobs that have claimed its
        processors."""
        core = self._scheduler.core
        if job.state is JobState.COMPLETING:
            return (yield from _awaiting(list(core.jobs.values()), job))
        if core.reason(job) in ("TrialExpired", "Speculation"):
            return []
        if job.state not in RUNNING_STATES or job.id not in core.jobs or not job.open_nodes:
            return []
        return (yield from core.held_up(job, starts))

    def _others(
        self, jobs: Iterable[Job], starts: ExpectedStarts, caller: Caller
    ) -> list[OtherJob]:
        return [self._other(job, starts, caller) for job in islice(jobs, _SHOWN)]

    def _other(
        self, job: Job, starts: ExpectedStarts, caller: Caller, start_us: int | None = None
    ) -> OtherJob:
        """Return another job as the explanation shows it. `start_us` replaces its expected
        start."""
        details = self._scheduler.details.get(job.id)
        seen = caller.sees(job.id, job.user)
        expected = starts.expected.get(job.id)
        end_us: int | None
        if job.state is JobState.PENDING:
            if start_us is None and expected is not None:
                start_us = expected.start_us
            end_us = expected.end_us if expected is not None else None
        else:
            start_us = job.start_us if start_us is None else start_us
            end_us = _in_sight(job.expected_end_us, starts.now_us)
        return OtherJob(
            job_id=job.id,
            name=details.name if seen and details is not None else "",
            user=job.user if seen else "",
            state=job.state.value,
            cpus=job.size,
            start_us=start_us,
            end_us=end_us,
            promised_us=_in_sight(job.record.reserved_us, starts.now_us),
            array_job_id=None if job.task is None else job.task.array_id,
            array_task_id=None if job.task is None else job.task.array_index,
        )

    def _nodes_for(self, job: Job, details: Details) -> Portions[tuple[list[str], int]]:
        """Return the names of the nodes that the job could use and that take no work now, and the
        cores of available nodes that no job holds. For the core, those of expired trials are free
        as well."""
        core = self._scheduler.core
        named, unavailable, not_held = job.request.partitions, [], 0
        partitions = [core.partitions[name] for name in named if name in core.partitions]
        nodes = list(core.nodes.values())
        for at in range(0, len(nodes), PORTION):
            yield
            for node in nodes[at : at + PORTION]:
                if node.available:
                    not_held += max(0, node.cores - core.used_on(node.name).cores)
                elif (
                    details.constraint is None or matches(details.constraint, node.features)
                ) and (not partitions or any(one.has([node.name]) for one in partitions)):
                    unavailable.append(node.name)
        return sorted(unavailable), not_held

    def _unable(self, job: Job) -> list[str]:
        """Return the nodes of a job that are not heard, or that were given it and cannot start it
        now."""
        core = self._scheduler.core
        held = [core.nodes[name] for name in job.open_nodes if name in core.nodes]
        found = {one.name for one in held if one.link != "up"}
        if job.state is JobState.CONFIGURING:
            found.update(views.unable_nodes(held))
        return sorted(found)[:_NODES_SHOWN]

    def _node_states(self, names: Iterable[str]) -> list[NodeState]:
        core, awaited = self._scheduler.core, self._scheduler.awaited
        nodes = core.nodes
        return [
            NodeState(
                name,
                views.node_state(nodes[name], core.used_on(name)),
                views.node_reason(nodes[name], awaited),
            )
            for name in names
        ]


def _is_queued(job: Job) -> bool:
    """Return whether the job waits, and for no condition. An array does for those of its tasks that
    are no jobs of their own, and await no task of another array."""
    if job.array is not None and not job.array.rest:
        return False
    return job.state is JobState.PENDING and not job.conditions.stand


def _awaiting(jobs: list[Job], left: Job) -> Portions[list[Job]]:
    """Return the jobs that have claimed what `left` is leaving."""
    found = []
    for at, one in enumerate(jobs, 1):
        if left.id in one.awaits and one is not left:
            found.append(one)
        if not at % PORTION:
            yield
    return found


def _in_sight(us: int | None, now_us: int) -> int | None:
    """Return the time; None if there is none, or it depends on a job without a limit."""
    return us if us is not None and us - now_us < HORIZON_US else None


def _changes(events: Iterable[_Event], *, has_urgent: bool) -> Iterable[PredictionChange]:
    for at_us, stored, columns in events:
        kind = _kind(at_us, stored, columns, has_urgent=has_urgent)
        corrects, promises = kind == "correct", stored == "promise"
        yield PredictionChange(
            at_us=at_us,
            kind=kind,
            prediction_s=None if promises else duration_s(columns["prediction_us"]),
            was_end_us=at_us if corrects else None,  # a prediction is corrected when it expires
            end_us=_in_sight(columns["expected_end_us"], at_us) if corrects else None,
            start_us=_in_sight(columns["reserved_us"], at_us) if promises else None,
        )


def _kind(at_us: int, stored: str, columns: Row, *, has_urgent: bool) -> str:
    """Return the kind of a change, of which the event tells the decision alone."""
    if stored != "promise":
        return stored
    if has_urgent and columns["promoted_us"] == at_us:
        return "urgent"
    return "promote" if columns["reserved_us"] is None else stored


def priority_view(core: Core, job: Job, now_us: int) -> PriorityView | None:
    """Return the priority of a job with its parts; None under other orders than `priority`."""
    priority = core.priority(job, now_us)
    if priority is None:
        return None
    parts, used = priority
    return PriorityView(
        total=parts.total,
        **parts._asdict(),
        used_s=used.by_user_s,
        account_used_s=used.by_account_s,
    )
