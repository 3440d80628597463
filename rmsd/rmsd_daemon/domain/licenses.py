"""The licenses that a submit asks for."""

from __future__ import annotations

from collections.abc import Sequence

from rmsd_core.jobs.accounts import License
from rmsd_core.jobs.gres import Amounts
from rmsd_daemon.domain.accounts import listed
from rmsd_daemon.domain.errors import Malformed, NeverFits
from rmsd_wire.licenses import LicenseError, parse_licenses


def checked_licenses(text: str, licenses: Sequence[License]) -> Amounts:
    """Return the licenses that a submit asks for, of those that the cluster has.

    Raises:
        DaemonError: the cluster has no such license, or never so many.
    """
    try:
        asked = parse_licenses(text)
    except LicenseError as error:
        raise Malformed(f"'licenses': {error}") from None
    totals = {one.name: one.total for one in licenses}
    for name, count in asked:
        if name not in totals:
            there = listed([*totals])
            raise Malformed(f"'licenses': there is no license '{name}'; there are {there}")
        if count > totals[name]:
            raise NeverFits(
                f"{count} licenses of '{name}' asked for; the cluster has {totals[name]}",
                field="licenses",
            )
    return asked
