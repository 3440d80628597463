"""The report of `rmsd tune`, as text and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rmsd_cli.tables import grid
from rmsd_core.recipes.recipe import Recipe
from rmsd_core.recipes.text import written_out
from rmsd_lab.measures.statistics import Interval
from rmsd_lab_cli.manifest import made_by
from rmsd_lab_cli.tune.evidence import LEAST_GAIN, Evidence, TunedRun, objections
from rmsd_lab_cli.tune.search import Searched
from rmsd_wire.durations import format_duration


@dataclass(frozen=True, slots=True)
class Tuned:
    """All that was found. `jobs`: how many are counted in either half. `evidence`: of the best
    recipe of the first half, on the other; None if the running one is the best."""

    history: str
    jobs: tuple[int, int]
    running: Recipe
    searched: Searched
    evidence: Evidence | None
    most_regret: float

    @property
    def objections(self) -> list[str]:
        """Return why nothing is proposed; nothing if the best recipe is."""
        if self.evidence is None:
            return [f"no recipe that was tried gains {100 * LEAST_GAIN:g}% on the first half"]
        return objections(self.evidence, self.most_regret)

    @property
    def line(self) -> str | None:
        """Return the line of the configuration with the proposal; None if there is none."""
        return None if self.objections else f'recipe = "{self.searched.best.recipe.name}"'


def text(tuned: Tuned) -> str:
    """Return the report as text of at most about 90 columns."""
    first, other = tuned.jobs
    parts = [
        f"{tuned.history}: {first:,} jobs choose, the {other:,} after them judge",
        f"running: {tuned.running.name}",
        "",
        _tried(tuned),
    ]
    if tuned.evidence is not None:
        name = tuned.searched.best.recipe.name
        parts += ["", f"on the other half, {name} beside the running recipe:"]
        parts += [_beside(tuned.evidence, tuned.most_regret)]
    parts.append("")
    if tuned.line is None:
        parts += ["nothing is proposed:", *(f"  {one}" for one in tuned.objections)]
    else:
        parts += [
            f"proposed: {tuned.line}",
            "  Nothing was changed. Put this line into the daemon's configuration and restart it;",
            "  jobs run on. `rmsd recipes NAME` explains the recipe.",
        ]
        if tuned.searched.best.recipe.disposes:
            parts.append(
                "  It kills jobs for others: `rsub --no-restartable` says which may not be."
            )
    return "\n".join(parts) + "\n"


def _tried(tuned: Tuned) -> str:
    rows = [["tried on the first half", "score", "wait", "slowdown", "longest", "99%", "kills", ""]]
    for one in sorted(tuned.searched.tried, key=lambda tried: tried.score):
        run = one.run
        marks = []
        if one.recipe.name == tuned.running.name:
            marks.append("running")
        if not one.bounded:
            marks.append("out of bounds")
        rows.append(
            [
                one.recipe.name,
                f"{one.score:.3f}",
                format_duration(run.wait_s),
                f"{run.slowdown:.2f}",
                format_duration(run.longest_s),
                format_duration(run.percentile_s),
                f"{100 * run.kills_per_job:.1f}%",
                ", ".join(marks),
            ]
        )
    lines = [grid(rows, left=(0, 7))]
    if tuned.searched.ended:
        lines.append(f"the search ended {tuned.searched.ended}")
    lines += [f"left out: {why}" for why in tuned.searched.left_out]
    return "\n".join(lines)


def _beside(found: Evidence, most_regret: float) -> str:
    run, running = found.run, found.running
    rows = [
        ["", "running", "candidate", "difference", "95% interval"],
        [
            "mean wait",
            format_duration(running.wait_s),
            format_duration(run.wait_s),
            f"{found.wait_s.mean / 60:+.2f} min",
            _interval(found.wait_s, 1 / 60),
        ],
        [
            "mean bounded slowdown",
            f"{running.slowdown:.2f}",
            f"{run.slowdown:.2f}",
            f"{found.slowdown.mean:+.2f}",
            _interval(found.slowdown, 1),
        ],
        ["longest wait", *_pair(running.longest_s, run.longest_s), ""],
        ["99% wait", *_pair(running.percentile_s, run.percentile_s), ""],
        ["regret", "", f"{100 * found.regret:.1f}%", f"at most {100 * most_regret:g}%", ""],
        [
            "kills of 100 jobs",
            *(f"{100 * one.kills_per_job:.1f}" for one in (running, run)),
            "",
            "",
        ],
        [
            "lost to killed runs",
            *(f"{100 * one.lost_share:.2f}%" for one in (running, run)),
            "",
            "",
        ],
    ]
    return grid(rows, left=(0,))


def _pair(running_s: float, ours_s: float) -> list[str]:
    times = f"{ours_s / running_s:.2f} times" if running_s else ""
    return [format_duration(running_s), format_duration(ours_s), times]


def _interval(found: Interval, scale: float) -> str:
    if found.low is None or found.high is None:
        return ""
    return f"{found.low * scale:+.2f} to {found.high * scale:+.2f}"


def report(tuned: Tuned) -> dict[str, Any]:
    """Return the `rmsd.tune/1` object. Later versions of this number only add keys."""
    found = tuned.evidence
    best = tuned.searched.best.recipe
    return {
        "schema": "rmsd.tune/1",
        "history": tuned.history,
        "running": tuned.running.name,
        "jobs": {"first": tuned.jobs[0], "other": tuned.jobs[1]},
        "tried": [
            {
                "recipe": one.recipe.name,
                "score": one.score,
                "within_bounds": one.bounded,
                **_figures(one.run),
            }
            for one in tuned.searched.tried
        ],
        "search_ended": tuned.searched.ended,
        "left_out": tuned.searched.left_out,
        "evidence": None
        if found is None
        else {
            "recipe": best.name,
            "written_out": written_out(best),
            "wait_s": found.wait_s._asdict(),
            "bounded_slowdown": found.slowdown._asdict(),
            "regret": found.regret,
            "most_regret": tuned.most_regret,
            "candidate": _figures(found.run),
            "running": _figures(found.running),
        },
        "proposal": None if tuned.line is None else best.name,
        "line": tuned.line,
        "objections": tuned.objections,
        "made_by": made_by(),
    }


def _figures(run: TunedRun) -> dict[str, float]:
    return {
        "wait_mean_s": run.wait_s,
        "wait_p99_s": run.percentile_s,
        "wait_max_s": run.longest_s,
        "bounded_slowdown_mean": run.slowdown,
        "kills_per_job": run.kills_per_job,
        "lost_share": run.lost_share,
    }
