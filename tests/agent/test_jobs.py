"""Scripts on a real node: start, end, limit, and what a job leaves behind."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import pytest

from rmsd_core.vocabulary import Cause
from rmsd_wire.link import ExitedReport, LaunchedReport, StopAttempt
from tests.agent.rig import fork_bomb, sleeping
from tests.waiting import wait_until

if TYPE_CHECKING:
    from tests.agent.rig import Rig

pytestmark = pytest.mark.live


def test_exit_codes_and_signals_are_reported(rig: Rig) -> None:
    rig.start()
    ends = {code: rig.run(code + 1, f"exit {code}") for code in (0, 7, 255)}
    assert {code: (e.cause, e.exit_code, e.signal) for code, e in ends.items()} == {
        code: (Cause.EXIT, code, None) for code in ends
    }
    killed = rig.run(1000, "kill -SEGV $$")
    assert (killed.cause, killed.exit_code, killed.signal) == (Cause.EXIT, None, signal.SIGSEGV)
    assert [m.job_id for m in rig.peer.all(LaunchedReport)] == [1, 8, 256, 1000]
    wait_until(lambda: not list(rig.jobs_dir.iterdir()), "acknowledged attempts are deleted")


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/2", "/proc/self/fd/1", "link"])
def test_no_output_goes_to_what_the_shepherd_has_open(rig: Rig, path: str) -> None:
    """The jobs have the account of their agent here, which may open its log by any name."""
    (rig.work / "link").symlink_to("/dev/stderr")
    rig.start()
    path = str(rig.work / path)  # an absolute path is left as it is
    end = rig.run(1, "echo written", stdout=path)
    assert (end.cause, end.fault) == (Cause.LAUNCH, "job")
    assert end.message == (
        f"output file {path}: it leads through /proc to what a process has open, not to a file by "
        "name"
    )
    assert "written" not in (rig.root / "agent" / "shepherd.log").read_text()


def test_usage_is_that_of_the_whole_tree(rig: Rig) -> None:
    rig.start()
    burn = "import time\nx = b'x' * (64 << 20)\nwhile time.process_time() < 0.2: pass"
    end = rig.run(1, f'python3 -c "{burn}" &\nwait')
    assert end.cpu_s is not None
    assert end.cpu_s >= 0.2
    assert end.max_rss_mib is not None
    assert end.max_rss_mib >= 64


def test_a_job_sees_its_environment_and_nothing_else(rig: Rig) -> None:
    rig.start()
    rig.run(
        1,
        'env; echo "args: $@"; pwd; umask; ls -l /proc/$$/fd; echo to stderr >&2',
        env={"RMS_JOB_ID": "1", "COLOUR": "grün"},
        args=["a b", "c"],
        stderr=str(rig.work / "1.err"),
    )
    lines = rig.output(1).splitlines()
    env = dict(line.split("=", 1) for line in lines[: lines.index("args: a b c")])
    assert env["COLOUR"] == "grün"
    assert int(env["RMS_JOB_END_TIME"]) - int(env["RMS_JOB_START_TIME"]) in (60, 61)
    assert env["RMSD_SERVER"] == f"unix:{rig.peer.socket_path}"
    assert env["RMS_UNIT"] == str(rig.jobs_dir / "1.1.n1/batch")
    known = {"RMS_JOB_ID", "RMS_UNIT", "RMS_JOB_START_TIME", "RMS_JOB_END_TIME"}
    known |= {"COLOUR", "PATH", "HOME"}
    assert env.keys() - known <= {"RMSD_SERVER", "PWD", "SHLVL", "_", "OLDPWD"}
    assert str(rig.work) in lines
    descriptors = [line.split(" -> ")[1] for line in lines if " -> " in line]
    assert {"/dev/null", str(rig.work / "1.out"), str(rig.work / "1.err")} <= set(descriptors)
    assert not [path for path in descriptors if "socket" in path or "pipe" in path]
    assert (rig.work / "1.err").read_text() == "to stderr\n"


def test_the_end_of_a_trial_is_told_in_real_time(rig: Rig) -> None:
    rig.peer.rate, rig.peer.model_us = 60.0, 10**15  # seconds as minutes, in another age
    rig.start()
    sent_s = time.time()
    trial_end_us = int(rig.peer.model_now_us()) + 3600 * 10**6
    rig.run(
        1,
        "echo $RMS_TRIAL $RMS_TRIAL_END $RMS_JOB_START_TIME",
        trial_end_us=trial_end_us,
        env={"RMS_TRIAL": "1", "RMS_TRIAL_END": str(trial_end_us // 10**6)},
    )
    trial, end_s, start_s = map(int, rig.output(1).split())
    assert trial == 1
    assert int(sent_s) + 59 <= end_s <= start_s + 60
    rig.run(2, "echo ${RMS_TRIAL_END-none}")
    assert rig.output(2) == "none\n"


def test_signals_are_clean_in_the_job(rig: Rig) -> None:
    rig.start()
    rig.run(1, "grep -E 'Sig(Blk|Ign)' /proc/self/status")
    blocked, ignored = (int(line.split()[1], 16) for line in rig.output(1).splitlines())
    assert blocked == 0
    assert ignored & 0x7FFFFFFF == 0  # 32 and 33 are the C library's own


@pytest.mark.parametrize(
    ("changes", "expected", "fault"),
    [
        ({"workdir": "/nowhere/at/all"}, "working directory /nowhere/at/all: No such", "unknown"),
        ({"stdout": "/nowhere/at/all/out"}, "output file /nowhere/at/all/out: No such", "unknown"),
        ({"stdout": "/"}, "output file /: Is a directory", "job"),
        ({"script": "echo no interpreter line"}, "script: Exec format error", "job"),
        ({"script": "#!/nowhere/sh\n"}, "its interpreter '#!/nowhere/sh' was not found", "unknown"),
        ({"env": {"A=B": "c"}}, "illegal environment variable name", "job"),
        ({"args": ["\0"]}, "embedded null", "job"),
    ],
)
def test_what_cannot_be_started_says_why(
    rig: Rig, changes: dict, expected: str, fault: str
) -> None:
    rig.start()
    end = rig.run(1, "true", **changes)
    assert (end.cause, end.fault) == (Cause.LAUNCH, fault)
    assert expected in end.message
    assert end.exit_code is None
    assert rig.run(2, "true").exit_code == 0  # the shepherd works on
    assert not rig.peer.all(LaunchedReport, 1)


def test_the_limit_ends_a_job_that_then_exits_0(rig: Rig) -> None:
    rig.start()
    script = "trap 'sleep 0.1; echo saved; exit 0' TERM\necho up\nwhile :; do sleep 0.05; done"
    job_id = rig.in_time(
        lambda job_id, time_limit_s: rig.launch(job_id, script, time_limit_s=time_limit_s),
        rig.has_said("up"),
    )
    end = rig.peer.wait(ExitedReport, job_id)
    assert (end.cause, end.exit_code) == (Cause.LIMIT, 0)
    assert rig.output(job_id).endswith("saved\n")  # the handler's own `sleep` got no signal


def test_a_job_that_ignores_the_signal_is_killed_after_the_grace(rig: Rig) -> None:
    rig.start()
    loop = "while :; do sleep 0.05; done"
    job_id = rig.in_time(
        lambda job_id, time_limit_s: rig.launch(
            job_id,
            f"trap '' TERM\nsh -c '{loop}' & echo up; {loop}",
            time_limit_s=time_limit_s,
            kill_grace_s=0.2,
        ),
        rig.has_said("up"),
    )
    end = rig.peer.wait(ExitedReport, job_id)
    assert (end.cause, end.signal) == (Cause.LIMIT, signal.SIGKILL)


def test_a_stop_takes_escapees_too(rig: Rig) -> None:
    """The escapees have sessions of their own, are double-forked, have an empty environment, or are
    stopped."""
    rig.start()
    marks = [rig.marker() for _ in range(4)]
    rig.launch(
        1,
        f"""
        setsid sleep {marks[0]} &
        (setsid sh -c 'setsid sleep {marks[1]} & exit' &)
        env -i sh -c '(setsid env -i sleep {marks[2]} &)'
        sleep {marks[3]} &
        until grep -q sleep /proc/$!/comm; do :; done; kill -STOP $!
        wait
        """,
    )
    wait_until(lambda: all(sleeping(mark) for mark in marks), "all are up")
    rig.stop(1)
    end = rig.peer.wait(ExitedReport, 1)
    assert end.cause is Cause.USER
    assert not [mark for mark in marks if sleeping(mark)]


def test_what_a_script_leaves_behind_is_killed(rig: Rig) -> None:
    rig.start()
    mark = rig.marker()
    end = rig.run(1, f"(trap '' TERM; setsid sleep {mark} &)\nexit 3")
    assert (end.cause, end.exit_code) == (Cause.EXIT, 3)
    assert not sleeping(mark)


def test_a_tree_that_forks_all_the_time_loses(rig: Rig) -> None:
    rig.start()
    mark = rig.marker()
    swarm = fork_bomb(mark, breeders=4, pause="sleep 0.002")
    rig.launch(1, f"trap '' TERM; {swarm}", kill_grace_s=0.1)
    wait_until(lambda: len(sleeping(mark)) > 20, "a swarm")
    rig.stop(1)
    end = rig.peer.wait(ExitedReport, 1)
    assert end.cause is Cause.USER
    assert not sleeping(mark)


def test_the_first_cause_counts_and_repeats_are_no_news(rig: Rig) -> None:
    rig.start()
    launch = rig.launch(1, "sleep 60", time_limit_s=None)
    rig.peer.wait(LaunchedReport, 1)
    rig.peer.send(launch)
    rig.peer.wait(LaunchedReport, 1, count=2)
    stops = [StopAttempt(1, 1, "n1", cause) for cause in (Cause.USER, Cause.NODE)]
    rig.peer.send(*stops)  # in one frame: between two, the job might end and be forgotten
    end = rig.peer.wait(ExitedReport, 1)
    assert (end.cause, end.signal) == (Cause.USER, signal.SIGTERM)
    rig.stop(1, "node")  # forgotten by now: confirmed as it is
    assert rig.peer.wait(ExitedReport, 1, count=2).cause is Cause.NODE
    assert "RMS_JOB_END_TIME" not in rig.output(1)


def test_a_stop_of_what_was_never_heard_of_is_confirmed(rig: Rig) -> None:
    rig.start()
    rig.stop(77, "node")
    assert rig.peer.wait(ExitedReport, 77).cause is Cause.NODE


def test_more_jobs_than_shepherds(rig: Rig) -> None:
    rig.start()
    for job_id in range(1, 31):
        rig.launch(job_id, f"echo {job_id}; exit {job_id}")
    ends = {rig.peer.wait(ExitedReport, job_id).exit_code for job_id in range(1, 31)}
    assert ends == set(range(1, 31))
    assert [rig.output(job_id) for job_id in (1, 30)] == ["1\n", "30\n"]
