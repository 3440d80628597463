"""The reasons for which limits of accounts and QOS, and licenses, hold jobs back, in words."""

from __future__ import annotations


def _words() -> dict[str, str]:
    words = {
        "QOSMaxJobsPerUserLimit": "its user has as many jobs running with its QOS as may be",
        "QOSMaxCpuPerUserLimit": "its user would hold more processors with its QOS than may be",
        "Licenses": "too few of the licenses that it asks for are left (see rmsd account)",
        "AssocMaxJobsLimit": "its user has as many jobs of its account running as may be",
    }
    for kind, name in (("QOS", "QOS"), ("Assoc", "account, or one above it,")):
        words |= {
            f"{kind}GrpJobsLimit": f"as many jobs of its {name} run as may be",
            f"{kind}GrpCpuLimit": f"jobs of its {name} would hold more processors than may be",
            f"{kind}MaxWallDurationPerJobLimit": f"its limit is longer than its {name} allows now",
        }
    return words


LIMIT_REASONS = _words()
