"""`rmsd study`: the file, the runs, and the tables."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab.workloads.swf import format_swf
from rmsd_lab_cli.manifest import fingerprint
from rmsd_lab_cli.studies import execute
from rmsd_lab_cli.studies.description import read_study
from rmsd_lab_cli.studies.results_file import read_results
from tests.cli.studies import results
from tests.commands import rmsd


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_all_recipes_meet_the_same_shaken_jobs_and_each_seed_others(folder: Path) -> None:
    rows = results(folder)
    offered = {(row["load"], row["seed"]): set[Any]() for row in rows}
    for row in rows:
        offered[row["load"], row["seed"]].add(row["offered_load"])
    assert all(len(loads) == 1 for loads in offered.values())
    assert offered[0.7, 1] != offered[0.7, 2]


@pytest.mark.slow
def test_a_trace_is_read_once_for_all_its_runs(folder: Path) -> None:
    study = read_study(folder / "study.toml")
    (source,) = study.traces
    assert source.path is not None
    sha256 = fingerprint(source.path)["sha256"]
    before = execute.checked_trace.cache_info().misses
    for one in study.runs():
        execute.execute(execute.RunTask(one, sha256, ()))
    assert execute.checked_trace.cache_info().misses == before + 1


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_parquet_by_the_name(folder: Path) -> None:
    rows = results(folder, "--metrics", "waits,load")
    rmsd("study", folder / "study.toml", "--out", folder / "r.parquet", "--metrics", "waits,load")
    assert read_results(folder / "r.parquet") == rows
    assert "metrics.waits.wait_s.p99" in rows[0]
    assert isinstance(rows[0]["metrics.load.over_time"], str)


@pytest.mark.slow
def test_a_table_for_people(folder: Path) -> None:
    lines = rmsd("study", folder / "study.toml").stdout.splitlines()
    assert lines[0] == "sample, 16 processors"
    assert lines[2].split()[:2] == ["easy", "0.7"]
    assert " +- " in lines[2]
    assert max(map(len, lines)) <= 100
    assert lines[-1].startswith("Means over 2 seeds")


@pytest.mark.slow
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
