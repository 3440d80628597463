"""Results of a study on disk: CSV and Parquet give back what was written."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_lab_cli.studies.results_file import (
    Row,
    check_name,
    columns,
    flattened,
    read_results,
    write_results,
)

REPORT = {
    "trace": "1996",
    "load": None,
    "seed": 1,
    "recipe": "easy++,window=3",
    "wait_s": {"mean": 12.5, "max": 90.0},
    "backfilled": 3,
    "metrics": {"load": {"over_time": [{"since_s": 0.0, "mean": 1.5}]}},
}


def test_nested_figures_become_columns() -> None:
    row = flattened(REPORT)
    assert row["wait_s.mean"] == 12.5
    assert row["metrics.load.over_time"] == '[{"since_s": 0.0, "mean": 1.5}]'
    assert len(row) == 8


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_what_was_written_is_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"results{ending}"
    rows = [flattened(REPORT), flattened({**REPORT, "load": 0.5, "trials": {"lost_share": 0.1}})]
    write_results(path, rows)
    empty: Row = dict.fromkeys(columns(rows))
    assert read_results(path) == [empty | row for row in rows]
    assert list(read_results(path)[0])[:4] == ["trace", "load", "seed", "recipe"]
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


FIGURES = st.fixed_dictionaries(
    {"whole": st.integers(-(2**53), 2**53) | st.none(), "broken": st.floats(-1e9, 1e9) | st.none()}
)


NAMES = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1)


@given(figures=st.lists(FIGURES, min_size=1, max_size=5), name=NAMES)
def test_all_numbers_survive(
    tmp_path_factory: pytest.TempPathFactory, figures: list[Row], name: str
) -> None:
    folder = tmp_path_factory.mktemp("results")
    rows: list[Row] = [
        {"trace": name, "load": None, "seed": at, "recipe": "easy", **row}
        for at, row in enumerate(figures)
    ]
    for ending in (".csv", ".parquet"):
        path = folder / f"r{ending}"
        write_results(path, rows)
        assert read_results(path) == rows


def test_a_spreadsheet_s_eye_view(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    write_results(path, [flattened(REPORT)])
    with path.open(newline="") as lines:
        head, row = csv.reader(lines)
    assert head[:4] == ["trace", "load", "seed", "recipe"]
    assert row[:4] == ["1996", "", "1", "easy++,window=3"]


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandUsageError, match=r"results are \.csv or \.parquet files"):
        check_name(tmp_path / "results.xlsx")
    with pytest.raises(CommandError, match="there is no folder"):
        check_name(tmp_path / "none" / "results.csv")
    schedule = tmp_path / "s.csv"
    schedule.write_text("job_id,submit,start,end\n1,2,3,4\n")
    with pytest.raises(CommandError, match="has no column 'trace'"):
        read_results(schedule)
    schedule.write_text("trace,load,seed,recipe\nKTH,0.5,1\n")
    with pytest.raises(CommandError, match="line 2 has not as many fields"):
        read_results(schedule)
    with pytest.raises(CommandError, match="cannot read"):
        read_results(tmp_path / "none.csv")
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(CommandError, match="cannot be read as parquet"):
        read_results(broken)


def test_without_pyarrow_it_says_what_to_install(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from pathlib import Path\n"
        "from rmsd_lab_cli.studies.results_file import check_name\n"
        f"check_name(Path({str(tmp_path / 'r.parquet')!r}))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode
    assert "needs pyarrow (pip install '.[lab]' in rmsd's folder)" in done.stderr
