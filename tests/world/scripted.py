"""Stories without chance, which repeat step by step what a seed has found once.

A seed's story changes with the code; these keep what it found (`--script NAME`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from rmsd_core.lifecycle import eligibility, late, sorting
from rmsd_core.lifecycle.inputs import Exited
from rmsd_core.machine.partitions import PartitionState
from rmsd_daemon.api import cancel_parts
from rmsd_daemon.loop.mailbox import Arrival, Report
from rmsd_daemon.offline import backups
from tests.world.partitions import ALL_AND_SOME, reload
from tests.world.people import LIVE
from tests.world.scripting import (
    LONG_S,
    NO_CONDITIONS,
    SHORT,
    back_up,
    has,
    link_of,
    look_until_answered,
    restore,
    running_job,
    submit,
    tell,
    until,
    until_running,
)

if TYPE_CHECKING:
    from tests.world.scenario import Scenario

_TRIAL_S = 5.0
_FEW_PASSES = 10
_WRITER, _READER = "writer", "reader"

Script = Callable[["Scenario"], Awaitable[None]]


async def _cancelled_at_its_end(story: Scenario) -> None:
    """End a job while its cancel is committed, and let the commit of this end fail.

    Who has cancelled the job must not be told of the end (seed 77000072).
    """
    job_id = await running_job(story)
    held = story.loop.hold(_WRITER)
    cancel = asyncio.ensure_future(story.people.say("DELETE", f"/v1/jobs/{job_id}"))
    await until(lambda: bool(held))  # the cancel is stored
    await until(lambda: has(story, Report, Exited))  # the job has come to its own end
    story.cluster.disk.refusing = True
    story.loop.release(_WRITER)
    await cancel
    await look_until_answered(story)


async def _explained_at_its_end(story: Scenario) -> None:
    """End a job while an explanation is made, and let the commit of this end fail."""
    job_id = await running_job(story)
    read = story.loop.hold(_READER)
    asked = f"/v1/jobs/{job_id}/explain"
    explanation = asyncio.ensure_future(story.people.say("GET", asked))
    await until(lambda: bool(read))
    story.cluster.disk.refusing = True
    refused = story.loop.hold(_WRITER)
    await until(lambda: bool(refused))
    story.loop.release(_READER)
    await explanation
    story.loop.release(_WRITER)
    await look_until_answered(story)


async def _followed_at_its_end(story: Scenario) -> None:
    """Jobs are made to depend on one that has ended, while its end is being stored (seed 139).

    The core has forgotten the job, and must not decide about them as if its record were lost.
    """
    job_id = await running_job(story)
    [changed] = await submit(story, "changed", conditions={**NO_CONDITIONS, "hold": True})
    held = story.loop.hold(_WRITER)
    await until(lambda: bool(held))  # the end
    succeeded = [{"relation": "afterok", "job_id": job_id}]
    later = [{"relation": "after", "job_id": job_id, "delay_s": 3 * LONG_S}]
    asked = [
        asyncio.ensure_future(one)
        for one in (
            submit(story, "next", conditions={**NO_CONDITIONS, "dependencies": succeeded}),
            submit(story, "later", conditions={**NO_CONDITIONS, "dependencies": later}),
            story.people.say("PATCH", f"/v1/jobs/{changed}", {"dependencies": succeeded}),
        )
    ]
    await asyncio.sleep(1)  # until all of them have come
    assert not any(one.done() for one in asked)
    story.loop.release(_WRITER)
    await asyncio.gather(*asked)
    followers = [changed, *story.invariants.ids_of("next"), *story.invariants.ids_of("later")]
    assert story.scheduler is not None
    never = [one for one in followers if story.scheduler.core.jobs[one].conditions.never]
    assert not never, f"jobs {never} wait for what has been"


async def _followed_after_its_limit(story: Scenario) -> None:
    """Make a job wait for the success of one that reaches its limit: the job may never start
    (`--bug start-dependents-early`)."""
    [first] = await submit(story, "first", time_limit_s=LONG_S / 2)
    succeeded = [{"relation": "afterok", "job_id": first}]
    conditions = {**NO_CONDITIONS, "dependencies": succeeded, "end_if_never": True}
    await submit(story, "next", conditions=conditions)
    await asyncio.sleep(LONG_S)


async def _listed_at_its_end(story: Scenario) -> None:
    """List the live jobs while the end of one is committed, and let this commit fail.

    The list must not take the job for over (`--bug tell-of-ends-too-early`).
    """
    job_id = await running_job(story)
    assert story.scheduler is not None
    core = story.scheduler.core
    story.cluster.disk.refusing = True
    refused = story.loop.hold(_WRITER)
    await until(lambda: bool(refused) and job_id not in core.jobs)
    assert await story.people.say("GET", LIVE)
    story.loop.release(_WRITER)
    await look_until_answered(story)


async def _backed_up_on_its_way(story: Scenario) -> None:
    """Make a backup when a job has its number, and is not stored yet.

    The restore loses this job (seeds 39438481 and 39438540). The number is not in the backup,
    though a commit for other jobs has taken note of it. The number is not given out again. These
    others are in a restore of their own, whose second commit comes without what was asked during
    the first.
    """
    await running_job(story)
    [waiting] = await submit(story, "both", cpus_per_task=2)
    earlier = back_up(story)
    await until_running(story, waiting)
    restore(story, earlier)
    held = story.loop.hold(_WRITER)
    await until(lambda: bool(held) and story.scheduler is not None and not story.scheduler.awaited)
    submitted = asyncio.ensure_future(submit(story, "late"))
    await until(lambda: has(story, Arrival))
    while True:  # the commit of what has run since, then one that knows the late number
        backup = back_up(story)
        in_backup = backups.held_by(story.folder / "backup.db")
        if in_backup.last_id > in_backup.last_job:
            break
        held.pop(0)()
        await until(lambda: bool(held))
    story.loop.release(_WRITER)
    [late] = await submitted
    assert late == in_backup.last_id
    restore(story, backup)
    await until(lambda: story.scheduler is not None)
    [later] = await submit(story, "later")
    assert later > late


async def _shrunk_under_a_claim(story: Scenario) -> None:
    """Let a node come back smaller while a trial there is killed for a job that wants all of it,
    once the first job has ended.

    The job must not start on more processors than there are (`--bug keep-claims`).
    """
    await until(lambda: story.scheduler is not None and story.scheduler.nodes_here > 0)
    await submit(story, "first")
    [job_id] = await submit(story, "both", cpus_per_task=2)
    emulate = {"run_s": 10 * LONG_S, "limited": True}
    await submit(story, "tried", restartable=True, emulate=emulate, time_limit_s=20 * LONG_S)

    def claims() -> bool:
        scheduler = story.scheduler
        return scheduler is not None and bool(scheduler.core.jobs[job_id].claim)

    await until(claims)
    story.cluster.host(0, cores=1)
    await asyncio.sleep(LONG_S)
    story.cluster.host(0)


async def _stopped_at_a_start(story: Scenario) -> None:
    """Let the daemon load the state after a snapshot. Then let the disk refuse the start of tasks,
    while the daemon stops.

    After the load all that is under way is to be told again. The start is not stored, and must not
    be told: the tasks would run twice, and one is not known to be a job (seed 67).
    """
    await until(lambda: story.scheduler is not None and story.scheduler.nodes_here > 0)
    emulate = {"run_s": 3 * LONG_S, "limited": True}
    asked = {"cpus_per_task": 2, "emulate": emulate, "time_limit_s": 4 * LONG_S}
    [both] = await submit(story, "both", **asked)
    await until_running(story, both)
    await submit(story, "tasks", array="0-3")
    held = story.loop.hold(_WRITER)
    for _ in range(2):  # the search for a snapshot, and a new one
        await until(lambda: bool(held))
        held.pop(0)()
    await until(lambda: bool(held))  # the load
    await until(lambda: has(story, Report, Exited))  # two tasks can start
    story.cluster.disk.refusing = True
    held.pop(0)()
    await until(lambda: bool(held))  # this is refused
    story.cluster.disk.heal()  # the shutdown must be noted
    story.cluster.restart_s = lambda: LONG_S
    shutdown = asyncio.ensure_future(story.people.say("POST", "/v1/shutdown"))
    await until(lambda: len(held) > 1)
    held.pop(1)()
    await until(lambda: story.scheduler is not None and story.scheduler.stopping)
    story.loop.release(_WRITER)
    await shutdown


async def _restored_beside_a_run(story: Scenario) -> None:
    """Restore a backup that was made while a node was silent, when that node runs a job.

    The job waits in the backup. It must not start on another node, before the first node has told
    what it runs (`--bug ask-nobody`).
    """
    first, second = story.cluster.node_names()
    agent = story.cluster.processes["agent0"]
    await until(lambda: story.scheduler is not None and story.scheduler.nodes_here > 1)
    await tell(story, second, {"action": "drain", "reason": "a test"})
    story.cluster.network.cut_off(agent)
    await until(lambda: link_of(story, first) == "suspect")
    [job_id] = await submit(story, "first")
    await asyncio.sleep(1)  # until that is stored
    backup = back_up(story)
    story.cluster.network.heal(agent)
    await until_running(story, job_id)
    story.cluster.network.cut_off(agent)
    restore(story, backup)
    await until(lambda: story.scheduler is not None)
    await asyncio.sleep(1)  # until the second node is heard
    resumed = asyncio.ensure_future(tell(story, second, {"action": "resume"}))
    await asyncio.sleep(LONG_S / 3)  # the job has not ended yet
    story.cluster.network.heal(agent)
    await resumed


async def _restored_before_a_reboot(story: Scenario) -> None:
    """Restore a backup in which a job runs on a node that reboots now (seed 454)."""
    name, *_ = story.cluster.node_names()
    agent = story.cluster.processes["agent0"]
    job_id = await running_job(story)
    backup = back_up(story)
    story.invariants.cancel_asked([job_id])
    assert await story.people.say("POST", "/v1/cancel", {"job_ids": [job_id]})
    await tell(story, name, {"action": "reboot"})
    assert story.scheduler is not None
    core = story.scheduler.core
    await until(lambda: core.nodes[name].is_rebooting)
    story.cluster.network.cut_off(agent)
    restore(story, backup)
    await until(lambda: story.scheduler is not None and job_id in story.scheduler.core.jobs)
    story.cluster.network.heal(agent)


async def _killed_between_two_parts(story: Scenario) -> None:
    """Kill the daemon when the end of a job is stored, and settled for some of the jobs that await
    its success.

    The next daemon must know for the others how the job has ended (`--bug forget-ends`).
    """
    job_id = await running_job(story)
    succeeded = [{"relation": "afterok", "job_id": job_id}]
    awaits = {**NO_CONDITIONS, "dependencies": succeeded, "end_if_never": True}
    followers = [
        one
        for at in range(3 * eligibility.MOST_SETTLED)
        for one in await submit(story, f"next{at}", conditions=awaits)
    ]

    def is_between() -> bool:
        return story.scheduler is not None and bool(story.scheduler.core.memory().unsettled)

    held = story.loop.hold(_WRITER)
    await until(is_between)
    await until(lambda: bool(held))
    held.pop(0)()  # the end is stored, with the first part
    await until(lambda: bool(held))  # the second part is not
    story.cluster.kill(story.cluster.processes["daemon"])
    story.loop.release(_WRITER)
    await until(lambda: story.scheduler is not None and not is_between())
    assert story.scheduler is not None
    left = [one for one in followers if one not in story.scheduler.core.jobs]
    assert not left, f"jobs {left} are over, and could start"


async def _killed_between_two_parts_of_a_cancel(story: Scenario) -> None:
    """Kill the daemon when the first part of a cancel is stored.

    Nobody was told that all is cancelled. What is left goes on, and the same request cancels it.
    """
    await running_job(story)
    asked = {**NO_CONDITIONS, "hold": True}
    ids = [
        one
        for at in range(3 * cancel_parts.MOST_AT_ONCE)
        for one in await submit(story, f"held{at}", conditions=asked)
    ]
    story.invariants.cancel_asked(ids)
    held = story.loop.hold(_WRITER)
    cancel = asyncio.ensure_future(story.people.say("POST", "/v1/cancel", {"job_ids": ids}))
    await until(lambda: bool(held))
    held.pop(0)()  # the first part is stored
    await until(lambda: bool(held))  # the second one is on its way
    story.cluster.kill(story.cluster.processes["daemon"])
    story.loop.release(_WRITER)
    assert not await cancel
    await until(lambda: story.scheduler is not None)
    assert story.scheduler is not None
    left = [one for one in ids if one in story.scheduler.core.jobs]
    assert left, "all are cancelled"
    assert left == ids[: len(left)], f"jobs {left} are left"
    assert await story.people.say("POST", "/v1/cancel", {"job_ids": left})
    left = [one for one in ids if one in story.scheduler.core.jobs]
    assert not left, f"jobs {left} are left"


async def _killed_between_two_parts_of_late_jobs(story: Scenario) -> None:
    """Kill the daemon when some of the jobs have ended that missed their deadlines together.

    A job of somebody else starts before all of them have ended, and the next daemon ends the others
    (`--bug leave-late-jobs-in-the-queue`).
    """
    late.MOST_SETTLED, late.MOST_SET_ASIDE = 10, 6  # type: ignore[attr-defined]
    await running_job(story)
    emulate = {"run_s": LONG_S, "limited": True}
    asked = {"emulate": emulate, "cpus_per_task": 2, "time_limit_s": 10.0, "deadline_in_s": 20.0}
    await story.people.submit("late", [asked] * 30)
    ids = story.invariants.ids_of("late")
    [other] = await submit(story, "other")  # one that would delay these

    def left() -> list[int]:
        live = story.scheduler.core.jobs if story.scheduler is not None else {}
        return [one for one in ids if one in live]

    held = story.loop.hold(_WRITER)
    await until(lambda: len(left()) < len(ids))
    await until(lambda: bool(held))
    assert story.scheduler is not None
    assert len(left()) > 10, "all have ended with the first part"
    assert story.scheduler.core.jobs[other].attempt, "others wait for the ends of late jobs"
    held.pop(0)()  # the first part is stored
    await until(lambda: bool(held))  # the second one is on its way
    story.cluster.kill(story.cluster.processes["daemon"])
    story.loop.release(_WRITER)
    await until(lambda: story.scheduler is not None and not left())


async def _killed_between_two_parts_of_other_partitions(story: Scenario) -> None:
    """Kill the daemon when some of the waiting jobs have been looked at, since their partition went
    down, and once more when it comes up.

    None of them starts before that, another user's job does, and then all of them start
    (`--bug look-at-some-jobs`).
    """
    sorting.MOST_SORTED = 16  # two jobs in a part
    await running_job(story, cpus_per_task=2)
    await story.people.submit("some", [{**SHORT, "cpus_per_task": 2, "partition": "some"}] * 10)
    some = story.invariants.ids_of("some")
    [other] = await submit(story, "other", cpus_per_task=2)
    await _kill_between_parts(story, "down")
    await until_running(story, other)
    assert story.scheduler is not None
    core = story.scheduler.core
    assert {core.reason(core.jobs[one]) for one in some} == {"PartitionDown"}
    await _kill_between_parts(story, "up")


async def _kill_between_parts(story: Scenario, state: PartitionState) -> None:
    """Give a partition another state, and kill the daemon when the first part is stored."""
    await asyncio.sleep(1)  # until all else is stored
    held = story.loop.hold(_WRITER)
    reload(story.cluster, state)
    await until(lambda: bool(held))
    assert story.scheduler is not None
    assert story.scheduler.core._state.sorting.left, "one part was all"
    held.pop(0)()
    story.cluster.kill(story.cluster.processes["daemon"])
    story.loop.release(_WRITER)
    await until(lambda: story.scheduler is not None and story.scheduler.nodes_here > 0)


async def _overdue(story: Scenario) -> None:
    """Leave a job overdue for half an hour, while others wait for it.

    Their plans are those of a second before, a second later, so the core must not make them anew
    each second (seed 700000 spent fifteen seconds of processor time on that).
    """
    await until(lambda: story.scheduler is not None and story.scheduler.nodes_here > 0)
    emulate = {"run_s": 100 * LONG_S, "limited": False}
    [overdue] = await submit(story, "overdue", emulate=emulate)
    await until_running(story, overdue)
    for at in range(3):
        await submit(story, f"waits{at}", cpus_per_task=2)
    await asyncio.sleep(3 * LONG_S)
    assert story.scheduler is not None
    before = story.scheduler.core.passes
    await asyncio.sleep(60 * LONG_S)
    passes = story.scheduler.core.passes - before
    assert passes <= _FEW_PASSES, f"{passes} passes, though nothing has changed but the time"


SCRIPTS: Mapping[str, Script] = {
    "killed-between-two-parts-of-a-cancel": _killed_between_two_parts_of_a_cancel,
    "overdue": _overdue,
    "killed-between-two-parts-of-late-jobs": _killed_between_two_parts_of_late_jobs,
    "killed-between-two-parts": _killed_between_two_parts,
    "killed-between-two-parts-of-other-partitions": _killed_between_two_parts_of_other_partitions,
    "shrunk-under-a-claim": _shrunk_under_a_claim,
    "cancelled-at-its-end": _cancelled_at_its_end,
    "explained-at-its-end": _explained_at_its_end,
    "listed-at-its-end": _listed_at_its_end,
    "followed-at-its-end": _followed_at_its_end,
    "followed-after-its-limit": _followed_after_its_limit,
    "backed-up-on-its-way": _backed_up_on_its_way,
    "stopped-at-a-start": _stopped_at_a_start,
    "restored-beside-a-run": _restored_beside_a_run,
    "restored-before-a-reboot": _restored_before_a_reboot,
}

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "overdue": {"recipe": "conservative"},
    "shrunk-under-a-claim": {"recipe": f"timed-easy,trial={_TRIAL_S:.0f}"},
    "stopped-at-a-start": {"keep_events_s": 8.0},  # the first look takes a snapshot
    "killed-between-two-parts-of-other-partitions": {"partitions": ALL_AND_SOME},
}
"""The settings of the scripts that have others than easy and what all scripts have."""

MACHINES = {"restored-beside-a-run": 2}
"""The number of machines of the scripts that have more than one. Each is one node of two cores."""
