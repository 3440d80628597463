"""Steps that the stories without chance have in common; see `scripted`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rmsd_core.vocabulary import JobState
from rmsd_daemon.loop.mailbox import Arrival, Report

if TYPE_CHECKING:
    from tests.world.scenario import Scenario

LONG_S = 30.0
SHORT = {"emulate": {"run_s": LONG_S, "limited": True}, "time_limit_s": 2 * LONG_S}
NO_CONDITIONS: Mapping[str, Any] = {"hold": False, "dependencies": [], "any_of": False}
_LOOK_S = 0.001


async def submit(story: Scenario, key: str, **asked: Any) -> list[int]:
    await story.people.submit(key, [{**SHORT, **asked}])
    return story.invariants.ids_of(key)


async def running_job(story: Scenario, **asked: Any) -> int:
    """Submit a job of `LONG_S` seconds, and return its number once it runs."""
    await until(lambda: story.scheduler is not None and story.scheduler.nodes_here > 0)
    [job_id] = await submit(story, "first", **asked)
    await until_running(story, job_id)
    return job_id


async def until_running(story: Scenario, job_id: int) -> None:
    """Return when the job runs, and that is stored."""

    def runs() -> bool:
        assert story.scheduler is not None
        return story.scheduler.core.jobs[job_id].state is JobState.RUNNING

    await until(runs)
    await asyncio.sleep(1)  # until that is stored, and nothing else is


async def tell(story: Scenario, node: str, action: Mapping[str, str]) -> None:
    assert await story.people.say("POST", f"/v1/nodes/{node}", action)


def link_of(story: Scenario, node: str) -> str | None:
    """Return what the daemon knows of the link to the node's agent, if anything."""
    nodes = story.scheduler.core.nodes if story.scheduler is not None else {}
    return nodes[node].link if node in nodes else None


def back_up(story: Scenario) -> tuple[set[int], dict[int, str]]:
    held = story.cluster.back_up(story.folder / "backup.db")
    assert held is not None
    return held, story.invariants.told_over()


def restore(story: Scenario, backup: tuple[set[int], dict[int, str]]) -> None:
    story.cluster.restore(story.folder / "backup.db")
    story.invariants.restored(*backup)


def has(story: Scenario, kind: type[Arrival | Report], of: type[Any] = object) -> bool:
    """Return whether work of this kind waits for the scheduler."""
    assert story.scheduler is not None
    return any(
        isinstance(work, kind) and isinstance(getattr(work, "input", None), of)
        for work in story.scheduler.queued
    )


async def look_until_answered(story: Scenario) -> None:
    """List all jobs, which is checked against earlier answers, and heal the disk."""
    while not await story.people.say("GET", "/v1/jobs?states=all"):  # noqa: ASYNC110
        await asyncio.sleep(_LOOK_S)
    story.cluster.disk.heal()


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - of the world, which is told of no events
        await asyncio.sleep(_LOOK_S)
