"""The rules of CI for a run of the tests: `pytest -p tests.ci --flaky FILE`.

A skipped test fails the run, unless its reason is in `NOT_RUNNABLE`. A live test that fails is
repeated once, alone, when all other tests are over. If it passes then, it is flaky: the run passes,
and FILE gets the test's name. FILE may come to name two tests, over all runs that are given it;
with a third, the run fails.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MOST_FLAKY = 2
NOT_RUNNABLE = (
    # version 1 of cgroups has the controller, and the kernel gives it to one version only
    "cgroup version 2 has no memory controller here",
)
"""The reasons for skips of tests that no machine of CI's kind can run. SECURITY.md says what is not
tested. A golden test needs no machine, and may never be skipped."""


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
        self._skipped: dict[str, str] = {}
        """The notes on tests that were skipped and must run, by name."""
        self._notes: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._others_failed |= report.failed
        if report.skipped:  # a whole file, as by pytest.importorskip
            self._note_skip(report, is_golden=False)

    def _note_skip(
        self, report: pytest.CollectReport | pytest.TestReport, *, is_golden: bool
    ) -> None:
        *_, reason = report.longrepr if isinstance(report.longrepr, tuple) else ("",)
        reason = str(reason).removeprefix("Skipped: ")
        if is_golden:
            self._skipped[report.nodeid] = f"SKIPPED, and golden: {report.nodeid}"
        elif reason not in NOT_RUNNABLE:
            self._skipped[report.nodeid] = f"SKIPPED, and can run here: {report.nodeid}: {reason}"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self._note_skip(report, is_golden="golden" in report.keywords)
        if report.failed and "live" not in report.keywords:
            self._others_failed = True
        elif report.failed and report.nodeid not in self._live:  # a test and its teardown can fail
            self._live.append(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if exitstatus == pytest.ExitCode.TESTS_FAILED and self._are_flaky(session.config.rootpath):
            session.exitstatus = pytest.ExitCode.OK
        if self._skipped:
            self._notes += self._skipped.values()
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
