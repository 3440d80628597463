"""A compute node that is restarted sooner than it counts as down: its jobs are started again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import msgspec
import psutil
import pytest

from rmsd_agent.state.files import read_record, replace_record
from rmsd_agent.state.records import SavedAttempt
from tests.command_lines import words_of
from tests.daemon.fold import assert_events_fold_to_tables
from tests.live import Daemon, node_state, other_agent
from tests.waiting import wait_until

pytestmark = pytest.mark.live

OTHER = ("--emulate", "1x8", "--emulate-prefix", "x")


def shut_down(daemon: Daemon, agent: psutil.Process) -> None:
    """End the agent and then, with SIGTERM, all shepherds and jobs of its node, as a shutdown
    does; have the records of the attempts say another boot, as they do after it."""
    agent.kill()
    agent.wait()
    other = str(daemon.root / "other")
    for process in daemon.processes():
        if any(other in word for word in [*words_of(process), *environ_of(process)]):
            with contextlib.suppress(psutil.NoSuchProcess):  # the process may end with another one
                process.terminate()
    jobs = daemon.root / "other/jobs"
    attempts = list(jobs.iterdir())
    for attempt in attempts:
        wait_until((attempt / "batch/status.json").exists)
        path = attempt / "attempt.json"
        saved = read_record(path, SavedAttempt)
        assert saved is not None
        replace_record(path, msgspec.structs.replace(saved, boot_id="another boot"))


def environ_of(process: psutil.Process) -> list[str]:
    try:
        return list(process.environ().values())
    except psutil.Error:
        return []


@pytest.mark.slow
def test_jobs_of_a_restarted_node_are_started_again(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x1", config='node_dead = "1h"\n')
    script = 'echo "$RMS_ATTEMPT" >> ran; [ "$RMS_ATTEMPT" = 2 ] || sleep 600'
    with other_agent(daemon, *OTHER) as agent:
        wait_until(lambda: node_state(daemon, "x1") == "idle")
        job_id = daemon.submit(script, tasks=4)
        not_again = daemon.submit("echo ready > not_again; sleep 600", tasks=4, requeue=False)
        wait_until(lambda: daemon.lines("ran") == ["1"] and daemon.lines("not_again"))
        for one in (job_id, not_again):
            daemon.wait_for(one, "RUNNING")
        shut_down(daemon, psutil.Process(agent.pid))
    with other_agent(daemon, *OTHER):
        job = daemon.wait(job_id)
        assert (job["state"], job["attempt"]) == ("COMPLETED", 2)
        assert daemon.lines("ran") == ["1", "2"]
        assert daemon.wait(not_again)["state"] == "NODE_FAIL"
    first, second = daemon.client.attempts(job_id)
    assert (first["cause"], first["message"]) == ("node", "node x1 was restarted")
    assert second["cause"] == "exit"
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
