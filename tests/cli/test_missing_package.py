"""A command whose library is not installed, as where rmsd is installed with `--no-deps`."""

from __future__ import annotations

import pytest

from rmsd_cli import main


def test_a_missing_library_is_named(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def lacks(_: list[str]) -> int:
        raise ModuleNotFoundError("No module named 'msgspec'", name="msgspec.json")

    monkeypatch.setattr(main, "run", lacks)
    with pytest.raises(SystemExit, match="1"):
        main.main(["gantt"])
    assert "needs the package 'msgspec', which is not installed" in capfd.readouterr().err


def test_a_missing_module_of_our_own_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacks(_: list[str]) -> int:
        raise ModuleNotFoundError("No module named 'rmsd_lab.nothing'", name="rmsd_lab.nothing")

    monkeypatch.setattr(main, "run", lacks)
    with pytest.raises(ModuleNotFoundError):
        main.main(["gantt"])
