"""Descriptions of studies (TOML), and the runs that they ask for."""

from __future__ import annotations

import tomllib
from contextlib import suppress
from itertools import islice
from pathlib import Path

from rmsd_cli.errors import CommandError, CommandUsageError
from rmsd_lab_cli.studies.description import read_study, study_from
from rmsd_lab_cli.studies.example import EXAMPLE
from tests.fuzz.harness import Harness, scratch

_MOST_RUNS = 50


def description(content: bytes) -> None:
    """Expect a study with runs that differ, or a CommandUsageError or CommandError that names the
    file."""
    path = scratch() / "study.toml"
    path.write_bytes(content)
    why = ""
    try:
        study = read_study(path)
    except (CommandUsageError, CommandError) as error:
        why = str(error)
    if why:
        assert str(path) in why
        return
    assert study.traces
    assert study.recipes
    runs = list(islice(study.runs(), _MOST_RUNS))
    assert runs
    assert len(set(runs)) == len(runs)
    values = tomllib.loads(path.read_text(encoding="utf-8"))
    assert study_from(values, "again", Path(path).parent.absolute()) == study


def check(data: bytes) -> None:
    description(data)
    with suppress(UnicodeDecodeError):
        data.decode()
        description(_BASE + b"\n" + data)


_BASE = b'recipes = ["easy"]\ntraces = ["a.swf"]'

HARNESS = Harness(
    what="descriptions of studies",
    check=check,
    readers=("rmsd_lab_cli.studies.description",),
    seeds=(
        EXAMPLE.encode(),
        b'recipes = ["easy", "timed-easy++,trial=60"]\nloads = ["recorded", 1.2]\nseeds = 3\n'
        b'exempt = 0.1\nmetrics = ["all"]\ntrim = "thesis"\n[[traces]]\nfile = "KTH.swf.gz"\n'
        b'jobs = 100\nestimates = "f"\nbadness = 2\nloads = [0.9]\n',
        b'recipes = ["fcfs"]\n[[traces]]\nmodel = "lublin99"\nprocs = 64\njobs = 9\n'
        b'estimates = "modes"\nmax_estimate_s = 60\nname = "x"\n',
        b"seeds = [1, 1]\nloads = []\nshake_s = -1\nexempt = nan\n",
        b"loads = [1e400, inf, true]\nseeds = " + b"9" * 5000,
        b"restart_cost_s = 10\nlong_above_s = 9007199254740993\n",
        b"traces = " + b"[" * 2000,
        b'recipes = ["order=\xff"]\n',
    ),
)
