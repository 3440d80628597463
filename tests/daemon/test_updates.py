"""Changes of jobs after their submit, live: waiting jobs, running ones, and what is refused."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable

import pytest

from rmsd_client.errors import ApiError
from rmsd_wire.hostlist import expand
from tests.daemon.fold import assert_events_fold_to_tables
from tests.live import Daemon
from tests.waiting import wait_until

pytestmark = pytest.mark.live

ONE_NODE = ("--no-local-node", "--emulate", "1x4")


@pytest.mark.parametrize("any_of", [False, True])
def test_a_job_that_could_never_start_does_without_its_dependency(
    start_daemon: Callable[..., Daemon], any_of: bool
) -> None:
    daemon = start_daemon(*ONE_NODE)
    failed = daemon.submit("exit 1")
    assert daemon.wait(failed)["state"] == "FAILED"
    on_failed = [{"relation": "afterok", "job_id": failed}]
    conditions = {"hold": True, "dependencies": on_failed, "any_of": any_of}
    job_id = daemon.submit("true", conditions=conditions)
    assert daemon.client.job(job_id)["conditions"]["never"]
    daemon.client.update(job_id, {"dependencies": on_failed, "any_of": any_of})  # no news
    assert daemon.client.job(job_id)["changes"] == []
    [change] = daemon.client.update(job_id, {"dependencies": []})["changes"]
    assert (change["before"], change["after"]) == (f"afterok:{failed}", "none")
    daemon.client.change(job_id, "release")
    assert daemon.wait(job_id)["state"] == "COMPLETED"


def test_an_array_and_its_tasks_are_never_as_an_update_wants_them(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*ONE_NODE)
    array = daemon.submit("true", array="1-2", conditions={"hold": True})
    for job in (array, array + 1):  # the first task comes after the array
        for nothing_new in ({"dependencies": []}, {"comment": ""}):
            with pytest.raises(ApiError, match="cannot be changed: cancel it"):
                daemon.client.update(job, nothing_new)


@pytest.mark.slow
def test_a_waiting_job_is_changed_and_the_change_outlives_a_kill(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*ONE_NODE)
    first = daemon.submit("true", conditions={"hold": True})
    job_id = daemon.submit("true", conditions={"hold": True}, tasks=2, time_limit_s=60)
    asked = {
        "name": "other",
        "comment": "why",
        "time_limit_s": 90,
        "tasks": 3,
        "mem_mib": 1,
        "nice": 7,
        "begin_us": 1 << 52,
        "dependencies": [{"relation": "afterok", "job_id": first}],
    }
    daemon.client.update(job_id, asked)
    daemon.kill()
    daemon.start()
    job = daemon.client.job(job_id)
    assert (job["name"], job["comment"], job["time_limit_s"]) == ("other", "why", 90)
    assert (job["tasks"], job["cpus"], job["mem_mib"], job["nice"]) == (3, 3, 1, 7)
    assert job["conditions"]["begin_us"] == 1 << 52
    assert [one["job_id"] for one in job["conditions"]["dependencies"]] == [first]
    changed = {one["field"]: (one["before"], one["after"]) for one in job["changes"]}
    assert changed["time_limit_s"] == ("60", "90")
    assert changed["tasks"] == ("2", "3")
    assert changed.keys() == asked.keys()
    assert daemon.client.update(job_id, asked)["changes"] == job["changes"]  # no news
    daemon.client.update(job_id, {"begin_us": None})
    for one in (first, job_id):
        daemon.client.change(one, "release")
    assert daemon.wait(job_id)["state"] == "COMPLETED"
    with pytest.raises(ApiError, match="it cannot be changed"):
        daemon.client.update(job_id, {"comment": "late"})
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


@pytest.mark.slow
def test_a_waiting_job_gets_other_nodes(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "4x4")
    job_id = daemon.submit("true", conditions={"hold": True}, nodelist="e1", exclude="e4")

    def updated(**asked: object) -> tuple[int, int, list[str], list[str]]:
        job = daemon.client.update(job_id, asked)
        [request] = job["request"]
        return job["nodes"], job["tasks"], request["require"], request["exclude"]

    assert updated(nodelist="e[2-3]") == (2, 2, ["e2", "e3"], ["e4"])
    assert updated(exclude="", nodes=3) == (3, 3, ["e2", "e3"], [])
    assert updated(nodelist="e2,e4", exclude="e3") == (3, 3, ["e2", "e4"], ["e3"])
    wrong = [
        ({"nodelist": "e3"}, "both name e3"),
        ({"nodelist": "e[1-2,4]", "exclude": "e1"}, "both name e1"),
        ({"nodelist": "e9"}, "can never be met"),
        ({"nodelist": "e["}, "'nodelist': "),
        ({"exclude": "e[1-2048]"}, "'exclude': "),
        ({"nodes": 1}, "'nodes' is 1, and 'nodelist' names 2"),
        ({"exclude": "e[1,3]"}, "can never be met"),
    ]
    for asked, why in wrong:
        with pytest.raises(ApiError, match=re.escape(why)):
            daemon.client.update(job_id, asked)
    assert updated(nodelist="", nodes=2, tasks=2) == (2, 2, [], ["e3"])
    changes = daemon.client.job(job_id)["changes"]
    told = [(one["field"], one["before"], one["after"]) for one in changes]
    assert ("nodelist", "e1", "e[2-3]") in told
    assert told[-3:] == [("tasks", "3", "2"), ("nodes", "3", "2"), ("nodelist", "e2,e4", "none")]
    shown = daemon.run("rjob", "update", str(job_id), "-w", "e4", "-x", "none")
    assert shown.returncode == 0, shown.stderr
    daemon.kill()
    daemon.start()
    daemon.client.change(job_id, "release")
    job = daemon.wait(job_id)
    assert (job["state"], job["nodes"]) == ("COMPLETED", 2)
    assert "e4" in expand(job["nodelist"], 2)
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_change_to_dependencies_of_which_one_suffices(
    start_daemon: Callable[..., Daemon],
) -> None:
    daemon = start_daemon(*ONE_NODE)
    held = daemon.submit("true", conditions={"hold": True})
    ended = daemon.submit("exit 1")
    assert daemon.wait(ended)["state"] == "FAILED"
    job_id = daemon.submit("true", conditions={"hold": True})
    daemon.run("rjob", "update", str(job_id), "-d", f"afterok:{held}?afterok:{held}")
    assert daemon.client.job(job_id)["conditions"]["any_of"]
    daemon.run("rjob", "update", str(job_id), "-d", f"afterok:{held}?afternotok:{ended}")
    daemon.client.change(job_id, "release")
    assert daemon.wait(job_id)["state"] == "COMPLETED"
    submitted = ("--parsable", "-d", f"afterok:{held}?afterany:{ended}", "--wait", "--wrap", "true")
    assert daemon.run("rsub", *submitted).returncode == 0


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_job_is_changed_to_follow_jobs_of_which_some_are_over(
    start_daemon: Callable[..., Daemon],
) -> None:
    """The request was looked up for ever: the job that is over was refused each time."""
    daemon = start_daemon(*ONE_NODE)
    over = daemon.emulate(0.0)
    assert daemon.wait(over)["state"] == "COMPLETED"
    first = daemon.submit("true", conditions={"hold": True})
    job_id = daemon.submit("true", conditions={"hold": True})
    both = [{"relation": "afterok", "job_id": one} for one in (over, first)]
    job = daemon.client.update(job_id, {"dependencies": both})
    assert [one["job_id"] for one in job["conditions"]["dependencies"]] == [first]


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_what_cannot_be_meant_changes_nothing(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*ONE_NODE)
    job_id = daemon.submit("true", conditions={"hold": True})
    after_it = {"dependencies": [{"relation": "afterany", "job_id": job_id}]}
    other = daemon.submit("true", conditions=after_it)
    wrong = [
        ({"tasks": 5}, "can never be met"),
        ({"tasks": 0}, "'tasks' is 0"),
        ({"nodes": 2, "tasks": 1}, "fewer than the 2 'nodes'"),
        ({"time_limit_s": -1}, "'time_limit_s' is -1"),
        ({"name": ""}, "'name' is empty"),
        ({"constraint": "fast&"}, "'constraint' is"),
        ({"comment": "two\nlines"}, "printable"),
        ({"begin_us": 1, "begin_in_s": 1}, "give one of them"),
        ({"dependencies": [{"relation": "afterok", "job_id": 999}]}, "there is no job 999"),
        ({"dependencies": [{"relation": "afterok", "job_id": other}]}, "wait for itself"),
        (after_it, "wait for itself"),
        ({"user": "root"}, "not usable"),
    ]
    before = daemon.client.job(job_id)
    for asked, why in wrong:
        with pytest.raises(ApiError, match=why):
            daemon.client.update(job_id, asked)
    after = daemon.client.job(job_id)
    assert {**after, "wait_s": 0} == {**before, "wait_s": 0}


@pytest.mark.slow
def test_a_running_script_gets_a_shorter_limit(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*ONE_NODE)
    job_id = daemon.submit("sleep 600", time_limit_s=600)
    daemon.wait_for(job_id, "RUNNING")
    with pytest.raises(ApiError, match="only its time limit and its comment"):
        daemon.client.update(job_id, {"tasks": 2})
    daemon.client.update(job_id, {"time_limit_s": 0.1, "comment": "enough"})
    job = daemon.wait(job_id)
    assert (job["state"], job["comment"]) == ("TIMEOUT", "enough")
    assert daemon.stop() == 0
    assert_events_fold_to_tables(daemon)
    assert daemon.verdict().difference is None


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_a_running_script_gets_more_time(start_daemon: Callable[..., Daemon]) -> None:
    """The test takes more than 5 s, since the first limit has to pass while the script runs."""
    daemon = start_daemon(*ONE_NODE)
    job_id = daemon.submit("touch began; while [ ! -e go ]; do sleep 0.02; done", time_limit_s=5)
    wait_until(lambda: (daemon.work / "began").exists())
    daemon.client.update(job_id, {"time_limit_s": 0})
    started_us = daemon.client.job(job_id)["start_us"]
    late = daemon.submit("true", conditions={"begin_us": started_us + 6_000_000})
    daemon.wait(late)
    (daemon.work / "go").touch()
    job = daemon.wait(job_id)
    assert (job["state"], job["time_limit_s"]) == ("COMPLETED", None)


@pytest.mark.long  # starts a daemon of its own, as others here do in the short run
def test_an_agent_that_was_away_is_told_the_new_limit(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*ONE_NODE)
    job_id = daemon.submit("sleep 600", time_limit_s=600)
    daemon.wait_for(job_id, "RUNNING")
    os.kill(daemon.agent_pid, signal.SIGSTOP)
    daemon.client.update(job_id, {"time_limit_s": 0.1})
    os.kill(daemon.agent_pid, signal.SIGKILL)
    assert daemon.wait(job_id)["state"] == "TIMEOUT"


@pytest.mark.slow
def test_the_command_changes_jobs_and_rstat_tells(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon(*ONE_NODE)
    job_id = str(daemon.submit("true", conditions={"hold": True}, time_limit_s=60))
    daemon.run("rjob", "update", job_id, "-t", "+1:00", "-n", "2", "-b", "now+1hour", expect=0)
    told = daemon.run("rstat", job_id, expect=0).stdout
    assert "time_limit from 00:01:00 to 00:02:00" in told
    assert "tasks from 1 to 2" in told
    assert "begin from none to 20" in told
    nothing = daemon.run("rjob", "update", job_id, expect=2)
    assert "say what to update" in nothing.stderr
    misplaced = daemon.run("rjob", "hold", job_id, "-n", "2", expect=2)
    assert "--ntasks goes with 'rjob update'" in misplaced.stderr
    refused = daemon.run("rjob", "update", job_id, "-d", f"afterok:{job_id}", expect=2)
    assert "would wait for itself" in refused.stderr
