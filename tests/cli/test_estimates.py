"""`rmsd estimates` as a command."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from rmsd_lab_cli.workload import read_trace
from tests.commands import rmsd

SWF = """\
; Computer: a machine of thé past
; MaxProcs: 4
; Note: the first note
7 40 3 10 9 8.5 -1 9 10 -1 1 2 6 5 0 1 -1 -1
1 0 -1 100 4 -1 -1 4 200 -1 1 1 -1 -1 -1 -1 -1 -1
2 10 -1 50 2 -1 -1 2 40 -1 1 1 -1 -1 -1 -1 -1 -1
3 20 -1 -1 2 -1 -1 2 77 -1 5 2 -1 -1 -1 -1 -1 -1
"""


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.swf.gz"
    path.write_bytes(gzip.compress(SWF.encode("latin-1")))
    return path


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    path = tmp_path / "sample.swf"
    path.write_text(rmsd("generate", "--jobs", "600").stdout)
    return path


def written(tmp_path: Path, *arguments: str | Path) -> tuple[Path, str]:
    out = tmp_path / "out.swf"
    done = rmsd("estimates", *arguments)
    out.write_text(done.stdout)
    return out, done.stderr


def last_note(path: Path) -> str:
    """Return the last note of the header."""
    return [line for line in path.read_text().splitlines() if line.startswith("; Note:")][-1]


def test_only_the_requested_time_changes(trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.swf"
    done = rmsd("estimates", "times", trace, "--factor", "2", "-o", out)
    assert out.read_text("latin-1").splitlines() == [
        "; Computer: a machine of thé past",
        "; MaxProcs: 4",
        "; Note: the first note",
        "; Note: estimates by rmsd estimates times --factor 2, of tiny.swf.gz",
        "; Note: problems of the trace that was read: not in arrival order: 3",
        "7 40 3 10 9 8.5 -1 9 20 -1 1 2 6 5 0 1 -1 -1",
        "1 0 -1 100 4 -1 -1 4 400 -1 1 1 -1 -1 -1 -1 -1 -1",
        "2 10 -1 50 2 -1 -1 2 80 -1 1 1 -1 -1 -1 -1 -1 -1",
        "3 20 -1 -1 2 -1 -1 2 77 -1 5 2 -1 -1 -1 -1 -1 -1",
    ]
    assert "tiny.swf.gz, line 5: submitted at 0" in done.stderr


def test_a_file_can_be_written_over_itself(trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.swf"
    assert rmsd("estimates", "exact", trace, "-o", out).stdout == ""
    assert rmsd("estimates", "exact", trace, "-o", trace).stdout == ""
    assert gzip.decompress(trace.read_bytes()) == out.read_bytes()
    rmsd("estimates", "times", trace, "--factor", "0", "-o", trace, expect=2)
    assert gzip.decompress(trace.read_bytes()) == out.read_bytes()


def test_what_cannot_be_read_is_tolerated_if_asked_for(sample: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.swf"
    broken.write_text(sample.read_text() + "1 2 3\n")
    lines = len(sample.read_text().splitlines())
    refused = rmsd("estimates", "exact", broken, expect=1)
    assert f"{broken}, line {lines + 1}: 3 fields" in refused.stderr
    assert not refused.stdout
    done = rmsd("estimates", "shuffle", broken, "--tolerant")
    assert f"line {lines + 1}: 3 fields" in done.stderr
    jobs = [line for line in done.stdout.splitlines() if line[0] != ";"]
    assert jobs == [
        line for line in rmsd("estimates", "shuffle", sample).stdout.splitlines() if line[0] != ";"
    ]


@pytest.mark.slow
def test_every_model_writes_what_can_be_read_again(sample: Path, tmp_path: Path) -> None:
    before = read_trace(sample)
    for options in (
        ("exact",),
        ("times", "--factor", "1.5"),
        ("f", "--badness", "3"),
        ("f", "--badness", "3", "--deterministic"),
        ("f", "--badness", "0"),
        ("phi", "--phi", "0.2"),
        ("modes",),
        ("modes", "--own-heads", "3", "--sessions", "--modes", "40", "--spread", "1.6"),
        ("modes", "--max-estimate", "18h", "--head", "18h=20", "--head", "15m=16%"),
        ("shuffle",),
        ("shuffle", "--sessions", "--seed", "3"),
    ):
        out, said = written(tmp_path, options[0], sample, *options[1:])
        assert not said
        after = read_trace(out)
        assert after.processors == before.processors
        assert [job._replace(estimate_s=1) for job in after.jobs] == [
            job._replace(estimate_s=1) for job in before.jobs
        ]
        assert all(job.estimate_s >= job.run_s for job in after.jobs)
        assert f"rmsd estimates {options[0]}" in last_note(out)


def test_the_header_says_how_to_make_it_again(sample: Path, tmp_path: Path) -> None:
    out, _ = written(tmp_path, "modes", sample, "--own-heads", "2", "--seed", "5")
    options = last_note(out).partition("rmsd estimates ")[2].partition(", of")[0].split()
    again = rmsd("estimates", options[0], sample, *options[1:]).stdout
    assert read_trace(out).jobs != read_trace(sample).jobs
    assert again == out.read_text()


def test_what_is_given_of_the_head_is_kept(sample: Path, tmp_path: Path) -> None:
    out, _ = written(
        tmp_path, "modes", sample, "--max-estimate", "10h", "--head", "10h=30", "--head", "7m=12"
    )
    counts = Counter(job.estimate_s for job in read_trace(out).jobs)
    assert abs(counts[36000] - 180) <= 1
    assert abs(counts[420] - 72) <= 1
    assert max(counts) == 36000


def test_what_the_model_could_not_keep_is_said(sample: Path, tmp_path: Path) -> None:
    out, said = written(tmp_path, "modes", sample, "--max-estimate", "30m", "--head", "30m=1")
    long = sum(job.run_s > 1800 for job in read_trace(sample).jobs)
    assert f"{long} jobs run longer than the longest estimate, 1800 s" in said
    assert "estimates were raised to the longest" in said
    assert f"; Note: {long} jobs run longer" in out.read_text()
    out, said = written(tmp_path, "f", sample, "--badness", "1", "--max-estimate", "30m")
    assert f"{long} run times were cut at the longest estimate" in said
    assert max(job.run_s for job in read_trace(out).jobs) == 1800


def test_the_modes_can_be_listed(sample: Path) -> None:
    listed = rmsd("estimates", "modes", sample, "--max-estimate", "18h", "--list").stdout
    lines = listed.splitlines()
    assert lines[0].startswith("# 600 jobs, 28 modes: --max-estimate 64800s")
    assert lines[2].split()[:2] == ["18:00:00", "64800"], "the most popular"
    assert abs(sum(float(line.split()[2]) for line in lines[2:]) - 100) < 0.1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("modes", "--head", "18h"), "as in 18h=23.8"),
        (("modes", "--head", "18h=x"), "as in 18h=23.8"),
        (("modes", "--head", "1h=2", "--head", "60m=2"), "given twice"),
        (("modes", "--head", "5h=2"), "not from 1 s to the longest"),
        (("modes", "--max-estimate", "soon"), "'soon' is not a time"),
        (("modes", "--max-estimate", "UNLIMITED"), "has an end"),
        (("modes", "--max-estimate", "10m"), "at least 1200 s"),
        (("modes", "--own-heads", "-1"), "at least 0"),
        (("f", "--badness", "-1"), "at least zero"),
        (("f", "--badness", "-1", "--deterministic"), "at least zero"),
        (("phi", "--phi", "2"), "0 to 1"),
        (("f", "--badness", "1e308"), "--badness: a badness must be at least zero and below"),
        (("f", "--badness", "nan", "--deterministic"), "--badness: a badness must be"),
        (("f", "--badness", "1e9"), "--badness 1e+09 --seed 1: job "),
        (("f", "--badness", "1e9", "--deterministic"), "--badness 1e+09 --deterministic: job "),
        (("times", "--factor", "0"), "above zero"),
        (("times", "--factor", "1e300"), "--factor: a factor must be above zero and at most"),
        (("times", "--factor", "1e9"), "--factor 1e+09: job 1 would have an estimate of"),
    ],
)
def test_what_cannot_be_is_refused(sample: Path, options: tuple[str, ...], reason: str) -> None:
    done = rmsd("estimates", options[0], sample, *options[1:], expect=2)
    assert reason in done.stderr
    assert not done.stdout


def test_a_trace_without_estimates_needs_the_longest(sample: Path, tmp_path: Path) -> None:
    out, _ = written(tmp_path, "exact", sample)
    for model in ("modes", "phi"):
        assert "--max-estimate" in rmsd("estimates", model, out, expect=2).stderr
        assert rmsd("estimates", model, out, "--max-estimate", "6h").stdout
    refused = rmsd("estimates", "modes", out, "--max-estimate", "6h", "--own-heads", "1", expect=2)
    assert "no estimates of its own" in refused.stderr


def test_traces_go_through_pipes(sample: Path) -> None:
    done = rmsd("estimates", "exact", "-", stdin=sample.read_bytes())
    from_file = rmsd("estimates", "exact", sample).stdout
    assert done.stdout == from_file.replace("of sample.swf", "of standard input")


def test_what_is_no_trace_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.swf"
    path.write_text("; MaxProcs: 4\n1 0" + 16 * " -1" + "\n")
    assert "no job has a known run time" in rmsd("estimates", "exact", path, expect=1).stderr
    path.write_text("1 2 3\n")
    assert f"{path}, line 1: 3 fields" in rmsd("estimates", "exact", path, expect=1).stderr
    missing = tmp_path / "none.swf"
    assert f"cannot read {missing}" in rmsd("estimates", "exact", missing, expect=1).stderr
