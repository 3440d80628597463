"""Reading and writing SWF, changing workloads, metrics, the sample trace."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_cli import main
from rmsd_cli.errors import CommandError
from rmsd_core.model_time import SECOND_US
from rmsd_lab.measures.metrics import summarize, trimmed
from rmsd_lab.schedule import Scheduled
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import TraceError, TraceJob, format_swf, parse_swf, takes_part
from rmsd_lab.workloads.workload import (
    cut_at_estimate,
    offered_load,
    scaled_to_load,
    with_exact_estimates,
)
from rmsd_lab_cli.workload import read_trace

LINE = "1 100 -1 50.7 8 -1 -1 8 3600 -1 1 3 -1 -1 -1 -1 -1 -1"


def test_fields_are_read_by_the_rules() -> None:
    """Fractions are cut off. The run time is field 6 where field 4 is missing, and stands for a
    missing estimate."""
    trace = parse_swf(
        [
            "; MaxNodes: 338 (batch partition; 512 total)\n",
            ";MaxProcs: 338\n",
            "\n",
            LINE,
            "2 90 -1 -1 8 12.9 -1 8 -1 -1 0 4 -1 -1 -1 -1 -1 -1",
            "3 90 -1 0 4 -1 -1 8 0 -1 1 4 -1 -1 -1 -1 -1 -1",
        ]
    )
    assert trace.processors == 338
    assert trace.jobs == [
        TraceJob(2, 90, 12, 8, 12, "4", 0),
        TraceJob(3, 90, 0, 4, 1, "4", 1),
        TraceJob(1, 100, 50, 8, 3600, "3", 1),
    ]


def test_the_machine_size_comes_from_text_too() -> None:
    assert parse_swf(["; MaxNodes: 338 (batch partition; 512 total)"]).processors == 338
    assert parse_swf(["; MaxProcs: -1"]).processors is None
    assert parse_swf(["; MaxProcs: -1", "; MaxNodes: 64"]).processors == 64


def test_a_size_that_is_not_understood_is_not_replaced_by_another() -> None:
    assert parse_swf(["; MaxProcs: 1,024", "; MaxNodes: 64"]).processors == 1024
    assert parse_swf(["; MaxProcs: 4\tprocessors"]).processors == 4
    assert parse_swf(["; MaxProcs: many", "; MaxNodes: 64"]).processors is None


def test_jobs_that_cannot_take_part() -> None:
    job = parse_swf([LINE]).jobs[0]
    assert takes_part(job, 8)
    assert not takes_part(job, 7)
    assert not takes_part(job._replace(run_s=-1), 8)
    assert not takes_part(job._replace(submit_s=-1), 8)
    assert not takes_part(job._replace(size=0), 8)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 2 3", "line 2: 3 fields"),
        (LINE.replace("50.7", "x"), r"line 2: field 4 \(run time\) is not a number: 'x'"),
        (LINE.replace("50.7", "inf"), r"line 2: field 4 \(run time\) is not a number: 'inf'"),
        (LINE.replace("50.7", "nan"), r"line 2: field 4 \(run time\) is not a number: 'nan'"),
        (LINE.replace("50.7", "3e10"), r"line 2: field 4 \(run time\) is out of range: 3e10"),
    ],
)
def test_a_broken_line_is_named(line: str, said: str) -> None:
    with pytest.raises(TraceError, match=said):
        parse_swf([LINE, line])


def test_what_is_odd_is_counted_with_its_first_line() -> None:
    lines = ["; MaxProcs: 8", LINE, "", LINE.replace("1 100", "2 90") + " 7", "; a comment"]
    lines += [LINE.replace("1 100", "2 110"), LINE.replace("1 100", "3 99")]
    trace = parse_swf(lines)
    assert [job.submit_s for job in trace.jobs] == [90, 99, 100, 110]
    assert trace.oddities == [
        "1 line (the first is 4) with more than 18 fields, the rest of which is left out",
        "2 lines (the first is 4) not in arrival order, sorted",
        "1 line (the first is 6) with the number of an earlier job, kept",
    ]
    unknown = LINE.replace("1 100", "2 -1")
    assert parse_swf([LINE, unknown, LINE.replace("1 100", "3 100")]).oddities == []


def test_what_is_odd_is_said_once_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.swf"
    path.write_text(f"; MaxProcs: 8\n{LINE}\n{LINE}\n")
    assert main.run(["simulate", str(path), "--recipe", "easy"]) == 0
    assert capsys.readouterr().err == (
        f"{path}: 1 line (the first is 3) with the number of an earlier job, kept (`rmsd trace "
        "info` shows all that is odd)\n"
    )


def test_files_plain_gzipped_missing_and_cut(tmp_path: Path) -> None:
    plain = tmp_path / "a.swf"
    plain.write_bytes("; Computer: Größe\n".encode("latin-1") + LINE.encode() + b"\n")
    zipped = tmp_path / "a.swf.gz"
    zipped.write_bytes(gzip.compress(plain.read_bytes()))
    assert read_trace(plain) == read_trace(zipped)
    zipped.write_bytes(zipped.read_bytes()[:-12])
    for path in (zipped, tmp_path / "none.swf", tmp_path):
        with pytest.raises(CommandError, match=str(path)):
            read_trace(path)


def test_a_sample_is_reproducible_and_survives_a_round_trip() -> None:
    jobs = sample_trace(300, 64, seed=7, load=0.9)
    assert jobs == sample_trace(300, 64, seed=7, load=0.9)
    assert jobs != sample_trace(300, 64, seed=8, load=0.9)
    assert len(jobs) == 300
    assert offered_load(jobs, 64) == pytest.approx(0.9, rel=0.01)
    assert all(0 < job.run_s <= job.estimate_s and 0 < job.size <= 64 for job in jobs)
    assert parse_swf(format_swf(jobs, {"MaxProcs": "64"})).jobs == jobs


@given(st.integers(2, 60), st.floats(0.1, 2.0), st.integers(0, 99))
def test_scaling_gives_the_load_asked_for(count: int, load: float, seed: int) -> None:
    jobs = sample_trace(count, 64, seed)
    scaled = scaled_to_load(jobs, 64, load)
    span_s = scaled[-1].submit_s - scaled[0].submit_s
    assert offered_load(scaled, 64) == pytest.approx(load, rel=2 / max(1, span_s))
    assert [job.number for job in scaled] == [job.number for job in jobs]
    assert sorted(job.submit_s for job in scaled) == [job.submit_s for job in scaled]


def test_estimates_exact_and_cut() -> None:
    job = TraceJob(1, 0, 100, 4, 60, "a", 1)
    assert with_exact_estimates([job])[0].estimate_s == 100
    assert with_exact_estimates([job._replace(run_s=0)])[0].estimate_s == 1
    assert cut_at_estimate([job])[0].run_s == 60


def scheduled(job_id: int, submit: int, start: int, end: int, size: int = 1) -> Scheduled:
    instants = (submit * SECOND_US, start * SECOND_US, end * SECOND_US)
    return Scheduled(job_id, *instants, instants[2] - instants[1], size)


def test_metrics_by_hand() -> None:
    result = summarize([scheduled(1, 0, 0, 100, 2), scheduled(2, 0, 100, 104, 4)], 4)
    assert (result.wait_mean_s, result.wait_max_s) == (50, 100)
    assert result.bounded_slowdown_mean == pytest.approx((1 + 104 / 10) / 2)
    assert result.response_mean_s == (100 + 104) / 2
    assert result.utilization == pytest.approx((2 * 100 + 4 * 4) / (4 * 104))


def test_the_thesis_trims_the_first_hundredth_and_what_ends_after_the_last_arrival() -> None:
    schedule = [scheduled(at, at, at, at + 5) for at in range(200)]
    kept = trimmed(schedule)
    assert [job.job_id for job in kept] == list(range(2, 195))
    assert trimmed([]) == []


def test_a_mean_of_no_jobs_is_not_defined() -> None:
    schedule = [scheduled(1, 0, 0, 100, 2), scheduled(2, 0, 100, 104, 4)]  # end after all arrivals
    for result in (summarize([], 4), summarize(schedule, 4, trim=True)):
        assert (result.counted, result.backfilled) == (0, 0)
        assert (result.wait_mean_s, result.wait_max_s, result.response_mean_s) == (None, None, None)
        assert result.bounded_slowdown_mean is None
