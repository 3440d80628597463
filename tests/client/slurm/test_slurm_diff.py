"""The scenarios of `make slurm-diff` under rmsd, compared with what a real Slurm 22.05 has said."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.slurm_diff import ours
from tests.slurm_diff.compared import differences, form_differences, is_meant
from tests.slurm_diff.play import Form, Play, add_forms
from tests.slurm_diff.records import JSON_FORM, RECORDED, read
from tests.slurm_diff.scenarios import SCENARIOS
from tests.slurm_diff.site import Site

pytestmark = [pytest.mark.live, pytest.mark.long]  # sites of their own for each scenario

_MINUTES = ("time_out",)
"""Scenarios that take a minute or more."""


@pytest.fixture(scope="module")
def plain_site() -> Iterator[Site]:
    with ours.running() as site:
        yield site


@pytest.fixture(scope="module")
def forms() -> dict[str, Form]:
    """Return the form of the output of --json in the scenarios of this module."""
    return {}


@pytest.mark.parametrize(
    "scenario",
    [pytest.param(name, marks=pytest.mark.long) if name in _MINUTES else name
     for name in SCENARIOS],
)  # fmt: skip
def test_the_commands_say_what_slurm_says(
    scenario: str, plain_site: Site, forms: dict[str, Form]
) -> None:
    play = Play(plain_site)
    SCENARIOS[scenario](play)
    add_forms(forms, play.forms)
    found = differences(read(RECORDED), {scenario: play.seen})
    assert [str(one) for one in found if not is_meant(one)] == []


def test_the_output_of_json_has_slurms_form(plain_site: Site, forms: dict[str, Form]) -> None:
    """Each member that Slurm's has is there, with a type that it has in Slurm, and no other one."""
    if not forms:  # the test runs alone
        play = Play(plain_site)
        SCENARIOS["submit"](play)
        add_forms(forms, play.forms)
    assert form_differences(read(JSON_FORM), forms) == []
