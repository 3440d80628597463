"""SIGHUP: settings that hold at once are taken, and the others are named until they are those of
the start again."""

from __future__ import annotations

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from rmsd_daemon.setup.config import Config
from rmsd_daemon.setup.loading import load
from rmsd_daemon.setup.reloading import Configuration
from rmsd_daemon.setup.unknown_names import unknown_names
from rmsd_daemon.setup.without_effect import without_effect
from tests.waiting import wait_until

TYPOS = """
mail = "/nowhere/sendmail"
[partitions.p]
users = ["root", "@nosuchgroup", "@root"]
[accounts.lab]
members = ["@nosuch", "0"]
default_of = ["0"]
[qos.long]
accounts = ["lab", "lba"]
users = ["nosuchuser"]
"""
HOME = {"HOME": "/nowhere"}


class Reloaded:
    """A configuration with its file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.write_text("")
        self.configuration = Configuration(self._read(), self._read)

    def _read(self) -> Config:
        return load({}, str(self._path), HOME)

    def reload(self, text: str) -> dict[str, list[str]]:
        """Return the settings that the log of a reload with this text names, by event."""
        self._path.write_text(text)
        with capture_logs() as logged:
            self.configuration.reload()
        return {entry["event"]: entry["settings"] for entry in logged}


def test_a_setting_that_needs_a_restart_is_named_until_it_is_that_of_the_start(
    tmp_path: Path,
) -> None:
    site = Reloaded(tmp_path / "rmsd.toml")
    both = 'recipe = "easy"\noperators = ["x"]\n'
    assert site.reload(both) == {
        "config-needs-restart": ["recipe"],
        "config-reloaded": ["operators"],
    }
    assert site.reload(both) == {"config-needs-restart": ["recipe"]}
    assert site.configuration.in_force.recipe != "easy"
    assert site.configuration.in_force.operators == ("x",)
    assert site.reload('operators = ["x"]\n') == {}
    assert site.reload("") == {"config-reloaded": ["operators"]}
    assert site.reload("") == {}


def test_names_that_are_misspelled_are_told(tmp_path: Path) -> None:
    """A misspelled name was taken without a word, and the user that was meant was kept away."""
    site = Reloaded(tmp_path / "rmsd.toml")
    (tmp_path / "rmsd.toml").write_text(TYPOS)
    config = load({}, str(tmp_path / "rmsd.toml"), HOME)
    unknown = {
        "partitions.p.users": ["@nosuchgroup"],
        "accounts.lab.members": ["@nosuch"],
        "qos.long.users": ["nosuchuser"],
        "qos.long.accounts": ["lba"],
        "mail": ["/nowhere/sendmail"],
    }
    assert dict(unknown_names(config)) == unknown
    with capture_logs() as logged:
        site.configuration.reload()
        wait_until(lambda: len([one for one in logged if one["event"] == "names-unknown"]) == 4)
    del unknown["mail"]  # mail needs a restart
    told = [one for one in logged if one["event"] == "names-unknown"]
    assert {one["setting"]: one["names"] for one in told} == unknown


UNUSED = """
[accounts.lab]
shares = 3
[accounts.other]
shares = 1
[qos.urgent]
priority = 500
[partitions.short]
priority = 20
[partitions.main]
"""
ALL_UNUSED = ["qos.urgent.priority", "partitions.short.priority", "accounts.lab.shares"]


@pytest.mark.parametrize(
    ("recipe", "unused"),
    [("easy", ALL_UNUSED), ("fair-share", ALL_UNUSED[2:]), ("fair-share,by=account", [])],
)
def test_shares_and_priorities_that_the_recipe_makes_no_use_of_are_told(
    tmp_path: Path, recipe: str, unused: list[str]
) -> None:
    """An account's `shares` were taken without a word by a recipe that divides by users alone."""
    file = tmp_path / "rmsd.toml"
    site = Reloaded(file)
    file.write_text(f'recipe = "{recipe}"\n{UNUSED}')
    told = dict(without_effect(load({}, str(file), HOME)))
    assert list(told) == unused
    assert all(recipe in why for why in told.values())
    with capture_logs() as logged:
        site.configuration.reload()  # the recipe needs a restart
    named = [one["setting"] for one in logged if one["event"] == "setting-without-effect"]
    assert named == ALL_UNUSED
