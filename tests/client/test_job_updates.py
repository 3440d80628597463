"""The options of `rjob update`."""

from __future__ import annotations

import pytest

from rmsd_client.errors import UsageError
from rmsd_client.slurm.verbs.updates import update_of_pairs
from rmsd_client.submit.job_updates import UPDATED, update_of


def test_an_unusable_value_is_told_with_its_option() -> None:
    given = dict.fromkeys(UPDATED) | {"time": "1:2:3:4"}
    with pytest.raises(UsageError, match=r"^--time=1:2:3:4: '1:2:3:4' is not a time"):
        update_of("update", given)


def test_nodes_are_named_and_taken_back() -> None:
    asked = {"nodelist": "n[1-2]", "exclude": "n3"}
    assert update_of("update", asked) == asked
    nothing = {"nodelist": "", "exclude": ""}
    assert update_of("update", dict.fromkeys(asked, "none")) == nothing
    named = {"NodeList": "n1", "ExcNodeList": "n3"}
    assert update_of_pairs(named).asked == {"nodelist": "n1", "exclude": "n3"}
    emptied = {"ReqNodeList": "", "ExcNodeList": "(null)"}
    assert update_of_pairs(emptied).asked == nothing
