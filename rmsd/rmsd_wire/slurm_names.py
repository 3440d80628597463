"""The names that Slurm has for a job's variables, for scripts that were written for Slurm."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NAMES = {
    "RMS_JOB_ID": ("SLURM_JOB_ID", "SLURM_JOBID"),
    "RMS_JOB_NAME": ("SLURM_JOB_NAME",),
    "RMS_JOB_PARTITION": ("SLURM_JOB_PARTITION",),
    "RMS_JOB_USER": ("SLURM_JOB_USER",),
    "RMS_JOB_ACCOUNT": ("SLURM_JOB_ACCOUNT",),
    "RMS_JOB_QOS": ("SLURM_JOB_QOS",),
    "RMS_JOB_LICENSES": ("SLURM_JOB_LICENSES",),
    "RMS_JOB_RESERVATION": ("SLURM_JOB_RESERVATION",),
    "RMS_ARRAY_JOB_ID": ("SLURM_ARRAY_JOB_ID",),
    "RMS_ARRAY_TASK_ID": ("SLURM_ARRAY_TASK_ID",),
    "RMS_ARRAY_TASK_COUNT": ("SLURM_ARRAY_TASK_COUNT",),
    "RMS_ARRAY_TASK_MIN": ("SLURM_ARRAY_TASK_MIN",),
    "RMS_ARRAY_TASK_MAX": ("SLURM_ARRAY_TASK_MAX",),
    "RMS_ARRAY_TASK_STEP": ("SLURM_ARRAY_TASK_STEP",),
    "RMS_NODELIST": ("SLURM_JOB_NODELIST", "SLURM_NODELIST"),
    "RMS_NNODES": ("SLURM_JOB_NUM_NODES", "SLURM_NNODES"),
    "RMS_NTASKS": ("SLURM_NTASKS", "SLURM_NPROCS"),
    "RMS_TASKS_PER_NODE": ("SLURM_TASKS_PER_NODE",),
    "RMS_CPUS_ON_NODE": ("SLURM_CPUS_ON_NODE",),
    "RMS_MEM_PER_CPU": ("SLURM_MEM_PER_CPU",),
    "RMS_MEM_PER_NODE": ("SLURM_MEM_PER_NODE",),
    "RMS_NODENAME": ("SLURMD_NODENAME",),
    "RMS_SUBMIT_DIR": ("SLURM_SUBMIT_DIR",),
    "RMS_SUBMIT_HOST": ("SLURM_SUBMIT_HOST",),
    "RMS_JOB_START_TIME": ("SLURM_JOB_START_TIME",),
    "RMS_JOB_END_TIME": ("SLURM_JOB_END_TIME",),
    "RMS_PROCID": ("SLURM_PROCID",),
    "RMS_LOCALID": ("SLURM_LOCALID",),
    "RMS_NODEID": ("SLURM_NODEID",),
}
"""Slurm's names for the same value. The values of RMS_RESTART_COUNT, RMS_CPUS_PER_TASK and
RMS_STEP_ID differ from Slurm's, or are not always set there."""

MEM_PER_CPU = "SLURM_MEM_PER_CPU"
HET_SIZE = "SLURM_HET_SIZE"
"""The variable that tells how many components a heterogeneous job has; no other job has it."""
_SIZES = (HET_SIZE, "SLURM_PACK_SIZE")
_SUFFIXES = ("_HET_GROUP_", "_PACK_GROUP_")
"""The words between a variable's name and the number of the component that it is of. Slurm sets the
older name as well."""
_OF_COMPONENT = frozenset(
    (
        *("SLURM_JOB_NAME", "SLURM_JOB_NODELIST", "SLURM_NODELIST", "SLURM_JOB_NUM_NODES"),
        *("SLURM_NNODES", "SLURM_NTASKS", "SLURM_NPROCS", "SLURM_TASKS_PER_NODE"),
    )
)
"""The variables that tell a script of the first component of its job, and a task of those of its
step, while `RMS_*` variables tell of the whole job."""
_RANKS = {"SLURM_PROCID": "0", "SLURM_LOCALID": "0", "SLURM_NODEID": "0"}


def names_slurm(script: str, env: Mapping[str, str]) -> bool:
    """Return whether a job expects Slurm's variables: its script has a directive or names one of
    them, or it was submitted with such a variable, as `sbatch` does."""
    if "\n#SBATCH" in script or "SLURM_" in script or "SLURMD_" in script:
        return True
    return any(name.startswith("SLURM_") for name in env)


def slurm_names(env: Mapping[str, str]) -> dict[str, str]:
    """Return Slurm's variables for the `RMS_*` variables in `env`.

    A script has the ranks of a task, which are 0, as in Slurm. SLURM_RESTART_COUNT is set only in a
    job that was started again. SLURM_STEP_ID is a number, but does not count from 0.
    """
    named = {slurm: env[ours] for ours, names in _NAMES.items() if ours in env for slurm in names}
    if MEM_PER_CPU in {**env, **named}:  # a job has one of the two variables
        named.pop("SLURM_MEM_PER_NODE", None)
    if env.get("RMS_RESTART_COUNT", "0") != "0":
        named["SLURM_RESTART_COUNT"] = env["RMS_RESTART_COUNT"]
    if "RMS_STEP_ID" in env:
        named["SLURM_STEP_ID"] = env["RMS_STEP_ID"].partition("-")[0]
        named["SLURM_STEPID"] = named["SLURM_STEP_ID"]
        if "SLURM_STEP_NUM_NODES" in env:  # in a step, srun counts the nodes of the step
            named["SLURM_NNODES"] = env["SLURM_STEP_NUM_NODES"]
        if "SLURM_STEP_TASKS_PER_NODE" in env:
            named["SLURM_TASKS_PER_NODE"] = env["SLURM_STEP_TASKS_PER_NODE"]
    if HET_SIZE in env:
        named |= {name: env[name] for name in _OF_COMPONENT if name in env}
    return {**_RANKS, **named}


def het_variables(components: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return the variables of a heterogeneous job: those of each component with its number, and how
    many there are."""
    variables = dict.fromkeys(_SIZES, str(len(components)))
    for number, values in enumerate(components):
        for suffix in _SUFFIXES:
            variables |= {f"{name}{suffix}{number}": text for name, text in values.items()}
    return variables


def without_het(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the variables of a heterogeneous job around the submitter."""
    if HET_SIZE not in env:
        return dict(env)
    return {
        name: text
        for name, text in env.items()
        if name not in _SIZES and not any(suffix in name for suffix in _SUFFIXES)
    }
