"""Options from the environment and the configuration, and the scripts to submit."""

from __future__ import annotations

from pathlib import Path

import pytest

from rmsd_client.errors import UsageError
from rmsd_client.submit.export import parse_export
from rmsd_client.submit.script import check_script, exec_script, wrap
from rmsd_client.submit.settings import from_configuration, from_environment
from tests.client.unwarned import no_warning


def test_environment() -> None:
    environ = {
        "RSUB_TIME": "2h", "RSUB_CPUS_PER_TASK": "3", "RSUB_WAIT": "yes", "RSUB_NO_REQUEUE": "1",
        "RSUB_PROPAGATE": "NONE", "RSUB_COMMENT": "", "TIME": "5", "SBATCH_TIME": "5",
    }  # fmt: skip
    assert from_environment(environ, no_warning) == {
        "time": 7200.0,
        "cpus-per-task": 3,
        "wait": True,
        "requeue": False,
        "propagate": "NONE",
    }


def test_wrong_environment() -> None:
    with pytest.raises(UsageError, match=r"^RSUB_TIME=soon: 'soon' is not a time"):
        from_environment({"RSUB_TIME": "soon"}, no_warning)
    with pytest.raises(UsageError, match=r"^RSUB_WAIT=maybe: 'maybe' is neither yes nor no"):
        from_environment({"RSUB_WAIT": "maybe"}, no_warning)
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
