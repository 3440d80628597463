"""Replays: the jobs of a trace through a live daemon, as `rmsd replay` sends them."""

from __future__ import annotations

from typing import Any, Literal, Unpack

from rmsd_cli.errors import told_by
from rmsd_client.errors import ClientError
from rmsd_core.recipes.recipe import Recipe
from rmsd_lab.schedule import Schedule
from rmsd_lab_api.html import facts
from rmsd_lab_api.options import PathName, RunOptions, options_of
from rmsd_lab_api.runs import ScheduleResult, asked_of
from rmsd_lab_api.signals import handlers_restored
from rmsd_lab_api.traces import LabTrace, as_file
from rmsd_lab_cli.metrics.report import MetricReport
from rmsd_lab_cli.replay import command
from rmsd_lab_cli.replay.run import ReplayComparison


class ReplayedJobs(ScheduleResult):
    """A replay. `report`: the `rmsd.run/1` object of `rmsd replay`. `simulated`: that of the
    simulation of the same jobs. `fidelity`: how far the two are apart."""

    _kind = "replay"

    def __init__(
        self, name: str, recipe: Recipe, done: ReplayComparison, asked: MetricReport
    ) -> None:
        in_order = sorted(done.schedule, key=lambda job: job.submit_us)
        schedule = Schedule(in_order, done.report["procs"], done.orders)
        super().__init__(name, schedule, done.report, asked)
        self.recipe = recipe.name
        self.simulated = done.reference
        self.fidelity: dict[str, Any] = done.report["fidelity"]

    def _repr_html_(self) -> str:
        simulated = {
            "simulated: mean wait [s]": self.simulated["wait_s"]["mean"],
            "simulated: mean bounded slowdown": self.simulated["bounded_slowdown"]["mean"],
        }
        return super()._repr_html_() + facts("the same jobs, simulated", simulated)


def replay(
    trace: LabTrace | PathName,
    recipe: str | None = None,
    *,
    rate: float | None = None,
    name: str | None = None,
    execute: Literal["timer", "process"] = "timer",
    server: str | None = None,
    token_file: PathName | None = None,
    ca_file: PathName | None = None,
    nodes: int | None = None,
    agents: int | None = None,
    tls: bool = False,
    **options: Unpack[RunOptions],
) -> ReplayedJobs:
    """Send the jobs of a trace through a live daemon at an accelerated clock, and simulate them
    beside it. Unless `server` names one, a private daemon with emulated nodes is started, and
    stopped afterwards. The arguments are the options of `rmsd replay`; `execute` is its `--exec`.

    Raises:
        LabError: as the command fails.
    """
    with as_file(trace) as path, handlers_restored():
        args = options_of(
            command.add_arguments,
            path,
            recipe=None if recipe is None else [recipe],
            rate=rate,
            exec=execute,
            server=server,
            token_file=token_file,
            ca_file=ca_file,
            nodes=nodes,
            agents=agents,
            tls=tls,
            metrics="all",  # the daemon is asked for its decisions as well
            **options,
        )
        args.rate = command.rate_asked(args.rate)
        try:
            ((used, done),) = command.comparisons(args)
        except ClientError as error:
            raise told_by(error) from None
    return ReplayedJobs(name or recipe or used.name, used, done, asked_of(args, used.trial_us))
