"""The modules that a wheel has compiled, and the words of `rmsd --version` for that."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from importlib.metadata import PathDistribution
from pathlib import Path
from typing import Protocol

import pytest
from hatch_build import LEFT_OUT, PACKAGE, SWITCH, compiled_modules, why_not
from hatchling.builders.wheel import WheelBuilder

import rmsd_core.planning.planner
from rmsd_core.recipes import extensions
from rmsd_process.installed import changed_files, installed_version
from tests.compiled import ROOT

CORE = ROOT / "rmsd" / PACKAGE


def test_each_module_is_compiled_or_left_out() -> None:
    modules = {path.relative_to(CORE).as_posix() for path in CORE.rglob("*.py")}
    assert set(LEFT_OUT) <= modules
    left = modules.difference(LEFT_OUT, compiled_modules(CORE))
    assert {Path(file).name for file in left} == {"__init__.py"}


def test_third_parties_may_derive_from_the_protocols_of_their_parts() -> None:
    """Python refuses a class that derives from a compiled one, once it has an object."""
    protocols = [
        one
        for one in vars(extensions).values()
        if isinstance(one, type) and Protocol in one.__bases__
    ]
    assert {one.__name__ for one in protocols} == {"Predictor", "CustomPlanner", "View"}
    for one in protocols:
        assert one.__module__.removeprefix(f"{PACKAGE}.").replace(".", "/") + ".py" in LEFT_OUT


def test_no_compiled_module_lies_beside_the_source() -> None:
    """Python would import the compiled module, whatever is edited."""
    assert list(CORE.rglob("*.so")) == []


@pytest.mark.parametrize(
    ("switch", "compiler", "reason"),
    [("0", "cc", "RMSD_COMPILE is not 1"), ("1", "/no/cc -O2", "no C compiler (/no/cc)")],
)
def test_where_nothing_is_compiled_a_wheel_has_python_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, switch: str, compiler: str, reason: str
) -> None:
    monkeypatch.setenv(SWITCH, switch)
    monkeypatch.setenv("CC", compiler)
    assert why_not() == reason
    builder = WheelBuilder(str(ROOT))
    (wheel,) = builder.build(directory=str(tmp_path), versions=["standard"])
    assert wheel.endswith("-py3-none-any.whl")
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".so")]


def test_the_version_says_how_the_core_runs() -> None:
    compiled = rmsd_core.planning.planner.__file__.endswith(".so")
    kind = "compiled core" if compiled else "core in Python"
    assert installed_version("rmsd").endswith(f"{kind})")
    assert kind not in installed_version("rsub")  # no client runs the core


def test_files_that_were_edited_after_their_installation_are_found(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    lines = []
    for name in ("p/same.py", "p/edited.py", "p/gone.py", "other.py"):
        (tmp_path / name).write_text("old")
        digest = base64.urlsafe_b64encode(hashlib.sha256(b"old").digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},3\n")
    info = tmp_path / "rmsd-0.1.0.dist-info"
    info.mkdir()
    (info / "RECORD").write_text("".join([*lines, "p/unknown.py,,\n"]))
    assert changed_files(PathDistribution(info), "p") == []
    (tmp_path / "p" / "edited.py").write_text("new")
    (tmp_path / "other.py").write_text("new")
    (tmp_path / "p" / "gone.py").unlink()
    assert changed_files(PathDistribution(info), "p") == ["p/edited.py", "p/gone.py"]
