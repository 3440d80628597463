"""One scenario from start to judgement, and what is recorded of it."""

from __future__ import annotations

import os
import pickle
import random
import shutil
import statistics
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rmsd_client.errors import ClientError
from rmsd_daemon.offline.reader import ReadingError
from tests.soak.faults import Faults
from tests.soak.history import Finding, History, read_lines
from tests.soak.judge import JUDGEMENTS, excused, judge, restart_times_s, unknown_exits
from tests.soak.load import Load
from tests.soak.system import System
from tests.soak.watch import Watch

_FINISH_S = 240.0
_WARM_UP_S = 2.0
_ALL = 1_000_000
_SHOWN = 20  # findings shown


def run(
    seed: int,
    inflict: Callable[[Faults], None],
    keep: Path | None,
    system: System | None = None,
) -> dict[str, Any]:
    """Load and faults together until `inflict` is done; then everybody is left in peace until all
    jobs are over. What is recorded of it; `violations` counts what was found. Files and history are
    kept below `keep` then."""
    rng = random.Random(seed)
    system = system or System(rng)
    began = datetime.now(UTC)
    history = History(agents=system.agents, starts=system.starts, booted_s=_booted_s())
    faults = Faults(system, rng, history)
    watch = Watch(system.server, system.root, system.cores)
    try:
        system.start()
        env = {"RMSD_TOKEN_FILE": str(system.user_token)}
        load = Load(system.server, system.root / "lines", seed, lambda: watch.waiting, env)
        history.asked = load.asked
        watch.start()
        try:
            load.start()
            system.tend_for(_WARM_UP_S)
            inflict(faults)
            load.stop()
            system.tend_until(lambda: load.stopped, _FINISH_S)
            system.tend_until(lambda: _all_over(system), _FINISH_S)
            _ask(system, history)
        finally:
            watch.stop()
        left = system.stop()
        history.seen += [*watch.seen, *left]
        verified = _collect(history, system, load, watch)
        told, found = _split(history, judge(history))
        if found and keep is not None:
            _keep(keep, system, history)
        return {
            "seed": seed,
            "began": began.isoformat(timespec="seconds"),
            "ended": datetime.now(UTC).isoformat(timespec="seconds"),
            **_counts(history),
            "verified": verified,
            "load_average": round(os.getloadavg()[0], 1),
            "told": dict(Counter(one.judgement for one in told)),
            "violations": {
                name: sum(one.judgement == name for one in found) for name in JUDGEMENTS
            },
            "found": [f"{one.judgement}: {one.text}" for one in found][:_SHOWN],
        }
    except BaseException:
        if keep is not None:
            _keep(keep, system, history)
        raise
    finally:
        system.close()


def _all_over(system: System) -> bool:
    try:
        return not system.client.jobs()
    except ClientError:
        return False


def _keep(folder: Path, system: System, history: History) -> None:
    target = folder / system.root.name
    shutil.copytree(system.root, target, ignore=shutil.ignore_patterns("*.sock", "filler"))
    (target / "history.pickle").write_bytes(pickle.dumps(history))


def _split(history: History, found: list[Finding]) -> tuple[list[Finding], list[Finding]]:
    """Return the findings that follow from losses that the daemon told of, and those that nothing
    excuses."""
    told = [one for one in found if excused(one, history)]
    return told, [one for one in found if one not in told]


def _ask(system: System, history: History) -> None:
    """Record what the daemon says of all jobs in the end."""
    client = system.daemon.client
    history.jobs = client.jobs(states="all", limit=_ALL)
    history.attempts = {
        job["job_id"]: client.attempts(job["job_id"])
        for job in history.jobs
        if job["attempt"] > (job["start_us"] is not None)  # more than what its own record has
    }


def _collect(history: History, system: System, load: Load, watch: Watch) -> dict[str, Any]:
    history.lines = read_lines(load.directory)
    history.samples = watch.samples
    history.starts = [
        replace(start, answered_s=watch.answered.get(start.pid)) for start in system.starts
    ]
    try:
        verdict = system.daemon.verdict()
    except ReadingError as error:
        history.seen.append(Finding("unverified", str(error)))
        return {}
    if verdict.difference is not None:
        history.seen.append(Finding("unverified", str(verdict.difference)))
    return {"batches": verdict.batches, "decisions": verdict.decisions, "starts": verdict.starts}


def _counts(history: History) -> dict[str, Any]:
    answers_s, begins_s = restart_times_s(history)
    return {
        "faults": dict(Counter(f"{one.what} {one.victim}" for one in history.faults)),
        "submits": dict(Counter(one.answer.value for one in history.asked)),
        "jobs": dict(Counter(job["state"] for job in history.jobs)),
        "kinds": dict(Counter(one.kind for one in history.asked)),
        "attempts": sum(job["attempt"] for job in history.jobs),
        "unknown_exits": unknown_exits(history),
        "samples": history.samples,
        "first_answer_s": _spread(answers_s),
        "first_start_s": _spread(begins_s),
    }


def _spread(values: list[float]) -> dict[str, float]:
    if len(values) < 2:
        return {"n": len(values)}
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    figures = {"p50": cuts[49], "p99": cuts[98], "max": max(values)}
    return {"n": len(values)} | {name: round(value, 3) for name, value in figures.items()}


def _booted_s() -> float:
    return time.time() - float(Path("/proc/uptime").read_text().split()[0])
