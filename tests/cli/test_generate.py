"""The models of `rmsd generate`."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from rmsd_lab.workloads.workload import offered_load
from rmsd_lab_cli.workload import read_trace
from tests.commands import rmsd


def written(path: Path, *arguments: str | Path) -> Path:
    path.write_text(rmsd("generate", *arguments).stdout)
    return path


def test_without_a_model_it_is_the_sample() -> None:
    options = ("--jobs", "30", "--seed", "4")
    assert rmsd("generate", *options).stdout == rmsd("generate", "sample", *options).stdout


@pytest.mark.slow
def test_every_model_says_how_to_make_it_again(tmp_path: Path) -> None:
    sample = written(tmp_path / "sample.swf", "--jobs", "300", "--load", "0.3")
    for arguments in (
        ("sample", "--jobs", "50"),
        ("lublin", "--jobs", "50", "--load", "0.5"),
        ("lublin", "--jobs", "50", "--kind", "undivided", "--procs", "64"),
        ("fitted", sample, "--weeks", "3", "--load", "0.6", "--seed", "9"),
        ("dynp", "2", "--seed", "3"),
    ):
        path = written(tmp_path / "out.swf", *arguments)
        note = read_trace(path).header["Note"].partition(";")[0]
        options = note.removeprefix("rmsd generate ").split()
        if options[0] == "fitted":
            options[1] = str(sample)
        assert rmsd("generate", *options).stdout == path.read_text()


@pytest.mark.slow
def test_it_is_written_to_a_file(tmp_path: Path) -> None:
    for name in ("out.swf", "out.swf.gz"):
        assert not rmsd("generate", "dynp", "1", "-o", tmp_path / name).stdout
    assert (
        gzip.decompress((tmp_path / "out.swf.gz").read_bytes())
        == (tmp_path / "out.swf").read_bytes()
    )
    assert len(read_trace(tmp_path / "out.swf").jobs) == 8469
    nowhere = tmp_path / "none" / "out.swf"
    assert f"cannot write {nowhere}" in rmsd("generate", "-o", nowhere, expect=1).stderr


@pytest.mark.slow
def test_loads_are_as_asked_for(tmp_path: Path) -> None:
    sample = written(tmp_path / "sample.swf", "--jobs", "600", "--load", "0.3")
    for arguments in (
        ("lublin", "--jobs", "2000", "--kind", "batch", "--procs", "64", "--load", "0.7"),
        ("fitted", sample, "--weeks", "8", "--load", "0.7"),
    ):
        trace = read_trace(written(tmp_path / "out.swf", *arguments))
        assert trace.processors == 64
        assert abs(offered_load(trace.jobs, 64) - 0.7) < 0.01


@pytest.mark.slow
def test_lublin_s_jobs_have_a_queue_and_no_estimates_and_can_be_given_some(tmp_path: Path) -> None:
    path = written(tmp_path / "lublin.swf", "lublin", "--jobs", "3000")
    jobs = [line.split() for line in path.read_text().splitlines() if line[0] != ";"]
    assert {job[14] for job in jobs} == {"0", "1"}
    assert {job[8] for job in jobs} == {"-1"}
    full = tmp_path / "full.swf"
    full.write_text(rmsd("estimates", "modes", path, "--max-estimate", "48h").stdout)
    after = [line.split() for line in full.read_text().splitlines() if line[0] != ";"]
    assert [job[:8] + job[9:] for job in after] == [job[:8] + job[9:] for job in jobs]
    assert '"counted": 3000' in rmsd("simulate", full, "--json").stdout


def test_a_fitted_trace_keeps_its_calendar(tmp_path: Path) -> None:
    sample = written(tmp_path / "sample.swf", "--jobs", "100")
    dated = tmp_path / "dated.swf"
    dated.write_text("; UnixStartTime: 838859000\n" + sample.read_text())
    fitted = read_trace(written(tmp_path / "out.swf", "fitted", dated, "--weeks", "1"))
    assert fitted.header["UnixStartTime"] == "838859000"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("lublin", "--jobs", "0"), "at least 1 job"),
        (("lublin", "--load", "0"), "above zero"),
        (("fitted", "TRACE", "--weeks", "0"), "one week"),
        (("fitted", "TRACE", "--load", "-1"), "above zero"),
        (("fitted", "TRACE", "--procs", "0"), "--procs"),
        (("dynp", "3"), "invalid choice: 3"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, arguments: tuple[str, ...], reason: str) -> None:
    sample = written(tmp_path / "sample.swf", "--jobs", "20")
    words = [str(sample) if word == "TRACE" else word for word in arguments]
    assert reason in rmsd("generate", *words, expect=2).stderr


def test_the_header_says_that_a_fitted_trace_had_no_estimates(tmp_path: Path) -> None:
    sample = written(tmp_path / "in.swf", "--jobs", "400", "--procs", "32")
    without = tmp_path / "without.swf"
    lines = [line.split() for line in sample.read_text().splitlines()]
    for line in lines:
        if line[0] != ";":
            line[8] = "-1"
    without.write_text("\n".join(map(" ".join, lines)) + "\n")
    for source, is_said in ((sample, False), (without, True)):
        fitted = read_trace(written(tmp_path / "out.swf", "fitted", source, "--weeks", "1"))
        assert fitted.header["Note"].endswith("they are the run times") == is_said


def test_a_trace_that_cannot_be_fitted_to_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.swf"
    assert f"cannot read {path}" in rmsd("generate", "fitted", path, expect=1).stderr
    path.write_text("; MaxProcs: 4\n" + "1 0" + 16 * " -1" + "\n")
    assert "no job can take part" in rmsd("generate", "fitted", path, expect=1).stderr
    sample = written(tmp_path / "sample.swf", "--jobs", "300", "--seed", "2")
    with sample.open("a") as file:
        file.write("301 4294967296 0 60 1 -1 -1 1 60 -1 1 5 1 1 1 1 -1 -1\n")
    done = rmsd("generate", "fitted", sample, expect=1)
    assert f"{sample}: only" in done.stderr
    assert "is a submit time wrong?" in done.stderr
    assert done.stdout == ""
    lublin = written(tmp_path / "lublin.swf", "lublin", "--jobs", "20")
    assert "knows its users" in rmsd("generate", "fitted", lublin, expect=2).stderr
