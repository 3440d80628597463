"""The command lines, resources, directives and texts of PBS, as functions."""

from __future__ import annotations

import time
from typing import Any

import pytest

from rmsd_client.errors import ApiError
from rmsd_client.pbs import site
from rmsd_client.pbs.attributes import arrays_as_one, clock, exit_status, state_of
from rmsd_client.pbs.command_line import IGNORED, REFUSED, PbsOption, PbsTable
from rmsd_client.pbs.ending import UNKNOWN_RESOURCE, USAGE, PbsError, refusal
from rmsd_client.pbs.full_output import print_attributes
from rmsd_client.pbs.job_ids import parse_id, text_id
from rmsd_client.pbs.qsub import QSUB, directives_of
from rmsd_client.pbs.requests import attributes_of, begin_us, dependencies, output_pattern
from rmsd_client.pbs.resources import mem_mib, read_list, request_of, seconds
from rmsd_wire.pbs_names import node_file, pbs_names

TABLE = PbsTable(
    "prog",
    "",
    (
        PbsOption("a"),
        PbsOption("b", "value"),
        PbsOption("i", "", IGNORED),
        PbsOption("r", "", REFUSED, "why"),
    ),
)


@pytest.mark.parametrize(
    ("words", "found", "rest"),
    [
        (("-ab", "1", "x", "-a"), [("a", ""), ("b", "1")], ["x", "-a"]),
        (("-b1", "--", "-a"), [("b", "1")], ["-a"]),
        (("-i", "-a", "-"), [("a", "")], ["-"]),
    ],
)
def test_getopt(words: tuple[str, ...], found: Any, rest: list[str]) -> None:
    assert TABLE.read(words) == (found, rest)


def test_no_text_of_a_daemon_reaches_the_terminal_as_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = {"Job_Name": "a\x1b[2Jb", "Resource_List": {"n\x9b1": "c\nd"}, "ctime": 5}
    print_attributes("Job Id: 1\x1b]0;x\x07", shown)
    text = capsys.readouterr().out
    assert [line for line in text.split("\n") if line] == [
        "Job Id: 1?]0;x?",
        "    Job_Name = a?[2Jb",
        "    Resource_List.n?1 = c?d",
        "    ctime = 5",
    ]


@pytest.mark.parametrize("words", [("-y",), ("-b",)])
def test_a_wrong_command_line_is_told_with_the_usage(words: tuple[str, ...]) -> None:
    with pytest.raises(PbsError, match=r"prog: (invalid option|option requires)") as raised:
        TABLE.read(words)
    assert raised.value.code == USAGE
    assert raised.value.lines[-1] == "usage: prog [-a] [-b value] [-i] "


def test_what_changes_the_job_is_refused_unless_it_may_be_passed_over(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(PbsError, match=r"prog: -r \(why\) is not supported"):
        TABLE.read(["-r"])
    monkeypatch.setenv(site.MODE_VARIABLE, "lenient")
    assert TABLE.read(["-r"]) == ([], [])
    assert capsys.readouterr().err == "prog: warning: -r (why) has no effect here\n"
    monkeypatch.setenv(site.MODE_VARIABLE, "strict")
    with pytest.raises(PbsError, match="-i is not supported"):
        TABLE.read(["-i"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select=1:ncpus=4", {"tasks": 1, "cpus_per_task": 4}),
        ("select=3", {"tasks": 3, "cpus_per_task": 1}),
        ("select=ncpus=2+2:ncpus=2", {"tasks": 3, "cpus_per_task": 2}),
        (
            "select=2:ncpus=4:mem=400mb",
            {"tasks": 2, "cpus_per_task": 4, "nodes": 2, "mem_mib": 400},
        ),
        (
            "select=2:ncpus=4:mem=1gb,place=pack:excl",
            {"tasks": 2, "cpus_per_task": 4, "nodes": 1, "mem_mib": 2048, "exclusive": True},
        ),
        (
            "select=2:ncpus=1:ngpus=2:host=n1,place=scatter:shared",
            {"tasks": 2, "cpus_per_task": 1, "nodes": 2, "nodelist": "n1",
             "gres_per_task": "gpu:2"},
        ),
        (
            "nodes=2:ppn=3:fast:big,walltime=1:00:00",
            {"tasks": 2, "cpus_per_task": 3, "nodes": 2, "constraint": "fast&big",
             "time_limit_s": 3600.0},
        ),
        (
            "nodes=n1:ppn=2+n2:ppn=2",
            {"tasks": 2, "cpus_per_task": 2, "nodes": 2, "nodelist": "n1,n2"},
        ),
        ("nodes=2,mem=1gb", {"tasks": 2, "cpus_per_task": 1, "nodes": 2, "mem_mib": 512}),
        ("ncpus=4,mem=100mb", {"tasks": 1, "cpus_per_task": 4, "mem_mib": 100}),
        ("procs=6,naccesspolicy=singlejob", {"tasks": 6, "cpus_per_task": 1, "exclusive": True}),
    ],
)  # fmt: skip
def test_resources(text: str, expected: dict[str, Any]) -> None:
    assert request_of(read_list(text))[0] == expected


def test_variables_of_a_chunk() -> None:
    told = request_of(read_list("select=2:ncpus=8:mpiprocs=4"))[1]
    assert told == {
        "NCPUS": "8", "OMP_NUM_THREADS": "2", "PBS_MPIPROCS": "4", "PBS_NUM_PPN": "4",
        "PBS_NP": "8",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("foo=1", "Unknown resource: foo"),
        ("select=1:foo=1", "Unknown resource: foo"),
        ("walltime", "illegal -l value"),
        ("walltime=1:x", "Resource_List.walltime"),
        ("walltime=0", "Resource_List.walltime"),
        ("select=0:ncpus=1", "Resource_List.select"),
        ("select=1:ncpus=0", "Resource_List.ncpus"),
        ("select=1:ncpus=99999999", "Resource_List.ncpus"),
        ("select=1:ncpus", "illegal -l value"),
        ("select=1:mem=1xb", "Resource_List.mem"),
        ("select=1:ncpus=1+1:ncpus=2", "several kinds"),
        ("select=1,ncpus=2", "ncpus does not go with select"),
        ("place=everywhere", "illegal -l value"),
        ("cput=10", "is not supported: without it another job would run"),
    ],
)
def test_unusable_resources(text: str, problem: str) -> None:
    with pytest.raises(PbsError) as raised:
        request_of(read_list(text))
    assert problem in " ".join(raised.value.lines)
    assert raised.value.code == (UNKNOWN_RESOURCE if "Unknown" in problem else USAGE)


@pytest.mark.parametrize(
    ("text", "mib"),
    [("1", 1), ("400mb", 400), ("2GB", 2048), ("1025kb", 2), ("1mw", 8), ("419430400", 400),
     ("1b", 1), ("3g", 3072)],
)  # fmt: skip
def test_sizes(text: str, mib: int) -> None:
    assert mem_mib(text) == mib


@pytest.mark.parametrize(
    ("text", "expected"), [("90", 90), ("1:30", 90), ("100:00:00", 360_000), ("1.5", 1.5)]
)
def test_times(text: str, expected: float) -> None:
    assert seconds(text) == expected


def test_clock_has_more_digits_for_many_hours() -> None:
    assert (clock(59.9), clock(3_661), clock(360_000)) == ("00:00:59", "01:01:01", "100:00:00")


def test_directives_end_at_the_first_command_and_the_last_one_counts() -> None:
    script = (
        "#!/bin/sh\n#PBS -N='a'  # not this\n\n: comment\n#PBS -l walltime=10,ncpus=2\n"
        "#PBS -l walltime=20 -V\n#PBSX -z\n#PBS\necho\n#PBS -z\n"
    )
    found = directives_of(script)
    assert found == {"N": "=a", "l": {"walltime": "20", "ncpus": "2"}, "V": ""}
    assert directives_of("#QQ -z\n#PBS -V\n", "#QQ") == {"z": ""}
    assert directives_of(script, "") == {}


@pytest.mark.parametrize("line", ["-N a b", "-N 'a", "-Y"])
def test_a_wrong_directive_is_an_error(line: str) -> None:
    with pytest.raises(PbsError, match=r"directive error|invalid option") as raised:
        directives_of(f"#PBS {line}\n")
    assert raised.value.code == USAGE


def test_dependencies() -> None:
    text = "depend=afterok:1.rmsd:2,afteranyarray:3[].rmsd,umask=022"
    assert attributes_of(QSUB, text) == {"depend": "afterok:1.rmsd:2,afteranyarray:3[].rmsd"}
    found = dependencies(QSUB, "afterok:1.rmsd:2[4],afteranyarray:3[].rmsd")
    assert found["dependencies"] == [
        {"relation": "afterok", "job_id": 1},
        {"relation": "afterok", "job_id": 2, "array_task_id": 4},
        {"relation": "afterany", "job_id": 3},
    ]
    assert found["end_if_never"]
    for wrong in ("before:1", "afterok", "afterok:x"):
        with pytest.raises(PbsError, match="illegal -W value"):
            dependencies(QSUB, wrong)
    for wrong in ("nothing=1", "depend"):
        with pytest.raises(PbsError, match="illegal -W value"):
            attributes_of(QSUB, wrong)


def test_begin_times() -> None:
    now_s = time.mktime((2026, 11, 25, 21, 0, 0, 0, 0, -1))

    def told(text: str) -> str:
        return time.strftime("%Y%m%d%H%M%S", time.localtime(begin_us(QSUB, text, now_s) / 1e6))

    assert told("2200") == "20261125220000"
    assert told("2000.30") == "20261126200030"
    assert told("242000") == "20261224200000"
    assert told("01020304") == "20270102030400"
    assert told("2701020304") == "20270102030400"
    assert told("202601020304") == "20260102030400"
    for wrong in ("99", "2500", "132500ab", "13012500"):
        with pytest.raises(PbsError, match="illegal -a value"):
            begin_us(QSUB, wrong, now_s)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "/w/%x.o%j"),
        ("out", "/w/out"),
        ("host:/a/50%", "/a/50%%"),
        ("/a/", "/a/%j.rmsd.OU"),
        ("/dev/null", "/dev/null"),
        ("/a/$PBS_JOBID", "/a/%j.rmsd"),
    ],
)
def test_output_files(text: str, expected: str) -> None:
    assert output_pattern(text, "o", "/w", is_array=False) == expected


def test_output_files_of_arrays() -> None:
    assert output_pattern("", "e", "/w", is_array=True) == "/w/%x.e%A.%a"
    assert output_pattern("/a/", "e", "/w", is_array=True) == "/a/%A[%a].rmsd.ER"
    assert output_pattern("x^array_index^", "e", "/w", is_array=True) == "/w/x%a"


@pytest.mark.parametrize(
    ("text", "name", "full"),
    [
        ("12", "12", "12.rmsd"),
        ("12.rmsd", "12", "12.rmsd"),
        ("12[].rmsd", "12", "12[].rmsd"),
        ("12[3]", "12_3", "12[3].rmsd"),
        ("12[3-5,7].rmsd", "12_[3-5,7]", "12[3-5,7].rmsd"),
    ],
)
def test_names_of_jobs(text: str, name: str, full: str) -> None:
    assert (parse_id("qdel", text).name, parse_id("qdel", text).text) == (name, full)
    with pytest.raises(PbsError, match="qdel: illegally formed job identifier"):
        parse_id("qdel", f"x{text}")


def _job(state: str, **more: Any) -> dict[str, Any]:
    return {
        "job_id": 5, "name": "n", "user": "u", "state": state, "conditions": None,
        "exit_code": None, "signal": None, "end_us": None, "request": [], "tasks": 1, "cpus": 1,
        "mem_mib": 0, "nodelist": "", "node_cpus": [], **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("job", "letter"),
    [
        (_job("PENDING"), "Q"),
        (_job("PENDING", conditions={"held_by": "user"}), "H"),
        (_job("PENDING", conditions={"dependencies": [{"job_id": 1}]}), "H"),
        (_job("PENDING", conditions={"begin_us": 1}), "W"),
        (_job("CONFIGURING"), "R"),
        (_job("COMPLETING"), "E"),
        (_job("FAILED"), "F"),
        (_job("COMPLETED", array_task_id=1), "X"),
    ],
)
def test_states(job: dict[str, Any], letter: str) -> None:
    assert state_of(job) == letter


@pytest.mark.parametrize(
    ("job", "status"),
    [
        (_job("COMPLETED", exit_code=0), 0),
        (_job("FAILED", exit_code=7), 7),
        (_job("FAILED", signal=15), 271),
        (_job("CANCELLED", signal=15), 265),
        (_job("CANCELLED"), 265),
        (_job("TIMEOUT", signal=15), -29),
        (_job("OUT_OF_MEMORY", signal=9), -27),
    ],
)
def test_exit_statuses(job: dict[str, Any], status: int) -> None:
    assert exit_status(job) == status


def test_an_array_is_one_row_until_it_is_expanded() -> None:
    waiting = _job("PENDING", job_id=4, array_tasks=9, array_task_str="3-9")
    runs = _job("RUNNING", job_id=5, array_job_id=4, array_task_id=1)
    ended = _job("FAILED", job_id=6, array_job_id=4, array_task_id=2, end_us=9, exit_code=1)
    other = _job("RUNNING", job_id=8)
    [row, last] = arrays_as_one([waiting, runs, ended, other], expand=False)
    assert (text_id(row), state_of(row), text_id(last)) == ("4[].rmsd", "B", "8.rmsd")
    names = [text_id(one) for one in arrays_as_one([waiting, runs, ended], expand=True)]
    assert names == ["4[].rmsd", "4[1].rmsd", "4[2].rmsd"]
    [row] = arrays_as_one([waiting], expand=False)
    assert state_of(row) == "B"  # the other two are over: a list without the history has no rows
    for text, tasks in (("3-9", 7), ("1,3-9:2", 5), ("1-9%2", 9), ("1-4,...", 99)):
        row = _job("PENDING", job_id=4, array_tasks=tasks, array_task_str=text)
        assert state_of(arrays_as_one([row], expand=False)[0]) == "Q"
    [row] = arrays_as_one([ended], expand=False)
    assert (text_id(row), state_of(row), exit_status(row)) == ("4[].rmsd", "F", 1)


def test_the_file_of_nodes_has_a_line_for_each_process() -> None:
    env = {"RMS_NODELIST": "n[1-3]", "RMS_TASKS_PER_NODE": "2,1(x2)", "PBS_MPIPROCS": "2"}
    assert node_file(env).split() == ["n1"] * 4 + ["n2"] * 2 + ["n3"] * 2
    for unusable in ("x", "9999999", ""):
        assert node_file({**env, "PBS_MPIPROCS": unusable}).split() == ["n1", "n1", "n2", "n3"]


def test_the_names_of_variables() -> None:
    env = {"RMS_JOB_ID": "7", "RMS_ARRAY_JOB_ID": "5", "RMS_ARRAY_TASK_ID": "2"}
    named = pbs_names(env)
    assert (named["PBS_JOBID"], named["PBS_ARRAY_ID"]) == ("5[2].rmsd", "5[].rmsd")
    assert named["PBS_ARRAY_INDEX"] == "2"
    assert pbs_names({"RMS_JOB_ID": "7"})["PBS_JOBID"] == "7.rmsd"


def test_a_caller_without_a_token_is_told_what_to_do() -> None:
    told = "this needs a token; put it into ~/.config/rmsd/token"
    error = refusal("qsub", ApiError(403, told))
    assert error.lines == ("qsub: Unauthorized Request ", f"qsub: {told}")
    error = refusal("qdel", ApiError(403, "job 4 is bob's"))
    assert error.lines == ("qdel: Unauthorized Request ",)
