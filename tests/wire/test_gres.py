"""Devices as administrators and users write them."""

from __future__ import annotations

import pytest

from rmsd_wire.gres import Device, GresError, parse_devices, parse_gres


def test_devices_of_a_node() -> None:
    assert parse_devices("none") == ()
    assert parse_devices("gpu:2") == (Device("gpu", 0), Device("gpu", 1))
    assert parse_devices("gpu:a:1,gpu:b:2,fpga") == (
        Device("gpu:a", 0), Device("gpu:b", 1), Device("gpu:b", 2), Device("fpga", 0),
    )  # fmt: skip
    assert parse_devices("gpu:a100=/dev/nvidia[0,3],nic=/dev/nic") == (
        Device("gpu:a100", 0, "/dev/nvidia0"),
        Device("gpu:a100", 3, "/dev/nvidia3"),
        Device("nic", 0, "/dev/nic"),
    )
    assert [one.number for one in parse_devices("gpu=/dev/dri/renderD[128-129]")] == [0, 1]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("gpu:a,gpu:a", "named twice"),
        ("gpu:2,gpu:a:2", "with a type and without"),
        ("gpu:3=/dev/nvidia[0-1]", "3 devices, and files of 2"),
        ("gpu=/etc/passwd", "expected files of devices"),
        ("gpu=/dev/../etc/passwd", "expected files of devices"),
        ("gpu=/dev/nvidia[0-", "brackets"),
        ("gpu:a=/dev/nvidia0,gpu:b=/dev/nvidia0", "the number 0"),
        ("gpu:5000", "at most 1024"),
        ("gpu:a:600,gpu:b:600", "more than 1024 devices 'gpu'"),
        (",".join(f"d{at}" for at in range(17)), "more than 16 kinds"),
        ("9", "is not understood"),
    ],
)
def test_what_no_node_has(text: str, why: str) -> None:
    with pytest.raises(GresError, match=why):
        parse_devices(text)


def test_requests() -> None:
    assert parse_gres("gres:gpu:a100:2,gres/fpga") == (("fpga", 1), ("gpu:a100", 2))
    assert parse_gres("gpu:0") == ()
