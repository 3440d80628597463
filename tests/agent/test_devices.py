"""The devices of a machine: found by the drivers' tools and in /dev, said, vanished."""

from __future__ import annotations

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from rmsd_agent.command_line import command_line, devices_in, nodes_of, options_of
from rmsd_agent.machine.device_search import System, find_gpus, type_of
from rmsd_agent.machine.devices import Devices, devices_of
from rmsd_agent.machine.inventory import real_node, resized
from rmsd_wire.gres import Device
from rmsd_wire.node_info import NodeDevices, NodeInfo


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    """Return a machine without devices, and with no tools but those that a test puts into `bin`."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "dev" / "dri").mkdir(parents=True)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return System(tmp_path / "dev", tmp_path / "proc", tmp_path / "sys")


def tool(name: str, tmp_path: Path, text: str) -> None:
    path = tmp_path / "bin" / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_files_that_are_not_there_are_told() -> None:
    with capture_logs() as logged:
        devices = devices_of("gpu=/dev/rmsd-none[0-1],fpga:1")
    assert devices.present() == (NodeDevices("fpga", (0,)),)
    assert logged == [
        {
            "event": "devices-missing",
            "log_level": "warning",
            "files": ["/dev/rmsd-none0", "/dev/rmsd-none1"],
        }
    ]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("NVIDIA A100-SXM4-40GB", "a100"),
        ("NVIDIA A100 80GB PCIe", "a100"),
        ("Tesla V100-SXM2-16GB", "v100"),
        ("NVIDIA GeForce RTX 3090", "rtx_3090"),
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("AMD Instinct MI250X", "mi250x"),
        ("NVIDIA", ""),
        ("", ""),
    ],
)
def test_types_of_models(model: str, name: str) -> None:
    assert type_of(model) == name


def test_nvidia_by_its_tool(system: System, tmp_path: Path) -> None:
    for minor, bus in ((0, "0000:81:00.0"), (1, "0000:41:00.0")):  # the tool counts by the bus
        (system.dev / f"nvidia{minor}").touch()
        told = system.proc / "driver" / "nvidia" / "gpus" / bus
        told.mkdir(parents=True)
        (told / "information").write_text(f"Model: \t NVIDIA A100\nDevice Minor: \t {minor}\n")
    tool("nvidia-smi", tmp_path, """[ "$1" = --query-gpu=index,pci.bus_id,name ] || exit 9
echo '0, 00000000:41:00.0, NVIDIA A100-SXM4-40GB'
echo '1, 00000000:81:00.0, NVIDIA A100-SXM4-40GB'""")  # fmt: skip
    assert find_gpus(system) == [
        Device("gpu:a100", 0, str(system.dev / "nvidia1")),
        Device("gpu:a100", 1, str(system.dev / "nvidia0")),
    ]


@pytest.mark.parametrize("text", ["exit 9", "echo 'NVIDIA-SMI has failed'", "echo", None])
def test_nvidia_by_files(system: System, tmp_path: Path, text: str | None) -> None:
    for name in ("nvidia0", "nvidia10", "nvidia2", "nvidiactl", "nvidia-uvm"):
        (system.dev / name).touch()
    if text is not None:
        tool("nvidia-smi", tmp_path, text)
    found = find_gpus(system)
    assert [(one.kind, one.number) for one in found] == [("gpu", 0), ("gpu", 2), ("gpu", 10)]


def test_amd(system: System, tmp_path: Path) -> None:
    for at, (simds, minor) in enumerate([(0, 0), (440, 128), (440, 129)]):
        node = system.sys / "class" / "kfd" / "kfd" / "topology" / "nodes" / str(at)
        node.mkdir(parents=True)
        (node / "properties").write_text(f"simd_count {simds}\ndrm_render_minor {minor}\n")
        (system.dev / "dri" / f"renderD{minor}").touch()
    assert [one.kind for one in find_gpus(system)] == ["gpu", "gpu"]
    tool("rocm-smi", tmp_path, """echo '{"card1": {"Card Series": "AMD Instinct MI210"},
"card2": {"Card Series": "AMD Instinct MI210"}, "system": {}}'""")  # fmt: skip
    assert find_gpus(system) == [
        Device("gpu:mi210", at, str(system.dev / "dri" / f"renderD{128 + at}")) for at in (0, 1)
    ]


def test_no_devices(system: System) -> None:
    assert find_gpus(system) == []


def test_a_device_that_vanishes_and_comes_back(tmp_path: Path) -> None:
    files = [tmp_path / f"gpu{at}" for at in range(3)]
    for path in files:
        path.touch()
    devices = Devices([Device("gpu", at, str(path)) for at, path in enumerate(files)])
    node = real_node("n1", 1, 1, devices)
    assert node.gres == (NodeDevices("gpu", (0, 1, 2)),)
    files[1].unlink()
    assert resized(node, 1, 1, devices).gres == (NodeDevices("gpu", (0, 2)),)
    files[1].touch()
    assert resized(node, 1, 1, devices) == node


def nodes(*arguments: str) -> list[NodeInfo]:
    parser = command_line()
    options = options_of(parser, ["--server", "unix:/s", *arguments])
    return nodes_of(parser, options, devices_in(options))


def test_what_options_say() -> None:
    here, one, two = nodes(
        "--local-node", "--gres", "gpu:a:2", "--emulate", "2", "--emulate-gres", "gpu:b:3"
    )
    assert here.gres == (NodeDevices("gpu:a", (0, 1)),)
    assert one.gres == two.gres == (NodeDevices("gpu:b", (0, 1, 2)),)
    [one] = nodes("--emulate", "1")
    assert one.gres == ()
    [here] = nodes("--gres", "none")
    assert here.gres == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--gres", "9"], "'9' is not understood"),
        (["--emulate", "1", "--gres", "gpu:2"], "--gres is of this machine"),
        (["--emulate-gres", "gpu:2"], "add --emulate N"),
        (["--emulate", "1", "--emulate-gres", "gpu=/dev/nvidia0"], "no files of devices"),
    ],
)
def test_what_options_cannot_say(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        nodes(*arguments)
    assert message in capsys.readouterr().err
