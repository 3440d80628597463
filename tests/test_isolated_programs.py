"""No program of rmsd's runs a file because it lies where the program is started."""

from __future__ import annotations

import re

from tests.sources import FOLDERS, ROOT

_STARTED = re.compile(r'sys\.executable,\s*"(-[a-zA-Z]+)"')


def test_modules_are_run_without_the_working_directory_on_their_path() -> None:
    """`python -m` looks for modules in the working directory first: a project that a model was to
    look at ran its own `json.py` when the model asked `what_if`."""
    found = [
        (path.name, flag)
        for package, folder in FOLDERS.items()
        for path in sorted((ROOT / folder / package).rglob("*.py"))
        for flag in _STARTED.findall(path.read_text())
    ]
    assert len(found) > 5
    assert [one for one in found if one[1] not in ("-P", "-I")] == []
