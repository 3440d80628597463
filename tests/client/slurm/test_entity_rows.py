"""The titles and fields of sacctmgr and sshare."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rmsd_client.slurm.accounting import sacctmgr, sdiag, sshare
from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.fields.entity_rows import SHARE_TITLES, print_entities
from rmsd_client.slurm.sacct import sacct
from rmsd_client.slurm.usage import sstat

_ROW = {"account": "lab", "user": "ann", "defaultaccount": "lab", "grpsubmit": "7", "share": "1"}


def test_titles_are_slurms_whatever_is_typed(capsys: pytest.CaptureFixture[str]) -> None:
    """Fields were to be written out, and a title was as it was typed."""
    print_entities(["acc%5", "USER%-5"], [_ROW], ())
    assert capsys.readouterr().out == "Accou User  \n----- ----- \n  lab ann   \n"
    print_entities(["defaultaccount", "GrpSubmitJobs", "fairshare"], [_ROW], ("parsable2",))
    assert capsys.readouterr().out == "Def Acct|GrpSubmit|Share\nlab|7|1\n"
    print_entities(["account", "fairshare%4"], [{"fairshare": "0.5"}], ("parsable",), SHARE_TITLES)
    assert capsys.readouterr().out == "Account|FairShare|\n|0.5|\n"


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (sacctmgr, "--json"),
        (sdiag, "--json"),
        (sacct, "--env-vars"),
        (sstat, "--pidformat"),
    ],
)
def test_a_program_that_asks_for_another_text_gets_none(
    command: Callable[[list[str]], int], option: str
) -> None:
    with pytest.raises(SlurmError, match=f"{option} is not supported here"):
        command([option])


def test_a_wrong_field_of_sshare_is_told() -> None:
    with pytest.raises(SlurmError, match='Invalid field requested: "nosuch"'):
        sshare(["-l", "-o", "nosuch"])
