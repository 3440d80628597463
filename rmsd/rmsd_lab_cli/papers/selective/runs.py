"""The runs that all experiments of the paper share: its logs, schemes, loads and measures."""

from __future__ import annotations

from rmsd_lab_cli.papers.experiment import Change, Simulation

LOGS = {
    "SDSC": ("SDSC-SP2-1998", 128),
    "CTC": ("CTC-SP2-1996", 430),
    "KTH": ("KTH-SP2-1996", 100),
    "LANL": ("LANL-CM5-1994", 1024),
}
JOBS = 5000

DIVISORS = (1.0, 1.1, 1.2, 1.3, 1.4)
"""The divisors of the arrival times; the paper does not name its own constants."""

HIGH = 1.2
"""High load. Of these, and of steps of 0.05 between them, it is the one at which SDSC has the
thresholds of Table 7."""

KINDS = ("SN", "SW", "LN", "LW", "all")
SCHEMES = {
    "conservative": "conservative",
    "EASY": "easy",
    "Sel": "selective",
    "Sel-D": "selective-d",
}

_RECIPES = {**SCHEMES, "SJF EASY": "sjf-easy"}
_WELL_ESTIMATED = {
    "Sel": "selective,threshold=well-estimated",
    "Sel-D": "selective-d,thresholds=well-estimated",
}

SLOWDOWN = "bounded_slowdown_mean"
RESPONSE = "response_mean_s"
WORST = "bounded_slowdown_max"
METRICS = ((SLOWDOWN, "slowdown"), (RESPONSE, "turnaround"), (WORST, "worst slowdown"))
SUBSETS = (
    f"The first {JOBS:,} jobs of each log. Arrival times are divided by a constant for higher "
    f"loads; the paper does not name its constants, and at {HIGH:g} SDSC's thresholds are those of "
    "its Table 7, so that this is taken for high load. Short is up to 1 h, narrow up to 8 "
    "processors (LANL: 64), by the real run time and size."
)


def run_of(log: str, scheme: str, divisor: float = 1.0, *, exact: bool = True) -> Simulation:
    """Return the run of a scheme on a log's subset.

    With users' estimates, the thresholds of the selective schemes come from well-estimated jobs
    alone (4.3).
    """
    name, processors = LOGS[log]
    changes: list[Change] = [("first", JOBS)]
    if exact:
        changes.append(("exact",))
    if divisor != 1:
        changes.append(("divided", divisor))
    recipe = _RECIPES[scheme] if exact else _WELL_ESTIMATED.get(scheme, _RECIPES[scheme])
    if log == "LANL" and scheme.startswith("Sel"):
        recipe += ",wide=64"
    return Simulation(name, processors, recipe, tuple(changes))


def measure_of(kind: str, key: str) -> str:
    return f"categories/{kind}/{key}"


def load_text(divisor: float) -> str:
    return "normal load" if divisor == 1 else f"arrivals divided by {divisor:g}"
