"""The scenarios of `make slurm-diff` under rmsd, compared with what a real Slurm 22.05 has said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from tests.slurm_diff import ours
from tests.slurm_diff.compared import differences, form_differences, is_meant
from tests.slurm_diff.looks import Look
from tests.slurm_diff.play import Form, Play, add_forms
from tests.slurm_diff.records import JSON_FORM, RECORDED, read
from tests.slurm_diff.scenarios import SCENARIOS
from tests.slurm_diff.site import Site

pytestmark = [pytest.mark.live, pytest.mark.long]  # sites of their own for each scenario


class Plays:
    """The scenarios on one site. Each is played after those before it, as they were recorded: the
    numbers of jobs go on, whichever tests a worker runs."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._seen: dict[str, Mapping[str, Look]] = {}
        self.forms: dict[str, Form] = {}

    def seen(self, scenario: str) -> Mapping[str, Look]:
        """Return what a scenario has shown."""
        for name in [*SCENARIOS][: [*SCENARIOS].index(scenario) + 1]:
            if name not in self._seen:
                play = Play(self._site)
                SCENARIOS[name](play)
                add_forms(self.forms, play.forms)
                self._seen[name] = play.seen
        return self._seen[scenario]


@pytest.fixture(scope="module")
def plays() -> Iterator[Plays]:
    with ours.running() as site:
        yield Plays(site)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_commands_say_what_slurm_says(scenario: str, plays: Plays) -> None:
    found = differences(read(RECORDED), {scenario: plays.seen(scenario)})
    assert [str(one) for one in found if not is_meant(one)] == []


def test_the_output_of_json_has_slurms_form(plays: Plays) -> None:
    """Each member that Slurm's has is there, with a type that it has in Slurm, and no other one."""
    plays.seen([*SCENARIOS][-1])
    assert form_differences(read(JSON_FORM), plays.forms) == []
