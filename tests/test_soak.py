"""Real processes under real faults (`tests.soak`), in short, and that its judge can find."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.soak import damage
from tests.soak.history import Answer, Asked, Fault, Finding, History, Line
from tests.soak.judge import JUDGEMENTS, excused, judge
from tests.soak.processes import JobProcess, job_processes
from tests.soak.watch import overallocated
from tests.waiting import wait_until


def soak(*arguments: str) -> tuple[int, dict[str, Any], str]:
    """Return the exit code, what is recorded of the scenario, and all that was printed."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.soak", *arguments],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("{"), done.stdout + done.stderr
    [result] = json.loads(done.stdout).values()
    return done.returncode, result, done.stdout + done.stderr


@pytest.mark.live
@pytest.mark.long  # each has real processes killed and waited for
@pytest.mark.timeout(900)  # waits for long, and must end by itself to leave no process behind
@pytest.mark.parametrize(("scenario", "faults"), [("kills", 12), ("stops", 1), ("full-disk", 1)])
def test_what_is_promised_holds(scenario: str, faults: int) -> None:
    """Between two faults are up to three seconds, and in the end all jobs are waited for."""
    code, result, printed = soak(f"{scenario}={faults}")
    if "skipped" in result:
        pytest.skip(result["skipped"])
    assert (code, result["found"]) == (0, []), printed
    assert sum(result["faults"].values()) >= faults
    assert result["submits"]["acknowledged"] > 0
    assert result["verified"]["decisions"] > 0


# ---------------------------------------------------------------- what the judge finds


def job(tag: str = "j", **changes: Any) -> dict[str, Any]:
    """Return a `JobView` as far as the judge looks at it: a job that ran to its end on e1."""
    usual = {
        "job_id": 7, "name": tag, "state": "COMPLETED", "reason": "None", "attempt": 1,
        "cause": "exit", "exit_code": 0, "start_us": 100_000_000, "end_us": 101_000_000,
        "nodelist": "e1", "message": "", "time_limit_s": 120.0,
    }  # fmt: skip
    return usual | changes


def attempt(number: int, cause: str | None) -> dict[str, Any]:
    return {"attempt": number, "cause": cause, "start_us": 100_000_000}


def sound() -> History:
    """Return a job that was acknowledged, ran, and is over."""
    return History(
        asked=[Asked("j", "short", answer=Answer.TAKEN, job_id=7)],
        jobs=[job()],
        lines={"j": [Line("begin", 1, "100.0"), Line("end", 1, "0")]},
        agents={"e1": "agent"},
    )


def lost(history: History) -> None:
    history.jobs.clear()


def another_number(history: History) -> None:
    history.jobs[0]["job_id"] = 8


def there_twice(history: History) -> None:
    history.jobs.append(job(job_id=8))


def refused_and_there(history: History) -> None:
    history.asked[0].answer, history.asked[0].job_id = Answer.REFUSED, None


def number_twice(history: History) -> None:
    history.asked.append(Asked("k", "short", answer=Answer.TAKEN, job_id=7))


def began_twice(history: History) -> None:
    history.lines["j"].insert(0, Line("begin", 1, "99.0"))


def began_again_unrecorded(history: History) -> None:
    history.lines["j"].append(Line("begin", 2, "102.0"))


def began_again_without_a_rule(history: History) -> None:
    history.jobs[0]["attempt"] = 2
    history.attempts[7] = [attempt(1, "unknown"), attempt(2, "exit")]
    history.lines["j"] += [Line("begin", 2, "102.0"), Line("end", 2, "0")]


def overlapped(history: History) -> None:
    history.jobs[0]["attempt"] = 2
    history.attempts[7] = [attempt(1, "trial"), attempt(2, "exit")]
    history.lines["j"] = [
        Line("begin", 1, "100.0"), Line("overlap", 2, "-"), Line("begin", 2, "102.0"),
        Line("end", 2, "0"),
    ]  # fmt: skip


def a_task_twice(history: History) -> None:
    history.lines["j"] += [Line("task", 1, "0"), Line("task", 1, "0")]


def not_over(history: History) -> None:
    history.jobs[0] |= {"state": "RUNNING", "cause": None, "exit_code": None}


def another_code(history: History) -> None:
    history.jobs[0]["exit_code"] = 3


def an_end_without_a_begin(history: History) -> None:
    history.lines.clear()


def a_limit_not_reached(history: History) -> None:
    history.jobs[0] |= {"state": "TIMEOUT", "cause": "limit", "exit_code": None}


def cancelled_by_nobody(history: History) -> None:
    history.jobs[0] |= {"state": "CANCELLED", "cause": "user", "exit_code": None}


def ran_on_though_cancelled(history: History) -> None:
    history.asked[0].cancel_asked = history.asked[0].cancel_answered = True


def unknown_for_no_reason(history: History) -> None:
    history.jobs[0] |= {"state": "FAILED", "cause": "unknown", "exit_code": None}
    history.faults.append(Fault(100.5, "kill", "shepherd", "another"))


def seen_alive(history: History) -> None:
    history.seen.append(Finding("orphans", "process 1 is alive"))


def seen_crowded(history: History) -> None:
    history.seen.append(Finding("overallocated", "3 of 2 cores", ("j",)))


def decided_otherwise(history: History) -> None:
    history.seen.append(Finding("unverified", "batch 3"))


def not_told(history: History) -> None:
    history.seen.append(Finding("silent", "job 7 is gone"))


BROKEN: list[tuple[Callable[[History], None], str]] = [
    (lost, "lost"),
    (another_number, "lost"),
    (there_twice, "stored_unasked"),
    (refused_and_there, "stored_unasked"),
    (number_twice, "numbers_twice"),
    (began_twice, "ran_twice"),
    (began_again_unrecorded, "ran_twice"),
    (began_again_without_a_rule, "ran_twice"),
    (overlapped, "ran_twice"),
    (a_task_twice, "ran_twice"),
    (not_over, "unended"),
    (another_code, "untrue"),
    (an_end_without_a_begin, "untrue"),
    (a_limit_not_reached, "untrue"),
    (cancelled_by_nobody, "untrue"),
    (ran_on_though_cancelled, "untrue"),
    (unknown_for_no_reason, "untrue"),
    (seen_alive, "orphans"),
    (seen_crowded, "overallocated"),
    (decided_otherwise, "unverified"),
    (not_told, "silent"),
]


@pytest.mark.parametrize(("break_promise", "name"), BROKEN, ids=[one.__name__ for one, _ in BROKEN])
def test_a_broken_promise_is_found(break_promise: Callable[[History], None], name: str) -> None:
    history = sound()
    break_promise(history)
    assert name in {one.judgement for one in judge(history)}


def test_every_judgement_can_fail() -> None:
    assert {name for _, name in BROKEN} == set(JUDGEMENTS)


def test_what_is_allowed_is_not_found() -> None:
    trial = sound()
    overlapped(trial)
    trial.lines["j"].pop(1)
    shepherd_killed = sound()
    unknown_for_no_reason(shepherd_killed)
    shepherd_killed.faults.append(Fault(100.5, "kill", "shepherd", "agent"))
    limited = sound()
    a_limit_not_reached(limited)
    limited.jobs[0]["end_us"] = 220_000_000
    unanswered = sound()
    unanswered.asked.append(Asked("k", "short"))
    node_lost = sound()
    overlapped(node_lost)
    node_lost.attempts[7][0]["cause"] = "node"
    for history in (sound(), trial, limited, shepherd_killed, unanswered, node_lost):
        assert judge(history) == []


def test_a_loss_that_was_told_excuses_its_job_alone() -> None:
    history = sound()
    began_twice(history)
    history.excused.add("k")
    assert [excused(one, history) for one in judge(history)] == [False]
    history.excused.add("j")
    assert [excused(one, history) for one in judge(history)] == [True]
    number_twice(history)
    left = [one.judgement for one in judge(history) if not excused(one, history)]
    assert left == ["numbers_twice"]


# ---------------------------------------------------------------- what the watch sees


def test_cores_in_use_are_counted_by_attempt(tmp_path: Any) -> None:
    """Two processes of one job are its cores once, and those that are gone are none."""
    children = [start(tmp_path / f"jobs/{unit}", cores) for unit, cores in UNITS]
    try:
        # The kernel shows their environments a moment after they were executed.
        found = wait_until(lambda: len(seen := job_processes(tmp_path)) == 4 and seen)
        assert sorted((one.job_id, one.node, one.cores) for one in found) == [
            (1, "n1", 1), (1, "n1", 1), (2, "n1", 2), (3, "n2", 2),
        ]  # fmt: skip
        assert overallocated(found, {"n1": 3, "n2": 2}) == []
        [finding] = overallocated(found, {"n1": 2, "n2": 2})
        assert finding.text == "3 of 2 cores of n1 are used, by 1.1, 2.1"
        gone = JobProcess(os.getpid(), 1, "t", 9, 1, "n1", 5)  # a pid of another process by now
        assert overallocated([*found, gone], {"n1": 3, "n2": 2}) == []
    finally:
        for child in children:
            child.kill()
            child.wait()


UNITS = [("1.1.n1/batch", 1), ("1.1.n1/s.0", 1), ("2.1.n1/batch", 2), ("3.1.n2/batch", 2)]


def start(unit: Any, cores: int) -> subprocess.Popen[bytes]:
    env = {"RMS_UNIT": str(unit), "SOAK_TAG": "t", "RMS_CPUS_ON_NODE": str(cores)}
    return subprocess.Popen(["/bin/sleep", "60"], env=env)


def test_a_daemon_has_told_of_all_damage_when_its_check_of_the_pages_has_ended(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    before = '{"event": "database-checked", "result": "sound"}\n{"event": "table-damaged"}\n'
    log.write_text(before)

    def add(line: str) -> tuple[bool, bool]:
        with log.open("a") as file:
            file.write(line)
        return damage.told(log, len(before)), damage.told_all(log, len(before))

    assert add('{"event": "starting"}\n') == (False, False)
    assert add('{"event": "database-checked", "result": "damaged"}\n') == (False, False)
    assert add('{"event": "table-dam') == (False, False)
    assert add('aged", "table": "attempt"}\n') == (True, True)
    log.write_text(before)
    assert add('{"event": "database-checked", "result": "sound"}\n') == (False, True)
