"""SIGHUP: settings that hold at once are taken, and the others are named until they are those of
the start again."""

from __future__ import annotations

from pathlib import Path

from structlog.testing import capture_logs

from rmsd_daemon.setup.config import Config
from rmsd_daemon.setup.loading import load
from rmsd_daemon.setup.reloading import Configuration

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
