"""Directives of scripts: rsub's, Slurm's and PBS', and what is wrong in them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmsd_client.errors import UsageError
from rmsd_client.pbs import qsub
from rmsd_client.pbs.ending import PbsError
from rmsd_client.slurm import sbatch
from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.submit.directives import parse_directives
from rmsd_client.submit.options import parse_command_line
from tests.client.unwarned import no_warning
from tests.fuzz import options

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
    warnings: list[str] = []
    assert parse_directives(_SCRIPT, "job.sh", warnings.append) == {
        "ntasks": 4,
        "time": 600.0,
        "job-name": "two words",
        "output": 'a "b".out',
        "wait": True,
    }
    late = "options behind the first command have no effect; move them above it"
    assert warnings == [f"job.sh:12: #RSUB: {late}"]


@pytest.mark.parametrize(
    ("script", "warned"),
    [
        ("#PBS -N a\n#PBS -l nodes=2\n", "job.sh:2: #PBS: lines of PBS are not read; the qsub"),
        ("#BSUB -n 4\n", "job.sh:2: #BSUB: lines of another batch system are not read"),
        ("# a comment\n#$ -pe smp 4\n", "job.sh:3: #$: lines of another batch system are not"),
        ("#PBS -N a\n#SBATCH -n 2\n", ""),  # written for both
        ("#$ 5 is the price\n#PBSX -l a\n", ""),
        ("module load x\n#SBATCH -n 2\n#SBATCH -t 5\n", "job.sh:3: #SBATCH: options behind"),
        ("true\n#PBS -l nodes=2\n", ""),  # PBS does not read it either
    ],
)
def test_lines_that_look_like_options_and_are_not_read_are_told_once(
    script: str, warned: str
) -> None:
    warnings: list[str] = []
    parse_directives("#!/bin/sh\n" + script, "job.sh", warnings.append)
    assert len(warnings) == bool(warned)
    assert not warned or warnings[0].startswith(warned)


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
        assert parse_directives(script, "job.sh", no_warning) == settings


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        ("#SBATCH --mem=4GB", {"mem": 4096}),
        ("#SBATCH --mem=4gb", {"mem": 4096}),
        ("#SBATCH --mem 1000MB", {"mem": 1000}),
        ("#SBATCH --mem=4G", {"mem": 4096}),
        ("#RSUB --mem=4GB", {"mem": 3815}),
        ("#RSUB --mem=4GiB", {"mem": 4096}),
    ],
)
def test_sizes_for_slurm_are_powers_of_1024(words: str, settings: dict[str, object]) -> None:
    assert parse_directives(f"#!/bin/sh\n{words}\n", "job.sh", no_warning) == settings


def test_options_of_slurm_that_change_no_job_are_passed_over() -> None:
    warnings: list[str] = []
    script = (
        "#!/bin/sh\n#SBATCH -p debug -n 3\n#SBATCH --hint=x --wckey phys -c2\n"
        "#SBATCH --get-user-env\n#SBATCH -v\n"
    )
    settings = parse_directives(script, "job.sh", warnings.append)
    assert settings == {"partition": "debug", "ntasks": 3, "cpus-per-task": 2}
    assert [warning.split(": rsub")[0] for warning in warnings] == [
        "job.sh:3: #SBATCH --hint",
        "job.sh:3: #SBATCH --wckey",
        "job.sh:4: #SBATCH --get-user-env",
        "job.sh:5: #SBATCH -v",
    ]


def test_what_sbatch_passes_over_is_passed_over_in_its_directives() -> None:
    warnings: list[str] = []
    script = (
        "#!/bin/sh\n#SBATCH --ntasks-per-socket=1 -n 3\n#SBATCH --power x -c2\n"
        "#SBATCH --gpu-bind=none\n"
    )
    settings = parse_directives(script, "job.sh", warnings.append)
    assert settings == {"ntasks": 3, "cpus-per-task": 2}
    assert warnings == [
        f"job.sh:{line}: #SBATCH {flag}: rsub has no such option, the job does without it"
        for line, flag in ((2, "--ntasks-per-socket"), (3, "--power"), (4, "--gpu-bind"))
    ]


@pytest.mark.parametrize(
    ("words", "flag"),
    [
        ("--batch x -n 2", "--batch"),
        ("--tmp=9", "--tmp"),
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
        parse_directives(f"#!/bin/sh\n#SBATCH {words}\n", "job.sh", no_warning)
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
        parse_directives(f"#!/bin/sh\n{line}\n", "job.sh", no_warning)
    assert str(caught.value).startswith(message)


def test_everything_that_is_wrong_in_a_script_is_told_at_once() -> None:
    script = (
        "#!/bin/sh\n#SBATCH --tmp=9 -n x -N 2\n#SBATCH --nodefile n1 -c 0\n"
        "#SBATCH --job-name 'a\n#SBATCH --wait=no\n#SBATCH -n 2\n"
    )
    with pytest.raises(UsageError) as caught:
        parse_directives(script, "job.sh", no_warning)
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
    return parse_directives(script, "job.sh", no_warning)


@pytest.mark.parametrize("read", [_of_rsub, sbatch.directive_groups, qsub.directives_of])
def test_a_line_of_quotes_without_end_is_refused_unread(read: Callable[[str], object]) -> None:
    """4 MiB of quotes in a line kept the commands busy for minutes."""
    quotes = "".join(f"{kind} '{'x' * 70_000}'\n" for kind in ("#SBATCH -J", "#PBS -N"))
    with pytest.raises((UsageError, SlurmError, PbsError), match="the line has 7") as caught:
        read(f"#!/bin/sh\n{quotes}")
    assert len(str(caught.value)) < 200


def test_a_script_of_nothing_but_mistakes_is_told_in_part() -> None:
    with pytest.raises(UsageError) as caught:
        parse_directives("#!/bin/sh\n" + "#RSUB -n x\n" * 1000, "job.sh", no_warning)
    assert caught.value.messages[20:] == ["job.sh: and 980 more like these"]


@pytest.mark.slow
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
