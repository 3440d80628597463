"""`sdiag` counts what has happened to jobs since the daemon's start."""

from __future__ import annotations

import calendar
import re
import time

import pytest

from tests.client.slurm.site import SlurmSite

pytestmark = pytest.mark.live

_LINES = ("submitted", "started", "completed", "canceled", "failed")


def _counts(site: SlurmSite) -> dict[str, int]:
    shown = site.out("sdiag")
    return {
        name: int(re.search(rf"^Jobs {name}: +(\d+)$", shown, re.MULTILINE)[1])  # type: ignore[index]
        for name in _LINES
    }


@pytest.mark.slow
def test_jobs_are_counted_since_the_daemons_start(site: SlurmSite) -> None:
    before = _counts(site)
    array = site.submit("-a", "1-2", "-o", "/dev/null", "--wrap", "true")
    fails = site.submit("-o", "/dev/null", "--wrap", "exit 3")
    held = site.submit("-H", "-o", "/dev/null", "--wrap", "true")
    site.out("scancel", held)
    waits = site.submit("-H", "-a", "1-5", "-o", "/dev/null", "--wrap", "true")
    site.out("scancel", waits)
    for job in (f"{array}_1", f"{array}_2", fails, held, waits):
        site.wait(job)
    after = _counts(site)
    more = {name: after[name] - before[name] for name in _LINES}
    assert more == {"submitted": 9, "started": 3, "completed": 2, "canceled": 6, "failed": 1}


@pytest.mark.parametrize("line", ["sdiag output at", "Data since     "])
def test_a_time_is_that_of_the_seconds_beside_it(site: SlurmSite, line: str) -> None:
    shown = site.out("sdiag", TZ="UTC")
    match = re.search(rf"^{line} (.*) \((\d+)\)$", shown, re.MULTILINE)
    assert match is not None
    assert calendar.timegm(time.strptime(match[1], "%a %b %d %H:%M:%S %Y")) == int(match[2])
