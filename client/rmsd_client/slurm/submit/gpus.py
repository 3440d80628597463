"""GPUs in the options of sbatch, srun and salloc: tasks, processors and memory for each GPU."""

from __future__ import annotations

from rmsd_client.errors import UsageError
from rmsd_client.nodes import device_text
from rmsd_client.submit.option_values import number
from rmsd_client.submit.options import BY_NAME
from rmsd_client.submit.slurm_requests import converted, whole_number
from rmsd_wire.gres import parse_gres
from rmsd_wire.sizes import parse_mem_mib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rmsd_client.submit.options import Settings

    Values = dict[str, str]

_GPUS = ("gpus", "gpus-per-node", "gpus-per-task", "gres")
_LAYOUT = ("ntasks", "nodes", "ntasks-per-node", "cpus-per-task", *_GPUS)
_COUNTS: tuple[str, ...] = ("ntasks", "ntasks-per-node", "cpus-per-task")
_PER_GPU = ("ntasks-per-gpu", "cpus-per-gpu", "mem-per-gpu")
_MOST = 1 << 20


def counted_by_gpu(values: Values, settings: Settings) -> Settings:
    """Return settings with the tasks, processors and memory that options ask for by GPU.

    Tasks that share a GPU are on one node, unless nodes are asked for.

    Raises:
        UsageError: an option cannot be read, contradicts another one, or no GPU is asked for.
    """
    result = dict(settings)
    _set_tasks(values, result)
    laid = converted({name: value for name, value in result.items() if name != "mem"})
    nodes = whole_number(laid, "nodes")
    tasks = whole_number(laid, "ntasks") or nodes or 1
    gpus = _all_gpus(result, tasks, nodes or 1)
    if "cpus-per-gpu" in values:
        _exclude(result, "cpus-per-gpu", "cpus-per-task")
        cpus = _count(values, "cpus-per-gpu") * _some(gpus, "cpus-per-gpu")
        result["cpus-per-task"] = -(-cpus // tasks)
    if "mem-per-gpu" in values:
        _exclude(result, "mem-per-gpu", "mem")
        on_a_node = -(-_some(gpus, "mem-per-gpu") // (nodes or 1))
        result["mem"] = _mem_mib(values) * on_a_node
    return result


def step_by_gpu(job: Mapping[str, Any], values: Values) -> Values:
    """Return the options of a step with the tasks and processors that they ask for by GPU. A step
    that names no GPUs has those of its job."""
    if not any(name in values for name in _PER_GPU):
        return values
    settings = {name: BY_NAME[name].parse(values[name]) for name in _LAYOUT if name in values}
    if not any(name in settings for name in _GPUS):
        settings["gpus"] = f"gpu:{device_text.gpus_of(job)}"
    if not {"ntasks", "nodes", "ntasks-per-node", "ntasks-per-gpu"} & values.keys():
        settings["ntasks"] = job["tasks"]
    wanted = {name: text for name, text in values.items() if name != "mem-per-gpu"}
    laid = counted_by_gpu(wanted, settings)
    return {**values, **{name: str(laid[name]) for name in _COUNTS if name in laid}}


def _set_tasks(values: Values, result: dict[str, object]) -> None:
    """Set the tasks by --ntasks-per-gpu, or the GPUs that so many tasks need."""
    if "ntasks-per-gpu" not in values:
        return
    _exclude(result, "ntasks-per-gpu", "gpus-per-task")
    each = _count(values, "ntasks-per-gpu")
    tasks = whole_number(result, "ntasks")
    if on_a_node := _gpus_per_node(result):
        result.setdefault("ntasks-per-node", on_a_node * each)
        return
    if "gpus" not in result:
        result["gpus"] = f"gpu:{-(-_some(tasks or 0, 'ntasks-per-gpu') // each)}"
    whole = _number_of(result["gpus"])
    if (tasks or whole * each) > whole * each:
        raise UsageError(f"--ntasks-per-gpu={each}: {tasks} tasks are too many for {whole} GPUs")
    result["ntasks"] = tasks or whole * each
    if each > 1:
        result.setdefault("nodes", 1)


def _all_gpus(settings: Settings, tasks: int, nodes: int) -> int:
    """Return how many GPUs a job asks for altogether; 0: it asks for none."""
    if "gpus" in settings:
        return _number_of(settings["gpus"])
    if "gpus-per-task" in settings:
        return _number_of(settings["gpus-per-task"]) * tasks
    return _gpus_per_node(settings) * nodes


def _gpus_per_node(settings: Settings) -> int:
    texts = [str(settings[name]) for name in ("gres", "gpus-per-node") if name in settings]
    return sum(_number_of(text) for text in texts)


def _number_of(text: object) -> int:
    """Return how many GPUs there are among devices."""
    return sum(n for kind, n in parse_gres(str(text)) if kind.partition(":")[0] == "gpu")


def _exclude(settings: Settings, name: str, other: str) -> None:
    if other in settings:
        raise UsageError(f"--{name} and --{other} exclude each other")


def _some(gpus: int, name: str) -> int:
    if not gpus:
        raise UsageError(f"--{name}: no GPU is asked for; say --gpus or --gpus-per-node")
    return gpus


def _count(values: Values, name: str) -> int:
    count = number(values[name], _MOST)
    if not count:
        raise UsageError(f'Invalid numeric value "{values[name]}" for --{name}.')
    return count


def _mem_mib(values: Values) -> int:
    try:
        return parse_mem_mib(values["mem-per-gpu"])
    except ValueError as error:
        raise UsageError(f"Invalid --mem-per-gpu specification ({error})") from None
