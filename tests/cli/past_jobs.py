"""Jobs of a history, as a daemon tells them, for tests of commands that simulate it."""

from __future__ import annotations

import random
from typing import Any

from rmsd_core.model_time import SECOND_US

HOUR_US = 3600 * SECOND_US


def view(job_id: int, submit_us: int, start_us: int, end_us: int, **more: Any) -> dict[str, Any]:
    known = {
        "job_id": job_id,
        "user": "anna",
        "name": "job",
        "state": "COMPLETED",
        "cause": "exit",
        "submit_us": submit_us,
        "eligible_us": submit_us,
        "start_us": start_us,
        "end_us": end_us,
        "cpus": 1,
        "nodelist": "a",
        "partition": "",
        "account": "",
        "qos": "normal",
        "request": [{"units": 1, "cores": 1, "mem_mib": 0, "spread": False, "feature": None}],
        "estimate_s": 600.0,
        "prediction_s": 300.0,
        "corrections": 0,
        "backfilled": False,
        "attempt": 1,
        "lost_s": 0.0,
        "restartable": True,
    }
    return known | more


def history(draw: random.Random, count: int = 400) -> list[dict[str, Any]]:
    """Return jobs of some users on four cores, not all of which ran; the newest first, as a daemon
    tells them."""
    views, now_us = [], HOUR_US
    free_us = [now_us] * 4
    for job_id in range(1, count + 1):
        now_us += draw.randint(0, 120) * SECOND_US
        core = min(range(4), key=free_us.__getitem__)
        start_us = max(now_us, free_us[core])
        free_us[core] = end_us = start_us + draw.randint(1, 500) * SECOND_US
        told = view(job_id, now_us, start_us, end_us, user=f"user{draw.randint(1, 5)}")
        told["estimate_s"] = float(draw.choice([500, 600, 900]))
        if draw.random() < 0.1:
            told |= {"state": "CANCELLED", "cause": "user", "start_us": None, "end_us": start_us}
            free_us[core] = start_us
        views.append(told)
    return views[::-1]
