"""Stories of faults, which a seed decides: what goes wrong at which submit of a cluster.

The submits through the cluster's commands are counted. The same seed gives the same acts at the
same counts, whatever the time.
"""

from __future__ import annotations

import fcntl
import json
import os
import random

from rmsd.testing.control import ask
from rmsd.testing.faults import Faults

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Act = dict[str, Any]

SUBMITS = 10_000
"""The submits that a story has acts for."""
_ONE_IN = 4
_KINDS = ("refuse", "unreachable", "lag", "fail-node", "timeout", "memory", "preempt")
_SECONDS = (0.5, 1.0, 2.0)


def drawn(seed: int, nodes: Sequence[str], submits: int = SUBMITS) -> list[Act]:
    """Return the acts of a story, in the order of the submits that they belong to (`at`, from 1).

    One submit in four has an act, by chance.
    """
    chance = random.Random(seed)
    acts: list[Act] = []
    for at in range(1, submits + 1):
        if chance.randrange(_ONE_IN):
            continue
        act: Act = {"at": at, "act": chance.choice(_KINDS)}
        if act["act"] in ("unreachable", "lag"):
            act["seconds"] = chance.choice(_SECONDS)
        if act["act"] == "fail-node":
            act["node"] = chance.choice(nodes)
            act["back_after_s"] = 2.0 + chance.choice(_SECONDS)
        acts.append(act)
    return acts


def begin(folder: str, seed: int, nodes: Sequence[str]) -> None:
    """Begin the story of a cluster, whose files are in this folder."""
    with open(f"{folder}/story.json", "w", encoding="utf-8") as file:
        json.dump(drawn(seed, nodes), file)


def acts_of_next_submit(folder: str) -> list[Act]:
    """Count a submit, and return what goes wrong at it."""
    with open(f"{folder}/story.count", "a+", encoding="utf-8") as counter:
        fcntl.flock(counter, fcntl.LOCK_EX)
        counter.seek(0)
        count = int(counter.read() or 0) + 1
        counter.truncate(0)
        counter.write(str(count))
    with open(f"{folder}/story.json", encoding="utf-8") as file:
        return [act for act in json.load(file) if act["at"] == count]


def carry_out(acts: Sequence[Act], folder: str, job_id: int) -> None:
    """Do what goes wrong after a submit that was taken, to its job or to the cluster."""
    faults = Faults(os.path.join(folder, "faults"))
    for act in acts:
        match act["act"]:
            case "unreachable":
                faults.unreachable_for(act["seconds"])
            case "lag":
                faults.let_accounting_lag(act["seconds"])
            case "fail-node":
                request = {key: act[key] for key in ("act", "node", "back_after_s")}
                ask(f"{folder}/control.sock", request)
            case how if how != "refuse":
                ask(f"{folder}/control.sock", {"act": "end-job", "job": job_id, "how": how})
