"""The views of rstat and rnode."""

from __future__ import annotations

from typing import Any

import pytest

from rmsd_client.console.cli import plural, printable
from rmsd_client.console.terminal import Column, format_table, wants_colour
from rmsd_client.errors import UsageError
from rmsd_client.rlog import last_lines
from rmsd_client.rnode import group_equal
from rmsd_client.rsub import exit_code_of
from rmsd_client.show.job_fields import (
    FIELDS,
    check_states,
    expect_starts,
    format_line,
    parse_format,
)
from rmsd_client.show.job_text import attempt_text, describe
from rmsd_core.vocabulary import CODES, STATES, JobState
from tests.client.shown_jobs import T0, S, job, over, waiting
from tests.sources import ROOT

pytestmark = pytest.mark.usefixtures("utc")


@pytest.mark.parametrize(
    ("letters", "line"),
    [
        ("%i|%j|%u|%t|%T", "42|train|anna|R|RUNNING"),
        ("%M|%l|%L", "00:01:30|01:00:00|00:58:29"),
        ("%D|%C|%N|%R|%r|%m", "2|6|n[1-2]|n[1-2]|None|2G"),
        ("%V %S %e", "2023-11-14T22:13:20 2023-11-14T22:14:20 2023-11-14T23:14:20"),
        ("%.5i|%5i|%.2j|%.3M", "   42|42   |tr|00:"),
        ("100%% %k.", "100% ."),
        ("plain", "plain"),
    ],
)
def test_format_letters(letters: str, line: str) -> None:
    assert format_line(parse_format(letters), job()) == line


def test_format_letters_of_a_waiting_job() -> None:
    line = format_line(parse_format("%M|%L|%D|%N|%R|%S|%e"), waiting())
    assert line == "00:00:00|01:00:00|||(Resources)|N/A|N/A"


def test_format_letters_of_a_job_that_is_being_ended() -> None:
    line = format_line(parse_format("%l|%L|%e"), job(state="COMPLETING", state_code="CG"))
    assert line == "01:00:00|00:00:00|N/A"


def test_format_without_memory_or_limit() -> None:
    assert format_line(parse_format("%m"), job(mem_mib=0)) == "-"
    assert (
        format_line(parse_format("%l %L %e"), job(time_limit_s=None)) == "UNLIMITED UNLIMITED N/A"
    )


def test_format_header() -> None:
    assert format_line(parse_format("%.8i %t %j"), None) == "   JOBID ST NAME"


@pytest.mark.parametrize("text", ["%1000i", "%i %.99999999999j"])
def test_a_width_that_no_column_has_is_an_error(text: str) -> None:
    with pytest.raises(UsageError, match="a width has up to 3 digits"):
        parse_format(text)
    assert len(format_line(parse_format("%999i"), job())) == 999


@pytest.mark.parametrize("text", ["%z", "%", "%.10", "%i %A"])
def test_an_unknown_letter_is_an_error(text: str) -> None:
    with pytest.raises(UsageError, match="is not known; there is %i"):
        parse_format(text)


def test_every_field_shows_every_kind_of_job() -> None:
    for field in FIELDS.values():
        for some in (job(), over(), waiting()):
            assert isinstance(field.show(some), str)


def test_states() -> None:
    assert check_states("ALL") == check_states("r,all") == "all"
    assert check_states("pd,Running,OUT_OF_MEMORY") == "PD,R,OOM"
    assert check_states(",".join(CODES.values())) == ",".join(CODES.values())
    with pytest.raises(UsageError, match="'XX' is not a state; there is all, PD"):
        check_states("R,XX")


def test_the_guide_explains_each_state() -> None:
    guide = (ROOT / "docs/user-guide.md").read_text()
    assert STATES.keys() == set(JobState)
    for state, row in STATES.items():
        assert f"| {row.code} | {state} |" in guide


# ---------------------------------------------------------------- one job in full


@pytest.mark.parametrize(
    ("changes", "state", "status", "code"),
    [
        ({}, "COMPLETED: exited with 0", "0:0", 0),
        ({"state": "FAILED", "exit_code": 3}, "FAILED: exited with 3", "3:0", 3),
        ({"state": "FAILED", "exit_code": None, "signal": 11},
         "FAILED: ended by signal 11 (SIGSEGV)", "0:11", 139),
        ({"state": "TIMEOUT", "cause": "limit", "exit_code": None, "signal": 15,
          "time_limit_s": 60.0},
         "TIMEOUT: killed at its limit of 00:01:00", "0:15", 143),
        ({"state": "TIMEOUT", "cause": "limit", "time_limit_s": 60.0},
         "TIMEOUT: killed at its limit of 00:01:00", "0:0", 1),
        ({"state": "CANCELLED", "cause": None, "start_us": None, "exit_code": None, "attempt": 0},
         "CANCELLED: cancelled before it started", "N/A", 1),
        ({"state": "CANCELLED", "cause": "user", "start_us": None, "exit_code": None},
         "CANCELLED: cancelled while it waited to start again", "N/A", 1),
        ({"state": "CANCELLED", "cause": "user", "exit_code": None, "signal": 9},
         "CANCELLED: cancelled", "0:9", 137),
        ({"state": "CANCELLED", "cause": "user", "exit_code": None, "signal": 9,
          "cancelled_by": "ops"},
         "CANCELLED: cancelled by ops", "0:9", 137),
        ({"state": "CANCELLED", "cause": None, "start_us": None, "exit_code": None, "attempt": 0,
          "cancelled_by": "ops"},
         "CANCELLED: cancelled by ops before it started", "N/A", 1),
        ({"state": "CANCELLED", "cause": "dependency", "start_us": None, "exit_code": None,
          "message": "its dependencies can never be fulfilled"},
         "CANCELLED: its dependencies can never be fulfilled", "N/A", 1),
        ({"state": "FAILED", "cause": "launch", "exit_code": None, "message": "no /x"},
         "FAILED: it could not be started: no /x", "N/A", 1),
        ({"state": "FAILED", "cause": "unknown", "exit_code": None},
         "FAILED: it ended unobserved; its exit status cannot be known", "N/A", 1),
        ({"state": "NODE_FAIL", "cause": "node", "exit_code": None},
         "NODE_FAIL: its node was lost", "N/A", 1),
        ({"state": "NODE_FAIL", "cause": "node", "exit_code": None, "message": "no prolog on n2"},
         "NODE_FAIL: a node failed: no prolog on n2", "N/A", 1),
        ({"state": "OUT_OF_MEMORY", "cause": "memory", "exit_code": None, "signal": 9},
         "OUT_OF_MEMORY: killed for its memory", "0:9", 137),
    ],
)  # fmt: skip
def test_how_a_job_ended(changes: dict[str, Any], state: str, status: str, code: int) -> None:
    ended = over(**changes)
    described = dict(describe(ended))
    assert state_of(ended) == state
    assert described["Exit code"] == status
    assert exit_code_of(ended) == code


def state_of(about: dict[str, Any]) -> str:
    """Return the lines of the State of a job in full, as one."""
    lines = describe(about)
    first = [name for name, _ in lines].index("State")
    end = next(at for at, (name, _) in enumerate(lines) if at > first and name)
    assert all(len(value) <= 68 for _, value in lines[first:end])
    return " ".join(value for _, value in lines[first:end])


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"state": "COMPLETING", "stop_cause": "user"}, "COMPLETING: being ended: cancelled"),
        ({"state": "COMPLETING", "stop_cause": "trial"},
         "COMPLETING: being ended: its trial is over, and others need what it holds"),
        ({"state": "COMPLETING", "stop_cause": "node"},
         "COMPLETING: being ended: one of its nodes was lost"),
        ({"state": "COMPLETING", "stop_cause": None}, "COMPLETING: being ended"),
        ({"elapsed_s": 3600.0}, "RUNNING: its limit passed at 2023-11-14T23:14:20"),
    ],
)  # fmt: skip
def test_a_job_that_is_being_ended_has_no_time_left(changes: dict[str, Any], state: str) -> None:
    ending = job(**changes)
    assert state_of(ending) == state
    assert "left" not in dict(describe(ending))["Run time"]
    began = {"attempt": 2, "start_us": T0, "end_us": None, "nodelist": "n1"}
    goes_on = ", goes on" if ending["state"] == "RUNNING" else ", is being ended"
    assert attempt_text(began, ending).endswith(goes_on)
    assert attempt_text(began, job()).endswith(", goes on")


def asks_for(**changes: Any) -> dict[str, Any]:
    """Return the only component of a job's request, as the API shows it."""
    asked = {"units": 3, "cores": 2, "mem_mib": 2048, "spread": False, "feature": None,
             "partition": None, "require": [], "exclude": [], "exclusive": False,
             "all_mem": False, "gres": "", "gres_per_unit": "", "unit_mem": False}  # fmt: skip
    return {**asked, **changes}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"gres": "gpu:a100:2"}, "2G of memory a node, gpu:a100:2 a node"),
        ({"gres_per_unit": "gpu:1"}, "2G of memory a node, gpu:1 a task"),
        ({"unit_mem": True}, "2G of memory a task"),
        ({"all_mem": True}, "all memory of its nodes"),
        ({"exclusive": True, "all_mem": True}, "2G of memory a node, whole nodes"),
        ({"require": ["n1", "n2"], "exclude": ["n4"]},
         "2G of memory a node, on n[1-2], not on n4"),
    ],
)  # fmt: skip
def test_all_that_a_job_asks_for_is_shown(changes: dict[str, Any], words: str) -> None:
    lines = [value for _, value in describe(job(request=[asks_for(**changes)]))]
    assert f"3 x 2 cpus, {words}" in lines


def test_a_delay_after_a_start_that_has_come_says_its_end() -> None:
    after = {"relation": "after", "job_id": 21, "delay_s": 120.0, "due_us": T0}
    conditions = {"held_by": None, "begin_us": None, "dependencies": [after], "any_of": False}
    about = waiting(reason="Dependency", conditions=conditions)
    assert "00:02:00 after the start of job 21: 2023-11-14T22:13:20" in [
        text for _, text in describe(about)
    ]


@pytest.mark.parametrize(
    ("unmet", "words"),
    [
        ([("afterok", 21, "TIMEOUT")],
         "it needs the success of job 21, which has ended as TIMEOUT, so it can never start; "),
        ([("afternotok", 21, "COMPLETED"), ("afterok", 22, None)],
         "it needs the failure of job 21, which has ended as COMPLETED; it needs the success of "
         "job 22, which is over, with an unknown end, so it can never start; "),
        ([("afterok", 21, "FAILED")] * 5, "; 2 more did not end as it asks for either, so "),
        ([], "the jobs that it depends on did not end as it asks for, so it can never start; "),
    ],
)  # fmt: skip
def test_a_job_that_can_never_start_says_which_jobs_failed(unmet: list[Any], words: str) -> None:
    failed = [dict(zip(("relation", "job_id", "state"), one, strict=True)) for one in unmet]
    conditions = {"held_by": None, "begin_us": None, "dependencies": [], "unmet": failed}
    text = state_of(waiting(reason="DependencyNeverSatisfied", conditions=conditions))
    assert words in text
    assert text.endswith("cancel it, or let it depend on others (`rjob update --dependency`)")


def test_the_latest_of_very_many_attempts_are_shown() -> None:
    began = {"start_us": T0, "end_us": T0 + S, "nodelist": "n1", "cause": "node", "message": ""}
    many = [{**began, "attempt": number} for number in range(1, 111)]
    lines = [(name, text) for name, text in describe(job(attempt=110), many) if "ttempt" in name]
    assert lines[0] == ("Attempts", "90 earlier attempts")
    assert [name for name, _ in lines[1:]] == [f"Attempt {at}" for at in range(91, 100)] + 11 * [
        "Attempt"
    ]
    assert lines[-1][1].startswith("110: 2023-11-14T22:13:20 on n1, ended ")


def test_a_job_past_its_limit_is_predicted_to_end_there() -> None:
    assert dict(describe(job(prediction_s=65.0, time_limit_s=5.0)))["Predicted"] == "00:00:05"


def test_a_running_job_in_full() -> None:
    described = dict(describe(job(corrections=2, backfilled=True, constraint="gpu")))
    assert described["State"] == "RUNNING"
    assert described["Started"] == "2023-11-14T22:14:20 (after waiting 00:01:00)"
    assert described["Run time"] == "00:01:30, 00:58:29 left"
    assert not {"Ended", "Waited", "Waiting"} & described.keys()
    assert described["Predicted"] == "00:02:00 (2 corrections)"
    assert described["Request"] == "3 x 2 cpus, 2G of memory a node, on nodes with gpu"
    assert described["Nodes"] == "n[1-2] (4+2 cpus)"
    assert described["Scheduling"] == "backfilled"
    assert "Exit code" not in described
    assert dict(describe(job(node_cpus=[4, 4, 2])))["Nodes"] == "n[1-2] (4(x2)+2 cpus)"
    assert dict(describe(job(nodelist="n1", node_cpus=[1])))["Nodes"] == "n1 (1 cpu)"


def test_a_waiting_job_in_full() -> None:
    described = dict(describe(waiting(nodes=2)))
    assert state_of(waiting(nodes=2)) == (
        "PENDING (Resources): no job is before it: it waits for processors or memory"
    )
    assert described["Nodes"] == "2 requested"
    assert described["Waiting"] == "00:01:00"
    assert not {"Started", "Ended", "Waited", "Run time"} & described.keys()


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("Priority", "others are before it"),
        ("ReqNodeNotAvail", "no nodes that take new jobs"),
        ("DeadLine", "it can no longer end before its deadline"),
    ],
)
def test_why_a_job_waits(reason: str, words: str) -> None:
    state = dict(describe(waiting(reason=reason)))["State"]
    assert state.startswith(f"PENDING ({reason}): {words}")


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (None, "cannot be told (plan of 2023-11-14T22:13:20)"),
        ("reservation", "2023-11-14T22:23:20, reserved (plan of 2023-11-14T22:13:20)"),
        ("projection", "2023-11-14T22:23:20, a projection (plan of 2023-11-14T22:13:20)"),
        ("trial", "2023-11-14T22:23:20, for its trial (plan of 2023-11-14T22:13:20)"),
    ],
)  # fmt: skip
def test_when_a_waiting_job_is_expected(start: str | None, words: str) -> None:
    waits, runs = waiting(), job(job_id=43)
    starts = [{"job_id": 42, "start_us": T0 + 600 * S, "basis": start}] if start else []
    expect_starts([waits, runs], {"made_us": T0, "starts": starts})
    assert dict(describe(waits))["Expected"] == words
    assert format_line(parse_format("%S"), waits) == (words.split(",")[0] if start else "N/A")
    assert runs == job(job_id=43)


def test_a_job_that_never_started_in_full() -> None:
    never = {
        "start_us": None, "elapsed_s": None, "exit_code": None, "cause": None, "attempt": 0
    }  # fmt: skip
    described = dict(describe(over(state="CANCELLED", **never)))
    assert (described["Ended"], described["Waited"]) == ("2023-11-14T22:15:00", "00:01:00")
    assert not {"Started", "Waiting", "Run time"} & described.keys()


# ---------------------------------------------------------------- tables


_COLUMNS = [Column("ID", right=True), Column("NAME", shrink=4), Column("WHERE", shrink=6)]
_ROWS = [["1", "a", "n1"], ["1234567", "a very long name", "(Resources)"]]


def test_a_table_is_as_wide_as_it_must_be() -> None:
    assert format_table(_COLUMNS, _ROWS) == [
        "     ID NAME             WHERE",
        "      1 a                n1",
        "1234567 a very long name (Resources)",
    ]


def test_a_narrow_table_cuts_names_and_never_numbers() -> None:
    assert format_table(_COLUMNS, _ROWS, width=24)[2] == "1234567 a very+ (Resour+"
    assert format_table(_COLUMNS, _ROWS, width=5)[2] == "1234567 a v+ (Reso+"
    assert format_table(_COLUMNS, _ROWS, width=100) == format_table(_COLUMNS, _ROWS)


def test_a_table_too_narrow_for_all_columns_keeps_the_vital_ones() -> None:
    columns = [*_COLUMNS, Column("N", vital=False), Column("CPUS", vital=False)]
    rows = [[*row, "5", "16"] for row in _ROWS]
    colours: list[list[str | None]] = [[None] * 4 + ["red"]] * 2
    assert format_table(columns, rows, width=26) == [
        "     ID NAME WHERE  N CPUS",
        "      1 a    n1     5 16",
        "1234567 a v+ (Reso+ 5 16",
    ]
    assert format_table(columns, rows, width=25, colours=colours) == [
        "     ID NAME    WHERE   N",
        "      1 a       n1      5",
        "1234567 a very+ (Resou+ 5",
    ]
    assert format_table(columns, rows, width=19) == format_table(_COLUMNS, _ROWS, width=19)
    assert format_table(columns, rows, width=1) == format_table(_COLUMNS, _ROWS, width=19)


def test_an_empty_table_has_a_header() -> None:
    assert format_table(_COLUMNS, []) == ["ID NAME WHERE"]
    assert format_table(_COLUMNS, [], header=False) == []


def test_colours_do_not_change_the_layout() -> None:
    colours: list[list[str | None]] = [[None, "red", None], [None, None, None]]
    lines = format_table(_COLUMNS, _ROWS, colours=colours)
    assert lines[1] == "      1 \033[31ma               \033[0m n1"


def test_when_to_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not wants_colour("auto")  # pytest's stdout is no terminal
    assert wants_colour("always")
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    assert wants_colour("auto")
    assert not wants_colour("never")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour("auto")


def test_how_many() -> None:
    assert [plural(count, "job") for count in (0, 1, 1000)] == ["0 jobs", "1 job", "1,000 jobs"]


def test_nothing_steers_the_terminal() -> None:
    assert printable("a\033[2Jb\r") == "a?[2Jb?"
    assert printable("ü 1\n2\t\u2028\u202e") == "ü 1?2???"
    controls = [*range(0x20), *range(0x7F, 0xA0)]
    directions = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
    for code in (*controls, *directions):
        assert printable(f"a{chr(code)}b") == "a?b"


# ---------------------------------------------------------------- nodes, logs


def test_equal_nodes_are_one_group() -> None:
    def node(name: str, state: str = "idle", reason: str = "") -> dict[str, Any]:
        return {"name": name, "state": state, "cores": 4, "mem_mib": 1024, "reason": reason,
                "features": ["emulated"]}  # fmt: skip

    nodes = [node("n1"), node("n2", "drained", "disk"), node("n3"), node("n4", "drained", "fan")]
    groups = [[node["name"] for node in group] for group in group_equal(nodes)]
    assert groups == [["n1", "n3"], ["n2"], ["n4"]]


@pytest.mark.parametrize(
    ("data", "count", "expected"),
    [
        (b"a\nb\nc\n", 2, b"b\nc\n"),
        (b"a\nb\nc", 2, b"b\nc"),
        (b"a\nb\n", 5, b"a\nb\n"),
        (b"a\nb\n", 0, b""),
        (b"\n\n\n", 2, b"\n\n"),
        (b"", 3, b""),
    ],
)
def test_last_lines(data: bytes, count: int, expected: bytes) -> None:
    assert last_lines(data, count) == expected
