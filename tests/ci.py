"""The rules of CI for a run of the tests: `pytest -p tests.ci --flaky FILE`.

A golden test that is skipped fails the run. A live test that fails is repeated once, alone, when
all other tests are over. If it passes then, it is flaky: the run passes, and FILE gets the test's
name. FILE may come to name two tests, over all runs that are given it; with a third, the run fails.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MOST_FLAKY = 2


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--flaky", type=Path, required=True, metavar="FILE", help="see tests/ci.py")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the workers of pytest-xdist judge nothing
        config.pluginmanager.register(Rules(config.getoption("flaky")))


class Rules:
    """The rules that a run must keep, beside tests that pass."""

    def __init__(self, flaky: Path) -> None:
        self._flaky = flaky
        self._live: list[str] = []
        """The live tests that failed."""
        self._others_failed = False
        self._golden: list[str] = []
        """The golden tests that were skipped."""
        self._notes: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._others_failed |= report.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and "golden" in report.keywords:
            self._golden.append(report.nodeid)
        if report.failed and "live" not in report.keywords:
            self._others_failed = True
        elif report.failed and report.nodeid not in self._live:  # a test and its teardown can fail
            self._live.append(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if exitstatus == pytest.ExitCode.TESTS_FAILED and self._are_flaky(session.config.rootpath):
            session.exitstatus = pytest.ExitCode.OK
        if self._golden:
            self._notes += [f"SKIPPED, and golden: {test}" for test in self._golden]
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _are_flaky(self, root: Path) -> bool:
        """Repeat the tests that failed, and return whether the run passes with them."""
        known = self._flaky.read_text().splitlines() if self._flaky.exists() else []
        if self._others_failed or not 0 < len(self._live) <= MOST_FLAKY - len(known):
            return False
        for test in self._live:
            command = [sys.executable, "-m", "pytest", test]
            done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                self._notes.append(f"FAILED again, alone: {test}\n{done.stdout}{done.stderr}")
                return False
            self._notes.append(f"FLAKY: {test}")
        self._flaky.write_text("".join(f"{test}\n" for test in [*known, *self._live]))
        return True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._notes:
            terminalreporter.section("CI")
        for note in self._notes:
            terminalreporter.line(note)
