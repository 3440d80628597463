"""The tasks that rrun starts on each node, and the merge of their output."""

from __future__ import annotations

import io

import pytest

from rmsd_client.calls.output import Output
from rmsd_client.connection.http import Response
from rmsd_client.errors import UsageError
from rmsd_client.steps.step import Stream
from rmsd_client.steps.tasks import Task, parse_counts, passed_on, read_layout, task_environment

_JOB = {"RMS_JOB_ID": "7", "RMS_NODELIST": "n[1-2]", "RMS_TASKS_PER_NODE": "2,1"}


def test_layout() -> None:
    layout = read_layout(_JOB)
    assert layout.job_id == 7
    assert layout.tasks == [Task(0, "n1", 0, 0), Task(1, "n1", 0, 1), Task(2, "n2", 1, 0)]


@pytest.mark.parametrize(
    ("text", "counts"), [("2,1", [2, 1]), ("2(x3),1", [2, 2, 2, 1]), ("16(x2)", [16, 16])]
)
def test_counts(text: str, counts: list[int]) -> None:
    assert parse_counts(text) == counts


@pytest.mark.parametrize(
    "text", ["", "a", "-1", "2(x", "2(x3", "2(3)", "1(x-3)", "1(x99999999999)"]
)
def test_wrong_counts(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a number of tasks|not a list"):
        parse_counts(text)


def test_not_in_a_job() -> None:
    with pytest.raises(UsageError, match="inside a job only"):
        read_layout({})


@pytest.mark.parametrize(
    "change",
    [{"RMS_TASKS_PER_NODE": "2"}, {"RMS_TASKS_PER_NODE": "x,1"}, {"RMS_NODELIST": "n[1"}],
)  # fmt: skip
def test_a_damaged_environment(change: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="damaged"):
        read_layout({**_JOB, **change})


def test_task_environment() -> None:
    environ = passed_on({"PATH": "/bin", "RMS_PROCID": "99", "RMSD_SERVER": "x"})
    assert task_environment(Task(2, "n2", 1, 0), 3, "s1", environ) == {
        "PATH": "/bin",
        "RMS_PROCID": "2",
        "RMS_LOCALID": "0",
        "RMS_NODEID": "1",
        "RMS_NTASKS": "3",
        "RMS_STEP_ID": "s1",
    }


def _output(data: bytes, offset: int, *, eof: bool = False) -> Output:
    headers = {"x-rms-offset": str(offset), "x-rms-eof": "1" if eof else "0"}
    return Output(Response(200, headers, data))


@pytest.mark.parametrize(
    ("label", "expected"),
    [(b"", b"one\ntwo\nthree\nend"), (b"3: ", b"3: one\n3: two\n3: three\n3: end\n")],
)
def test_lines_are_passed_on_whole(label: bytes, expected: bytes) -> None:
    sink = io.BytesIO()
    stream = Stream(Task(3, "n1", 0, 0), "stdout", sink, label)
    stream.write(_output(b"one\ntw", 6))
    assert sink.getvalue() == label + b"one\n"
    assert stream.offset == 6
    stream.write(_output(b"o\nthree\n", 14))
    stream.write(_output(b"en", 16))
    stream.write(_output(b"d", 17, eof=True))
    assert sink.getvalue() == expected


def test_an_endless_line_is_not_kept() -> None:
    sink = io.BytesIO()
    stream = Stream(Task(0, "n1", 0, 0), "stdout", sink, b"")
    stream.write(_output(b"x" * 70_000, 70_000))
    assert len(sink.getvalue()) == 70_000
