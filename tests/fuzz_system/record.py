"""The record of a run: what was said, by whom, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

SCHEMA = "rmsd.fuzz-system/1"


def record_of(commit: str, seed: str, results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the record of all rounds together.

    `said` has, by party and by kind (a route, a message, a file), how often which outcome came:
    a status of HTTP, or a word.
    """
    honest_jobs: Counter[str] = Counter()
    slowest_s: dict[str, float] = {}
    peak_mib: dict[str, float] = {}
    said: dict[str, dict[str, Counter[str]]] = {}
    for one in results:
        honest_jobs.update(one["honest_jobs"])
        _raise(slowest_s, one["honest_slowest_s"])
        _raise(peak_mib, one["peak_mib"])
        for party, kinds in one["said"].items():
            for kind, outcomes in kinds.items():
                said.setdefault(party, {}).setdefault(kind, Counter()).update(outcomes)
    return {
        "schema": SCHEMA,
        "commit": commit,
        "seed": seed,
        "rounds": len(results),
        "recipes": dict(Counter(one["recipe"] for one in results)),
        "seconds": sum(one["seconds"] for one in results),
        "acts": {party: sum(map(Counter.total, kinds.values())) for party, kinds in said.items()},
        "honest_jobs": dict(honest_jobs),
        "honest_slowest_s": dict(sorted(slowest_s.items())),
        "peak_mib": peak_mib,
        "said": {
            party: {kind: dict(sorted(kinds[kind].items())) for kind in sorted(kinds)}
            for party, kinds in sorted(said.items())
        },
        "findings": sorted({finding for one in results for finding in one["findings"]}),
    }


def _raise(most: dict[str, float], more: Mapping[str, float]) -> None:
    for name, value in more.items():
        most[name] = max(value, most.get(name, 0.0))
