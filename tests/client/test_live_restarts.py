"""Commands that follow jobs, and wait for them, when trials are killed and nodes are lost."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from tests.commands import BIN
from tests.live import Daemon, node_state, other_agent
from tests.waiting import DEADLINE_S, wait_until

pytestmark = pytest.mark.live


def _timed(start_daemon: Callable[..., Daemon]) -> tuple[Daemon, int]:
    """Return a daemon with a core for trial runs, and the job at the head of its queue. While that
    waits, for another core, a trial is not committed: however late, whoever comes next ends it."""
    config = 'recipe = "timed-easy,trial=1"\nkill_grace = "1s"\n'
    daemon = start_daemon("--no-local-node", "--emulate", "1x2", config=config)
    daemon.submit("sleep 900", restartable=False, time_limit_s=900)
    return daemon, daemon.submit("true", tasks=2, restartable=False, time_limit_s=900)


def _run(daemon: Daemon, *command: str) -> tuple[int, str, str]:
    done = daemon.run(*command)
    return done.returncode, done.stdout, done.stderr


def _follow(daemon: Daemon, job_id: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [BIN / "rlog", "-f", str(job_id)], env=daemon.env, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


_TWICE = 'echo attempt $RMS_ATTEMPT; [ "$RMS_ATTEMPT" = 2 ] || { echo goes on; sleep 600; }'


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_following_a_job_whose_trial_is_killed(start_daemon: Callable[..., Daemon]) -> None:
    daemon, head = _timed(start_daemon)
    job_id = daemon.submit(_TWICE)
    daemon.wait_for(job_id, "RUNNING")
    follower = _follow(daemon, job_id)
    assert follower.stdout is not None
    assert [follower.stdout.readline() for _ in range(2)] == ["attempt 1\n", "goes on\n"]
    daemon.submit("sleep 0.5")
    wait_until(lambda: daemon.client.attempts(job_id)[0]["cause"] == "trial")
    daemon.client.cancel(head)
    rest, said = follower.communicate(timeout=DEADLINE_S)
    assert (rest, follower.returncode) == ("attempt 2\n", 0)
    assert said.endswith(f"rlog: job {job_id} starts again (attempt 2)\n")
    assert daemon.client.job(job_id)["state"] == "COMPLETED"
    assert _run(daemon, "rlog", str(job_id)) == (0, "attempt 2\n", "")


@pytest.mark.slow
def test_a_job_cancelled_after_its_trial_was_killed(start_daemon: Callable[..., Daemon]) -> None:
    """What the job has written is there, and the commands say that the job has run."""
    daemon, _ = _timed(start_daemon)
    job_id = daemon.submit(_TWICE)
    daemon.wait_for(job_id, "RUNNING")
    wait_until(lambda: daemon.client.output(job_id).data == b"attempt 1\ngoes on\n")
    daemon.wait_for(daemon.submit("sleep 600"), "RUNNING")
    daemon.client.drain(daemon.client.nodes()[0]["name"], "so that it waits")
    daemon.wait_for(job_id, "PENDING")
    text = "attempt 1\ngoes on\n"
    waits = f"rlog: job {job_id} waits to start again: PENDING (ReqNodeNotAvail)\n"
    assert _run(daemon, "rlog", str(job_id)) == (0, text, waits)
    follower = _follow(daemon, job_id)
    assert follower.stderr is not None
    assert follower.stderr.readline() == waits
    daemon.client.cancel(job_id)
    rest, said = follower.communicate(timeout=DEADLINE_S)
    assert (rest, said, follower.returncode) == (text, "", 0)
    for options in ((), ("-f",)):
        assert _run(daemon, "rlog", *options, str(job_id)) == (0, text, "")
    assert _run(daemon, "rlog", "-n", "1", str(job_id)) == (0, "goes on\n", "")
    code, shown, _ = _run(daemon, "rstat", str(job_id))
    assert code == 0
    assert "State:      CANCELLED: cancelled while it waited to start again\n" in shown
    [attempt] = [line for line in shown.splitlines() if line.startswith("Attempt ")]
    assert attempt.startswith("Attempt 1:")
    assert attempt.endswith(": killed after its trial run")


@pytest.mark.long  # the node is dead after 15 s
def test_following_a_job_whose_node_is_lost(start_daemon: Callable[..., Daemon]) -> None:
    """The first output is out of reach while the node is away. The output of the other attempt is
    told whole, though it is shorter."""
    daemon = start_daemon("--no-local-node", "--emulate", "1x1", config='node_dead = "15s"\n')
    other = ("--no-local-node", "--emulate", "1x2", "--emulate-prefix", "x")
    with other_agent(daemon, *other):
        wait_until(lambda: node_state(daemon, "x1") == "idle")
        job_id = daemon.submit(_TWICE, tasks=2)
        follower = _follow(daemon, job_id)
        assert follower.stdout is not None
        assert follower.stderr is not None
        while (line := follower.stdout.readline()) != "goes on\n":
            assert line == "attempt 1\n"
    daemon.wait_for(job_id, "PENDING")
    away = "node x1 cannot be reached now: there is no link to its agent\n"
    assert _run(daemon, "rlog", str(job_id)) == (1, "", f"rlog: error: {away}")
    second = _follow(daemon, job_id)
    assert second.stderr is not None
    waits = f"rlog: job {job_id} waits to start again: PENDING (ReqNodeNotAvail)\n"
    assert [second.stderr.readline() for _ in range(2)] == [f"rlog: {away}", waits]
    with other_agent(daemon, *other):
        outputs = [one.communicate(timeout=DEADLINE_S) for one in (follower, second)]
    assert outputs[0][0] == "attempt 2\n"
    assert outputs[0][1].endswith(f"rlog: job {job_id} starts again (attempt 2)\n")
    assert outputs[1][0].endswith("attempt 2\n")  # after the first output, if it was in time
    assert (follower.returncode, second.returncode) == (0, 0)
