"""The build hook that compiles the scheduling core with mypyc, when a wheel is built and
`RMSD_COMPILE` is 1 (`make wheel`).

Such a wheel has each module of the core as Python, and beside it most of them compiled. Python
imports the compiled ones first. Every other wheel has Python alone; so has every wheel of a machine
without a C compiler. `rmsd --version` says which. An editable installation compiles nothing: a
compiled module would hide what somebody edits.
"""

from __future__ import annotations

import os
import shutil
import sysconfig
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

if TYPE_CHECKING:
    from setuptools import Extension

SOURCES = "rmsd"
"""The folder with the packages, below the root of the project."""
PACKAGE = "rmsd_core"
_STORED = "values that are stored: msgspec reads their annotations, which mypyc does not keep"
_DYNAMIC = "a class there has properties in place of attributes, which compiled callers pass by"
_ONCE = "recipes are read once"
LEFT_OUT = {
    "vocabulary.py": "clients import it, and start slower with the library of all modules",
    "model_time.py": "like the vocabulary",
    "jobs/accounts.py": _STORED,
    "jobs/array.py": _STORED,
    "jobs/attempt.py": _STORED,
    "jobs/conditions.py": _STORED,
    "jobs/gres.py": _STORED,
    "jobs/phase.py": "named tuples, and an exception whose class mypyc cannot make",
    "jobs/ranks.py": _STORED,
    "jobs/request.py": _STORED,
    "lifecycle/core.py": "the daemon has weak references to it, which mypyc's classes do not have",
    "lifecycle/effects.py": "named tuples alone",
    "lifecycle/inputs.py": "dataclasses with a class variable, which mypyc cannot make",
    "lifecycle/sanity.py": "only tests call it",
    "machine/advance_reservations.py": _STORED,
    "machine/nodes.py": _STORED,
    "machine/partitions.py": _STORED,
    "planning/bounds.py": _DYNAMIC,
    "planning/partitioned_queue.py": _DYNAMIC,
    "planning/planner_memory.py": _STORED,
    "recipes/aged_area.py": "a part of recipes, which go to worker processes with pickle",
    "recipes/extensions.py": "tables that third parties add to",
    "recipes/parameter.py": _ONCE,
    "recipes/parameter_values.py": _ONCE,
    "recipes/parameter_words.py": _ONCE,
    "recipes/parameters.py": _ONCE,
    "recipes/presets.py": _ONCE,
    "recipes/recipe.py": "pickle cannot restore the frozen dataclasses that mypyc makes",
    "recipes/registration.py": _ONCE,
    "recipes/text.py": _ONCE,
}
"""The modules that stay Python, with the reason. All others are compiled."""

SWITCH = "RMSD_COMPILE"
LIBRARY = "rmsd_core_compiled"
COMPILERS = ["mypy[mypyc]==2.4.*", "setuptools"]


def compiled_modules(package: Path) -> list[str]:
    """Return the files of the modules that are compiled, as paths in the package."""
    files = sorted(path.relative_to(package).as_posix() for path in package.rglob("*.py"))
    return [file for file in files if file not in LEFT_OUT and Path(file).name != "__init__.py"]


def why_not() -> str:
    """Return why nothing can be compiled here; "" if it can."""
    if os.environ.get(SWITCH) != "1":
        return f"{SWITCH} is not 1"
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if shutil.which(compiler) is None:
        return f"no C compiler ({compiler})"
    headers = Path(sysconfig.get_path("include"), "Python.h")
    return "" if headers.exists() else f"no headers of Python ({headers})"


class CustomBuildHook(BuildHookInterface[Any]):
    """The hook as hatchling finds it."""

    def dependencies(self) -> list[str]:
        """Return what a build needs besides hatchling."""
        return [] if why_not() else COMPILERS

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and have the wheel take what comes out."""
        if version == "editable":
            return
        if reason := why_not():
            self.app.display_info(f"the core stays Python: {reason}")
            return
        self._folder = tempfile.TemporaryDirectory(prefix="rmsd-compile-")
        built = compile_core(Path(self.root, SOURCES), Path(self._folder.name))
        build_data["force_include"].update({str(path): name for name, path in built.items()})
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, *_: object) -> None:
        if folder := getattr(self, "_folder", None):
            folder.cleanup()


def compile_core(sources: Path, work: Path) -> dict[str, Path]:
    """Compile the core's modules in the folder `work`. Return the libraries, by their paths in the
    wheel."""
    shutil.copytree(sources / PACKAGE, work / PACKAGE, ignore=shutil.ignore_patterns("*.so"))
    files = [f"{PACKAGE}/{file}" for file in compiled_modules(work / PACKAGE)]
    with chdir(work):  # mypy reads the configuration of the folder: here is none
        from mypyc.build import mypycify

        extensions = mypycify(
            ["--strict", "--cache-dir", os.devnull, *files],
            opt_level="1",
            debug_level="0",
            multi_file=True,
            group_name=LIBRARY,
            target_dir="c",
        )
        built = work / "built"
        _build(extensions, built)
    return {path.relative_to(built).as_posix(): path for path in sorted(built.rglob("*.so"))}


def _build(extensions: Sequence[Extension], target: Path) -> None:
    """Build the extension modules in the folder `target`. The library's files are compiled side by
    side: setuptools would compile one after another."""
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    command = build_ext(Distribution({"name": PACKAGE, "ext_modules": list(extensions)}))
    command.build_lib, command.build_temp = str(target), "objects"
    command.ensure_finalized()
    native = command.build_extension

    def build_extension(extension: Extension) -> None:
        def compiled(source: str) -> list[str]:
            return list(
                command.compiler.compile(
                    [source],
                    output_dir=command.build_temp,
                    include_dirs=extension.include_dirs,
                    extra_postargs=extension.extra_compile_args,
                )
            )

        sources, extension.sources = extension.sources, []
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            extension.extra_objects = [one for done in pool.map(compiled, sources) for one in done]
        native(extension)

    command.build_extension = build_extension
    command.run()
