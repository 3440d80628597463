"""The dynP scheduler (A. Streit, 2002), on sets generated to its Table 1: trends, not numbers."""

from __future__ import annotations

from collections.abc import Callable

from rmsd_lab.workloads.dynp_sets import NODES
from rmsd_lab_cli.papers.experiment import (
    Cell,
    Experiment,
    Finding,
    Lookup,
    PaperClaim,
    PaperTable,
    Simulation,
)

SETS = {"set 1": "dynp-set1", "set 2": "dynp-set2"}
POLICIES = {
    "SJF": "sjf-conservative",
    "FCFS": "conservative",
    "LJF": "ljf-conservative",
    "dynP": "dynp",
}
FACTORS = (0.75, 0.70, 0.65, 0.60, 0.55, 0.50, 0.45, 0.40, 0.35, 0.30, 0.25)
"""Shrinking factors (section 3): what submit times are multiplied with."""

MEDIUM = {"set 1": (0.63, 0.78), "set 2": (0.58, 0.73)}
"""The utilizations of Tables 3 and 4."""

_RESPONSE = "waits/response_s/mean"
_UTILIZATION = "waits/utilization"
_SHARE = "orders/share_of_time"
_REMARKS = [
    "The paper's sets are not public; these have the characteristics of its Table 1 and are "
    "assumed in all else (rmsd_lab/workloads/dynp_sets.py, seed 1). Numbers are therefore not "
    "compared, only what the paper concludes.",
    "Medium utilization is where FCFS comes nearest to the utilizations of the paper's Tables 3 "
    "and 4.",
]


def run_of(jobs: str, policy: str, factor: float) -> Simulation:
    return Simulation(SETS[jobs], NODES, POLICIES[policy], (("shrunk", factor),))


def _table(jobs: str) -> PaperTable:
    return PaperTable(
        f"{jobs}: average response time [s], utilization [%]",
        [
            Cell(f"{factor:.2f}", f"{policy} {name}", "", (run_of(jobs, policy, factor),), key, by)
            for factor in FACTORS
            for name, key, by in (("[s]", _RESPONSE, 1.0), ("[%]", _UTILIZATION, 100.0))
            for policy in POLICIES
        ],
    )


def _medium(look_up: Lookup, jobs: str, utilization: float) -> float:
    """Return the shrinking factor at which the utilization under FCFS is nearest to
    `utilization`."""
    return min(
        FACTORS,
        key=lambda factor: abs(look_up(run_of(jobs, "FCFS", factor), _UTILIZATION) - utilization),
    )


def _at_medium(text: str, jobs: str, holds: Callable[[dict[str, float]], bool]) -> PaperClaim:
    """Return a claim on the response times of all policies at both medium utilizations."""

    def finding(look_up: Lookup) -> Finding:
        good, said = True, []
        for utilization in MEDIUM[jobs]:
            factor = _medium(look_up, jobs, utilization)
            responses = {p: look_up(run_of(jobs, p, factor), _RESPONSE) for p in POLICIES}
            good &= holds(responses)
            numbers = ", ".join(f"{p} {seconds:,.0f}" for p, seconds in responses.items())
            said.append(f"at about {utilization:.0%} (factor {factor:.2f}): {numbers}")
        return Finding(good, "; ".join(said))

    runs = [run_of(jobs, policy, factor) for policy in POLICIES for factor in FACTORS]
    return PaperClaim(text, runs, [_RESPONSE, _UTILIZATION], finding)


def _fastest(static: dict[str, float]) -> str:
    return min(("SJF", "FCFS", "LJF"), key=static.__getitem__)


def _peak(jobs: str) -> PaperClaim:
    runs = {p: [run_of(jobs, p, factor) for factor in FACTORS] for p in ("LJF", "dynP")}

    def finding(look_up: Lookup) -> Finding:
        ljf, dynp = (max(look_up(run, _UTILIZATION) for run in runs[p]) for p in ("LJF", "dynP"))
        return Finding(dynp >= ljf - 0.01, f"LJF {ljf:.1%}, dynP {dynp:.1%}")

    return PaperClaim(
        f"{jobs}: dynP reaches LJF's peak utilization (to a percentage point)",
        [run for of_policy in runs.values() for run in of_policy],
        [_UTILIZATION],
        finding,
    )


_FIG_3 = Experiment(
    "dynp-fig-3",
    "dynP, Figs. 3 and 4, Tables 3 and 4",
    "Response time and utilization of static and dynamic orders",
    [_table(jobs) for jobs in SETS],
    [
        _at_medium(
            "set 1: SJF is the best static order",
            "set 1",
            lambda seconds: _fastest(seconds) == "SJF",
        ),
        _at_medium(
            "set 2: LJF is the best static order",
            "set 2",
            lambda seconds: _fastest(seconds) == "LJF",
        ),
        _at_medium(
            "set 1: dynP is nearer to the best static order than to the worst",
            "set 1",
            lambda seconds: seconds["dynP"] < (min(seconds.values()) + max(seconds.values())) / 2,
        ),
        _at_medium(
            "set 2: dynP is better than the best static order",
            "set 2",
            lambda seconds: seconds["dynP"] < seconds[_fastest(seconds)],
        ),
        *(_peak(jobs) for jobs in SETS),
    ],
    _REMARKS,
)


def _share_over_load(
    text: str, jobs: str, policy: str, holds: Callable[[float, float], bool]
) -> PaperClaim:
    """Return a claim on the share of time under a policy, at the lowest and the highest load."""
    runs = [run_of(jobs, "dynP", factor) for factor in (FACTORS[0], FACTORS[-1])]

    def finding(look_up: Lookup) -> Finding:
        low, high = (100 * look_up(run, f"{_SHARE}/{_ORDERS[policy]}") for run in runs)
        return Finding(
            holds(low, high), f"{low:.0f}% at the lowest load, {high:.0f}% at the highest"
        )

    return PaperClaim(f"{jobs}: {text}", runs, [_SHARE], finding)


_ORDERS = {"SJF": "shortest", "FCFS": "arrival", "LJF": "longest"}

_FIG_5 = Experiment(
    "dynp-fig-5",
    "dynP, Fig. 5",
    "Share of time for which dynP uses each order",
    [
        PaperTable(
            f"{jobs} [%]",
            [
                Cell(
                    f"{factor:.2f}",
                    policy,
                    "",
                    (run_of(jobs, "dynP", factor),),
                    f"{_SHARE}/{order}",
                    100,
                )
                for factor in FACTORS
                for policy, order in _ORDERS.items()
            ],
        )
        for jobs in SETS
    ],
    [
        _share_over_load("SJF is used less as the load grows", "set 1", "SJF", lambda a, b: b < a),
        _share_over_load(
            "FCFS is used more as the load grows", "set 1", "FCFS", lambda a, b: b > a
        ),
        _share_over_load(
            "LJF is used for 15% of the time or less", "set 1", "LJF", lambda a, b: max(a, b) <= 15
        ),
        _share_over_load(
            "LJF is used most of the time, and more as the load grows",
            "set 2",
            "LJF",
            lambda a, b: 50 < a < b,
        ),
    ],
    _REMARKS,
)

EXPERIMENTS = [_FIG_3, _FIG_5]
