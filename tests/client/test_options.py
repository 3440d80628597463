"""The table of rsub's options, and the places where their values come from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_client.directives import parse_directives
from rmsd_client.errors import UsageError
from rmsd_client.export import parse_export
from rmsd_client.options import BY_NAME, OPTIONS, parse_command_line
from rmsd_client.pbs import qsub
from rmsd_client.pbs.ending import PbsError
from rmsd_client.rsub_help import help_text
from rmsd_client.script import check_script, exec_script, wrap
from rmsd_client.settings import from_configuration, from_environment
from rmsd_client.slurm import sbatch
from rmsd_client.slurm.ending import SlurmError
from rmsd_client.slurm_requests import converted
from tests.fuzz import options


def _no_warning(text: str) -> None:
    raise AssertionError(text)


def test_no_name_is_taken_twice() -> None:
    assert len(BY_NAME) == len(OPTIONS)
    shorts = [option.short for option in OPTIONS if option.short]
    assert len(set(shorts)) == len(shorts)


def test_the_help_names_every_option() -> None:
    text = help_text()
    for option in OPTIONS:
        assert f"--{option.name}" in text
        assert not option.short or f"-{option.short}, " in text


# ---------------------------------------------------------------- command line


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
        (["-N", "2-4"], "-N 2-4: '2-4': a range of nodes is not supported"),
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
        (["--signal=USR9"], "--signal=USR9: 'USR9': 'USR9' is not a signal; expected a name"),
        (["--signal=0@5"], "'0' is not a signal"),
        (["--signal=USR1@x"], "'USR1@x': expected 0 to 65535 seconds after the '@'"),
        (["--signal=USR1@65536"], "expected 0 to 65535 seconds"),
        (["--propagate=CORES"], "--propagate=CORES: 'CORES' is not a limit; expected ALL, NONE"),
        (["--propagate="], "--propagate=: '' is not a limit"),
        (["--signal=R:USR1"], "'R:' is not known before a signal; there is B:"),
    ],
)
def test_wrong_command_lines(argv: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        parse_command_line(argv)
    assert caught.value.exit_code == 2


# ---------------------------------------------------------------- directives

_SCRIPT = """\
#!/bin/bash
# a comment
#RSUB -n 4 --time=10    # ten minutes
#SBATCH --time=20 --job-name 'two words'

##SBATCH -n 9
#SBATCHES -n 9
#SBATCH
#SBATCH -o "a \\"b\\".out"
#RSUB --wait
echo start
#RSUB -n 8
"""


def test_directives() -> None:
    assert parse_directives(_SCRIPT, "job.sh", _no_warning) == {
        "ntasks": 4,
        "time": 600.0,
        "job-name": "two words",
        "output": 'a "b".out',
        "wait": True,
    }


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ("-t 10   # don't", {"time": 600.0}),
        ('-n 4 # "', {"ntasks": 4}),
        ("#-n 4 'x", {}),
        ("--comment '#1 try' -n 4", {"comment": "#1 try", "ntasks": 4}),
        ('-n 4 --comment "#1 \\" # try" # it\'s', {"comment": '#1 " # try', "ntasks": 4}),
        ("--comment a\\ #b -n 4", {"comment": "a #b", "ntasks": 4}),
        ("--comment \\#1 -n 4", {"comment": "#1", "ntasks": 4}),
        ("--comment ''#1 -n 4 #' -n 5", {"comment": "#1", "ntasks": 4}),
        ("-J a#b -n 4\t#-n 5", {"job-name": "a#b", "ntasks": 4}),
        ("--comment '\\' #'", {"comment": "\\"}),
    ],
)
def test_comments_behind_directives(words: str, settings: dict[str, object]) -> None:
    for kind in ("#RSUB", "#SBATCH"):
        script = f"#!/bin/sh\n{kind} {words}\n"
        assert parse_directives(script, "job.sh", _no_warning) == settings


def test_options_of_slurm_that_change_no_job_are_passed_over() -> None:
    warnings: list[str] = []
    script = (
        "#!/bin/sh\n#SBATCH -p debug -n 3\n#SBATCH --mail-type=ALL --wckey phys -c2\n"
        "#SBATCH --nice\n#SBATCH -v\n"
    )
    settings = parse_directives(script, "job.sh", warnings.append)
    assert settings == {"partition": "debug", "ntasks": 3, "cpus-per-task": 2}
    assert [warning.split(": rsub")[0] for warning in warnings] == [
        "job.sh:3: #SBATCH --mail-type",
        "job.sh:3: #SBATCH --wckey",
        "job.sh:4: #SBATCH --nice",
        "job.sh:5: #SBATCH -v",
    ]


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        ("--tmp=9", "--tmp"),
        ("-L9", "-L"),
        ("-s", "-s"),
        ("--contiguous", "--contiguous"),
        ("-n 2 --nodefile n1", "--nodefile"),
        ("--threads-per-core=2", "--threads-per-core"),
        ("--mem-per-gpu=2", "--mem-per-gpu"),
        ("-i input.txt", "-i"),
    ],
)
def test_options_of_slurm_that_make_another_job_are_errors(words: str, flag: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_directives(f"#!/bin/sh\n#SBATCH {words}\n", "job.sh", _no_warning)
    assert str(caught.value).startswith(f"job.sh:2: #SBATCH {flag}: rsub has no such option, and")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("#SBATCH --time=abc", "job.sh:2: #SBATCH --time=abc: 'abc' is not a time"),
        ("#RSUB -t 1x", "job.sh:2: #RSUB -t 1x: '1x' is not a time"),
        ("#SBATCH hetjob", "job.sh:2: #SBATCH: 'hetjob' is not an option"),
        ("#RSUB -z debug", "job.sh:2: #RSUB -z: there is no such option"),
        ("#RSUB --wrap ls", "job.sh:2: #RSUB --wrap: there is no such option in a script"),
        ("#SBATCH --wrap=ls", "job.sh:2: #SBATCH --wrap: there is no such option in a script"),
        (
            "#SBATCH --tiem=5",
            "job.sh:2: #SBATCH --tiem: there is no such option; did you mean --time",
        ),
        ("#RSUB -n", "job.sh:2: #RSUB -n: expected a value: COUNT"),
        ("#RSUB -n 2 3", "job.sh:2: #RSUB: '3' is not an option"),
        ("#RSUB -J 'x", "job.sh:2: #RSUB -J 'x: no closing quotation"),
        ("#RSUB --n 2", "job.sh:2: #RSUB --n is ambiguous"),
    ],
)
def test_wrong_directives(line: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_directives(f"#!/bin/sh\n{line}\n", "job.sh", _no_warning)
    assert str(caught.value).startswith(message)


def test_everything_that_is_wrong_in_a_script_is_told_at_once() -> None:
    script = (
        "#!/bin/sh\n#SBATCH --tmp=9 -n x -N 2\n#SBATCH --nodefile n1 -c 0\n"
        "#SBATCH --job-name 'a\n#SBATCH --wait=no\n#SBATCH -n 2\n"
    )
    with pytest.raises(UsageError) as caught:
        parse_directives(script, "job.sh", _no_warning)
    assert [message.split(";")[0] for message in caught.value.messages] == [
        "job.sh:2: #SBATCH --tmp: rsub has no such option, and without it another job would run",
        "job.sh:2: #SBATCH -n x: 'x' is not a number",
        "job.sh:3: #SBATCH --nodefile: rsub has no such option, and without it another job would "
        "run",
        "job.sh:3: #SBATCH -c 0: '0' is not a number",
        "job.sh:4: #SBATCH --job-name 'a: no closing quotation",
        "job.sh:5: #SBATCH --wait=no: --wait takes no value",
    ]
    assert "-w NODES names them" in str(caught.value)


def _of_rsub(script: str) -> object:
    return parse_directives(script, "job.sh", _no_warning)


@pytest.mark.parametrize("read", [_of_rsub, sbatch.directives_of, qsub.directives_of])
def test_a_line_of_quotes_without_end_is_refused_unread(read: Callable[[str], object]) -> None:
    """4 MiB of quotes in a line kept the commands busy for minutes."""
    quotes = "".join(f"{kind} '{'x' * 70_000}'\n" for kind in ("#SBATCH -J", "#PBS -N"))
    with pytest.raises((UsageError, SlurmError, PbsError), match="the line has 7") as caught:
        read(f"#!/bin/sh\n{quotes}")
    assert len(str(caught.value)) < 200


def test_a_script_of_nothing_but_mistakes_is_told_in_part() -> None:
    with pytest.raises(UsageError) as caught:
        parse_directives("#!/bin/sh\n" + "#RSUB -n x\n" * 1000, "job.sh", _no_warning)
    assert caught.value.messages[20:] == ["job.sh: and 980 more like these"]


@pytest.mark.parametrize(
    ("argv", "settings", "warned"),
    [
        (["-q", "gpu", "-n2", "job.sh", "a"], {"qos": "gpu", "ntasks": 2}, []),
        (["-qgpu", "--account=x", "--mail-type", "END", "job.sh", "a"],
         {"qos": "gpu", "account": "x"}, ["--mail-type"]),
        (["-vn2", "job.sh", "a"], {"ntasks": 2}, ["-v"]),
        (["--nice", "--get-user-env", "--nice=100", "job.sh", "a"], {},
         ["--nice", "--get-user-env", "--nice"]),
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
    for argv in (["--tmp=1", "job.sh"], ["-F", "n1", "job.sh"], ["--contiguous", "job.sh"]):
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
        ("--mem-per-cpu=1G", {"mem": 1024}),
        ("--mem-per-cpu=1G -c 4", {"mem": 4096, "cpus-per-task": 4}),
        ("--mem-per-cpu=1G -n 3", {"mem": 3072, "ntasks": 3}),
        ("--mem-per-cpu=1G -n 3 -N 2", {"mem": 2048, "ntasks": 3, "nodes": 2}),
        ("--mem=5G --mem-per-cpu=1G", {"mem": 1024}),
        ("--mem-per-cpu=1G --mem=5G", {"mem": 5120}),
    ],
)
def test_other_words_for_tasks_and_memory(words: str, expected: dict[str, object]) -> None:
    assert converted(parse_command_line(words.split())[0]) == expected


def test_more_tasks_than_ntasks_per_node_allows() -> None:
    found, _ = parse_command_line(["--ntasks-per-node=2", "-N2", "-n5"])
    with pytest.raises(UsageError, match="5 tasks do not fit on 2 x 2; say -N 3"):
        converted(found)


@settings(deadline=None)
@given(st.lists(st.sampled_from(
    ["#RSUB ", "#SBATCH ", "-n", "--time", "=", " ", "5", "'", '"', "\\", "#", "--", "-", "x",
     "\n", "\t", "é", "--array", "-q", "-v", "--gres", "--export",
     "A='b", "NONE", "--no", "2-4", "-Wn", "\0"]
)).map("".join))  # fmt: skip
def test_directives_raise_nothing_else(text: str) -> None:
    options.directives(f"#!/bin/sh\n{text}")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--signal=000000001999"], "'000000001999' is not a signal"),
        (["--signal=USR1@000000060999999"], "expected 0 to 65535 seconds"),
        (["-n", "000000000001" + "9" * 40], "is not a number; expected 1, 2, 3"),
    ],
)
def test_zeros_in_front_hide_nothing(words: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_command_line(words)
    assert parse_command_line(["-n", "0007", "--signal=010"])[0]["ntasks"] == 7


# ---------------------------------------------------------------- environment, configuration


def test_environment() -> None:
    environ = {
        "RSUB_TIME": "2h", "RSUB_CPUS_PER_TASK": "3", "RSUB_WAIT": "yes", "RSUB_NO_REQUEUE": "1",
        "RSUB_PROPAGATE": "NONE", "RSUB_COMMENT": "", "TIME": "5", "SBATCH_TIME": "5",
    }  # fmt: skip
    assert from_environment(environ, _no_warning) == {
        "time": 7200.0,
        "cpus-per-task": 3,
        "wait": True,
        "requeue": False,
        "propagate": "NONE",
    }


def test_wrong_environment() -> None:
    with pytest.raises(UsageError, match=r"^RSUB_TIME=soon: 'soon' is not a time"):
        from_environment({"RSUB_TIME": "soon"}, _no_warning)
    with pytest.raises(UsageError, match=r"^RSUB_WAIT=maybe: 'maybe' is neither yes nor no"):
        from_environment({"RSUB_WAIT": "maybe"}, _no_warning)
    warnings: list[str] = []
    assert from_environment({"RSUB_TIEM": "5"}, warnings.append) == {}
    assert warnings == ["RSUB_TIEM: rsub has no such setting"]


def test_configuration(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert from_configuration(str(path)) == {}
    path.write_text('[other]\nx = 1\n[rsub]\ntime = 30\nmem = "2G"\nwait = true\nrequeue = false\n')
    assert from_configuration(str(path)) == {
        "time": 1800.0,
        "mem": 2048,
        "wait": True,
        "requeue": False,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[rsub]\n\ntiem = 5\n", ":3: [rsub] tiem: there is no such setting"),
        ("[x]\ntime = 1\n[rsub]\ntime = 'a'\n", ":4: [rsub] time: 'a' is not a time"),
        ("[rsub]\nserver = 'unix:/x'\n", ":2: [rsub] server: there is no such setting"),
        ("[rsub]\nwait = 'yes'\n", ":2: [rsub] wait: expected true or false"),
        ("[rsub]\nntasks = true\n", ":2: [rsub] ntasks: expected a text or a whole number"),
        ("rsub.mem = 1.5\n", ":1: [rsub] mem: expected a text or a whole number"),
        ("rsub = 5\n", ": 'rsub' is not a table"),
        ("[rsub\n", ": "),
    ],
)
def test_wrong_configuration(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        from_configuration(str(path))
    assert str(caught.value).startswith(f"{path}{message}")


# ---------------------------------------------------------------- export, scripts


_ENVIRON = {"HOME": "/h", "LANG": "C", "RMS_JOB_ID": "1", "RMSD_SERVER": "x",
            "SLURM_NTASKS": "9", "SLURMD_NODENAME": "n9"}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "environment"),
    [
        ("ALL", {"HOME": "/h", "LANG": "C"}),
        ("NONE", {}),
        ("LANG", {"LANG": "C"}),
        ("LANG,X=1,NOT_SET", {"LANG": "C", "X": "1"}),
        ("X=a=b,Y=", {"X": "a=b", "Y": ""}),
        ("ALL,LANG=de,X='1,2'", {"HOME": "/h", "LANG": "de", "X": "1,2"}),
        ("RMS_JOB_ID", {}),
        ("RMS_X=own", {"RMS_X": "own"}),
        ("SLURM_NTASKS", {}),
        ("SLURM_CONF=/c", {"SLURM_CONF": "/c"}),
    ],
)
def test_export(text: str, environment: dict[str, str]) -> None:
    assert parse_export(text).environment(_ENVIRON) == environment


@pytest.mark.parametrize("text", ["", "A,,B", "=1", "NONE,A", "A B", "X='1"])
def test_wrong_export(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected|not closed"):
        parse_export(text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "j: the script is empty"),
        (b" \n", "j: the script is empty"),
        (b"echo\n", "j: this does not look like a batch script: the first line must start with #!"),
        (b"#!/bin/sh\nx\0\n", "j: the script contains a NUL byte"),
        (b"#!/bin/sh\necho\r\n", "j:2: the script has DOS line ends"),
        (b"#!/bin/sh\n\n# caf\xe9\n", "j:3: the script is not UTF-8 text"),
    ],
)
def test_scripts_that_cannot_run(content: bytes, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_script(content, "j")
    assert str(caught.value).startswith(message)


def test_an_endless_script() -> None:
    with pytest.raises(UsageError, match="j: the script is longer than 64 MiB"):
        check_script(b"#!" + b"x" * (64 << 20), "j")


def test_scripts_that_are_made() -> None:
    assert wrap("a | b") == "#!/bin/sh\na | b\n"
    assert exec_script(["ls", "a b", "it's"]).endswith("\nexec 'ls' 'a b' 'it'\"'\"'s'\n")
    assert check_script("#!/bin/sh\necho ü\n".encode(), "j") == "#!/bin/sh\necho ü\n"
