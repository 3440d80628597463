"""`rmsd trace`: whole commands, on files, pipes and what is none."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rmsd_cli.errors import CommandError
from rmsd_lab.workloads.swf import parse_swf
from rmsd_lab.workloads.workload import divided, scaled_to_load, shaken
from rmsd_lab_cli.trace import source
from rmsd_lab_cli.workload import read_trace
from tests.cli.trace_command import SWF, TRACES, header, needs_traces, numbers, trace
from tests.commands import rmsd


@pytest.fixture
def swf_text() -> str:
    return SWF


def test_the_commands_are_listed_and_a_wrong_one_is_refused() -> None:
    assert "show what is in a trace" in trace("--help").stdout
    assert "invalid choice: 'nothing'" in trace("nothing", expect=2).stderr
    assert "commands:" in trace(expect=2).stderr


def test_info_as_json(swf: Path) -> None:
    report = json.loads(trace("info", swf, "--json").stdout)
    assert report["schema"] == "rmsd.trace/1"
    assert report["jobs"] == {"read": 4, "usable": 3}
    assert report["load"] == (400 + 100 + 20) / (4 * 20)
    assert report["time"]["first_submit"] == "2001-09-09 03:00:00+01:00"
    assert report["arrivals"]["hours"][3] == 4
    assert report["estimates"]["modes"][0] == {"estimate_s": 200, "jobs": 2, "share": 2 / 3}
    assert report["users"]["count"] == 2
    assert report["inconsistent"]["too large"]["lines"] == [9]
    assert report["inconsistent"]["run over estimate"]["lines"] == [7]
    assert report["missing"]["wait_s"] == 3
    assert report["header_faults"] == []
    assert report["problems"] == {"counts": {}, "first": []}


def test_info_for_people_from_a_pipe() -> None:
    text = trace("info", "-", stdin=SWF).stdout
    assert text.startswith("standard input: a machine\n")
    assert "jobs           4, of which 3 can be simulated" in text
    assert "1 job: more processors than the machine has (line 9)" in text
    assert text == trace("info", "-", stdin=gzip.compress(SWF.encode())).stdout


def test_a_line_without_end_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few kilobytes of a compressed file can be a line of gigabytes."""
    monkeypatch.setattr(source, "LONGEST_LINE", 1000)
    path = tmp_path / "bomb.swf.gz"
    path.write_bytes(gzip.compress(b"; A: b\n" + b"1" * 1000 + b"\n"))
    told = pytest.raises(CommandError, match=r"bomb\.swf\.gz: a line has 1000 characters or more")
    with told, source.lines_of(path) as lines:
        assert next(lines) == "; A: b\n"
        next(lines)


def test_info_strict_is_a_check(swf: Path) -> None:
    trace("info", swf, "--strict", expect=1)
    good = "\n".join(SWF.splitlines()[:6]).replace("MaxJobs: 4", "MaxJobs: 1")
    trace("info", "-", "--strict", stdin=good)


def test_info_shows_what_it_can_of_a_damaged_trace() -> None:
    done = trace("info", "-", stdin=SWF + "5 40 -1\n", expect=1)
    assert "line 10: 3 fields, an SWF job has 18; the line is left out" in done.stdout
    assert "jobs           4," in done.stdout
    zipped = gzip.compress((SWF * 200).encode())
    done = trace("info", "-", stdin=zipped[:-12], expect=1)
    assert "the file cannot be read any further: Compressed file ended" in done.stdout
    assert (
        "the file cannot be read any further"
        in trace("info", "-", stdin=zipped[:-4] + b"abcd", expect=1).stdout
    )


def test_info_of_nothing(tmp_path: Path) -> None:
    assert "there is no job" in trace("info", "-", expect=1).stdout
    missing = tmp_path / "none.swf"
    assert f"cannot read {missing}: No such file" in trace("info", missing, expect=1).stderr
    assert f"cannot read {tmp_path}: Is a directory" in trace("info", tmp_path, expect=1).stderr


def test_a_header_of_any_bytes_is_no_obstacle() -> None:
    header = b"; Computer: Gr\xf6\xdfe \xff\x00\n; TimeZoneString: ../../etc\n; MaxProcs: 4\n"
    done = trace("info", "-", stdin=header + SWF.encode())
    assert "of which 3 can be simulated" in done.stdout


@pytest.mark.slow
@needs_traces
@pytest.mark.parametrize("path", sorted(TRACES.glob("*.swf.gz")), ids=lambda path: path.name)
def test_logs_of_the_archive_can_be_read(path: Path) -> None:
    report = json.loads(trace("info", path, "--json").stdout)
    assert report["problems"]["counts"].keys() <= {
        "fraction",
        "number twice",
        "not in arrival order",
    }
    assert report["jobs"]["usable"] > 18_000
    assert 0.2 < report["load"] < 1.2
    assert sum(report["arrivals"]["hours"]) == report["jobs"]["read"]


def test_head_keeps_the_header_and_corrects_it(swf: Path) -> None:
    text = trace("head", "-n", "2", swf).stdout
    assert numbers(text) == [1, 2]
    assert header(text) == [
        "; Computer: a machine",
        "; MaxJobs: 2",
        "; MaxProcs: 4",
        "; UnixStartTime: 1000000800",
        "; TimeZone: 3600",
        "; MaxRecords: 2",
        "; Note: rmsd trace head --jobs 2: the first 2 jobs",
    ]
    assert "ask for at least one" in trace("head", "-n", "0", swf, expect=2).stderr
    assert "there is no job in it" in trace("head", "-", stdin="; a: b", expect=1).stderr


def test_output_goes_to_a_file_compressed_by_its_name(swf: Path, tmp_path: Path) -> None:
    zipped = tmp_path / "out.swf.gz"
    trace("head", swf, "-o", zipped)
    first = zipped.read_bytes()
    trace("head", swf, "-o", zipped)
    assert zipped.read_bytes() == first
    assert gzip.decompress(first).decode() == trace("head", swf).stdout
    trace("filter", "--user", "2", zipped, "-o", zipped)
    assert numbers(gzip.decompress(zipped.read_bytes()).decode()) == [3, 4]
    missing = tmp_path / "none" / "out.swf"
    assert f"cannot write {missing}" in trace("head", swf, "-o", missing, expect=1).stderr


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (["--user", "2"], [3, 4]),
        (["--user", "2", "--invert"], [1, 2]),
        (["--status", "0"], [4]),
        (["--min-size", "3", "--max-size", "8"], [1]),
        (["--max-run", "1m"], [2, 3, 4]),
        (["--min-run", "50"], [1, 2]),
        (["--from", "10", "--until", "30"], [2, 3]),
        (["--from", "2001-09-09T03:00:20"], [3, 4]),
    ],
)
def test_filter(swf: Path, options: list[str], kept: list[int]) -> None:
    text = trace("filter", *options, swf).stdout
    assert numbers(text) == kept
    assert header(text)[-1].endswith(f": {len(kept)} of 4 jobs")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "give at least one condition"),
        (["--user", "anna"], "--user anna: write numbers"),
        (["--from", "soon"], "neither a time of the trace"),
        (["--max-run", "5x"], "is not a time"),
    ],
)
def test_filter_says_what_it_cannot_do(swf: Path, options: list[str], said: str) -> None:
    assert said in trace("filter", *options, swf, expect=2).stderr


def test_filter_of_nothing_writes_nothing(swf: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.swf"
    done = trace("filter", "--user", "9", swf, "-o", out, expect=1)
    assert "of 4 jobs none is asked for" in done.stderr
    assert not out.exists()


BAD = (
    SWF + "4 25 -1 10 2 -1 -1 2 10 -1 0 2 -1 -1 -1 -1 -1 -1\n5 40\n6 50 -1 x 2" + " -1" * 13 + "\n"
)


def test_bad_lines_end_a_command_or_are_reported() -> None:
    done = trace("head", "-", stdin=BAD, expect=1)
    assert "standard input, line 11: 2 fields, an SWF job has 18" in done.stderr
    assert done.stdout == ""
    done = trace("head", "--tolerant", "-", stdin=BAD)
    assert numbers(done.stdout) == [1, 2, 3, 4, 4, 6]
    assert "line 10: submitted at 25, after a line with 30; kept in its place" in done.stderr
    assert "line 12: field 4 (run time) is not a number: 'x'; taken as -1" in done.stderr
    assert "too few fields: 1" in done.stdout
    done = trace("head", "--strict", "-", stdin=BAD, expect=1)
    assert "line 10: submitted at 25" in done.stderr


def test_of_a_cut_file_what_is_there_is_used_if_asked_for(tmp_path: Path) -> None:
    cut = tmp_path / "cut.swf.gz"
    cut.write_bytes(gzip.compress(SWF.encode() * 500)[:-9])
    done = trace("head", "-n", "9999", cut, expect=1)
    assert done.stdout == ""
    assert f"{cut}, line " in done.stderr
    assert "cannot be read any further" in done.stderr
    done = trace("head", "-n", "9999", "--tolerant", cut)
    assert len(numbers(done.stdout)) > 1000
    assert "what follows is not known" in done.stderr
    said = rmsd("simulate", cut, expect=1).stderr
    advice = ["trace", "convert", "--tolerant", str(cut), "-o", str(tmp_path / "OUT.swf")]
    assert "(`rmsd trace convert --tolerant TRACE -o OUT.swf` saves what is before that)" in said
    rmsd(*advice)
    saved = numbers((tmp_path / "OUT.swf").read_text())
    assert saved == numbers(done.stdout)


def test_clean_leaves_what_can_be_simulated_in_order() -> None:
    done = trace("clean", "-", stdin=BAD)
    assert numbers(done.stdout) == [1, 2, 3, 4]
    assert (
        "4 of 7 jobs kept, 0 numbered anew; left out: 1 larger than the machine, 1 run time not "
        "known, 1 too few fields" in done.stderr
    )
    again = trace("clean", "-", stdin=done.stdout)
    assert again.stdout.splitlines()[-4:] == done.stdout.splitlines()[-4:]
    done = trace("clean", "--procs", "9", "-", stdin=BAD)
    submits = [int(line.split()[1]) for line in done.stdout.splitlines() if line[0] != ";"]
    assert submits == [0, 10, 20, 25, 30]
    assert numbers(done.stdout) == [1, 2, 3, 7, 4]
    nameless = BAD.replace("MaxProcs", "Procs")
    done = trace("clean", "-", stdin=nameless, expect=2)
    assert "give the machine's size with --procs" in done.stderr


def test_clean_says_of_each_line_what_it_did() -> None:
    rest = " -1 -1 2 10 -1 0 2 -1 -1 -1 -1 -1 -1\n"
    odd = "3 15 -1 10 2" + rest + "2 -1 -1 10 2" + rest
    done = trace("clean", "-", stdin=BAD + odd)
    assert numbers(done.stdout) == [1, 2, 7, 3, 4]
    said = [line.removeprefix("standard input, ") for line in done.stderr.splitlines()[1:]]
    assert set(said) == {
        "line 10: submitted at 25, after a line with 30; put in its place",
        "line 10: job number 4 again; kept, the other is left out",
        "line 11: 2 fields, an SWF job has 18; the line is left out",
        "line 12: field 4 (run time) is not a number: 'x'; the job is left out: run time not known",
        "line 13: submitted at 15, after a line with 50; put in its place",
        "line 13: job number 3 again; numbered 7 instead",
        "line 14: the submit time is not known; the job is left out: submit time not known",
        "line 14: job number 2 again; the job is left out: submit time not known",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        *("trace clean", "trace scale --load 1", "trace merge TRACE", "trace filter --user 1"),
        *("simulate --recipe easy", "report -o out.html", "generate fitted", "flurries"),
        *("metrics S.csv --trace", "estimates exact", "estimates validate"),
    ],
)
def test_a_trace_without_a_job_is_one_error_everywhere(command: str, tmp_path: Path) -> None:
    (tmp_path / "TRACE").write_text(SWF)
    for text in ("", "; MaxProcs: 4\n"):
        (tmp_path / "none.swf").write_text(text)
        done = subprocess.run(
            [sys.executable, "-m", "rmsd_cli.main", *command.split(), "none.swf"],
            capture_output=True,
            cwd=tmp_path,
            check=False,
        )
        said = (done.returncode, done.stdout, done.stderr.decode())
        assert said == (1, b"", "rmsd: error: none.swf: there is no job in it\n")


@pytest.mark.parametrize("columns", [40, 60])
def test_what_is_too_wide_goes_on_below(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert max(map(len, trace("info", "-", stdin=BAD, expect=1).stdout.splitlines())) > 80
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = trace("info", "-", stdin=BAD, expect=1).stdout.splitlines()
    assert [line for line in lines if len(line) > columns] == []
    assert sum(line.startswith("short, narrow") for line in lines) == (2 if columns == 40 else 1)


def test_prose_in_help_is_filled_and_lists_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    text = trace("--help").stdout
    assert max(map(len, text.splitlines())) <= 60
    assert "\n  0  done\n  1  a trace" in text
    monkeypatch.setenv("COLUMNS", "200")
    # line breaks are kept
    assert "\nor not, or - for standard input. A command writes" in trace("--help").stdout


def test_a_reader_that_has_enough_ends_it_as_a_signal_would(tmp_path: Path) -> None:
    path = tmp_path / "long.swf"
    path.write_text(SWF + "5 40 -1 10 2 -1 -1 2 10 -1 0 2 -1 -1 -1 -1 -1 -1\n" * 20_000)
    command = [sys.executable, "-m", "rmsd_cli.main", "trace", "head", "-n", "20000", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as head:
        assert head.stdout is not None
        assert head.stderr is not None
        assert head.stdout.readline() == b"; Computer: a machine\n"
        head.stdout.close()
        assert (head.wait(), head.stderr.read()) == (141, b"")


def test_a_byte_order_mark_is_no_field(tmp_path: Path) -> None:
    bare = SWF[SWF.index("1 0 5") :]
    path = tmp_path / "marked.swf"
    for text in (SWF, bare):
        marked = text.encode("utf-8-sig")
        for content in (marked, gzip.compress(marked)):
            path.write_bytes(content)
            assert numbers(trace("head", path).stdout) == [1, 2, 3, 4]
            assert numbers(trace("head", "-", stdin=content).stdout) == [1, 2, 3, 4]
            assert read_trace(path) == parse_swf(text.splitlines())
    path.write_bytes(SWF.encode("utf-16"))
    assert f"cannot read {path}: it is UTF-16" in trace("clean", path, expect=1).stderr
    with pytest.raises(CommandError, match="it is UTF-16"):
        read_trace(path)


def test_scale_gives_the_load_asked_for_as_simulate_does(tmp_path: Path) -> None:
    sample = subprocess.run(
        [sys.executable, "-m", "rmsd_cli.main", "generate", "--jobs", "300"],
        capture_output=True,
        check=True,
    ).stdout
    path = tmp_path / "sample.swf"
    path.write_bytes(sample)
    scaled = trace("scale", "--load", "0.7", path).stdout
    report = json.loads(trace("info", "--json", "-", stdin=scaled).stdout)
    assert report["load"] == pytest.approx(0.7, rel=1e-4)
    theirs = scaled_to_load(read_trace(path).jobs, 64, 0.7)
    assert parse_swf(scaled.splitlines()).jobs == theirs
    assert trace("scale", "--load", "0.7", "-", stdin=sample).stdout == scaled
    shrunk = trace("scale", "--shrink", "0.5", path).stdout
    assert parse_swf(shrunk.splitlines()).jobs == divided(read_trace(path).jobs, 2)


def test_scale_to_a_smaller_machine(swf: Path) -> None:
    done = trace("scale", "--procs", "2", swf)
    assert numbers(done.stdout) == [2, 3]
    assert "; MaxProcs: 2" in header(done.stdout)
    assert "2 larger jobs of 4 left out" in done.stderr
    for options in ([], ["--load", "0"], ["--shrink", "nan"], ["--procs", "0"]):
        trace("scale", *options, swf, expect=2)
    for options in (["--load", "1e-300"], ["--shrink", "1e300"], ["--shrink", "1e17"]):
        stderr = trace("scale", *options, swf, expect=2).stderr
        assert f"{options[0]} {float(options[1])}: submit times would be out of range" in stderr


def test_shake_depends_on_the_seed_alone(swf: Path) -> None:
    once, again, other = (
        trace("shake", "--seed", seed, "--most", "1m", swf).stdout for seed in ("1", "1", "2")
    )
    assert once == again
    assert parse_swf(once.splitlines()).jobs != parse_swf(other.splitlines()).jobs
    assert "; Note: rmsd trace shake --most 60 --seed 1" in once
    assert parse_swf(once.splitlines()).jobs == shaken(read_trace(swf).jobs, 1, 60)
    assert (
        "`rmsd trace clean` sorts" in trace("shake", "--tolerant", "-", stdin=BAD, expect=1).stderr
    )


def test_merge(swf: Path, tmp_path: Path) -> None:
    later = tmp_path / "later.swf"
    later.write_text(SWF.replace("1000000800", "1000000815").replace("MaxProcs: 4", "MaxProcs: 8"))
    text = trace("merge", "--by-date", swf, later).stdout
    jobs = parse_swf(text.splitlines()).jobs
    assert [job.submit_s for job in jobs] == [0, 10, 15, 20, 25, 30, 35, 45]
    assert len({job.user for job in jobs}) == 4
    assert "; MaxProcs: 8" in header(text)
    assert "; Note: trace 2 is later.swf, 15 s later" in header(text)
    assert "; trace 1: Computer: a machine" in header(text)
    assert [job.submit_s for job in parse_swf(trace("merge", swf, later).stdout.splitlines()).jobs][
        :4
    ] == [0, 0, 10, 10]
    trace("merge", swf, expect=2)
    twice = trace("merge", swf, "-", stdin=SWF.replace("2 10", "1 10")).stderr
    assert "line 7: job number 1 again; all are numbered anew" in twice
    bad = tmp_path / "bad.swf"
    bad.write_text("1 2 3\n")
    assert f"{bad}, line 1: 3 fields" in trace("merge", bad, swf, expect=1).stderr


def test_commands_can_be_piped_into_each_other_and_into_simulate(swf: Path) -> None:
    command = (
        f"rmsd trace clean {swf} | rmsd trace scale --load 0.5 - | rmsd trace shake - | "
        "rmsd simulate - --recipe easy --json"
    )
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env={**os.environ, "PATH": path},
        capture_output=True,
        check=True,
    )
    report = json.loads(done.stdout)
    assert report["jobs"]["simulated"] == 3
    assert report["manifest"]["trace"] == {"file": "-", "bytes": None, "sha256": None}


@pytest.mark.slow
@needs_traces
def test_twenty_estimates_are_those_of_nine_jobs_in_ten() -> None:
    """Thesis 5.9, Table 5.5: the 20 most popular cover about 89% of the jobs of CTC."""
    report = json.loads(trace("info", TRACES / "CTC-SP2-1996-3.1-cln.swf.gz", "--json").stdout)
    modes = report["estimates"]["modes"]
    assert len(modes) == 20
    assert sum(mode["share"] for mode in modes) == pytest.approx(0.89, abs=0.01)
    assert modes[0]["estimate_s"] == 18 * 3600
