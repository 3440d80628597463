"""`rmsd recipes`, recipes as options, and parts that other distributions bring."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from rmsd_core.recipes.parameters import PARAMETERS
from rmsd_core.recipes.presets import ALIASES, PRESETS
from rmsd_core.recipes.text import CONTRADICTIONS
from tests.cli.simulated import SWF
from tests.commands import rmsd

DOCS = Path(__file__).parents[2] / "docs" / "recipes.md"


# ---------------------------------------------------------------- lists


def test_presets_have_a_line_each_with_parts_and_a_citation() -> None:
    lines = rmsd("recipes").stdout.splitlines()
    assert all(len(line) <= 100 for line in lines)
    for name, recipe in PRESETS.items():
        [line] = [line for line in lines if line.split(" ")[0] == name]
        assert line.endswith(recipe.source)
        assert f" {recipe.reserve} " in line
        assert f" {recipe.predict} " in line
        assert any(
            paper in recipe.source
            for paper in ("thesis", "Selective", "Timed", "dynP", "Slurm", "rmsd")
        )
    assert all(alias in lines[-2] for alias in ALIASES)


def test_parts_are_listed_with_values_meaning_and_citation() -> None:
    shown = rmsd("recipes", "--parts").stdout
    assert all(len(line) <= 100 for line in shown.splitlines())
    flat = " ".join(shown.split())
    for parameter in PARAMETERS.values():
        assert parameter.meaning in flat
        assert f"[{parameter.source}]" in flat
        assert parameter.takes in flat
        for word, meaning in parameter.words().items():
            assert f"{word} {meaning}" in flat
    for contradiction in CONTRADICTIONS:
        assert f"{contradiction.what}: {contradiction.why}" in flat


def test_one_recipe_is_explained_in_full() -> None:
    shown = rmsd("recipes", "timed-easy++,window=3").stdout
    assert shown.startswith("timed-easy++,window=3: trial runs over easy++; Timed 2\n")
    flat = " ".join(shown.split())
    assert "window 3 how many terminated jobs a prediction looks at" in flat
    assert "correct estimate the replacement of an expired prediction: the user's estimate" in flat
    assert "trial 90 " in flat
    assert "threshold" not in flat  # the threshold means nothing here
    assert "live yes" in flat
    assert "users must be named" in flat
    assert "predict=perfect knows" in rmsd("recipes", "perfect++").stdout
    assert "window=0" in rmsd("recipes", "easy++,window=0", expect=2).stderr
    assert "give one" in rmsd("recipes", "easy", "--parts", expect=2).stderr


def test_json_has_all_of_it() -> None:
    listed = json.loads(rmsd("recipes", "--json").stdout)
    assert listed["schema"] == "rmsd.recipes/1"
    assert [recipe["name"] for recipe in listed["recipes"]] == list(PRESETS)
    assert listed["aliases"] == ALIASES
    assert [part["name"] for part in listed["parts"]] == list(PARAMETERS)
    assert len(listed["contradictions"]) == len(CONTRADICTIONS)
    [selective] = [each for each in listed["recipes"] if each["name"] == "selective-d"]
    assert selective["parts"]["thresholds"] == "conservative"
    assert selective["parts"]["long"] == "3600"
    assert "conservative run" in selective["why_not_live"]
    assert not selective["needs_users"]
    [one] = json.loads(rmsd("recipes", "easy++,window=3", "--json").stdout)["recipes"]
    assert one["parts"]["window"] == "3"
    assert one["needs_users"]


def test_the_docs_tell_of_every_preset_part_and_contradiction() -> None:
    text = " ".join(DOCS.read_text().split())
    for name, recipe in PRESETS.items():
        assert f"`{name}`" in text
        assert recipe.source.split("; ")[-1] in text
    for parameter in PARAMETERS.values():
        assert f"`{parameter.name}`" in text
        for word in parameter.words():
            assert f"`{word}`" in text
    for contradiction in CONTRADICTIONS:
        assert contradiction.what in text
        assert contradiction.why in text


# ---------------------------------------------------------------- what a trace must have


def test_a_trace_without_users_is_refused_where_users_are_needed(swf: Path, tmp_path: Path) -> None:
    nobody = tmp_path / "nobody.swf"
    lines = [line.split() for line in SWF.splitlines() if not line.startswith(";")]
    rows = [" ".join([*fields[:11], "-1", *fields[12:]]) for fields in lines]
    nobody.write_text("\n".join(["; MaxProcs: 4", *rows, ""]))
    for command in ("simulate", "replay"):
        said = rmsd(command, nobody, "--recipe", "easy++", expect=2).stderr
        assert "--recipe easy++: predict=recent needs the jobs of each user" in said
        assert "nobody names no users" in said
    rmsd("simulate", nobody, "--recipe", "easy-sjbf")
    rmsd("simulate", swf, "--recipe", "easy++")


def test_a_replay_refuses_what_cannot_run_live(swf: Path) -> None:
    said = rmsd("replay", swf, "--recipe", "perfect++", expect=2).stderr
    assert "--recipe perfect++ runs in simulation alone: predict=perfect" in said


def test_thresholds_of_a_conservative_run_are_reported(swf: Path) -> None:
    report = json.loads(rmsd("simulate", swf, "--recipe", "selective", "--json").stdout)
    assert report["recipe"] == "selective"
    conservative = json.loads(rmsd("simulate", swf, "--recipe", "conservative", "--json").stdout)
    assert "thresholds" not in conservative
    mean = conservative["bounded_slowdown"]["mean"]
    assert report["thresholds"] == {"all": pytest.approx(mean)}
    shown = rmsd("simulate", swf, "--recipe", "selective,scale=2").stdout
    assert f"starvation thresholds: all {2 * mean:.2f}\n" in shown
    given = rmsd("simulate", swf, "--recipe", "selective-d,thresholds=1/2/3/4").stdout
    assert "starvation thresholds: SN 1.00, SW 2.00, LN 3.00, LW 4.00\n" in given


# ---------------------------------------------------------------- third parties

MODULE = """
from rmsd_core.model_time import SECOND_US
from rmsd_core.recipes.extensions import Order, PredictorPart

widest = Order("widest", "the widest first; a test", key=lambda job: -job.size)


class Half:
    def __init__(self, recipe):
        self.jobs = 0

    def record(self, user, seq, run_us, estimate_us, size):
        self.jobs += 1

    def predict_us(self, job, now_us, running):
        return job.estimate_us // 2 if self.jobs else job.estimate_us


half = PredictorPart("half", "half the estimate; a test", Half)


class Broken(Half):
    def predict_us(self, job, now_us, running):
        return job.estimate_us / 2


broken = PredictorPart("broken", "a fraction; a test", Broken)
divides = Order("divides", "fails; a test", key=lambda job: 1 // 0)
taken = Order("arrival", "taken", key=lambda job: 0)
unnamed = Order("A name", "cannot be written", key=lambda job: 0)
neither = "no part"
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder with a distribution installed in it, as pip leaves it."""
    site = tmp_path / "site"
    info = site / "acme_parts-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-parts\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(
        textwrap.dedent("""\
        [rmsd.parts]
        widest = acme_parts:widest
        half = acme_parts:half
        broken = acme_parts:broken
        divides = acme_parts:divides
        taken = acme_parts:taken
        unnamed = acme_parts:unnamed
        neither = acme_parts:neither
        missing = acme_parts:missing
        gone = acme_gone:part
        """)
    )
    (site / "acme_parts.py").write_text(MODULE)
    return site


def with_parts(site: Path) -> dict[str, str]:
    """Return the environment of a command that finds what is installed in `site`."""
    return os.environ | {"PYTHONPATH": str(site)}


def starts(path: Path) -> list[str]:
    return [line.split(",")[2] for line in path.read_text().splitlines()[1:]]


@pytest.mark.slow
def test_a_third_party_s_order_and_predictor_run(site: Path, tmp_path: Path) -> None:
    """Four jobs wait for the machine: the widest goes first, and ties go in arrival order."""
    trace, out = tmp_path / "t.swf", tmp_path / "out.csv"
    jobs = [(0, 100, 4), (1, 10, 1), (2, 10, 3), (3, 10, 3), (4, 10, 4)]
    trace.write_text(
        "; MaxProcs: 4\n"
        + "".join(
            f"{at} {submit} -1 {run} {size} -1 -1 {size} 100 -1 1 7 -1 -1 -1 -1 -1 -1\n"
            for at, (submit, run, size) in enumerate(jobs, 1)
        )
    )
    run = ("simulate", trace, "--schedule", out, "--recipe")
    rmsd(*run, "fcfs,order=widest", env=with_parts(site))
    assert starts(out) == ["0", "120", "110", "120", "100"]
    rmsd(*run, "easy,order=widest,predict=half", env=with_parts(site))
    assert starts(out) == ["0", "110", "110", "120", "100"]
    said = rmsd(*run, "easy,order=widest", expect=2).stderr
    assert "order=widest: it is one of arrival, shortest, longest, lxfw, priority, dynp" in said
    assert "skipped" not in said


def test_broken_parts_are_named_and_skipped(site: Path, swf: Path) -> None:
    said = rmsd("simulate", swf, "--recipe", "easy,order=widest", env=with_parts(site)).stderr
    for name, why in {
        "taken": "there is order=arrival already",
        "unnamed": "'A name' is no name",
        "neither": "'no part' is none of Order, Reserve, PredictorPart",
        "missing": "AttributeError",
        "gone": "No module named 'acme_gone'",
    }.items():
        [line] = [line for line in said.splitlines() if f"part '{name}'" in line]
        assert "of acme-parts 1.2 is skipped: " in line
        assert why in line
    assert rmsd("simulate", swf, "--recipe", "easy", env=with_parts(site)).stderr == ""


def test_a_part_that_fails_is_named_with_its_package(site: Path, swf: Path) -> None:
    run = ("simulate", swf, "--recipe")
    said = rmsd(*run, "easy,order=divides", env=with_parts(site), expect=1).stderr
    assert "order=divides of acme-parts 1.2 has failed: ZeroDivisionError(" in said
    said = rmsd(*run, "easy,predict=broken", env=with_parts(site), expect=1).stderr
    assert "predict=broken of acme-parts 1.2 has predicted " in said
    assert "a prediction is a whole number of microseconds (int), 0 at least" in said


def test_third_parties_are_listed(site: Path) -> None:
    shown = rmsd("recipes", "--parts", env=with_parts(site)).stdout
    assert "  widest                the widest first; a test\n" in shown
    assert "  half                  half the estimate; a test\n" in shown
    assert "widest (acme-parts 1.2)\n" in shown
    listed = json.loads(rmsd("recipes", "--json", env=with_parts(site)).stdout)["third_party"]
    assert {part["name"]: part["problem"] is None for part in listed} == {
        "broken": True, "divides": True, "gone": False, "half": True, "missing": False,
        "neither": False, "taken": False, "unnamed": False, "widest": True,
    }  # fmt: skip


def test_a_live_system_runs_third_parties_parts(site: Path) -> None:
    code = "from rmsd_daemon.setup.values import RECIPE; print(RECIPE.parse('easy,order=widest'))"
    env = os.environ | {"PYTHONPATH": str(site)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
    )
    assert done.stdout == "easy,order=widest\n"


@pytest.mark.slow
def test_a_manifest_names_the_third_party_s_code(site: Path, swf: Path) -> None:
    """The author of a part need not change its version while working on it: the digest tells."""
    run = ("simulate", swf, "--json", "--recipe")
    own = json.loads(rmsd(*run, "easy", env=with_parts(site)).stdout)["manifest"]
    assert own["parts"] == []

    def named() -> dict[str, str]:
        said = rmsd(*run, "easy,order=widest", env=with_parts(site)).stdout
        [part] = json.loads(said)["manifest"]["parts"]
        assert (part["part"], part["distribution"]) == ("order=widest", "acme-parts 1.2")
        return part  # type: ignore[no-any-return]

    before = named()
    assert named() == before
    (site / "acme_parts.py").write_text(MODULE + "\n# edited\n")
    assert named()["digest"] != before["digest"]


@pytest.mark.slow
def test_a_study_makes_the_runs_anew_whose_part_was_edited(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "study.toml"
    model = '[[traces]]\nmodel = "sample"\njobs = 100\nprocs = 16\n'
    file.write_text(f'recipes = ["easy", "easy,order=widest"]\n{model}')

    def runs() -> list[str]:
        """Return the runs of both recipes, begun at some time, and the kept ones then."""
        made = json.loads(rmsd("study", file, "--json", env=with_parts(site)).stdout)["runs"]
        return [one["run"] for one in made]

    first = runs()
    assert runs() == first
    (site / "acme_parts.py").write_text(MODULE.replace("-job.size", "job.size"))
    edited = runs()
    assert edited[0] == first[0]  # nothing of it is in plain easy
    assert edited[1] != first[1]
