"""The options of `rjob update`."""

from __future__ import annotations

import pytest

from rmsd_client.errors import UsageError
from rmsd_client.submit.job_updates import UPDATED, update_of


def test_an_unusable_value_is_told_with_its_option() -> None:
    given = dict.fromkeys(UPDATED) | {"time": "1:2:3:4"}
    with pytest.raises(UsageError, match=r"^--time=1:2:3:4: '1:2:3:4' is not a time"):
        update_of("update", given)
