"""The devices that steps get of their job's: how many, which, and on which nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rmsd_client.slurm.command_lines.ending import SlurmError
from rmsd_client.slurm.steps.layouts import misplaced, request_of
from rmsd_client.steps import step_places
from rmsd_client.steps.device_environment import device_environment
from rmsd_client.steps.step_devices import TooFewDevices, device_request
from rmsd_client.steps.step_layouts import StepRequest, TooFewProcessors, tasks_of
from rmsd_client.steps.tasks import passed_on

JOB: dict[str, Any] = {
    "job_id": 7,
    "attempt": 1,
    "nodelist": "n[1-2]",
    "node_cpus": [4, 4],
    "node_gres": ["fpga:0;gpu:a:0,1", "gpu:b:2"],
    "tasks": 2,
    "cpus_per_task": 1,
}


def seen(asked: StepRequest, held: dict[str, int] | None = None) -> list[tuple[str, str]]:
    """Return the node and the devices of each task."""
    tasks = tasks_of(JOB, asked, held)
    return [(one.node, device_environment(one.devices or ())["RMS_GRES"]) for one in tasks]


def test_tasks_see_the_devices_of_their_step() -> None:
    one_each = device_request(per_node="gpu:1")
    assert seen(StepRequest(devices=one_each)) == [("n1", "gpu:a:0"), ("n2", "gpu:b:2")]
    for_each = device_request(per_task="gpu:1")
    assert seen(StepRequest(tasks=3, devices=for_each)) == [
        *(("n1", "gpu:a:0"), ("n1", "gpu:a:1"), ("n2", "gpu:b:2")),
    ]
    of_type = device_request(per_node="gpu:a:2,fpga:1")
    assert seen(StepRequest(tasks=2, nodes=1, devices=of_type)) == [
        ("n1", "fpga:0;gpu:a:0,1"),
        ("n1", "fpga:0;gpu:a:0,1"),
    ]
    in_all = device_request(total="gpu:3")
    assert seen(StepRequest(devices=in_all)) == [("n1", "gpu:a:0,1"), ("n2", "gpu:b:2")]
    nothing = device_request(per_node="none")
    assert seen(StepRequest(tasks=1, devices=nothing)) == [("n1", "")]


def test_a_step_goes_where_devices_are_free() -> None:
    asked = StepRequest(tasks=1, devices=device_request(per_node="gpu:1"))
    assert seen(asked, {"n1 gpu:a 0": 1, "n1": 1}) == [("n1", "gpu:a:1")]
    assert seen(asked, {"n1 gpu:a 0": 1, "n1 gpu:a 1": 1}) == [("n2", "gpu:b:2")]


@pytest.mark.parametrize(
    "asked",
    [
        StepRequest(devices=device_request(per_node="gpu:2")),
        StepRequest(nodes=2, devices=device_request(per_node="fpga")),
        StepRequest(tasks=4, devices=device_request(per_task="gpu:1")),
        StepRequest(tasks=1, devices=device_request(total="gpu:c:1")),
        StepRequest(devices=device_request(total="gpu:4")),
    ],
)
def test_more_devices_than_the_job_has_are_refused(asked: StepRequest) -> None:
    with pytest.raises(TooFewDevices, match=r"; job 7 has fpga:0;gpu:a:0,1 on n1, gpu:b:2 on n2"):
        tasks_of(JOB, asked)
    none = {**JOB, "node_gres": []}
    with pytest.raises(TooFewDevices, match="; job 7 has no devices"):
        tasks_of(none, asked)


def test_too_few_processors_are_no_lack_of_devices() -> None:
    with pytest.raises(TooFewProcessors):
        tasks_of(JOB, StepRequest(tasks=9, devices=device_request(per_node="gpu:1")))


def test_steps_at_once_share_no_device_unless_they_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step_places, "FOLDERS", [f"{tmp_path}/steps-{{uid}}"])
    asked = StepRequest(tasks=1, nodelist="n1", devices=device_request(per_node="gpu:1"))

    class Waiting(Exception):
        pass

    def waits() -> None:
        raise Waiting

    with (
        step_places.places(JOB, asked) as [first],
        step_places.places(JOB, asked) as [second],
    ):
        assert (first.devices, second.devices) == ((("gpu:a", 0),), (("gpu:a", 1),))
        with pytest.raises(Waiting), step_places.places(JOB, asked, waits=waits):
            pass
        with pytest.raises(Waiting), step_places.places(JOB, asked, [first], waits=waits):
            pass
        with step_places.places(JOB, asked, overlap=True) as [third]:
            assert third.devices == first.devices
        with step_places.places(JOB, asked._replace(devices=None)) as [other]:
            assert other.devices is None


def test_a_step_within_a_task_has_the_devices_of_that_task(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = StepRequest(tasks=1, nodelist="n1", devices=device_request(per_node="gpu:1"))
    own = {"RMS_JOB_ID": "7", "RMS_STEP_ID": "0-a", "RMS_NODENAME": "n1", "RMS_GRES": "gpu:a:1"}
    for name, value in own.items():
        monkeypatch.setenv(name, value)
    assert seen(asked) == [("n1", "gpu:a:1")]
    with pytest.raises(TooFewDevices):
        seen(asked._replace(devices=device_request(per_node="gpu:2")))


def test_tasks_on_other_nodes_have_the_numbers_of_those() -> None:
    of_script = {"CUDA_VISIBLE_DEVICES": "0,1", "RMS_JOB_GPUS": "0,1", "A": "0,1"}
    assert passed_on(of_script) == {"A": "0,1"}
    chosen = {**of_script, "CUDA_VISIBLE_DEVICES": "1"}
    assert passed_on(chosen) == {"A": "0,1", "CUDA_VISIBLE_DEVICES": "1"}


def test_what_srun_says() -> None:
    values = {"gres": "fpga:1", "gpus-per-node": "a:1", "gpus": "2"}
    asked = request_of(JOB, values).devices
    assert asked == device_request("fpga:1,gpu:a:1", "", "gpu:2")
    with pytest.raises(SlurmError, match="Invalid GRES specification: "):
        request_of(JOB, {"gres": "gpu:x:y"})
    error = misplaced(JOB, TooFewDevices("why"))
    assert error.lines == (
        "srun: error: Unable to create step for job 7: Invalid generic resource (gres) "
        "specification (why)",
    )
