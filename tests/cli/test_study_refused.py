"""`rmsd study` refuses what cannot be, and says where it stands."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rmsd_cli.errors import CommandUsageError
from rmsd_lab_cli.studies.description import Study, read_study, study_from
from rmsd_lab_cli.studies.example import EXAMPLE
from tests.commands import rmsd


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
    with pytest.raises(CommandUsageError, match=message) as refused:
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
    """Every file is a study, or is refused with the key's name."""
    table: dict[str, Any] = json.loads(json.dumps(USUAL))
    if of_trace is None:
        table[key] = value
    else:
        table["traces"][0][of_trace] = value
    try:
        assert study_from(table, "s.toml", Path("/")).runs()
    except CommandUsageError as error:
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


@pytest.mark.slow
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


@pytest.mark.slow
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
