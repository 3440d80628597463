"""The lab from Python: the same figures, files and errors as the commands."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import rmsd_lab as lab
from rmsd_lab.measures.categories import Boundaries
from rmsd_lab.schedule import Schedule, Scheduled
from rmsd_lab_api.html import cell
from rmsd_lab_api.runs import ScheduleResult
from rmsd_lab_api.signals import handlers_restored
from rmsd_lab_api.tables import table_of_schedule
from rmsd_lab_cli.metrics.report import MetricReport
from tests.commands import rmsd
from tests.live import Daemon


@pytest.fixture(scope="module")
def trace() -> lab.LabTrace:
    return lab.sample(jobs=300, procs=32, seed=3)


@pytest.fixture
def swf(trace: lab.LabTrace, tmp_path: Path) -> Path:
    path = tmp_path / "sample.swf.gz"
    trace.write(path)
    return path


def test_importing_the_lab_imports_no_more_than_itself() -> None:
    """The core's digest, the daemon's reader and every module of the lab import `rmsd_lab`."""
    program = "import sys, rmsd_lab; print(*sorted(n for n in sys.modules if 'rmsd' in n))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["rmsd_lab"]


def test_every_name_is_there() -> None:
    assert set(lab.__all__) <= set(dir(lab))
    assert all(getattr(lab, name) is not None for name in lab.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'simulat'"):
        lab.simulat  # noqa: B018


def test_a_trace_is_the_same_after_writing_and_reading(trace: lab.LabTrace, swf: Path) -> None:
    read = lab.read_trace(swf)
    assert read.jobs == trace.jobs
    assert (read.procs, read.name, len(read)) == (32, "sample", 300)
    assert trace.jobs["preceding"].null_count == 300


@pytest.mark.slow
@pytest.mark.parametrize(
    ("recipe", "options", "arguments"),
    [
        ("easy++", {}, ()),
        ("selective", {"load": 0.7, "jobs": 200}, ("--load", "0.7", "--jobs", "200")),
        (
            "timed-easy",
            {"exempt": 0.2, "restart_cost": 30, "trim": "thesis", "estimates": "exact"},
            (
                *("--exempt", "0.2", "--restart-cost", "30"),
                *("--trim", "thesis", "--estimates", "exact"),
            ),
        ),
    ],
)
def test_a_simulation_is_that_of_the_command(
    recipe: str, options: dict, arguments: tuple[str, ...], swf: Path, tmp_path: Path
) -> None:
    schedule, ours = tmp_path / "command.csv", tmp_path / "python.csv"
    done = rmsd(
        *("simulate", swf, "--recipe", recipe, "--schedule", schedule, "--json"),
        *("--metrics", "all", *arguments),
    )
    report = json.loads(done.stdout)
    run = lab.simulate(swf, recipe, **options)
    run.write(ours)
    assert ours.read_bytes() == schedule.read_bytes()
    assert report.pop("manifest")["recipe"] == run.recipe
    assert json.loads(json.dumps(dict(run.metrics))) == report.pop("metrics")
    del report["elapsed_s"], run.report["elapsed_s"]
    assert run.report == report


def test_jobs_are_a_table(trace: lab.LabTrace) -> None:
    run = lab.simulate(trace, "timed-easy")
    assert run.jobs.num_rows == len(run) == 300
    table = run.jobs.to_pydict()
    job = run.schedule.jobs[7]
    assert table["wait_s"][7] == job.wait_us / 1e6
    assert table["lost_s"] == [one.lost_us / 1e6 for one in run.schedule]
    assert sum(table["attempts"]) > 300
    assert run.to_pandas()["wait_s"].mean() == pytest.approx(run.report["wait_s"]["mean"])
    assert run.to_polars()["wait_s"].mean() == pytest.approx(run.report["wait_s"]["mean"])
    with pytest.raises(KeyError, match="no group 'wait'; there are: waits,"):
        run.metrics["wait"]


def test_what_is_not_known_is_null() -> None:
    job = Scheduled(
        1, 0, 5_000_000, 9_000_000, 4_000_000, 2, None,
        corrections=-1, attempts=-1, lost_us=-1,
    )  # fmt: skip
    (row,) = table_of_schedule([job]).to_pylist()
    assert {name for name, value in row.items() if value is None} == {
        "user", "estimate_s", "backfilled", "reserved_s", "attempts", "lost_s",
    }  # fmt: skip
    assert table_of_schedule([]).num_rows == 0


def test_schedules_are_compared_as_by_the_command(trace: lab.LabTrace, tmp_path: Path) -> None:
    runs = [lab.simulate(trace, recipe) for recipe in ("easy", "easy++")]
    files = []
    for run in runs:
        files.append(tmp_path / f"{run.name}.csv")
        run.write(files[-1])
    found = lab.compare(runs, metrics=["wait_s", "bounded_slowdown"], bonferroni=True)
    command = ("compare", *files, "--metric", "wait_s", "--metric", "bounded_slowdown")
    assert found.text + "\n" == rmsd(*command, "--bonferroni").stdout
    assert found.report == json.loads(rmsd(*command, "--bonferroni", "--json").stdout)
    assert found.table["name"].to_pylist() == ["easy++", "easy++"]
    assert lab.side_by_side(runs).table["name"].to_pylist() == ["easy", "easy++"]


@pytest.mark.long  # two studies, whose workers are new processes
def test_a_study_is_that_of_the_command(swf: Path, tmp_path: Path) -> None:
    toml, out = tmp_path / "study.toml", tmp_path / "command.csv"
    toml.write_text(f'recipes = ["easy", "easy++"]\nseeds = 2\ntraces = ["{swf}"]\n')
    rmsd("study", toml, "--out", out, "--results", tmp_path / "kept")
    for description in (
        toml,
        {"recipes": ["easy", "easy++"], "seeds": 2, "traces": [str(swf)]},
    ):
        found = lab.study(description, results=tmp_path / "kept")
        ours = tmp_path / "python.csv"
        found.write(ours)
        assert ours.read_bytes() == out.read_bytes()  # made once, and kept
    fresh = lab.study(toml, results=tmp_path / "fresh", processes=1, metrics=["waits"])
    assert fresh.table["wait_s.mean"] == found.table["wait_s.mean"]
    assert "metrics.waits.wait_s.p95" in fresh.table.column_names
    told = rmsd("compare", out).stdout
    assert lab.compare(found).text + "\n" == told


def test_errors_are_those_of_the_commands(trace: lab.LabTrace, tmp_path: Path) -> None:
    run = lab.simulate(trace)
    for call, said in (
        (lambda: lab.simulate(trace, "nope"), "--recipe: no recipe 'nope'"),
        (lambda: lab.simulate(tmp_path / "no.swf"), "no.swf: No such file or directory"),
        (lambda: lab.simulate(trace, load="x"), "argument --load: invalid float value: 'x'"),
        (lambda: lab.simulate(trace, trim="all"), "argument --trim: invalid choice: 'all'"),
        (lambda: lab.simulate(trace, exempt=0.1), "recipe easy has no trial runs"),
        (lambda: lab.simulate(trace, procs=0), "--procs 0: a machine has at least one"),
        (lambda: lab.compare([run]), "one schedule has nothing to be compared with"),
        (lambda: lab.compare([run, run]), "two schedules have one name; give `name`"),
        (lambda: lab.compare([run, run], confidence=2), "--confidence 2: above 0 and below 1"),
        (lambda: lab.study({"recipe": []}), "study: recipe"),
        (lambda: lab.study({}, processes=0), "processes=0: at least one run at a time"),
        (lambda: lab.paper("thesis-99"), "no experiment 'thesis-99'"),
        (lambda: lab.history(tmp_path), "rmsd.db"),
        (lambda: lab.history(since="soon"), "since='soon': "),
        (lambda: lab.load_parts(tmp_path / "no.py"), "No such file or directory"),
        (lambda: run.plot("waits"), "no chart 'waits'; there are: wait-cdf"),
        (lambda: run.gantt((5, 5)), "there is nothing to draw"),
        (lambda: run.write(tmp_path / "x", form="xml"), "no form 'xml'; there are: schedule"),
        (lambda: run.write(tmp_path / "no" / "x.swf"), "No such file or directory"),
        (lambda: lab.sample(jobs=1), "at least 2 jobs"),
    ):
        with pytest.raises(lab.LabError) as error:
            call()
        assert said in str(error.value)


@pytest.mark.slow
def test_charts_are_written(trace: lab.LabTrace, tmp_path: Path) -> None:
    runs = [lab.simulate(trace, recipe) for recipe in ("easy", "timed-easy")]
    charts = [lab.plot(runs, "wait-cdf"), runs[0].plot("load"), runs[1].gantt((0, 36000))]
    for at, chart in enumerate(charts):
        image, size = chart._repr_png_()
        assert image.startswith(b"\x89PNG")
        assert size["width"] < 1000
        out = tmp_path / f"{at}.svg"
        chart.write(out)
        assert b"</svg>" in out.read_bytes()
        assert chart.figure.axes


def test_other_forms_are_written(trace: lab.LabTrace, tmp_path: Path) -> None:
    run = lab.simulate(trace, "timed-easy")
    run.write(tmp_path / "t.swf")
    again = lab.read_trace(tmp_path / "t.swf")
    assert again.jobs["run_s"].to_pylist() == run.jobs["run_s"].to_pylist()
    run.write(tmp_path / "workload.json")
    workload = json.loads((tmp_path / "workload.json").read_text())
    assert len(workload["jobs"]) == 300
    run.write(tmp_path / "schedule.json", form="perfetto")
    events = json.loads((tmp_path / "schedule.json").read_text())["traceEvents"]
    assert any("killed" in one["name"] for one in events if one["ph"] == "X")
    run.write(tmp_path / "jobs.csv", form="csv")
    rows = list(csv.DictReader((tmp_path / "jobs.csv").read_text().splitlines()))
    assert [float(row["finish_time"]) for row in rows] == run.jobs["end_s"].to_pylist()


def test_what_notebooks_show_is_bounded_and_escaped() -> None:
    evil = "<script>alert(1)</script>\x1b[31m" + "x" * 10_000
    jobs = [
        Scheduled(at, 0, 0, 10**6, 10**6, 1, user=evil, estimate_us=10**6) for at in range(5_000)
    ]
    report = {"wait_s": {"mean": 0.0}}
    asked = MetricReport([], Boundaries(), trim=False)
    result = ScheduleResult(evil, Schedule(jobs, 8), report, asked)
    html = result._repr_html_()
    assert "<script" not in html
    assert "\x1b" not in html
    assert "&lt;script&gt;" in html
    assert len(html) < 10_000
    assert "8 of 5,000 rows" in html
    assert cell("a&b\n") == "a&amp;b\ufffd"


def test_html_of_other_results(trace: lab.LabTrace) -> None:
    runs = [lab.simulate(trace, recipe) for recipe in ("easy", "easy++")]
    shown = [
        *(trace, runs[0], lab.side_by_side(runs), runs[0].metrics),
        lab.compare(runs),
    ]
    for one in shown:
        assert len(one._repr_html_()) < 20_000
        assert "easy" in one._repr_html_() or one in (trace, runs[0].metrics)


def test_an_interrupt_leaves_the_handlers_as_they_were() -> None:
    before = signal.getsignal(signal.SIGINT)

    def interrupted() -> None:
        with handlers_restored():
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert signal.getsignal(signal.SIGINT) is before
    found: list[str] = []

    def elsewhere() -> None:
        try:
            interrupted()
        except RuntimeError as error:
            found.append(str(error))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found == ["call this from the main thread: it handles signals"]


@pytest.mark.live
@pytest.mark.long  # a private daemon, and a replay
def test_a_replay_is_beside_its_simulation(trace: lab.LabTrace) -> None:
    run = lab.replay(trace, "easy++", rate=20000, jobs=100)
    assert len(run) == run.report["jobs"]["simulated"] == 100
    simulated = lab.simulate(trace, "easy++", jobs=100)
    assert run.simulated["wait_s"] == simulated.report["wait_s"]
    assert run.metrics["accuracy"]
    assert "simulated: mean wait" in run._repr_html_()
    with pytest.raises(lab.LabError, match="no recipe 'nope'"):
        lab.replay(trace, "nope")


@pytest.mark.live
def test_a_history_is_that_of_the_daemon(start_daemon: Callable[..., Daemon]) -> None:
    daemon = start_daemon("--no-local-node", "--emulate", "1x4", "--rate", "1000")
    jobs = [daemon.emulate(30.0) for _ in range(3)]
    for job in jobs:
        daemon.wait(job)
    server = f"unix:{daemon.state}/rmsd.sock"
    found = [
        lab.history(server=server),
        lab.history(daemon.state),
        lab.history(server=server, since="1d"),
    ]
    for history in found:
        assert history.jobs["job_id"].to_pylist() == jobs
        assert history.metrics["waits"]["wait_s"]["mean"] >= 0
        assert history.schedule.processors == 4
        assert history.report["left_out"] == {"live": 0, "never_started": 0}
    assert found[0].jobs["start_s"] == found[1].jobs["start_s"]
    assert str(daemon.state) in repr(found[1])
    with pytest.raises(lab.LabError, match="it must be longer than zero"):
        lab.history(server=server, since="0")
