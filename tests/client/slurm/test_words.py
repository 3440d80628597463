"""Slurm's command lines, formats, times and texts, as functions."""

from __future__ import annotations

from typing import Any

import pytest

from rmsd_client.errors import EXIT_NEVER_FITS, ApiError
from rmsd_client.slurm.command_lines import command_line, site
from rmsd_client.slurm.command_lines.command_line import MAYBE, NO, YES, Opt, Table
from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.command_lines.job_options import SALLOC, SBATCH, SRUN
from rmsd_client.slurm.fields.formats import ShownField, line_of, parse_letters, parse_names
from rmsd_client.slurm.fields.queue_fields import BY_LETTER
from rmsd_client.slurm.sacct import columns_of
from rmsd_client.slurm.sbatch import directive_groups
from rmsd_client.slurm.scontrol import scontrol
from rmsd_client.slurm.steps.layouts import MISPLACED, misplaced, request_of
from rmsd_client.slurm.submit.distributions import distribution_variables
from rmsd_client.slurm.submit.requests import output_pattern, values_of
from rmsd_client.slurm.submit.submit_answers import refused
from rmsd_client.slurm.verbs.node_updates import refusal
from rmsd_client.slurm.words import jobs
from rmsd_client.slurm.words.times import cpu_time, long_duration, parse_time_us, short_duration
from rmsd_client.steps.step_layouts import tasks_of
from rmsd_client.submit.option_values import warn_signal
from rmsd_core.vocabulary import CODES
from tests.slurm_diff.play import are_accounted

TABLE = Table(
    "prog",
    (
        Opt("a", "alpha", NO),
        Opt("b", "beta", YES),
        Opt("", "betamax", YES),
        Opt("c", "gamma", MAYBE),
    ),
    error_code=9,
)


def _read(*words: str, permute: bool = True) -> tuple[list[tuple[str, str | None]], list[str]]:
    found, rest = TABLE.read(words, permute=permute)
    return [(option.long, value) for option, value in found], rest


@pytest.mark.parametrize("verb", ["top", "notify", "reconfigure"])
def test_a_verb_of_scontrol_that_is_not_there_is_named(verb: str) -> None:
    with pytest.raises(SlurmError, match=f"^scontrol: error: {verb} is not supported here: "):
        scontrol([verb, "113"])


@pytest.mark.parametrize(
    ("status", "words"),
    [(403, "Invalid user id"), (404, "Invalid node name specified"), (409, "it was forgotten")],
)
def test_a_node_that_is_not_changed_is_told_in_slurms_words(status: int, words: str) -> None:
    assert refusal(ApiError(status, "it was forgotten")) == words


def test_a_partition_for_others_is_refused_in_slurms_words() -> None:
    told = "'partition': ann may not use the partition 'gpu'"
    error = refused(ApiError(403, told), "sbatch", "sbatch: error: failed", {"partition": "gpu"})
    assert error.lines == (
        "sbatch: error: failed: User's group not permitted to use this partition",
        f"sbatch: {told}",
    )


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("the partition 'old' takes no new jobs: its state is drain",
         "Required partition not available (inactive or drain)"),
        ("4 nodes asked for; the partition 'main' allows at most 2 (PartitionNodeLimit)",
         "Node count specification invalid"),
        ("9 nodes asked for; there are 4", "Requested node configuration is not available"),
    ],
)  # fmt: skip
def test_a_job_that_a_partition_refuses_is_told_in_slurms_words(told: str, said: str) -> None:
    error = refused(ApiError(400, told, exit_code=EXIT_NEVER_FITS), "sbatch", "failed", {})
    assert error.lines == (f"failed: {said} ({told})",)


@pytest.mark.parametrize(
    ("text", "is_of_script"), [("USR1@90", False), ("R:USR1@90", False), ("rB:USR1@90", True)]
)
def test_a_signal_before_the_limit_may_allow_a_reservation(text: str, is_of_script: bool) -> None:
    assert warn_signal(text) == {"number": 10, "before_s": 90, "batch": is_of_script}


def test_a_submit_without_a_token_is_told_what_to_do() -> None:
    told = "this needs a token; put it into ~/.config/rmsd/token"
    error = refused(ApiError(403, told), "sbatch", "sbatch: error: failed", {})
    assert error.lines == (
        "sbatch: error: failed: Access/permission denied",
        f"sbatch: {told}",
    )


@pytest.mark.parametrize(
    ("words", "found", "rest"),
    [
        (("-ab", "1", "x"), [("alpha", None), ("beta", "1")], ["x"]),
        (("-b1", "--beta=2"), [("beta", "1"), ("beta", "2")], []),
        (("--beta", "3", "--alph"), [("beta", "3"), ("alpha", None)], []),
        (("--gamma", "x"), [("gamma", None)], ["x"]),
        (("-cx", "--gam=y"), [("gamma", "x"), ("gamma", "y")], []),
        (("x", "-a"), [("alpha", None)], ["x"]),
        (("x", "--", "-a"), [], ["x", "-a"]),
        (("-",), [], ["-"]),
    ],
)
def test_getopt(words: tuple[str, ...], found: Any, rest: list[str]) -> None:
    assert _read(*words) == (found, rest)


def test_options_behind_a_script_are_the_scripts() -> None:
    assert _read("-a", "job.sh", "-a", permute=False) == ([("alpha", None)], ["job.sh", "-a"])


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--nosuch",), "prog: unrecognized option '--nosuch'"),
        (("--bet", "1"), "prog: option '--bet' is ambiguous; possibilities: '--beta' '--betamax'"),
        (("--beta",), "prog: option '--beta' requires an argument"),
        (("-b",), "prog: option requires an argument -- 'b'"),
        (("--alpha=1",), "prog: option '--alpha' doesn't allow an argument"),
        (("-z",), "prog: invalid option -- 'z'"),
    ],
)
def test_getopt_complains_as_the_c_library_does(words: tuple[str, ...], text: str) -> None:
    with pytest.raises(SlurmError) as caught:
        _read(*words)
    assert caught.value.lines[0] == text
    assert caught.value.code == 9


@pytest.mark.parametrize("table", [SBATCH, SALLOC, SRUN])
def test_no_option_stands_twice_in_a_table(table: Table) -> None:
    longs = [option.long for option in table.options if option.long]
    shorts = [option.short for option in table.options if option.short]
    assert len(set(longs)) == len(longs)
    assert len(set(shorts)) == len(shorts)


def test_directives_end_at_the_first_command_and_know_quotes() -> None:
    script = (
        "#!/bin/bash\n# a comment\n#SBATCH --time=0:5:0 -J \"two words\" # more\n\n"
        "#SBATCH -o 'a b' --comment=x\\ y\n##SBATCH -n 5\n#SBATCHES -n 6\necho\n#SBATCH -n 7\n"
    )  # fmt: skip
    assert directive_groups(script) == [
        {"time": "0:5:0", "job-name": "two words", "output": "a b", "comment": "x y"}
    ]
    with pytest.raises(SlurmError, match="Invalid directive found in batch script: stray"):
        directive_groups("#!/bin/sh\n#SBATCH -n 1 stray\n")


def test_no_shell_reads_a_directive() -> None:
    assert directive_groups("#!/bin/sh\n#SBATCH -J $(id);`id`\n") == [{"job-name": "$(id);`id`"}]


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("slurm-%J.out", "slurm-%j.out"),
        ("%A_%4a.%t", "%A_%4a.%t"),
        ("%n-%s-%q%%", "0-batch-%%q%%"),
        ("100%", "100%%"),
        ("a\\ b", "a b"),
        (r"\%j-%x", "%%j-%%x"),
    ],
)
def test_patterns_of_output_files(pattern: str, wanted: str) -> None:
    assert output_pattern(pattern) == wanted


def _parts(text: str) -> str:
    fields = {"i": ShownField("i", "jobid", "JOBID", str)}
    return line_of(parse_letters(text, fields, "problem"), 12345)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("%i", "12345"), ("%.8i|", "   12345|"), ("%8i|", "12345   |"), ("%.3i", "123"),
        (r"'%i'\x1f%%", r"'12345'\x1f%"), ("none", "none"),
    ],
)  # fmt: skip
def test_letters(text: str, line: str) -> None:
    assert _parts(text) == line


def test_names_have_widths_or_suffixes(capsys: pytest.CaptureFixture[str]) -> None:
    fields = {"jobid": ShownField("i", "jobid", "JOBID", str)}
    parts = parse_names("JobID,jobid:4,JOBID:.6,JobId:\x1f", fields, "problem")
    assert line_of(parts, 7) == f"{7:<20}{7:<4}{7:>6}7\x1f"
    assert line_of(parts, None) == "JOBID" + " " * 15 + "JOBI JOBIDJOBID\x1f"
    assert parse_names("nosuch", fields, "problem") == []
    assert capsys.readouterr().err == "problem: nosuch\n"


def test_columns_of_sacct() -> None:
    found = [(field.name, width) for field, width in columns_of("jobid,State%20,nodelist%-9,", "p")]
    assert found == [("JobID", -12), ("State", 20), ("NodeList", -9)]
    with pytest.raises(SlurmError, match='Invalid field requested: "nosuch"'):
        columns_of("nosuch", "sacct")


@pytest.mark.parametrize(
    ("seconds", "short", "long"),
    [
        (5, "0:05", "00:00:05"),
        (3600, "1:00:00", "01:00:00"),
        (93784, "1-02:03:04", "1-02:03:04"),
        (None, "UNLIMITED", "UNLIMITED"),
    ],
)
def test_durations(seconds: float | None, short: str, long: str) -> None:
    assert (short_duration(seconds), long_duration(seconds)) == (short, long)


def test_processor_times() -> None:
    assert [cpu_time(s) for s in (None, 2.583, 61.5, 3661)] == [
        "00:00:00", "00:02.583", "01:01.500", "01:01:01",
    ]  # fmt: skip


@pytest.mark.usefixtures("utc")
@pytest.mark.parametrize(
    ("text", "us"),
    [
        ("now", 1795478400), ("now-2days", 1795305600), ("now+1hour", 1795482000),
        ("2026-11-21T01:00", 1795222800), ("2026-11-21", 1795219200), ("1121", 1795219200),
        ("112126-01:00", 1795222800), ("11/21/26-01:00:00", 1795222800), ("today", 1795478400),
        ("16:00", 1795536000), ("4:00pm", 1795536000), ("1970-01-01-00:00:01", 1),
        ("today-16:00", 1795536000), ("2026-11-24 noon", 1795521600), ("uts1795536000", 1795536000),
        ("1124-4:00pm", 1795536000), ("2026-11-24T16:00:00", 1795536000), ("midnight", 1795478400),
    ],
)  # fmt: skip
def test_times_of_sacct(text: str, us: int) -> None:
    assert parse_time_us(text, 1795478400.0) == us * 1_000_000  # 2026-11-24T00:00:00


@pytest.mark.parametrize(
    "text", ["", "soon", "2026-13-01", "now-2moons", "99:99", "2026-11-24T10", "today-x"]
)
def test_what_is_no_time(text: str) -> None:
    assert parse_time_us(text) is None


def test_names_of_jobs() -> None:
    found = jobs.parse_ids("12,13_4.batch 14_[1-3,5%2],15_*", "p")
    assert [(one.name, one.step) for one in found] == [
        ("12", ""), ("13_4", "batch"), ("14_[1-3,5]", ""), ("15", ""),
    ]  # fmt: skip
    with pytest.raises(SlurmError, match="Invalid job id: xyz"):
        jobs.parse_ids("12,xyz", "p")
    task = {"job_id": 99, "array_job_id": 14, "array_task_id": 3}
    assert [one.is_job(task) for one in found] == [False, False, True, False]


@pytest.mark.parametrize(
    ("state", "reason", "shown"),
    [
        ("FAILED", "RaisedSignal:9(SIGKILL)", "NonZeroExitCode"),
        ("FAILED", "None", "NonZeroExitCode"),
        ("OUT_OF_MEMORY", "OutOfMemory", "NonZeroExitCode"),
        ("TIMEOUT", "TimeLimit", "TimeLimit"),
        ("NODE_FAIL", "NodeDown", "NodeDown"),
        ("RUNNING", "Trial", "None"),
        ("PENDING", "Resources", "Resources"),
        ("COMPLETED", "None", "None"),
    ],
)
def test_reasons_are_slurms_and_one_word(state: str, reason: str, shown: str) -> None:
    assert jobs.reason({"state": state, "reason": reason}) == shown


@pytest.mark.parametrize(
    ("state", "reason", "code", "signal", "shown"),
    [
        ("COMPLETED", "None", 0, None, "0:0"),
        ("FAILED", "NonZeroExitCode", 3, None, "3:0"),
        ("FAILED", "RaisedSignal:9(SIGKILL)", None, 9, "0:9"),
        ("FAILED", "JobLaunchFailure", None, None, "0:53"),
        ("OUT_OF_MEMORY", "OutOfMemory", None, 9, "0:125"),
        ("PENDING", "Resources", None, None, "0:0"),
    ],
)
def test_the_ends_of_jobs_have_slurms_numbers(
    state: str, reason: str, code: int | None, signal: int | None, shown: str
) -> None:
    job = {"state": state, "reason": reason, "exit_code": code, "signal": signal}
    assert jobs.exit_pair(job) == shown
    assert f"{jobs.exit_status(job) >> 8}:{jobs.exit_status(job) & 127}" == shown


def _job(nodelist: str, cpus: list[int], tasks: int, each: int = 1) -> dict[str, Any]:
    return {
        "job_id": 1, "nodelist": nodelist, "node_cpus": cpus, "tasks": tasks,
        "cpus_per_task": each,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("values", "places"),
    [
        ({}, "e1 e1 e2 e2"),
        ({"ntasks": "1"}, "e1"),
        ({"ntasks": "2"}, "e1 e2"),
        ({"nodes": "2"}, "e1 e2"),
        ({"nodes": "1", "ntasks": "1", "nodelist": "e2"}, "e2"),
        ({"ntasks-per-node": "2", "nodes": "1"}, "e1 e1"),
        ({"ntasks": "3"}, "e1 e1 e2"),
        ({"relative": "1", "ntasks": "1"}, "e2"),
        ({"distribution": "block:cyclic"}, "e1 e1 e2 e2"),
        ({"distribution": "cyclic"}, "e1 e2 e1 e2"),
        ({"distribution": "cyclic:block", "ntasks": "3"}, "e1 e2 e1"),
        ({"distribution": "plane=2", "ntasks": "3"}, "e1 e1 e2"),
        ({"distribution": "plane=1,Pack"}, "e1 e2 e1 e2"),
    ],
)
def test_tasks_are_laid_out_as_asked(values: dict[str, str], places: str) -> None:
    job = _job("e[1-2]", [2, 2], 4)
    tasks = tasks_of(job, request_of(job, values))
    assert " ".join(task.node for task in tasks) == places
    assert [task.rank for task in tasks] == list(range(len(tasks)))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("arbitrary", "SLURM_HOSTFILE is not read; -w names nodes"),
        ("plane", "Invalid --distribution specification"),
        ("plane=0", "Invalid --distribution specification"),
        ("round", "Invalid --distribution specification"),
    ],
)
def test_another_layout_of_tasks_is_an_error(text: str, told: str) -> None:
    """All layouts were passed over in silence."""
    with pytest.raises(SlurmError, match=told):
        distribution_variables("sbatch", {"distribution": text})


def test_a_layout_of_tasks_is_told_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert distribution_variables("srun", {}) == {"SLURM_DISTRIBUTION": "block"}
    told = {"SLURM_DISTRIBUTION": "plane", "SLURM_DIST_PLANESIZE": "4"}
    assert distribution_variables("srun", {"distribution": "plane=4"}) == told
    monkeypatch.setenv("SLURM_DIST_PLANESIZE", "4")
    assert distribution_variables("srun", {"distribution": "plane"}) == told


@pytest.mark.parametrize("values", [{"ntasks": "5"}, {"nodes": "3"}, {"nodelist": "other"}])
def test_a_step_cannot_have_more_than_its_job(values: dict[str, str]) -> None:
    job = _job("e[1-2]", [2, 2], 4)
    with pytest.raises(MISPLACED) as raised:
        tasks_of(job, request_of(job, values))
    assert "Unable to create step for job 1" in misplaced(job, raised.value).lines[0]


def test_the_codes_of_states_are_slurms() -> None:
    assert {state.value: code for state, code in CODES.items()}.items() <= jobs.STATES.items()


def test_every_letter_has_a_field_of_its_own() -> None:
    assert set("ijuPtTMlLDCmbRrNnBSeVyQZkcfAFKa") <= BY_LETTER.keys()


def test_an_unknown_mode_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, mode in (("STRICT", "strict"), ("lenient", "lenient"), ("loud", ""), ("", "")):
        monkeypatch.setenv(site.MODE_VARIABLE, text)
        assert site.mode() == mode


def test_a_play_awaits_that_accounting_knows_of_the_submit() -> None:
    assert not are_accounted("", ["7"])
    assert not are_accounted("7_1|wrap\n7_2|allocation\n", ["7"])
    assert not are_accounted("7|wrap\n", ["7", "8"])
    assert are_accounted("7_1|wrap\n7_2|wrap\n8|wrap\n", ["7", "8"])


@pytest.mark.slow
def test_the_help_lists_all_options() -> None:
    text = command_line.help_of(SBATCH, "sbatch")
    assert all(f"--{option.long}" in text for option in SBATCH.options)


@pytest.mark.parametrize("table", [SBATCH, SALLOC, SRUN])
@pytest.mark.parametrize(("text", "size"), [("4GB", "4G"), ("1000mb", "1000m"), ("7", "7")])
def test_a_b_behind_a_size_changes_nothing(table: Table, text: str, size: str) -> None:
    """A script with 4GB got 3815 MiB, and its processes were killed above these."""
    for name in ("mem", "mem-per-cpu", "mem-per-gpu"):
        found, _ = table.read([f"--{name}={text}"], permute=False)
        assert values_of(table, found) == {name: size}
