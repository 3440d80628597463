"""`rmsd study`: the file, the runs, and what is kept of an interrupted command."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_cli.errors import UsageError
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import format_swf
from rmsd_lab_cli.manifest import fingerprint
from rmsd_lab_cli.studies import execute
from rmsd_lab_cli.studies.description import Study, read_study, study_from
from rmsd_lab_cli.studies.example import EXAMPLE
from rmsd_lab_cli.studies.results_file import Row, read_results
from tests.commands import rmsd

STUDY = """\
recipes = ["easy", "easy++"]
loads = [0.7, "recorded"]
seeds = 2
traces = ["sample.swf"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a trace, a study of it, and a cache of its own."""
    lines = format_swf(sample_trace(120, 16, seed=1), {"MaxProcs": "16"})
    (tmp_path / "sample.swf").write_text("".join(lines))
    (tmp_path / "study.toml").write_text(STUDY)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def results(folder: Path, *options: str | Path) -> list[Row]:
    """Return the results of the study in a folder."""
    rmsd("study", folder / "study.toml", "--out", folder / "out.csv", *options)
    return read_results(folder / "out.csv")


def test_a_row_for_every_run_in_the_study_s_order(folder: Path) -> None:
    rows = results(folder)
    assert [(row["load"], row["seed"], row["recipe"]) for row in rows] == [
        (load, seed, recipe)
        for load in (0.7, None)
        for seed in (1, 2)
        for recipe in ("easy", "easy++")
    ]
    assert {row["trace"] for row in rows} == {"sample"}
    assert len({row["run"] for row in rows}) == 8
    scaled = [row["offered_load"] for row in rows if row["load"] == 0.7]
    assert scaled == [pytest.approx(0.7, rel=0.02)] * 4


@pytest.mark.parametrize(
    ("study", "of_trace", "options"),
    [
        (
            "loads = [0.8]\ntrim = 'thesis'\nwide_above = 4\n",
            'estimates = "exact"\njobs = 100\nprocs = 20\nkill_at_estimate = true\n',
            "--load 0.8 --trim thesis --wide-above 4 --estimates exact --jobs 100 --procs 20 "
            "--kill-at-estimate",
        ),
        ("", "closed_loop = true\n", "--closed-loop"),
    ],
)
def test_a_run_is_what_simulate_makes_of_the_same_jobs(
    folder: Path, study: str, of_trace: str, options: str
) -> None:
    jobs = [
        job._replace(preceding=at, think_s=7) if at % 3 else job
        for at, job in enumerate(sample_trace(120, 16, seed=1))
    ]
    (folder / "sample.swf").write_text("".join(format_swf(jobs, {"MaxProcs": "16"})))
    (folder / "study.toml").write_text(
        f'recipes = ["selective", "timed-easy"]\n{study}metrics = ["all"]\nrestart_cost_s = 30\n'
        f'exempt = 0.25\n[[traces]]\nfile = "sample.swf"\n{of_trace}'
    )
    report = json.loads(rmsd("study", folder / "study.toml", "--json").stdout)
    assert report["schema"] == "rmsd.study/1"
    assert len(report["runs"]) == 2
    for one in report["runs"]:
        arguments = [*options.split(), "--recipe", one["recipe"], "--metrics", "all", "--json"]
        if one["recipe"] == "timed-easy":
            arguments += ["--restart-cost", "30", "--exempt", "0.25"]
        alone = json.loads(rmsd("simulate", folder / "sample.swf", *arguments).stdout)
        figures = one["figures"]
        for key in ("elapsed_s", "manifest", "offered_load"):
            figures.pop(key, None)
            alone.pop(key, None)
        assert figures == alone


def test_all_recipes_meet_the_same_shaken_jobs_and_each_seed_others(folder: Path) -> None:
    rows = results(folder)
    offered = {(row["load"], row["seed"]): set[Any]() for row in rows}
    for row in rows:
        offered[row["load"], row["seed"]].add(row["offered_load"])
    assert all(len(loads) == 1 for loads in offered.values())
    assert offered[0.7, 1] != offered[0.7, 2]


def test_a_trace_is_read_once_for_all_its_runs(folder: Path) -> None:
    study = read_study(folder / "study.toml")
    (source,) = study.traces
    assert source.path is not None
    sha256 = fingerprint(source.path)["sha256"]
    before = execute.checked_trace.cache_info().misses
    for one in study.runs():
        execute.execute(execute.Task(one, sha256, ()))
    assert execute.checked_trace.cache_info().misses == before + 1


def test_a_model_draws_other_jobs_with_every_seed(folder: Path) -> None:
    (folder / "study.toml").write_text(
        'recipes = ["fcfs"]\nseeds = [3, 4]\n[[traces]]\nmodel = "sample"\njobs = 50\nprocs = 8\n'
    )
    first, second = results(folder)
    assert (first["trace"], first["procs"], first["jobs.simulated"]) == ("sample", 8, 50)
    assert first["wait_s.mean"] != second["wait_s.mean"]
    trace = folder / "generated.swf"
    trace.write_text(rmsd("generate", "--jobs", "50", "--procs", "8", "--seed", "3").stdout)
    alone = json.loads(rmsd("simulate", trace, "--recipe", "fcfs", "--json").stdout)
    assert first["wait_s.mean"] == alone["wait_s"]["mean"]


@pytest.mark.long  # each runs several commands as processes
@pytest.mark.parametrize(
    ("keys", "generated"),
    [
        ('model = "lublin"\njobs = 60\nprocs = 16', ["lublin", "--jobs", "60", "--procs", "16"]),
        ('model = "fitted"\nfile = "sample.swf"\nweeks = 2', ["fitted", "TRACE", "--weeks", "2"]),
        ('model = "dynp-2"', ["dynp", "2"]),
    ],
)
def test_models_are_those_of_generate(folder: Path, keys: str, generated: list[str]) -> None:
    (folder / "study.toml").write_text(
        f'recipes = ["easy"]\nloads = ["recorded", 0.6]\nseeds = [5]\n[[traces]]\n{keys}\n'
    )
    rows = results(folder)
    for row, load in zip(rows, ([], ["--load", "0.6"]), strict=True):
        trace = folder / "generated.swf"
        arguments = [str(folder / "sample.swf") if one == "TRACE" else one for one in generated]
        scaled = [] if generated[0] == "dynp" else load
        trace.write_text(rmsd("generate", *arguments, "--seed", "5", *scaled).stdout)
        simulated = load if generated[0] == "dynp" else []
        alone = json.loads(rmsd("simulate", trace, *simulated, "--json").stdout)
        assert row["wait_s.mean"] == alone["wait_s"]["mean"]
        assert row["jobs.simulated"] == alone["jobs"]["simulated"]


def test_estimates_are_those_asked_for(folder: Path) -> None:
    kinds = ("user", "exact", "shuffled", 'f"\nbadness = 3 #', "modes")
    tables = [
        f'[[traces]]\nfile = "sample.swf"\nname = "{at}"\nestimates = "{kind}"\n'
        for at, kind in enumerate(kinds)
    ]
    (folder / "study.toml").write_text('recipes = ["easy"]\n' + "".join(tables))
    waits = [row["wait_s.mean"] for row in results(folder)]
    assert len(set(waits)) == len(kinds)
    (folder / "study.toml").write_text(
        'recipes = ["easy"]\n[[traces]]\nmodel = "lublin"\njobs = 50\nprocs = 16\n'
        'estimates = "modes"\n'
    )
    said = rmsd("study", folder / "study.toml", expect=1).stderr
    assert "lublin: the jobs have no estimates; say the longest with `max_estimate_s`" in said
    with (folder / "study.toml").open("a") as study:
        study.write("max_estimate_s = 200000\n")
    assert len(results(folder)) == 1


def test_every_run_has_its_manifest(folder: Path) -> None:
    rows = results(folder)
    report = json.loads((folder / "out.csv.manifest.json").read_text())
    assert (report["schema"], report["study"]) == ("rmsd.study/1", "study.toml")
    assert [one["run"] for one in report["runs"]] == [row["run"] for row in rows]
    made_with = report["runs"][0]["manifest"]
    assert made_with["trace"]["file"] == "sample.swf"
    assert made_with["recipe"] == "easy"
    assert made_with["seed"] == 1
    assert made_with["options"]["shake_s"] == 30
    assert made_with["options"]["load"] == 0.7
    assert {"rmsd", "code", "python", "machine", "begun", "ended"} <= made_with.keys()


def test_parquet_by_the_name(folder: Path) -> None:
    rows = results(folder, "--metrics", "waits,load")
    rmsd("study", folder / "study.toml", "--out", folder / "r.parquet", "--metrics", "waits,load")
    assert read_results(folder / "r.parquet") == rows
    assert "metrics.waits.wait_s.p99" in rows[0]
    assert isinstance(rows[0]["metrics.load.over_time"], str)


def test_a_table_for_people(folder: Path) -> None:
    lines = rmsd("study", folder / "study.toml").stdout.splitlines()
    assert lines[0] == "sample, 16 processors"
    assert lines[2].split()[:2] == ["easy", "0.7"]
    assert " +- " in lines[2]
    assert max(map(len, lines)) <= 100
    assert lines[-1].startswith("Means over 2 seeds")


# ---------------------------------------------------------------- kept


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "cache" / "rmsd" / "study").glob("*.json"))


def doctor(paths: list[Path], wait_s: float) -> None:
    """Nothing but a kept run has this mean wait."""
    for path in paths:
        stored = json.loads(path.read_text())
        stored["result"]["report"]["wait_s"]["mean"] = wait_s
        path.write_text(json.dumps(stored))


def test_what_is_kept_is_not_made_again(folder: Path) -> None:
    first = results(folder)
    doctor(kept(folder), 4711.0)
    assert {row["wait_s.mean"] for row in results(folder)} == {4711.0}
    (folder / "study.toml").write_text(STUDY.replace('["easy",', '["fcfs", "easy",'))
    assert [row["recipe"] for row in results(folder) if row["wait_s.mean"] != 4711.0] == [
        "fcfs"
    ] * 4
    (folder / "study.toml").write_text(STUDY)
    fresh = results(folder, "--fresh")
    assert [row["wait_s.mean"] for row in fresh] == [row["wait_s.mean"] for row in first]
    kept(folder)[0].write_text("{")  # a broken file counts as missing
    assert len(results(folder)) == 8


def test_more_metrics_are_made_once_and_fewer_are_there(folder: Path) -> None:
    results(folder, "--metrics", "waits")
    doctor(kept(folder), 4711.0)
    rows = results(folder, "--metrics", "categories")
    assert {row["wait_s.mean"] == 4711.0 for row in rows} == {False}
    assert not any(name.startswith("metrics.waits") for name in rows[0])
    doctor(kept(folder), 4711.0)
    rows = results(folder, "--metrics", "waits,categories")
    assert {row["wait_s.mean"] for row in rows} == {4711.0}


def test_another_trace_under_the_same_name_is_another_run(folder: Path) -> None:
    results(folder)
    doctor(kept(folder), 4711.0)
    lines = format_swf(sample_trace(120, 16, seed=2), {"MaxProcs": "16"})
    (folder / "sample.swf").write_text("".join(lines))
    assert 4711.0 not in {row["wait_s.mean"] for row in results(folder)}


@pytest.mark.long  # each runs a study three times
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_study_goes_on_where_it_was(
    folder: Path, number: signal.Signals, code: int
) -> None:
    study = (
        'recipes = ["fcfs", "easy", "conservative", "easy++"]\nseeds = {}\n'
        '[[traces]]\nmodel = "sample"\njobs = 300\nprocs = 32\n'
    )
    (folder / "study.toml").write_text(study.format(5000))
    command = [sys.executable, "-m", "rmsd_cli.main", "study", str(folder / "study.toml")]
    command += ["--jobs", "2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while not kept(folder):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        _, said = process.communicate()
    assert process.returncode == code
    assert "resource_tracker" not in said
    finished = len(kept(folder))
    assert 0 < finished < 20_000
    found = re.search(f"([0-9,]+) of 20,000 runs are kept in {folder / 'cache/rmsd/study'}", said)
    assert found
    assert finished - int(found[1].replace(",", "")) in (0, 1)  # the run may have been just kept
    assert "Traceback" not in said
    doctor(kept(folder), 4711.0)
    seeds = finished // 4 + 3
    (folder / "study.toml").write_text(study.format(seeds))
    rows = results(folder)
    assert [row["wait_s.mean"] for row in rows].count(4711.0) == finished
    assert len(rows) == len(kept(folder)) == 4 * seeds


def test_nobody_works_on_when_the_command_is_killed(folder: Path) -> None:
    (folder / "study.toml").write_text(
        'recipes = ["conservative", "easy"]\nseeds = 500\n'
        '[[traces]]\nmodel = "sample"\njobs = 1000\nprocs = 32\n'
    )
    command = [sys.executable, "-m", "rmsd_cli.main", "study", str(folder / "study.toml")]
    with subprocess.Popen([*command, "--jobs", "2"]) as process:
        while not kept(folder):
            assert process.poll() is None
            time.sleep(0.01)
        workers = psutil.Process(process.pid).children(recursive=True)
        process.kill()
    assert len(workers) >= 2
    _, left = psutil.wait_procs(workers, timeout=60)
    assert not left
    assert len(kept(folder)) < 1000


# ---------------------------------------------------------------- the file


def study_of(folder: Path, text: str) -> Study:
    path = folder / "s.toml"
    path.write_text(text)
    return read_study(path)


def test_the_example_is_a_study(folder: Path) -> None:
    assert rmsd("study", "--example").stdout == EXAMPLE
    assert len(study_of(folder, EXAMPLE).runs()) == 4 * 3 * 5
    everything = EXAMPLE.replace("# [[traces]]\n", "[[traces]]\n")
    head, _, tail = everything.rpartition("[[traces]]\n")
    tail = tail.replace("# loads", "loads").replace("# file", "file").replace("# name", "name")
    for key in ("procs", "jobs", "estimates", "badness", "kill_at_estimate"):
        tail = tail.replace(f"# {key} =", f"{key} =")
    study = study_of(folder, f"{head}[[traces]]\n{tail}")
    assert [source.name for source in study.traces] == ["sample", "KTH"]
    assert study.traces[1].loads == (0.8,)
    assert study.traces[1].kill_at_estimate
    assert tomllib.loads(EXAMPLE)["shake_s"] == study.shake_s


def test_files_are_beside_the_study(folder: Path) -> None:
    source = study_of(folder, 'recipes = ["easy"]\ntraces = ["logs/KTH.swf.gz"]\n').traces[0]
    assert (source.path, source.name) == (folder / "logs/KTH.swf.gz", "KTH")


TRACES = 'traces = ["sample.swf"]\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recipes = [", "s.toml: "),
        ("seeds = " + "1" * 5000, "s.toml: "),
        (TRACES, r"recipes: missing; name some, as in recipes = \["),
        ('recipes = ["easy"]\n', "traces: missing"),
        (TRACES + 'recipes = ["esay"]', r'recipes = \["esay"\]: .*did you mean easy'),
        (TRACES + "recipes = []", r"recipes = \[\]: a list with something in it"),
        (TRACES + 'recipes = ["easy", "EASY"]', "easy is there twice"),
        (TRACES + 'recipes = ["easy"]\nloads = [0]', r"loads = \[0\]: numbers above 0"),
        (TRACES + 'recipes = ["easy"]\nloads = [true]', r"loads = \[true\]: numbers above 0"),
        (TRACES + 'recipes = ["easy"]\nloads = [nan]', "numbers above 0"),
        (TRACES + f'recipes = ["easy"]\nloads = [1{"0" * 400}]', "numbers above 0 are expected"),
        (TRACES + 'recipes = ["easy"]\nloads = 0.7', "loads = 0.7: a list"),
        (TRACES + 'recipes = ["easy"]\nloads = [0.7, 0.70]', "0.7 is there twice"),
        (TRACES + 'recipes = ["easy"]\nseeds = 0', "seeds = 0: a whole number from 1 on"),
        (TRACES + 'recipes = ["easy"]\nseeds = 100000000', "at most 10,000 seeds"),
        (TRACES + 'recipes = ["easy"]\nseeds = [1, -1]', "a whole number from 0 on"),
        (TRACES + 'recipes = ["easy"]\nseeds = 3\nshake_s = 0', "shake_s: 0 makes the runs"),
        (TRACES + 'recipes = ["easy"]\nmetrics = ["wait"]', "one of waits, categories, .*, all"),
        (TRACES + 'recipes = ["easy"]\ntrim = true', "trim = true: one of none, thesis"),
        (TRACES + 'recipes = ["easy"]\nshake = 3', "shake = 3: no such key here; there are: rec"),
        ('recipes = ["easy"]\ntraces = ["a.swf", "b/a.swf.gz"]', "two have the name a"),
        ('recipes = ["easy"]\ntraces = [3]', r"traces = \[3\]: files are expected"),
        ('recipes = ["easy"]\n[[traces]]\nname = "x"', r"traces\[0\].file: missing; give `file`"),
        (
            'recipes = ["easy"]\n[[traces]]\nmodel = "sample"\njobs = 9',
            r'traces\[0\].procs: missing; model = "sample" needs jobs and procs',
        ),
        (
            'recipes = ["easy"]\n[[traces]]\nmodel = "fitted"\nweeks = 9',
            r'traces\[0\].file: missing; model = "fitted" needs file and weeks',
        ),
        (
            'recipes = ["easy"]\n[[traces]]\nmodel = "dynp-1"\nprocs = 9',
            r'traces\[0\].procs: means nothing to model = "dynp-1"',
        ),
        (
            'recipes = ["easy"]\n[[traces]]\nfile = "a.swf"\nbadness = 3',
            r'traces\[0\].badness: belongs to estimates = "f"',
        ),
        (
            'recipes = ["easy"]\n[[traces]]\nfile = "a.swf"\nestimates = "f"',
            r"traces\[0\].badness: missing",
        ),
        (
            'recipes = ["easy"]\n[[traces]]\nfile = "a.swf"\nestimates = "f"\nbadness = -1',
            r"traces\[0\].badness = -1: a number from 0 on",
        ),
        (
            'recipes = ["easy"]\n[[traces]]\nfile = "a.swf"\nseeds = 3',
            r"traces\[0\].seeds = 3: .* stand above the first \[\[traces\]\]",
        ),
        (TRACES + 'recipes = ["easy"]\nexempt = 0.5', "exempt: no recipe here has trial runs"),
        (TRACES + 'recipes = ["timed-easy"]\nexempt = 1.5', "exempt = 1.5: a share from 0 to 1"),
        (
            'recipes = ["easy"]\nloads = [1]\n[[traces]]\nfile = "a.swf"\nclosed_loop = true',
            r"traces\[0\].closed_loop: loads stretch submit times",
        ),
        (
            'recipes = ["easy"]\n[[traces]]\nmodel = "dynp-1"\nclosed_loop = true',
            r"traces\[0\].closed_loop: means nothing to a model",
        ),
        (
            'recipes = ["easy"]\n[[traces]]\nfile = "a.swf"\nprocs = 0',
            r"traces\[0\].procs = 0: a whole number from 1 on",
        ),
    ],
)
def test_what_cannot_be_is_named_with_its_key_and_value(
    folder: Path, text: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message) as refused:
        study_of(folder, text)
    assert str(refused.value).startswith(str(folder / "s.toml"))


VALUES = st.recursive(
    st.booleans() | st.integers() | st.just(10**400) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
USUAL = {
    "recipes": ["easy"],
    "traces": [{"file": "a.swf", "model": "fitted", "weeks": 3}],
    "loads": [0.5],
    "seeds": 3,
}


@given(
    key=st.sampled_from(
        ["recipes", "traces", "loads", "seeds", "shake_s", "metrics", "trim", "wide_above", "else"]
    ),
    of_trace=st.sampled_from([None, "file", "name", "model", "weeks", "estimates", "badness"]),
    value=VALUES,
)
def test_no_value_is_a_surprise(key: str, of_trace: str | None, value: object) -> None:
    """Whatever a file says is a study, or is refused with the key's name."""
    table: dict[str, Any] = json.loads(json.dumps(USUAL))
    if of_trace is None:
        table[key] = value
    else:
        table["traces"][0][of_trace] = value
    try:
        assert study_from(table, "s.toml", Path("/")).runs()
    except UsageError as error:
        refused = str(error)
    else:
        refused = "s.toml: nothing"
    assert refused.startswith("s.toml: ")


def test_what_the_command_refuses(folder: Path) -> None:
    study = folder / "study.toml"
    assert "--example" in rmsd("study", expect=2).stderr
    assert "--jobs 0" in rmsd("study", study, "--jobs", "0", expect=2).stderr
    assert ".csv or .parquet" in rmsd("study", study, "--out", "r.xlsx", expect=2).stderr
    assert "no group 'wait'" in rmsd("study", study, "--metrics", "wait", expect=2).stderr
    assert "cannot read" in rmsd("study", folder / "none.toml", expect=1).stderr
    (folder / "study.toml").write_text('recipes = ["easy"]\ntraces = ["none.swf"]\n')
    assert f"cannot read {folder / 'none.swf'}" in rmsd("study", study, expect=1).stderr


def test_a_run_that_cannot_be_made_ends_the_study_with_its_reason(folder: Path) -> None:
    (folder / "sample.swf").write_text(
        "; MaxProcs: 4\n" + "1 0 -1 100 4 -1 -1 4 200 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
    )
    (folder / "study.toml").write_text('recipes = ["easy", "easy++"]\ntraces = ["sample.swf"]\n')
    said = rmsd("study", folder / "study.toml", "--jobs", "1", expect=1).stderr
    assert "recipe easy++: predict=recent needs the jobs of each user, and sample names" in said
    assert "1 of 2 runs are kept" in said
    (folder / "sample.swf").write_text("1 0 -1 100 4 -1 -1 4 200 -1 1 -1 -1 -1 -1 -1 -1 -1\n")
    assert "`procs` in [[traces]]" in rmsd("study", folder / "study.toml", expect=1).stderr


def test_a_trace_that_would_last_for_centuries_is_named(folder: Path) -> None:
    line = "{0} {0} -1 4294967296 4 -1 -1 4 600 -1 1 1 1 -1 -1 -1 -1 -1\n"
    (folder / "long.swf").write_text("; MaxProcs: 4\n" + "".join(map(line.format, range(10))))
    (folder / "study.toml").write_text('recipes = ["easy"]\n[[traces]]\nfile = "long.swf"\n')
    for arguments in (
        ("study", folder / "study.toml"),
        ("report", folder / "long.swf", "-o", folder / "long.html"),
        ("simulate", folder / "long.swf"),
        ("estimates", "validate", folder / "long.swf", "--results", folder / "of-validate"),
    ):
        done = rmsd(*arguments, expect=1)
        assert "long" in done.stderr
        assert "the schedule would last longer than 571 years" in done.stderr
        assert "Traceback" not in done.stderr


def test_of_several_traces_each_is_tried_first(folder: Path) -> None:
    (folder / "study.toml").write_text(
        'recipes = ["easy", "easy++"]\nloads = [0.5, 0.8]\nseeds = 20\n'
        '[[traces]]\nfile = "sample.swf"\n[[traces]]\nmodel = "lublin"\njobs = 20\nprocs = 8\n'
    )
    said = rmsd("study", folder / "study.toml", "--jobs", "1", expect=1).stderr
    assert "easy++: predict=recent needs the jobs of each user, and lublin names no users" in said
    assert "3 of 160 runs are kept" in said


def test_only_who_asks_pays_for_libraries(folder: Path) -> None:
    program = (
        "import sys\nfrom rmsd_cli.main import run\n"
        f"run(['study', {str(folder / 'study.toml')!r}, '--jobs', '1'])\n"
        "heavy = {'pyarrow', 'numpy', 'distributed', 'dask', 'aiohttp', 'sqlalchemy'}\n"
        "print(sorted(heavy & sys.modules.keys()), file=sys.stderr)\n"
    )
    (folder / "program.py").write_text(f"if __name__ == '__main__':\n    exec({program!r})\n")
    done = subprocess.run(
        [sys.executable, folder / "program.py"], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "[]"
