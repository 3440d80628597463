"""The parts that other distributions bring: the worked example of docs/recipes.md, simulated and
live, and parts of all kinds that fail."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import rmsd
from tests.live import Daemon

DOCS = Path(__file__).parents[2] / "docs" / "recipes.md"


def with_parts(site: Path) -> dict[str, str]:
    """Return the environment of a command that finds what is installed in `site`."""
    return os.environ | {"PYTHONPATH": str(site)}


def starts(path: Path) -> list[str]:
    return [line.split(",")[2] for line in path.read_text().splitlines()[1:]]


def block(language: str) -> str:
    """Return a block of code of the page's last section."""
    section = DOCS.read_text().split("### In a package")[1]
    return section.split(f"```{language}\n")[1].split("```")[0]


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    """Return a folder with the worked example installed in it."""
    site = tmp_path / "acme"
    info = site / "acme_parts-3.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-parts\nVersion: 3.0\n")
    points = tomllib.loads(block("toml"))["project"]["entry-points"]["rmsd.parts"]
    lines = "".join(f"{name} = {where}\n" for name, where in points.items())
    (info / "entry_points.txt").write_text(f"[rmsd.parts]\n{lines}")
    (site / "acme_parts.py").write_text(block("python"))
    return site


HOURS = (
    # submit [s], run, size, estimate, user
    (0, 7200, 3, 7200, 1),  # one processor is left
    (10, 1000, 4, 1000, 2),
    (20, 6000, 2, 6000, 2),
    (30, 300, 1, 20000, 3),
    (40, 300, 1, 20000, 3),
    (50, 300, 1, 600, 4),
)


def written(path: Path) -> Path:
    path.write_text(
        "; MaxProcs: 4\n"
        + "".join(
            f"{at} {submit} -1 {run} {size} -1 -1 {size} {estimate} -1 1 {user} -1 -1 -1 -1 -1 -1\n"
            for at, (submit, run, size, estimate, user) in enumerate(HOURS, 1)
        )
    )
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("recipe", "expected"),
    [
        ("easy", [0, 7200, 8200, 8200, 8200, 50]),
        # Every job that fits starts: both of user 3 go before the job of all processors.
        ("easy,planner=first-fit", [0, 7200, 8200, 30, 330, 630]),
        # No job is promised a start within an hour, so the narrow jobs pass the widest.
        ("easy,reserve=patient", [0, 7200, 8200, 30, 330, 630]),
    ],
)
def test_the_documented_parts_make_these_schedules(
    acme: Path, tmp_path: Path, recipe: str, expected: list[int]
) -> None:
    out = tmp_path / "out.csv"
    trace = written(tmp_path / "hours.swf")
    rmsd("simulate", trace, "--schedule", out, "--recipe", recipe, env=with_parts(acme))
    assert [int(start) for start in starts(out)] == expected


@pytest.mark.slow
def test_the_documented_commands_run(acme: Path, tmp_path: Path) -> None:
    trace = written(tmp_path / "hours.swf")
    section = DOCS.read_text().split("### In a package")[1]
    commands = [line for line in section.splitlines() if line.startswith("rmsd simulate ")]
    assert len(commands) == 3
    named: set[str] = set()
    for command in commands:
        words = [str(trace) if word == "trace.swf" else word for word in command.split()[1:]]
        said = json.loads(rmsd(*words, "--json", env=with_parts(acme)).stdout)
        named |= {part["part"] for part in said["manifest"]["parts"]}
    assert named == {
        "correct=double", "order=saf-24h", "order=widest", "planner=first-fit",
        "predict=like-running", "reserve=patient",
    }  # fmt: skip


BROKEN = """
from rmsd_core.recipes.extensions import Correction, Order, PlannerPart, PredictorPart, Reserve


class Planner:
    def __init__(self, recipe):
        pass

    def starting(self, view):
        for job in view.waiting():
            yield job


class Idle(Planner):
    def starting(self, view):
        return [job for job in view.waiting() if job.size < 4 and view.fits(job)][:1]


class Short:
    def __init__(self, recipe):
        pass

    def record(self, user, seq, run_us, estimate_us, size):
        pass

    def predict_us(self, job, now_us, running):
        return job.estimate_us // 100


rule = Reserve("rule", "a test", due_us=lambda job: 1.5)
short = PredictorPart("short", "a test", Short)
same = Correction("same", "a test", lambda job, elapsed_us: elapsed_us)
greedy = PlannerPart("greedy", "starts what does not fit; a test", Planner)
nan = Order("nan", "a test", priority=lambda job, now_us: float("nan"))
nankey = Order("nankey", "a test", key=lambda job: float("nan") if job.size == 4 else 1)
mixed = Order("mixed", "a test", key=lambda job: (1, "a" if job.size == 4 else 2))
idle = PlannerPart("idle", "starts the narrow alone; a test", Idle)
queue = Order("queue", "taken by backfill=queue", key=lambda job: 0)
seven = Reserve("7", "a number", due_us=lambda job: 0)
"""


BROKEN_NAMES = (
    *("rule", "short", "same", "greedy", "nan", "nankey", "mixed", "idle", "queue", "seven"),
)


@pytest.mark.slow
def test_parts_of_all_kinds_that_fail_are_named(acme: Path, tmp_path: Path) -> None:
    (acme / "acme_parts.py").write_text(BROKEN)
    points = "".join(f"{name} = acme_parts:{name}\n" for name in BROKEN_NAMES)
    (acme / "acme_parts-3.0.dist-info" / "entry_points.txt").write_text(f"[rmsd.parts]\n{points}")
    trace = written(tmp_path / "hours.swf")
    for recipe, why in {
        "easy,reserve=rule": "has said 1.5; a time is a whole number of microseconds",
        "easy,predict=short,correct=same": "has corrected to ",
        "easy,planner=greedy": "has failed: it starts a job of size 4, and no such job",
        "easy,order=nan": "has failed: its priority is not a number",
        "easy,backfill=nan": "has failed: its priority is not a number",
        "easy,order=nankey": "has failed: ValueError('its key is not a number')",
        "easy,backfill=mixed": "has failed: the key (1, 'a') cannot be compared with an earlier",
    }.items():
        said = rmsd("simulate", trace, "--recipe", recipe, env=with_parts(acme), expect=1).stderr
        part = recipe.rpartition(",")[2].replace("backfill", "order")
        assert f"{part.removeprefix('easy,')} of acme-parts 3.0 {why}" in said
        assert "of acme-parts 3.0 is skipped: ValueError: there is order=queue already" in said
        assert "is skipped: ValueError: reserve=7 is a number of jobs already" in said


def test_a_planner_that_starts_nothing_is_named(acme: Path, tmp_path: Path) -> None:
    (acme / "acme_parts.py").write_text(BROKEN)
    points = "[rmsd.parts]\nidle = acme_parts:idle\n"
    (acme / "acme_parts-3.0.dist-info" / "entry_points.txt").write_text(points)
    trace = written(tmp_path / "hours.swf")
    recipe = "easy,planner=idle"
    said = rmsd("simulate", trace, "--recipe", recipe, env=with_parts(acme), expect=1).stderr
    assert "nothing runs, and 'easy,planner=idle' starts none of the waiting jobs (1)" in said


@pytest.mark.slow
def test_a_planner_decides_alone(acme: Path, tmp_path: Path) -> None:
    trace = written(tmp_path / "hours.swf")
    for recipe in ("easy,planner=first-fit,reserve=head", "timed-easy,planner=first-fit"):
        said = rmsd("simulate", trace, "--recipe", recipe, env=with_parts(acme), expect=2).stderr
        assert "trial beside a planner: the planner decides all of that itself" in said


_LIVE = (
    "easy++,order=saf-24h,predict=like-running,correct=double,propagate=yes",
    "easy,reserve=patient,backfill=widest",
)


@pytest.mark.live
@pytest.mark.long  # two daemons for each
@pytest.mark.parametrize("recipe", [*_LIVE, "easy,planner=first-fit"])
def test_a_live_cluster_with_these_parts_is_verified_over_a_kill(
    acme: Path, start_daemon: Callable[..., Daemon], recipe: str
) -> None:
    """Verification makes the decisions of before and after a kill of the daemon again."""
    emulated = ("--no-local-node", "--emulate", "1x4", "--rate", "1000", "--recipe")
    daemon = start_daemon(*emulated, "easy", config="")
    assert daemon.stop() == 0
    daemon.spoiled = True  # this process has no such parts: the command verifies, below
    daemon.options = (*emulated, recipe)
    daemon.env["PYTHONPATH"] = str(acme)
    daemon.start()
    for run_s, tasks in ((900, 3), (300, 4), (4000, 2), (60, 1), (400, 3)):
        daemon.emulate(run_s, tasks=tasks, time_limit_s=2 * run_s)
    daemon.wait(daemon.emulate(5, tasks=1, time_limit_s=10))
    daemon.kill()
    daemon.start()
    daemon.wait(daemon.emulate(50, tasks=4, time_limit_s=100))
    assert daemon.client.status()["recipe"].startswith(recipe)
    assert daemon.stop() == 0
    report = json.loads(daemon.rmsd("verify", daemon.state, "--json", expect=0).stdout)
    assert report["difference"] is None
    assert report["jobs"] == 7
    missing = rmsd("verify", daemon.state, expect=None)
    assert "no recipe" in missing.stderr or "it is one of" in missing.stderr
