"""Random tests draw other examples in each run, from one seed that is printed.

The seed is Hypothesis' own option: `make test PYTEST_OPTIONS=--hypothesis-seed=N` draws the same
again. What has been found once stays as an `@example`, a seed or a test of its own.
"""

from __future__ import annotations

import random

import pytest

_OPTION = "--hypothesis-seed"
_MOST = 1 << 31


def seed_of(config: pytest.Config) -> int:
    """Return the seed of this run."""
    return int(config.getoption(_OPTION))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Draw the seed before Hypothesis reads it, and before pytest-xdist gives it to its workers."""
    if config.getoption(_OPTION) is None:
        config.option.hypothesis_seed = str(random.randrange(_MOST))


def pytest_report_header(config: pytest.Config) -> str:
    return f"random tests: {_OPTION}={seed_of(config)}"


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    failed = terminalreporter.stats.get("failed", [])
    if failed:
        tests = " ".join(sorted({f"'{report.nodeid}'" for report in failed})[:5])
        terminalreporter.section("to repeat the first of them, with the same random examples")
        terminalreporter.line(f".venv/bin/python -m pytest {_OPTION}={seed_of(config)} {tests}")
