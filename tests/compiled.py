"""Tests of the compiled core: `python -m tests.compiled`, which `make test-compiled` runs.

A wheel is built, and installed into a virtual environment of its own. It takes third parties'
packages from the environment that runs this. The tests of `TESTS` run there. As a plugin of pytest
(`-p tests.compiled`), this module refuses a run in which a module that the build hook compiles is
Python.

A test that puts another function or class into the core is skipped as it does so: compiled callers
do not look functions up. So is a test that derives a class from a compiled one.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Generator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hatch_build import PACKAGE, SWITCH, compiled_modules, why_not

ROOT = Path(__file__).parent.parent
TESTS = (
    "tests/core",
    "tests/test_installed.py",
    "tests/test_world.py::test_what_is_promised_holds_in_every_story",
    "tests/test_world.py::test_what_was_found_once_is_mended",
    "tests/cli/test_simulate.py",
)
"""Golden schedules, the core's own tests with their properties, stories, and whole commands."""
CHOSEN = "golden or not long"
REPLACED = "compiled callers do not look up the function that the test replaces"
DERIVED = "the test derives a class from a compiled one"
_REFUSED = ("interpreted classes cannot inherit from compiled", "__class__ assignment")


def pytest_configure() -> None:
    """Refuse to test modules that are not compiled, and note what tests replace in the others."""
    folder = Path(sysconfig.get_path("purelib"), PACKAGE)
    names = set()
    for file in compiled_modules(ROOT / "rmsd" / PACKAGE):
        name = ".".join([PACKAGE, *Path(file).with_suffix("").parts])
        path = Path(importlib.import_module(name).__file__ or "")
        if path.suffix != ".so" or not path.is_relative_to(folder):
            raise pytest.UsageError(f"{name} is not compiled: {path}")
        names.add(name)
    _skip_replacements(names)


def _skip_replacements(modules: set[str]) -> None:
    """Skip each test that replaces a function or a class of these modules. Their numbers can be
    replaced: compiled code looks them up."""
    usual = pytest.MonkeyPatch.setattr

    def replace(patch: pytest.MonkeyPatch, target: Any, *rest: Any, **options: Any) -> None:
        owner = target.__name__ if isinstance(target, ModuleType) else _module_of(target)
        if owner in modules and callable(getattr(target, rest[0])):
            pytest.skip(REPLACED)
        usual(patch, target, *rest, **options)

    pytest.MonkeyPatch.setattr = replace  # type: ignore[assignment, method-assign]


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call() -> Generator[None, object, object]:
    """Skip a test whose derived class has no objects, since mypyc refuses them."""
    try:
        return (yield)
    except TypeError as error:
        if not str(error).startswith(_REFUSED):
            raise
        pytest.skip(DERIVED)


def _module_of(target: object) -> str:
    return str(getattr(target, "__module__", ""))


def main(options: list[str]) -> int:
    os.environ[SWITCH] = "1"
    if reason := why_not():
        print(f"tests of the compiled core are skipped: {reason}")
        return 0
    with tempfile.TemporaryDirectory(prefix="rmsd-compiled-") as temporary:
        python = compiled_python(Path(temporary))
        command = [str(python), "-m", "pytest", "-p", "tests.compiled", "-m", CHOSEN, *options]
        return subprocess.run([*command, *TESTS], cwd=ROOT, check=False).returncode


def compiled_python(folder: Path) -> Path:
    """Build a wheel in a folder, and return the Python of an environment there that has it.
    `RMSD_COMPILE` must be 1."""
    _pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    return _environment(folder / "venv", next(folder.glob("*.whl")))


def _pip(*arguments: str) -> None:
    quiet = ["--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", *arguments, *quiet], check=True)


def _environment(folder: Path, wheel: Path) -> Path:
    """Make a virtual environment with the wheel, and return its Python. Third parties' packages are
    found in the environment that runs this. Its own rmsd is not: nobody reads its `.pth` files."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    _pip("--python", str(python), "install", "--no-deps", "--no-compile", str(wheel))
    base = {"base": str(folder), "platbase": str(folder)}
    others = Path(sysconfig.get_path("purelib", vars=base), "others.pth")
    others.write_text(sysconfig.get_path("purelib") + os.linesep)
    return python


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
