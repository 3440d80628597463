"""The options of `sbatch` that `rsub` does not have: which of them are passed over, and what to do
instead of the others. Loaded only when one is met."""

from __future__ import annotations

from rmsd_client.errors import UsageError
from rmsd_client.slurm.command_lines.command_line import IGNORED, YES
from rmsd_client.slurm.command_lines.job_options import SBATCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from rmsd_client.slurm.command_lines.command_line import Opt

_LONG = {
    "-B": "--extra-node-info", "-F": "--nodefile", "-G": "--gpus",
    "-M": "--clusters", "-O": "--overcommit",
    "-S": "--core-spec", "-i": "--input",
    "-k": "--no-kill", "-m": "--distribution",
    "-s": "--oversubscribe", "-v": "--verbose",
}  # fmt: skip

_PASSED_OVER_WITH_VALUE = frozenset(
    (
        *("--priority", "--wckey", "--mcs-label"),
        *("--acctg-freq", "--profile", "--hint", "--mem-bind"),
        *("--cpu-freq", "--switches", "--time-min", "--open-mode"),
    )
)
_PASSED_OVER_ALONE = frozenset(
    (
        *("--verbose", "--ignore-pbs", "--get-user-env"),
        *("--spread-job", "--use-min-nodes"),
    )
)
"""The options whose value, if they have one, is behind a `=`."""

_HARMLESS_VALUES = {
    "--threads-per-core": ("1",),
    "--ntasks-per-core": ("1",),
    "--distribution": ("block",),
}
"""Options that ask for no more than a job has anyway, if their value is one of these."""

_ALONE = frozenset(
    ("--oversubscribe", "--contiguous", "--overcommit", "--no-kill", "--reboot", "--pty")
)

_NO_CHOICE = "a file of nodes cannot be read; -w NODES names them"

_NO_GPUS = "--gpus-per-node or --gpus-per-task says how many GPUs, and --mem how much memory"

_INSTEAD = {
    "--mem-per-gpu": _NO_GPUS,
    "--oversubscribe": "processors are never shared between jobs; remove it to have your own",
    "--contiguous": "nodes have no order here, so none are next to each other; -w names nodes",
    "--nodefile": _NO_CHOICE,
    "--input": "redirect in the script: ./program < FILE",
    "--threads-per-core": "every logical processor counts as a core; remove it, or say 1",
    "--clusters": "--server=URL or RMSD_SERVER says which daemon gets the job",
    "--tmp": "free disk space is not accounted; check it in the script",
    "--pty": "`rsub --interactive` runs a shell in a terminal on a node",
    "--wrap": "a directive is in a script already",
}


def has_no_value(typed: str) -> bool:
    """Return whether Slurm's option, by its long or short name, has no value in the next word."""
    flag = _LONG.get(typed, typed)
    if flag in _PASSED_OVER_ALONE or flag in _ALONE:
        return True
    option = None if _is_in_tables(flag) else _of_sbatch(flag)
    return option is not None and option.value != YES


def _is_in_tables(flag: str) -> bool:
    return (
        flag in _PASSED_OVER_WITH_VALUE
        or flag in _HARMLESS_VALUES
        or flag in _INSTEAD
        or flag in _LONG.values()
    )


def _of_sbatch(flag: str) -> Opt | None:
    """Return what our `sbatch` does with an option; None if it has no such option."""
    name = flag.lstrip("-")
    return (SBATCH.by_long if flag.startswith("--") else SBATCH.by_short).get(name)


def pass_over(typed: str, value: Callable[[], str]) -> str | None:
    """Return a warning, if the same job runs without an option of Slurm; None if Slurm has no such
    option. `value` takes the option's value from the words and returns it.

    Raises:
        UsageError: without the option another job would run; the message says what to do.
    """
    flag = _LONG.get(typed, typed)
    if flag in _PASSED_OVER_ALONE:
        return _warning(typed)
    if flag in _PASSED_OVER_WITH_VALUE:
        text = value()
        if flag == "--open-mode" and text.lower().startswith("a"):
            return (
                f"{typed}: rsub has no such option: an output file that is there already is "
                "overwritten; %j in its name gives each job its own"
            )
        return _warning(typed)
    if flag in _HARMLESS_VALUES:
        text = value()
        if text.lower() in _HARMLESS_VALUES[flag]:
            return _warning(typed)
    else:
        option = None if _is_in_tables(flag) else _of_sbatch(flag)
        if option is None and not _is_in_tables(flag):
            return None
        if not has_no_value(flag):
            value()
        if option is not None and option.fate == IGNORED:
            return _warning(typed)
    instead = _INSTEAD.get(flag, "remove it if the job is as good without it")
    raise UsageError(
        f"{typed}: rsub has no such option, and without it another job would run; {instead}"
    )


def _warning(typed: str) -> str:
    return f"{typed}: rsub has no such option, the job does without it"
