"""`rmsd replay --metrics`: what the daemon tells of its decisions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.replayed import SWF
from tests.commands import rmsd


@pytest.fixture
def swf_text() -> str:
    return SWF


@pytest.mark.slow
@pytest.mark.live
@pytest.mark.parametrize("recipe", ["easy++", "dynp"])
def test_a_replay_knows_what_the_daemon_has_decided(swf: Path, recipe: str) -> None:
    groups = "accuracy,predictability,dynamics,orders"
    asked = ["--rate", "2000", "--recipe", recipe, "--metrics", groups, "--json"]
    found = json.loads(rmsd("replay", swf, *asked).stdout)["metrics"]
    for group, figure in (
        ("accuracy", "accuracy"),
        ("accuracy", "prediction_rate"),
        ("predictability", "reserved_rate"),
        ("dynamics", "heel_and_toe"),
    ):
        assert found[group][figure] is not None
    assert bool(found["orders"]["share_of_time"]) == (recipe == "dynp")


def test_the_help_of_replay_names_no_option_of_simulate() -> None:
    assert "--restart-cost" in rmsd("simulate", "--help").stdout
    assert "--restart-cost" not in rmsd("replay", "--help").stdout
