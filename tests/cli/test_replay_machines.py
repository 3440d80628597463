"""`rmsd replay` on nodes, over several agents and over TLS; and the table of `make fidelity`.

Long: daemons and agents are started, and all jobs of a replay waited for.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rmsd_core.recipes.presets import PRESETS
from tests.cli.replayed import SWF
from tests.commands import rmsd
from tests.fidelity import MACHINES, Sweep, beyond_chaos, live_presets, table, written


@pytest.fixture
def swf_text() -> str:
    return SWF


@pytest.mark.long
@pytest.mark.live
@pytest.mark.parametrize(
    "options",
    [
        ["--nodes", "2"],
        ["--nodes", "4", "--agents", "2", "--exec", "process"],
        ["--nodes", "2", "--agents", "2", "--tls"],
        ["--agents", "2"],
        ["--tls"],
    ],
    ids=" ".join,
)
def test_a_replay_runs_on_the_machine_that_is_asked_for(swf: Path, options: list[str]) -> None:
    """The schedule of an hour and a half takes 3 s at this rate."""
    report = json.loads(rmsd("replay", swf, "--rate", "2000", "--json", *options).stdout)
    assert report["partial"] is False
    assert report["jobs"]["counted"] == 6
    told = report["manifest"]["options"]
    for name in ("nodes", "agents"):
        if f"--{name}" in options:
            assert told[name] == int(options[options.index(f"--{name}") + 1])
    assert ("tls" in told) == ("--tls" in options)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--nodes", "0"], "at least 1"),
        (["--nodes", "3"], "4 processors cannot be divided between 3 equal nodes"),
        (["--nodes", "2", "--agents", "3"], "cannot be divided between 3 agents"),
        (["--agents", "0"], "1 to 64"),
        (["--agents", "65"], "1 to 64"),
        (["--nodes", "2", "--server", "unix:/x"], "a running daemon has its own"),
        (["--tls", "--server", "unix:/x"], "a running daemon has its own"),
        (["--nodes", "3", "--fidelity-sweep"], "cannot be divided"),
    ],
)
def test_machines_that_cannot_be_are_refused(swf: Path, arguments: list[str], said: str) -> None:
    assert said in rmsd("replay", swf, *arguments, expect=2).stderr


def sweep(wait: float, chaos: tuple[float, float]) -> Sweep:
    middle: dict[str, Any] = {
        "wait_mean_deviation": wait,
        "bounded_slowdown_deviation": wait / 2,
        "start_error_p50_s": 1.25,
    }
    p5, p95 = chaos
    return {
        "chaos": {"wait_mean_deviation": {"p5": p5, "p95": p95}},
        "rates": [{"median": middle}],
    }


def test_the_table_has_a_row_for_each_recipe_and_a_cell_for_each_machine() -> None:
    cells = [sweep(share, (-0.01, 0.02)) for share in (0.01, -0.02, 0.031, 0.5)]
    sweeps = {"easy": dict(zip(MACHINES, cells, strict=True))}
    heading, rule, row = table(sweeps).splitlines()
    assert heading.count("|") == rule.count("|") == row.count("|")
    assert row.startswith("| `easy` | -1.0 to +2.0 | -1.0 to +2.0 | +1.0 / +0.5 / 1.2 |")
    assert [line.split(":")[0] for line in beyond_chaos(sweeps, 0.01)] == [
        "easy, 8 nodes, 4 agents",
        "easy, 8 nodes, 4 agents, TLS",
    ]


def test_the_table_takes_the_place_of_the_one_before() -> None:
    page = "a\n<!-- table: every preset -->\nold\n<!-- end of the table -->\nb\n"
    once = written(page, "new\n")
    assert once == page.replace("old", "\nnew\n")
    assert written(once, "newer\n") == once.replace("new", "newer")


def test_every_preset_that_needs_no_future_is_in_the_table() -> None:
    forms = live_presets()
    left_out = {name for name in PRESETS if PRESETS[name].predict == "perfect"}
    assert set(forms) == {
        form for name in PRESETS.keys() - left_out for form in (name, f"timed-{name}")
    }
    assert {"conservative", "selective", "dynp", "lxfw", "timed-selective"} <= set(forms)
