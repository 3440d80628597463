"""The table of rsub's options, and command lines."""

from __future__ import annotations

import pytest

from rmsd_client.errors import UsageError
from rmsd_client.sessions.session import ALIVE_S
from rmsd_client.submit import option_values
from rmsd_client.submit.option_values import SHORTEST_HANGUP_S
from rmsd_client.submit.options import BY_NAME, OPTIONS, parse_command_line
from rmsd_client.submit.rsub_help import help_text
from rmsd_client.submit.slurm_requests import converted


def test_no_name_is_taken_twice() -> None:
    assert len(BY_NAME) == len(OPTIONS)
    shorts = [option.short for option in OPTIONS if option.short]
    assert len(set(shorts)) == len(shorts)


def test_the_help_names_every_option() -> None:
    text = help_text()
    for option in OPTIONS:
        assert f"--{option.name}" in text
        assert not option.short or f"-{option.short}, " in text


@pytest.mark.parametrize(
    ("argv", "settings", "rest"),
    [
        (["-n4", "-c", "2", "job.sh", "-n", "5"], {"ntasks": 4, "cpus-per-task": 2},
         ["job.sh", "-n", "5"]),
        (["--ntasks=4", "--time", "1:30", "x"], {"ntasks": 4, "time": 90.0}, ["x"]),
        (["--nta=4", "x"], {"ntasks": 4}, ["x"]),
        (["-WQn", "3"], {"wait": True, "quiet": True, "ntasks": 3}, []),
        (["--no-requeue"], {"requeue": False}, []),
        (["--no-requeue", "--requeue"], {"requeue": True}, []),
        (["-t", "UNLIMITED"], {"time": None}, []),
        (["-t", "0"], {"time": None}, []),
        (["-t0:00"], {"time": None}, []),
        (["-o", "%x-%j.%N%%.%A.%u.%t"], {"output": "%x-%j.%N%%.%A.%u.%t"}, []),
        (["--mem=1.5G", "-Cgpu", "-N2"], {"mem": 1536, "constraint": "gpu", "nodes": 2}, []),
        (["-n", "1", "-n", "2"], {"ntasks": 2}, []),
        (["--notify=http://h:1/x"], {"notify": "http://h:1/x"}, []),
        (["--notify=cat > it"], {"notify": "cat > it"}, []),
        (["--notify", "none"], {"notify": ""}, []),
        (["--signal=USR1"], {"signal": {"number": 10, "before_s": 60, "batch": False}}, []),
        (["--signal", "b:sigterm@0"], {"signal": {"number": 15, "before_s": 0, "batch": True}}, []),
        (["--signal=B:12@30"], {"signal": {"number": 12, "before_s": 30, "batch": True}}, []),
        (["--comment=a=b"], {"comment": "a=b"}, []),
        (["--propagate", "NONE"], {"propagate": "ALL"}, ["NONE"]),
        (["--propagate=core,NOFILE", "x"], {"propagate": "core,NOFILE"}, ["x"]),
        (["-", "x"], {}, ["-", "x"]),
    ],
)  # fmt: skip
def test_command_lines(argv: list[str], settings: dict[str, object], rest: list[str]) -> None:
    found, words = parse_command_line(argv)
    assert found == settings
    assert words.rest == rest
    assert not words.dashes


def test_dashes_end_the_options() -> None:
    settings, words = parse_command_line(["-n", "2", "--", "ls", "-l"])
    assert settings == {"ntasks": 2}
    assert (words.dashes, words.rest) == (True, ["ls", "-l"])


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--tim=abc"], r"--tim=abc: 'abc' is not a time; expected M, M:S"),
        (["-t", "abc"], r"-t abc: 'abc' is not a time"),
        (["-t", "9" * 11], r"-t 9{11}: .9{11}. is longer than ten years"),
        (["-Wtabc"], r"-tabc: 'abc' is not a time"),
        (["-t=abc"], r"-t=abc: 'abc' is not a time"),
        (["-n", "many"], r"-n many: 'many' is not a number; expected 1, 2"),
        (["-n0"], "-n0: '0' is not a number"),
        (["-N", "4-2"], "-N 4-2: '4-2' is no range of nodes; expected a range as 2-4"),
        (["-N", "0-2"], "'0-2' is no range of nodes"),
        (["-N", "2-"], "'2-' is no range of nodes"),
        (["-N", "1-2-3"], "'1-2-3' is no range of nodes"),
        (["--mem", "1X"], "--mem 1X: '1X' is not a memory size"),
        (["-o", "a%z"], r"-o a%z: '%z' is not known; there are %j \(the job's number\), %A "),
        (["--error=%%%"], r"--error=%%%: '%' is not known"),
        (["--export", "=x"], "--export =x: '=x' is not NAME"),
        (["-J", ""], "-J : '' is not usable"),
        (["--tme=5"], r"--tme: there is no such option; did you mean --time\?"),
        (["-Z"], "-Z: there is no such option; 'rsub --help' lists them"),
        (["--n=3"], "--n is ambiguous: .*--ntasks"),
        (["--wait=5"], "--wait=5: --wait takes no value"),
        (["-t"], "-t: expected a value: TIME"),
        (["-p", "--wrap", "true"], "-p: expected a value: NAME"),
        (["--job-name", "--mem=5G", "x"], "--job-name: expected a value: NAME"),
        (["--signal=USR9"], "--signal=USR9: 'USR9': 'USR9' is not a signal; expected a name"),
        (["--signal=0@5"], "'0' is not a signal"),
        (["--signal=USR1@x"], "'USR1@x': expected 0 to 65535 seconds after the '@'"),
        (["--signal=USR1@65536"], "expected 0 to 65535 seconds"),
        (["--propagate=CORES"], "--propagate=CORES: 'CORES' is not a limit; expected ALL, NONE"),
        (["--propagate="], "--propagate=: '' is not a limit"),
        (["--signal=X:USR1"], "'X:' is not known before a signal; there is B:"),
    ],
)
def test_wrong_command_lines(argv: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        parse_command_line(argv)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("argv", "settings", "warned"),
    [
        (["-q", "gpu", "-n2", "job.sh", "a"], {"qos": "gpu", "ntasks": 2}, []),
        (["-qgpu", "--account=x", "--wckey", "END", "job.sh", "a"],
         {"qos": "gpu", "account": "x"}, ["--wckey"]),
        (["--mail-type=all,time_limit_80,stage_out", "--mail-user", "ann", "job.sh", "a"],
         {"mail-type": ["BEGIN", "END", "FAIL", "INVALID_DEPEND", "REQUEUE", "TIME_LIMIT_80"],
          "mail-user": "ann"},
         []),
        (["-vn2", "job.sh", "a"], {"ntasks": 2}, ["-v"]),
        (["--nice", "--get-user-env", "job.sh", "a"], {"nice": 100}, ["--get-user-env"]),
        (["--nice=-7", "job.sh", "a"], {"nice": -7}, []),
        (["--threads-per-core", "1", "-m", "block", "job.sh", "a"], {},
         ["--threads-per-core", "-m"]),
        (["--open-mode=append", "--open-mode", "truncate", "job.sh", "a"], {},
         ["--open-mode", "--open-mode"]),
    ],
)  # fmt: skip
def test_a_command_line_for_slurm(
    argv: list[str], settings: dict[str, object], warned: list[str]
) -> None:
    warnings: list[str] = []
    found, words = parse_command_line(argv, warnings.append)
    assert (found, words.rest) == (settings, ["job.sh", "a"])
    assert [warning.partition(":")[0] for warning in warnings] == warned


def test_options_of_a_command_line_that_make_another_job_are_errors() -> None:
    for argv in (
        ["--tmp=1", "job.sh"],
        ["-F", "n1", "job.sh"],
        ["--contiguous", "job.sh"],
        ["--pty", "bash"],
    ):
        with pytest.raises(UsageError, match="without it another job would run; ") as caught:
            parse_command_line(argv)
        assert str(caught.value).startswith(argv[0].partition("=")[0])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--ntasks-per-node=1", {"ntasks": 1}),
        ("--ntasks-per-node=4", {"ntasks": 4, "nodes": 1}),
        ("--ntasks-per-node=4 -N 2", {"ntasks": 8, "nodes": 2}),
        ("--ntasks-per-node=4 -N 2 -n 7", {"ntasks": 7, "nodes": 2}),
        ("--ntasks-per-node=4 -n 7", {"ntasks": 7, "nodes": 2}),
        ("--mem-per-cpu=1G", {"mem-per-cpu": 1024}),
        ("--mem-per-cpu=0", {"mem": 0}),
        ("--mem=5G --mem-per-cpu=1G", {"mem-per-cpu": 1024}),
        ("--mem-per-cpu=1G --mem=5G", {"mem": 5120}),
    ],
)
def test_other_words_for_tasks_and_memory(words: str, expected: dict[str, object]) -> None:
    assert converted(parse_command_line(words.split())[0]) == expected


def test_more_tasks_than_ntasks_per_node_allows() -> None:
    found, _ = parse_command_line(["--ntasks-per-node=2", "-N2", "-n5"])
    with pytest.raises(UsageError, match="5 tasks do not fit on 2 x 2; say -N 3"):
        converted(found)


def test_no_terminal_is_hung_up_before_its_user_is_heard_of() -> None:
    """A session tells each `ALIVE_S` that somebody is there, whether or not anything is typed."""
    assert 3 * ALIVE_S <= SHORTEST_HANGUP_S
    assert option_values.hangup("10s") == SHORTEST_HANGUP_S
    for text in ("1s", "9s", "8d"):
        with pytest.raises(ValueError, match="from 10s to 7d"):
            option_values.hangup(text)
