"""Agents whose server goes away, is silent, or refuses them.

Long: agents and servers are started again.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from rmsd_agent.state.files import read_record
from rmsd_agent.state.records import UnitStatus
from rmsd_wire.link import ExitedReport, Goodbye, Hello, LaunchedReport
from tests.agent.kept_attempts import STATUS
from tests.waiting import DEADLINE_S, wait_until

if TYPE_CHECKING:
    from tests.agent.rig import Rig

pytestmark = [pytest.mark.live, pytest.mark.long]


def test_reports_wait_for_a_server_that_comes_back(rig: Rig) -> None:
    rig.start()
    go = rig.work / "go"
    rig.launch(1, f"until [ -e {go} ]; do sleep 0.02; done; exit 3")
    rig.peer.wait(LaunchedReport, 1)
    rig.peer.stop()
    go.touch()
    wait_until(lambda: read_record(rig.jobs_dir / STATUS, UnitStatus))
    rig.peer.start()
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.exit_code, end.seq) == (3, 1)
    wait_until(lambda: not list(rig.jobs_dir.iterdir()))


def test_an_end_between_hello_and_welcome_is_reported(rig: Rig) -> None:
    rig.start()
    go = rig.work / "go"
    rig.launch(1, f"until [ -e {go} ]; do sleep 0.02; done; exit 3")
    rig.peer.wait(LaunchedReport, 1)
    rig.peer.stop()
    rig.peer.hold = True
    rig.peer.start()
    wait_until(lambda: rig.peer.holding)
    go.touch()
    wait_until(lambda: read_record(rig.jobs_dir / STATUS, UnitStatus))
    rig.peer.hold = False
    assert rig.peer.wait(ExitedReport, 1).exit_code == 3
    assert len(rig.peer.all(Hello)) == 2


def test_what_was_not_acknowledged_is_reported_again(rig: Rig) -> None:
    rig.start()
    rig.peer.acknowledges = False
    first = rig.run(1, "exit 3")
    assert list(rig.jobs_dir.iterdir())
    rig.peer.stop()
    rig.peer.acknowledges = True
    rig.peer.start()
    again = rig.peer.wait(ExitedReport, 1, count=2)
    assert (again.exit_code, again.ago_s > first.ago_s) == (3, True)
    wait_until(lambda: not list(rig.jobs_dir.iterdir()))
    assert [m.epoch for _, m in rig.peer.received if hasattr(m, "epoch")] == [1, 2]


def test_a_silent_server_is_dialed_again(rig: Rig) -> None:
    rig.peer.heartbeat_s = 0.1
    rig.peer.mute = True
    rig.start()
    wait_until(lambda: rig.peer.sessions >= 3, "a third session")


def test_nodes_that_are_all_refused_are_offered_again(rig: Rig) -> None:
    rig.peer.refused = {"n1": "another agent has it"}
    rig.start()
    wait_until(lambda: rig.peer.sessions >= 2, "a second session")
    rig.peer.refused = {}
    wait_until(lambda: "link-up" in (rig.root / "agent.log").read_text())
    assert "another agent has it" in (rig.root / "agent.log").read_text()


def test_goodbye_for_good_ends_the_agent(rig: Rig) -> None:
    rig.peer.goodbye = Goodbye("speaks another language", retry=False)
    told = subprocess.run(rig.command(), capture_output=True, text=True, timeout=DEADLINE_S)
    assert told.returncode == 1
    assert "speaks another language" in told.stderr
