"""One harness under atheris, in a process of its own: `python -m tests.fuzz.search NAME OPTIONS`.

Nothing of the project is loaded before atheris has its hooks in place; the options are libFuzzer's.
"""

from __future__ import annotations

import sys

import atheris

from tests.fuzz.harnesses import harness


def main() -> None:
    name, *options = sys.argv[1:]
    with atheris.instrument_imports(include=list(PACKAGES)):
        found = harness(name)
    atheris.Setup(["fuzz", *options], found.check)
    atheris.Fuzz()


PACKAGES = (
    *("rmsd_client", "rmsd_core", "rmsd_wire", "rmsd_process", "rmsd_daemon", "rmsd_agent"),
    *("rmsd_cli", "rmsd_lab", "rmsd_lab_cli"),
)


if __name__ == "__main__":
    main()
