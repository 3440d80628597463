"""EASY as the simulation rules word it, with plain lists: slow, and independent of the planner."""

from __future__ import annotations

from dataclasses import dataclass

from rmsd_core.recipe import Recipe
from rmsd_core.swf import TraceJob


@dataclass
class Held:
    job: TraceJob
    seq: int
    start: int
    prediction: int
    overruns: int = 0


def schedule(trace: list[TraceJob], processors: int, recipe: Recipe) -> list[tuple[int, int]]:
    """(start, end) of every job, in whole seconds, in arrival order."""
    result: dict[int, tuple[int, int]] = {}
    waiting: list[int] = []
    running: list[Held] = []
    predictions: dict[int, int] = {}
    ended: list[int] = []
    arrived = 0
    while len(result) < len(trace):
        instants = [held.start + held.job.run_s for held in running]
        if arrived < len(trace):
            instants.append(trace[arrived].submit_s)
        if recipe.corrects:
            instants += [held.start + held.prediction for held in running]
        now = min(instants)
        for held in [held for held in running if held.start + held.job.run_s == now]:
            running.remove(held)
            ended.append(held.seq)
            result[held.seq] = (held.start, now)
        if recipe.corrects:
            for held in running:
                if held.start + held.prediction == now:
                    _correct(held, now)
        while arrived < len(trace) and trace[arrived].submit_s == now:
            predictions[arrived] = _predict(trace, arrived, ended, recipe)
            waiting.append(arrived)
            arrived += 1
        free = processors - sum(held.job.size for held in running)
        for seq in _easy(trace, waiting, running, predictions, free, now, recipe):
            waiting.remove(seq)
            running.append(Held(trace[seq], seq, now, predictions[seq]))
    return [result[seq] for seq in range(len(trace))]


def _predict(trace: list[TraceJob], seq: int, ended: list[int], recipe: Recipe) -> int:
    job = trace[seq]
    latest = sorted(s for s in ended if trace[s].user == job.user)[-2:]
    if recipe.predict == "estimate" or len(latest) < 2:
        return max(1, job.estimate_s)
    mean = sum(trace[s].run_s for s in latest) // 2
    return min(max(1, mean), job.estimate_s)


def _correct(held: Held, now: int) -> None:
    elapsed = now - held.start
    if elapsed < held.job.estimate_s:
        held.prediction = held.job.estimate_s
        return
    held.overruns += 1
    minutes = 1 if held.overruns == 1 else 15 * 2 ** (held.overruns - 2)
    held.prediction = elapsed + 60 * minutes


def _easy(
    trace: list[TraceJob],
    waiting: list[int],
    running: list[Held],
    predictions: dict[int, int],
    free: int,
    now: int,
    recipe: Recipe,
) -> list[int]:
    started: list[int] = []
    queue = list(waiting)
    while queue and trace[queue[0]].size <= free:
        free -= trace[queue[0]].size
        started.append(queue.pop(0))
    if not queue or recipe.reserve == "nobody":
        return started
    head, behind = queue[0], queue[1:]
    releases = [(max(now, h.start + h.prediction), h.job.size) for h in running]
    releases += [(now + predictions[seq], trace[seq].size) for seq in started]
    shadow = min(
        t for t, _ in releases if free + sum(s for u, s in releases if u <= t) >= trace[head].size
    )
    extra = free + sum(s for u, s in releases if u <= shadow) - trace[head].size
    if recipe.backfill == "shortest":
        behind.sort(key=lambda seq: (predictions[seq], seq))
    for seq in behind:
        size = trace[seq].size
        if size > free:
            continue
        if now + predictions[seq] > shadow:
            if size > extra:
                continue
            extra -= size
        free -= size
        started.append(seq)
    return started
