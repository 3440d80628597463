"""Records that are not as an agent left them: the next agent starts without what they said.

Long: agents are started, stopped and started again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rmsd_agent.shepherd.standalone.processes import boot_id
from rmsd_agent.state.files import write_record
from rmsd_agent.state.records import SavedAttempt
from rmsd_core.vocabulary import Cause
from rmsd_wire.link import Ack, ExitedReport, Launch
from tests.agent.rig import sleeping
from tests.waiting import wait_until

if TYPE_CHECKING:
    from tests.agent.rig import Rig

pytestmark = [pytest.mark.live, pytest.mark.long]


@pytest.mark.parametrize(
    "identity",
    [
        b'{"agent_id":"%b","epoch":1}' % (b"a" * 257),
        b'{"agent_id":"a b","epoch":1}',
        b'{"agent_id":"a","epoch":-1}',
        b'{"agent_id":"a","epoch":%d}' % (1 << 61),
        b'{"agent_id":"a","epoch":%d}' % 10**30,
    ],
    ids=["a long id", "no id", "a negative epoch", "an epoch too large", "no number of a message"],
)
def test_an_agent_whose_identity_no_daemon_takes_makes_another(rig: Rig, identity: bytes) -> None:
    (rig.root / "agent").mkdir()
    (rig.root / "agent" / "agent.json").write_bytes(identity)
    hello = rig.start()
    assert hello.agent_id.isalnum()
    assert len(hello.agent_id) <= 256
    assert hello.epoch == 1
    assert rig.run(1, "true").cause is Cause.EXIT


@pytest.mark.parametrize("name", ["attempt.json", "batch/running.json", "batch/status.json"])
def test_a_directory_in_place_of_a_record_is_no_record(rig: Rig, name: str) -> None:
    attempt = rig.jobs_dir / "7.1.n1"
    (attempt / name).mkdir(parents=True)
    if name != "attempt.json":
        launch = Launch(7, 1, "n1", True, 0, None, 1.0, 1)
        write_record(attempt / "attempt.json", SavedAttempt(launch, 0.0, None, boot_id()))
    assert not rig.start().held, "it was never begun"
    assert rig.run(1, "true").cause is Cause.EXIT


@pytest.mark.parametrize("name", ["control.sock", "agent.json", "ended.jsonl"])
def test_a_directory_in_place_of_a_file_of_the_agents_ends_no_agent(rig: Rig, name: str) -> None:
    (rig.root / "agent" / name / "damage").mkdir(parents=True)
    rig.start()
    assert rig.run(1, "true").cause is Cause.EXIT


def test_an_attempt_is_not_forgotten_for_an_end_that_was_stated_before_it_began(rig: Rig) -> None:
    rig.peer.acknowledges = False
    rig.start()
    rig.stop(1)
    assert rig.peer.wait(ExitedReport, 1).cause is Cause.USER
    mark = rig.marker()
    rig.launch(1, f"sleep {mark}")
    wait_until(lambda: sleeping(mark))
    rig.peer.send(Ack(1))
    rig.stop(1)
    rig.peer.wait(ExitedReport, 1, count=2)
    assert not sleeping(mark)
