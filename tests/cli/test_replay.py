"""`rmsd replay`: jobs through a real daemon and its agent, held against the simulation.

Long: daemons are started, and all jobs of a replay waited for.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from rmsd_client.api import Client
from rmsd_core.model_time import SECOND_US
from rmsd_lab.schedule import Scheduled
from rmsd_lab_cli.replay.fidelity import fidelity
from tests.cli.replayed import SWF
from tests.cli.simulated import rows
from tests.command_lines import words_of
from tests.commands import rmsd
from tests.live import Daemon
from tests.waiting import DEADLINE_S, wait_until

pytestmark = pytest.mark.long


@pytest.fixture
def swf_text() -> str:
    return SWF


ENDLESS = ("900 2 ", "900000 2 ")
"""The replacement by which job 5, the last one to start, goes on until the test ends it."""

TRIALS = "; MaxProcs: 4\n" + "".join(
    f"{number} {submit} -1 {run} {size} -1 -1 {size} {estimate} -1 1 1 -1 -1 -1 -1 -1 -1\n"
    for number, submit, run, size, estimate in [
        (1, 0, 5000, 2, 5500),
        (2, 2500, 900, 4, 1000),
        (3, 2501, 6000, 2, 9000),
    ]
)
"""Job 3 runs on trial beside job 1, and is killed for job 2. What it is decided by lies seconds of
the replay apart."""


@pytest.fixture
def trials(tmp_path: Path) -> Path:
    path = tmp_path / "trials.swf"
    path.write_text(TRIALS)
    return path


@pytest.mark.live
@pytest.mark.parametrize("execute", ["timer", pytest.param("process", marks=pytest.mark.long)])
def test_a_replay_gives_the_simulated_schedule_but_for_latency(
    swf: Path, tmp_path: Path, execute: str
) -> None:
    """The order of decisions is that of simulation: nothing about it depends on seconds. The
    schedule of an hour and a half takes 11 s at this rate."""
    for late in (
        ("1000 4 -1 -1 4 2000", "4000 4 -1 -1 4 4500"),
        ("0 1 -1 -1 1 60", "0 4 -1 -1 4 60"),
    ):
        swf.write_text(swf.read_text().replace(*late))
    out, reference = tmp_path / "live.csv", tmp_path / "simulated.csv"
    common = ["--recipe", "easy", "--json", "--schedule"]
    arguments = ["--rate", "500", "--exec", execute, *common]
    report = json.loads(rmsd("replay", swf, *arguments, out).stdout)
    simulated = json.loads(rmsd("simulate", swf, *common, reference).stdout)
    assert report["schema"] == "rmsd.run/1"
    assert report["jobs"] == simulated["jobs"]
    assert (report["rate"], report["exec"]) == (500, execute)
    assert set(simulated) < set(report)
    live, expected = (
        [list(map(float, row)) for row in rows(path)[1:]] for path in (out, reference)
    )
    order = [sorted(range(6), key=lambda at: schedule[at][2]) for schedule in (live, expected)]
    assert order[0] == order[1]
    for ours, theirs in zip(live, expected, strict=True):
        assert ours[0] == theirs[0]
        assert ours[1] >= theirs[1]
        run_s, simulated_run_s = ours[3] - ours[2], theirs[3] - theirs[2]
        if execute == "timer":
            assert run_s == pytest.approx(simulated_run_s, abs=0.001)
        else:
            assert run_s >= simulated_run_s - 1


@pytest.mark.live
def test_jobs_are_cut_at_their_estimate_only_when_asked(swf: Path, tmp_path: Path) -> None:
    out = tmp_path / "live.csv"
    arguments = ["replay", swf, "--rate", "2000", "--schedule", out]
    rmsd(*arguments)
    fifth = list(map(float, rows(out)[5]))
    assert fifth[3] - fifth[2] == pytest.approx(900, abs=0.001)
    rmsd(*arguments, "--kill-at-estimate")
    fifth = list(map(float, rows(out)[5]))
    assert fifth[3] - fifth[2] == pytest.approx(450, abs=0.001)


@pytest.mark.live
@pytest.mark.parametrize("execute", ["timer", "process"])
def test_several_recipes_stand_side_by_side_each_with_its_manifest(
    trials: Path, execute: str
) -> None:
    """Two replays of three hours take 12 s each at this rate."""
    arguments = ["replay", trials, "--rate", "1000", "--exec", execute]
    arguments += ["--recipe", "easy", "--recipe", "timed-easy"]
    easy, timed = json.loads(rmsd(*arguments, "--json").stdout)
    assert (easy["recipe"], timed["recipe"]) == ("easy", "timed-easy")
    simulated = json.loads(rmsd("simulate", trials, "--recipe", "timed-easy", "--json").stdout)
    restarted = simulated["trials"]["restarted_share"]
    assert timed["trials"]["restarted_share"] == restarted > 0
    lost_s = simulated["trials"]["lost_processor_s"]
    # Thousands of seconds of the jobs' time, of which one that a machine is late takes a thousand.
    assert lost_s / 10 < timed["trials"]["lost_processor_s"] < 10 * lost_s
    for report in (easy, timed):
        assert set(report["fidelity"]) == set(easy["fidelity"])
        assert report["daemon"]["commits"] >= report["jobs"]["simulated"]
        assert report["daemon"]["commit_ms"]["p50"] > 0
        manifest = report["manifest"]
        assert (manifest["rate"], manifest["exec"]) == (1000, execute)
        assert manifest["begun"] <= manifest["ended"]
    assert easy["manifest"]["ended"] <= timed["manifest"]["begun"]
    codes = {report["manifest"]["code"] for report in (easy, timed, simulated)}
    assert [len(code) for code in codes] == [16]
    assert timed["manifest"]["recipe"] == simulated["manifest"]["recipe"]
    assert simulated["manifest"]["recipe"].startswith("easy,trial=90,")
    assert simulated["manifest"]["trace"] == {
        "file": trials.name,
        "bytes": trials.stat().st_size,
        "sha256": hashlib.sha256(trials.read_bytes()).hexdigest(),
    }


@pytest.mark.live
def test_the_text_has_a_column_for_every_replay_and_simulation(swf: Path) -> None:
    arguments = ["replay", swf, "--rate", "5000", "--metrics", "waits"]
    text = rmsd(*arguments, "--recipe", "easy", "--recipe", "fcfs").stdout
    heading = next(line for line in text.splitlines() if "simulation" in line)
    assert heading.split() == [
        "easy",
        "replay",
        "easy",
        "simulation",
        "fcfs",
        "replay",
        "fcfs",
        "simulation",
    ]
    assert "metrics of the replay, fcfs" in text
    assert f"sha256 {hashlib.sha256(swf.read_bytes()).hexdigest()[:12]}" in text
    assert text.count("start error, median") == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--rate", "0"], 2, "0.001 to 1000000"),
        (["--rate", "-5"], 2, "0.001 to 1000000"),
        (["--rate", "1e12"], 2, "0.001 to 1000000"),
        (["--rate", "nan"], 2, "0.001 to 1000000"),
        (["--rate", "inf"], 2, "0.001 to 1000000"),
        (["--rate", "fast"], 2, "not a number"),
        (["--recipe", "easy", "--recipe", "easy"], 2, "given twice"),
        (["--recipe", "easy", "--recipe", "fcfs", "--schedule", "x.csv"], 2, "one --recipe"),
        (["--recipe", "easy", "--recipe", "fcfs", "--server", "unix:/x"], 2, "has one recipe"),
        (["--recipe", "magic"], 2, "no recipe 'magic'"),
        (["--server", "unix:/nonexistent/rmsd.sock"], 75, "/nonexistent/rmsd.sock"),
        (["--server", "gopher:x"], 2, "gopher"),
        (["--wait-for-server", "5"], 2, "give --server"),
        (["--server", "unix:/x", "--wait-for-server", "nan"], 2, "0 to 1e+06 seconds"),
        (["--closed-loop"], 1, "no job names a preceding one"),
        (["--closed-loop", "--load", "0.9"], 2, "give one"),
        (["--procs", "99999999999"], 2, "up to 999,999 processors"),
        (["--token-file", "/nonexistent"], 2, "give --server"),
        (["--schedule", "/nonexistent/out.csv"], 1, "cannot write /nonexistent/out.csv: No such"),
        (["--procs", "3", "--strict"], 1, "2 of 6 jobs are larger than the machine of 3"),
    ],
)
def test_wrong_options_are_explained(swf: Path, arguments: list[str], code: int, said: str) -> None:
    done = rmsd("replay", swf, *arguments, expect=code)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_job_longer_than_daemons_know_is_named_before_any_is_submitted(swf: Path) -> None:
    swf.write_text(SWF.replace("900 2 -1 -1 2 450", "900 2 -1 -1 2 4294967296"))
    done = rmsd("replay", swf, expect=2)
    assert "job 5 runs or asks for more than 2,251,799,813 s" in done.stderr


@pytest.mark.live
def test_all_emulated_nodes_must_take_jobs(swf: Path, emulating: Daemon) -> None:
    emulating.client.drain("e1", "its fans are broken")
    done = rmsd("replay", swf, "--server", f"unix:{emulating.state}/rmsd.sock", expect=1)
    assert "node e1 is drained: a replay needs all emulated nodes" in done.stderr
    assert emulating.client.jobs(states="all") == []


CLOSED = "; MaxProcs: 4\n" + "".join(
    f"{number} {submit} -1 {run} {size} -1 -1 {size} {run} -1 1 1 -1 -1 -1 -1 {before} {think}\n"
    for number, submit, run, size, before, think in [
        (1, 0, 600, 4, -1, -1),
        (2, 10, 900, 4, -1, -1),
        (3, 20, 300, 2, 1, 120),
        (4, 30, 300, 2, 2, 240),
        (5, 40, 60, 1, 3, -1),
    ]
)
"""3 comes at 720 and waits for 2 until 1500, 4 comes at 1740, and 5 when 3 ends, at 1800."""


@pytest.mark.live
def test_in_a_closed_loop_users_wait_for_what_they_follow(tmp_path: Path) -> None:
    """The jobs take 4 s at this rate, beside the start of a daemon."""
    trace, out = tmp_path / "closed.swf", tmp_path / "live.csv"
    trace.write_text(CLOSED)
    arguments = ["replay", trace, "--closed-loop", "--rate", "500", "--json", "--schedule", out]
    report = json.loads(rmsd(*arguments).stdout)
    assert report["closed_loop"] == {"following": 3}
    live = [list(map(float, row)) for row in rows(out)[1:]]
    ends = {job[0]: job[3] for job in live}
    submits = {job[0]: job[1] for job in live}
    assert [job[0] for job in live] == [1, 2, 3, 4, 5]
    for number, before, think_s in [(3, 1, 120), (4, 2, 240), (5, 3, 0)]:
        assert submits[number] >= ends[before] + think_s
    simulated = tmp_path / "simulated.csv"
    rmsd("simulate", trace, "--closed-loop", "--schedule", simulated)
    expected = [list(map(int, row)) for row in rows(simulated)[1:]]
    assert expected == [
        [1, 0, 0, 600],
        [2, 10, 600, 1500],
        [3, 720, 1500, 1800],
        [4, 1740, 1740, 2040],
        [5, 1800, 1800, 1860],
    ]


def _begin(*arguments: str | Path) -> subprocess.Popen[str]:
    """Return a replay that goes on while the test does something to its daemon."""
    command = [sys.executable, "-m", "rmsd_cli.main", "replay", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _over(daemon: Daemon) -> int:
    return len(daemon.client.jobs(states="CD"))


@pytest.fixture
def emulating(start_daemon: Callable[..., Daemon]) -> Daemon:
    """Return a daemon on whose clock the trace takes 10 s."""
    options = ["--no-local-node", "--emulate", "1x4", "--capacity", "counted"]
    return start_daemon(*options, "--rate", "300", "--recipe", "easy")


@pytest.mark.live
@pytest.mark.parametrize("when", ["while jobs are submitted", "while jobs are waited for"])
def test_a_daemon_that_comes_back_goes_on_with_the_replay(
    swf: Path, emulating: Daemon, when: str
) -> None:
    """The trace takes 10 s, and the daemon starts twice."""
    server = f"unix:{emulating.state}/rmsd.sock"
    replay = _begin(swf, "--server", server, "--wait-for-server", str(DEADLINE_S), "--json")
    with replay:
        jobs = 2 if when == "while jobs are submitted" else 6
        wait_until(lambda: len(emulating.client.jobs(states="all")) >= jobs)
        emulating.kill()
        emulating.start()
        out, err = replay.communicate(timeout=DEADLINE_S)
    assert replay.returncode == 0, err
    report = json.loads(out)
    assert (report["partial"], report["restarts"]) == (False, 1)
    assert report["jobs"]["counted"] == 6
    assert len(emulating.client.jobs(states="all")) == 6


@pytest.mark.live
def test_a_job_that_somebody_cancels_while_it_waits_is_told(swf: Path, emulating: Daemon) -> None:
    """The trace takes up to 10 s."""
    server = f"unix:{emulating.state}/rmsd.sock"
    with _begin(swf, "--server", server) as replay:
        waiting = wait_until(lambda: emulating.client.jobs(states="PD"))[0]["job_id"]
        emulating.client.cancel(waiting)
        _, err = replay.communicate(timeout=DEADLINE_S)
    assert replay.returncode == 1
    assert f"1 of 6 jobs did not end as they should; the first is job {waiting}: CANCELLED" in err


@pytest.mark.live
@pytest.mark.parametrize("form", ["json", pytest.param("text", marks=pytest.mark.long)])
def test_a_daemon_that_stays_away_leaves_a_partial_result(
    swf: Path, emulating: Daemon, form: str
) -> None:
    """All but the last job are over after 7 s."""
    swf.write_text(SWF.replace(*ENDLESS))
    server = f"unix:{emulating.state}/rmsd.sock"
    options = ["--json"] if form == "json" else []
    with _begin(swf, "--server", server, "--wait-for-server", "0", *options) as replay:
        wait_until(lambda: _over(emulating) >= 5)  # the replay knows of the first by then
        emulating.kill()
        out, err = replay.communicate(timeout=DEADLINE_S)
    assert replay.returncode == 1, err
    if form == "text":
        assert "PARTIAL, easy: " in out
        assert " of 6 jobs are known to be over" in out
        assert "... of a commit" in out
        return
    report = json.loads(out)
    assert report["partial"] is True
    assert 1 <= report["known"] == report["jobs"]["counted"] < 6
    assert str(emulating.state) in report["partial_because"]


@pytest.mark.live
def test_a_daemon_that_stays_away_before_any_job_is_over_leaves_no_result(
    swf: Path, emulating: Daemon
) -> None:
    swf.write_text(SWF.replace("1000 4 ", "900000 4 "))
    server = f"unix:{emulating.state}/rmsd.sock"
    with _begin(swf, "--server", server, "--wait-for-server", "0", "--json") as replay:
        wait_until(lambda: emulating.client.jobs(states="all"))
        emulating.kill()
        out, err = replay.communicate(timeout=DEADLINE_S)
    assert (replay.returncode, out) == (75, "")
    assert "rmsd.sock" in err
    assert "Traceback" not in err


@pytest.mark.live
def test_a_private_daemon_that_is_killed_leaves_a_partial_result_and_no_process(
    swf: Path,
) -> None:
    """Three jobs are over after 5 s."""
    swf.write_text(SWF.replace(*ENDLESS))
    with _begin(swf, "--rate", "300", "--json") as replay:
        daemon, state_dir = private_daemon(replay)
        server = f"unix:{state_dir}/rmsd.sock"
        wait_until((state_dir / "rmsd.sock").exists)
        with Client(server, retry_for_s=DEADLINE_S) as client:
            wait_until(lambda: len(client.jobs(states="CD")) >= 3)
        [agent] = daemon.children()
        daemon.kill()
        out, err = replay.communicate(timeout=DEADLINE_S)
    assert replay.returncode == 1, err
    assert json.loads(out)["partial"] is True
    wait_until(lambda: not lives(agent))


def private_daemon(replay: subprocess.Popen[str]) -> tuple[psutil.Process, Path]:
    """Return the daemon that a replay has started, and its state directory."""
    [daemon] = wait_until(psutil.Process(replay.pid).children)

    def words() -> list[str] | None:
        """Return the command line of the child once it has become the daemon; until then it has its
        parent's."""
        words = words_of(daemon)
        return words if "--state-dir" in words else None

    words_of_daemon = wait_until(words, "the replay starts its daemon")
    return daemon, Path(words_of_daemon[words_of_daemon.index("--state-dir") + 1])


def lives(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.status() != psutil.STATUS_ZOMBIE
    return False


def is_deaf(pid: int) -> bool:
    """Return whether the process ignores SIGINT and SIGTERM."""
    status = Path(f"/proc/{pid}/status").read_text()
    ignored = int(status.partition("SigIgn:")[2].split()[0], 16)
    return all(ignored >> number - 1 & 1 for number in (signal.SIGINT, signal.SIGTERM))


@pytest.mark.live
@pytest.mark.parametrize(
    ("numbers", "code"),
    [
        pytest.param([signal.SIGTERM], 143, marks=pytest.mark.long),
        ([signal.SIGINT] * 3, 130),
        pytest.param([signal.SIGTERM, signal.SIGINT], 143, marks=pytest.mark.long),
    ],
)
def test_a_replay_that_is_ended_leaves_nothing_behind(
    swf: Path, numbers: list[int], code: int
) -> None:
    """This holds however often the replay is told to end."""
    with _begin(swf, "--rate", "10", "--exec", "process") as replay:
        daemon, state_dir = private_daemon(replay)
        server = f"unix:{state_dir}/rmsd.sock"
        wait_until((state_dir / "rmsd.sock").exists)
        with Client(server, retry_for_s=DEADLINE_S) as client:
            wait_until(lambda: client.jobs(states="R"))
        family = [daemon, *daemon.children(recursive=True)]
        for number in numbers:
            replay.send_signal(number)
            # Wait for each signal: of two pending signals the lower number would come first.
            wait_until(lambda: replay.poll() is not None or is_deaf(replay.pid))
            time.sleep(0.2)
        replay.communicate(timeout=DEADLINE_S)
    assert replay.returncode == code
    wait_until(lambda: not any(map(lives, family)))
    assert not state_dir.exists()


@pytest.mark.live
def test_nohup_keeps_a_replay_from_ending_with_its_terminal(swf: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        replay = _begin(swf, "--rate", "1000", "--json")
    finally:
        signal.signal(signal.SIGHUP, before)
    with replay:
        private_daemon(replay)
        replay.send_signal(signal.SIGHUP)
        out, err = replay.communicate(timeout=DEADLINE_S)
    assert replay.returncode == 0, err
    assert json.loads(out)["partial"] is False


def test_fidelity_by_hand() -> None:
    def job(submit: int, start: int, run: int) -> Scheduled:
        end_us = (start + run) * SECOND_US
        return Scheduled(0, submit * SECOND_US, start * SECOND_US, end_us, run * SECOND_US, 1)

    simulated = [job(0, 0, 100), job(0, 100, 100)]
    live = [job(0, 1, 100), job(1, 105, 100)]
    figures = fidelity(live, simulated, [0, SECOND_US], 1, rate=500)
    assert figures["wait_mean_deviation"] == pytest.approx(((1 + 104) / 2 - 50) / 50)
    assert figures["start_error_s"] == {"p50": 1.0, "p99": 5.0}
    assert figures["clock_lag_s"] == {"max": 1.0}
    assert figures["latency_ms"] == {
        "submit": {"p50": 0.0, "p90": 2.0, "p99": 2.0},
        "start": {"p50": 2.0, "p90": 8.0, "p99": 8.0},  # 1 s after its submit, 4 s after an end
    }
    at_once = [job(0, 0, 100)]
    assert fidelity(at_once, at_once, [0], 1, 500)["wait_mean_deviation"] is None
