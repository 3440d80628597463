"""Parts in a file of their own, which `RMSD_PARTS` names: the file that `rmsd recipes --new-part`
writes, in a simulation, in the workers of a study, and live."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rmsd_core.recipes.extensions import ORDERS
from rmsd_daemon.setup.third_party import load_file
from rmsd_lab.workloads.sample import sample_trace
from rmsd_lab_cli.studies.results_file import read_results
from tests.commands import rmsd

RECIPES = (
    "easy++,order=my-order",
    "easy+,predict=my-predictor",
    "easy,planner=my-planner",
)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    said = rmsd("recipes", "--new-part", path).stdout
    assert f"export RMSD_PARTS={path}" in said
    return path


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    path = tmp_path / "sample.swf"
    lines = [
        f"{job.number} {job.submit_s} -1 {job.run_s} {job.size} -1 -1 {job.size} "
        f"{job.estimate_s} -1 1 {job.user} -1 -1 -1 -1 -1 -1\n"
        for job in sample_trace(200, 32, seed=3)
    ]
    path.write_text("; MaxProcs: 32\n" + "".join(lines))
    return path


def with_file(*paths: Path) -> dict[str, str]:
    return os.environ | {"RMSD_PARTS": ":".join(map(str, paths))}


@pytest.mark.slow
def test_the_template_is_simulated(mine: Path, sample: Path) -> None:
    def mean_wait_s(recipe: str) -> float:
        said = rmsd("simulate", sample, "--recipe", recipe, "--json", env=with_file(mine))
        report = json.loads(said.stdout)
        for one in report["manifest"]["parts"]:
            assert one["distribution"] == "mine.py"
        assert len(report["manifest"]["parts"]) == ("my-" in recipe)
        return float(report["wait_s"]["mean"])

    base = {"easy++", "easy+", "easy"}
    waits = {recipe: mean_wait_s(recipe) for recipe in (*RECIPES, *base)}
    for recipe in RECIPES:
        assert waits[recipe] != waits[recipe.split(",")[0]]


def test_the_template_is_listed_and_written_once(mine: Path) -> None:
    assert "my-order (mine.py)" in rmsd("recipes", "--parts", env=with_file(mine)).stdout
    before = mine.read_bytes()
    assert "is there already" in rmsd("recipes", "--new-part", mine, expect=1).stderr
    assert mine.read_bytes() == before
    assert "ends in .py" in rmsd("recipes", "--new-part", "mine.txt", expect=2).stderr


@pytest.mark.slow
def test_workers_of_a_study_have_the_file(mine: Path, sample: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(f'recipes = ["easy", "easy,order=my-order"]\ntraces = ["{sample}"]\n')
    out = tmp_path / "out.csv"
    arguments = ("study", study, "--out", out, "--results", tmp_path / "kept", "--jobs", "1")
    rmsd(*arguments, env=with_file(mine))
    first = [row["wait_s.mean"] for row in read_results(out)]
    assert first[0] != first[1]
    mine.write_text(mine.read_text().replace("float(10**wait_days /", "-float(10**wait_days /"))
    rmsd(*arguments, env=with_file(mine))  # a run of other code is not taken for the same
    second = [row["wait_s.mean"] for row in read_results(out)]
    assert second[0] == first[0]
    assert second[1] != first[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "said"),
    [
        (None, "No such file or directory"),
        ("x = 1\n", "it has no Order, Reserve, PredictorPart, Correction or PlannerPart"),
        ("def broken(:\n", "SyntaxError: invalid syntax"),
        ("raise SystemError('mine')\n", "SystemError: mine"),
        (
            "from rmsd_core.recipes.extensions import Order\n"
            "lxfw = Order('lxfw', 'taken', key=lambda job: 0)\n",
            "there is order=lxfw already",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_named(
    source: str | None, said: str, sample: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.py"
    if source is not None:
        broken.write_text(source)
    recipe = "easy,order=my-order"
    done = rmsd("simulate", sample, "--recipe", recipe, env=with_file(broken), expect=2)
    assert f"file {broken} is skipped: " in done.stderr
    assert said in done.stderr


def test_a_file_that_was_edited_is_loaded_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    source = (
        "from rmsd_core.recipes.extensions import Order\n"
        "one = Order('{name}', 'a test', key=lambda job: 0)\n"
    )
    try:
        for name in ("first-of-all", "second-of-all", "second-of-all"):
            path.write_text(source.format(name=name))
            (found,) = load_file(path)
            assert found.problem is None
            assert {one for one in ORDERS if one.endswith("-of-all")} == {name}
    finally:
        path.unlink()
        load_file(path)
    assert not [one for one in ORDERS if one.endswith("-of-all")]


@pytest.mark.live
@pytest.mark.long  # a private daemon and a replay for each part
@pytest.mark.parametrize("recipe", RECIPES)
def test_the_template_runs_live(recipe: str, mine: Path, sample: Path) -> None:
    done = rmsd(
        *("replay", sample, "--rate", "20000", "--recipe", recipe, "--json"), env=with_file(mine)
    )
    report = json.loads(done.stdout)
    assert report["recipe"] == recipe
    assert report["manifest"]["parts"]
    assert not report["partial"]


def test_a_file_that_other_accounts_can_change_is_not_run(mine: Path) -> None:
    """Root's daemon ran whatever another account had written into it."""
    for path in (mine, mine.parent):
        mode = path.stat().st_mode
        path.chmod(mode | 0o002)
        [part] = load_file(mine)
        assert part.problem == (
            f"ChangeableError: {path} can be changed by others; `chmod go-w {path}`"
        )
        path.chmod(mode)
    assert "my-order" not in ORDERS
