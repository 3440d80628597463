"""`rmsd estimates validate`, and chapter 5 of the thesis as experiments."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rmsd_lab_cli.papers.catalogue import EXPERIMENTS
from rmsd_lab_cli.papers.experiment import Simulation
from rmsd_lab_cli.papers.workloads import prepared, with_own_estimates, without_estimates
from tests.commands import rmsd

DATA = os.environ.get("RMSD_TEST_DATA")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("validate") / "KTH-SP2-1996-2.swf"
    path.write_text(rmsd("generate", "--jobs", "700", "--procs", "32", "--load", "0.9").stdout)
    return path


@pytest.mark.long  # simulates a trace under each model of estimates
def test_models_are_compared_with_the_trace(sample: Path, tmp_path: Path) -> None:
    options = ("--seeds", "2", "--processes", "2", "--results", tmp_path / "kept")
    report = json.loads(rmsd("estimates", "validate", sample, *options, "--json").stdout)
    assert report["schema"] == "rmsd.estimates/1"
    assert (report["jobs"], report["procs"], report["seeds"]) == (700, 32, 2)
    models = {model["model"]: model for model in report["models"]}
    assert {name: model["runs"] for name, model in models.items()} == {
        **dict.fromkeys(("original", "times 2", "exact"), 1),
        **dict.fromkeys(("shuffle", "modes", "modes, 3 heads", "phi"), 2),
        **dict.fromkeys(("shuffle, sessions", "modes, sessions"), 2),
        **{f"f = {f}": 2 for f in (1, 3, 10, 100, 300)},
    }
    assert models["original"]["distance"] == models["shuffle"]["distance"] == 0
    assert models["modes"]["distance"] > 0
    assert models["exact"]["modes"] > models["modes"]["modes"] > models["original"]["modes"]
    for model in ("shuffle", "modes"):
        assert models[f"{model}, sessions"]["repeat_share"] > 2 * models[model]["repeat_share"]
        assert models[f"{model}, sessions"]["distance"] == models[model]["distance"]
    assert models["original"]["wait_s"]["deviation"] == 0
    assert models["phi"]["wait_s"]["deviation"] > 0
    ours = json.loads(rmsd("simulate", sample, "--trim", "thesis", "--json").stdout)
    assert models["original"]["wait_s"]["mean"] == pytest.approx(ours["wait_s"]["mean"])
    changed = tmp_path / "shuffled.swf"
    waits = []
    for seed in ("1", "2"):
        changed.write_text(rmsd("estimates", "shuffle", sample, "--seed", seed).stdout)
        run = json.loads(rmsd("simulate", changed, "--trim", "thesis", "--json").stdout)
        waits.append(run["wait_s"]["mean"])
    assert models["shuffle"]["wait_s"]["mean"] == pytest.approx(sum(waits) / 2)

    shown = rmsd("estimates", "validate", sample, *options).stdout.splitlines()
    assert "700 jobs on 32 processors under easy" in shown[0]
    assert [line.split()[0] for line in shown[4:7]] == ["original", "times", "shuffle"]
    assert max(map(len, shown)) <= 100
    kept = len(list((tmp_path / "kept").iterdir()))
    assert kept == sum(model["runs"] for model in report["models"])


def test_what_cannot_be_compared_is_refused(sample: Path, tmp_path: Path) -> None:
    def refused(trace: Path, *options: str, code: int) -> str:
        return rmsd("estimates", "validate", trace, *options, expect=code).stderr

    assert "at least 1" in refused(sample, "--seeds", "0", code=2)
    assert "give a file" in refused(Path("-"), code=2)
    assert "--procs" in refused(sample, "--procs", "0", code=2)
    assert "at least two jobs" in refused(sample, "--jobs", "1", code=2)
    assert "no recipe" in refused(sample, "--recipe", "none", code=2)
    exact = tmp_path / "exact.swf"
    exact.write_text(rmsd("estimates", "exact", sample).stdout)
    assert "no estimates to compare" in refused(exact, code=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["thesis-5.1", "thesis-5.2", "thesis-fig-5.11"])
def test_the_tables_of_chapter_5_are_measured(name: str, sample: Path, tmp_path: Path) -> None:
    report = json.loads(
        rmsd(
            *("paper", "run", name, "--traces", sample.parent),
            *("--results", tmp_path, "--processes", "1", "--json"),
        ).stdout
    )
    (experiment,) = report["experiments"]
    ours = {
        (cell["row"], cell["column"]): cell["ours"]
        for table in experiment["tables"]
        for cell in table["cells"]
        if cell["ours"] is not None
    }
    trace = [line.split() for line in sample.read_text().splitlines() if line[0] != ";"]
    if name == "thesis-5.1":
        assert ours["KTH", "N"] == 700
        assert ours["KTH", "K"] == len({job[8] for job in trace})
    elif name == "thesis-5.2":
        assert ours["KTH", "100%"] == len({job[8] for job in trace})
    else:
        assert 0 < ours["KTH4H vanl", "distance"] < 1
        assert [claim["verdict"] for claim in experiment["claims"]].count("no trace") == 2


def test_changes_of_estimates_are_left_out_of_the_reference(sample: Path) -> None:
    before = ("asking-up-to", 3600)
    run = Simulation(sample.name, 64, "easy", (before, ("modes", 14400, 2, 1, 300, 20)))
    assert with_own_estimates(run).changes == (before,)
    assert without_estimates(run).changes == (("exact",), before)
    jobs, _ = prepared(run, sample)
    own, _ = prepared(with_own_estimates(run), sample)
    assert [job.run_s for job in jobs] == [job.run_s for job in own]
    assert max(job.estimate_s for job in own) == 3600
    share = sum(job.estimate_s == 300 for job in jobs) / len(jobs)
    assert share == pytest.approx(0.2, abs=0.01)


def test_published_numbers_of_chapter_5_are_complete() -> None:
    published = [
        cell.published
        for name in ("thesis-5.1", "thesis-5.2", "thesis-5.5")
        for table in EXPERIMENTS[name].tables
        for cell in table.cells
    ]
    assert sum(value is not None for value in published) == 24 + 2 + 48 + 80


@pytest.mark.slow
@pytest.mark.skipif(DATA is None, reason="RMSD_TEST_DATA names no folder with traces/")
@pytest.mark.golden
def test_published_estimates_come_out_on_the_real_log(tmp_path: Path) -> None:
    """All numbers of KTH and KTH4H but one are met exactly."""
    folder = tmp_path / "traces"
    folder.mkdir()
    log = "KTH-SP2-1996-2.1-cln.swf.gz"
    (folder / log).symlink_to(Path(DATA or "") / "traces" / log)
    report = json.loads(
        rmsd(
            *("paper", "run", "thesis-5.2", "thesis-5.4", "thesis-5.5", "thesis-fig-5.11"),
            *("--traces", folder, "--results", tmp_path / "kept", "--json"),
        ).stdout
    )
    coverage, spread, popular, distribution = report["experiments"]
    assert spread["verdicts"] == {"reproduced": 1, "no trace": 3}
    assert coverage["verdicts"] == {"reproduced": 16, "no trace": 32}
    assert popular["verdicts"] == {"reproduced": 20, "no trace": 60}
    assert distribution["verdicts"] == {"holds": 1, "no trace": 2}


@pytest.mark.slow
def test_a_trace_of_which_nothing_is_left_is_refused(tmp_path: Path) -> None:
    """All jobs end after the last arrival, and so are left out."""
    path = tmp_path / "short.swf"
    line = "{0} 0 -1 60 1 -1 -1 1 3600 -1 1 1 1 -1 -1 -1 -1 -1\n"
    path.write_text("; MaxProcs: 4\n" + "".join(line.format(number) for number in range(1, 9)))
    results = tmp_path / "results"
    done = rmsd("estimates", "validate", path, "--seeds", 1, "--results", results, expect=1)
    assert "short.swf: no job is left to compare" in done.stderr
    assert "Traceback" not in done.stderr
