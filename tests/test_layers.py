"""The layout shows the architecture: who may import whom, and what the core must not touch."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from rmsd_daemon.domain import errors
from rmsd_daemon.front.problems import ANSWERS
from tests.sources import FOLDERS, ROOT, imported_names, parsed, sources

MAY_IMPORT: dict[str, set[str]] = {
    "rmsd_core": {"rmsd_core"},
    "rmsd_lab": {"rmsd_lab", "rmsd_core"},
    "rmsd_wire": {"rmsd_wire", "rmsd_core.vocabulary", "msgspec"},
    "rmsd_process": {"rmsd_process", "structlog"},
    "rmsd_daemon": {"rmsd_daemon", "rmsd_core", "rmsd_wire", "rmsd_process"}
    | {
        "aiohttp",
        "aiosmtplib",
        "alembic",
        "cryptography",
        "msgspec",
        "sqlmodel",
        "sqlalchemy",
        "structlog",
    }
    | {"prometheus_client"},
    "rmsd_agent": {"rmsd_agent", "rmsd_wire", "rmsd_process", "rmsd_core.vocabulary"}
    | {"aiohttp", "msgspec", "psutil", "structlog"},
    "rmsd_client": {"rmsd_client", "rmsd_core.vocabulary"}
    | {"rmsd_wire.durations", "rmsd_wire.sizes", "rmsd_wire.hostlist", "rmsd_wire.output_pattern"}
    | {"rmsd_wire.arrays", "rmsd_wire.gres", "rmsd_wire.pbs_names", "rmsd_wire.rlimits"}
    | {"rmsd_wire.licenses", "rmsd_wire.mail_types", "rmsd_wire.nice"}
    | {"rmsd_wire.slurm_names", "rmsd_wire.job_environment", "rmsd_wire.device_numbers"}
    | {"rmsd_process.model_clock", "rmsd_process.installed"},
    "rmsd_cli": {"rmsd_cli", "rmsd_daemon", "rmsd_core", "rmsd_wire", "rmsd_process", "rmsd_client"}
    | {"cryptography", "msgspec", "opentelemetry", "pyarrow", "rich", "sqlalchemy"},
    "rmsd_lab_cli": {"rmsd_lab_cli", "rmsd_lab", "rmsd_cli", "rmsd_client", "rmsd_daemon"}
    | {"rmsd_core", "rmsd_wire", "distributed", "matplotlib", "psutil", "pyarrow"},
    "rmsd_lab_api": {"rmsd_lab_api", "rmsd_lab_cli", "rmsd_lab", "rmsd_cli", "rmsd_client"}
    | {"rmsd_core", "rmsd_daemon", "rmsd_wire", "matplotlib", "pyarrow"},
    "rmsd_ui": {"rmsd_ui", "rmsd_cli.errors", "rmsd_client", "rmsd_core.vocabulary"}
    | {"rmsd_core.model_time", "rmsd_lab.charts", "rmsd_lab_cli.pictures", "rmsd_wire.arrays"}
    | {"rmsd_wire.durations", "rmsd_wire.sizes", "aiohttp", "jinja2"},
    "rmsd_mcp": {
        "rmsd_mcp",
        "rmsd_cli.errors",
        "rmsd_cli.extras",
        "rmsd_client",
        "rmsd_core.vocabulary",
    }
    | {"rmsd_process.installed", "mcp", "pydantic"},
    "rmsd_top": {
        "rmsd_top",
        "rmsd_cli.errors",
        "rmsd_cli.extras",
        "rmsd_client",
        "rmsd_core.vocabulary",
    }
    | {"rmsd_wire.durations", "rmsd_wire.sizes", "rich", "textual"},
    "rmsd": {"rmsd", "rmsd_agent", "rmsd_cli", "rmsd_client", "rmsd_core", "rmsd_daemon"}
    | {"rmsd_process", "rmsd_wire", "psutil", "pytest", "structlog"},
}

ROOMS: dict[str, list[str]] = {
    "rmsd_core": [
        "vocabulary",
        "model_time",
        "jobs",
        "recipes",
        "machine",
        "planning",
        "lifecycle",
    ],
    "rmsd_daemon": [
        "setup",
        "domain",
        "store",
        "callers",
        "loop",
        "queries",
        "notices",
        "front",
        "agents",
        "api",
        "offline",
        "rules",
        "application",
        "server",
    ],
    "rmsd_lab": [
        "schedule",
        "workloads",
        "simulation",
        "measures",
        "charts",
        "traces",
        "anomalies",
    ],
    "rmsd_agent": [
        "shepherd",
        "machine",
        "state",
        "reports",
        "guarding",
        "units",
        "attempts",
        "calls",
        "reboots",
        "agent",
        "link",
        "options",
        "command_line",
        "health_check",
        "node_watch",
        "main",
    ],
    "rmsd_wire": [
        "arrays",
        "device_numbers",
        "durations",
        "emulate",
        "hostlist",
        "job_environment",
        "mail_types",
        "malformed",
        "names",
        "nice",
        "output_pattern",
        "rlimits",
        "settings",
        "sizes",
        "pbs_names",
        "slurm_names",
        "tokens",
        "features",
        "gres",
        "licenses",
        "link_values",
        "node_info",
        "link_calls",
        "link",
        "frames",
        "api",
    ],
    "rmsd_lab_cli": [
        "trace_file",
        "kept_results",
        "manifest",
        "workload",
        "history",
        "trace",
        "recipe_option",
        "generate",
        "anomalies",
        "metrics",
        "report",
        "what_if",
        "tune",
        "simulate",
        "studies",
        "replay",
        "papers",
        "pictures",
        "demo",
        "estimates",
    ],
    "rmsd_client": [
        "errors",
        "connection",
        "calls",
        "api",
        "events",
        "console",
        "slurm.command_lines",
        "submit",
        "show",
        "nodes",
        "steps",
        "sessions",
        "replays",
        "rattach",
        "rdel",
        "rjob",
        "rlog",
        "rnode",
        "rrun",
        "rstat",
        "rsub",
        "ralloc",
        "pbs",
        "slurm.words",
        "slurm.fields",
        "slurm.show",
        "slurm.verbs",
        "slurm.submit",
        "slurm.steps",
        "slurm.sessions",
        "slurm.sbatch",
        "slurm.salloc",
        "slurm.srun",
        "slurm.scancel",
        "slurm.sacct",
        "slurm.usage",
        "slurm.squeue",
        "slurm.sinfo",
        "slurm.scontrol",
        "slurm.accounting",
        "slurm.starter",
    ],
}
"""The rooms of a package, the ground floor first: folders, and files that stand beside them. A room
imports none above it. `slurm.words` is a room within a folder. The other packages have no rooms:
their files stand side by side."""

HANDS_OUT = {"rmsd_lab": "rmsd_lab_api"}
"""The package whose own `__init__.py` hands out, when they are asked for, names of a package above
it. No other file of it imports that package."""

ALONE = "rmsd_agent.shepherd.standalone"
"""The package that has another name in the programs that run it: its modules import each other
relatively, and nothing else but the standard library."""

PURE = {"__future__", "abc", "array", "bisect", "collections", "dataclasses", "difflib", "enum"} | {
    *("functools", "graphlib", "heapq", "itertools", "math", "operator", "random", "re"),
    *("statistics", "typing"),
}
"""The modules of the standard library that do no I/O and read no clock."""
IMPURE_CALLS = {"open", "print", "input", "exec", "eval", "compile", "__import__"}

BY_NAME = {
    "rmsd_cli/main.py": "the commands of all packages, each when it is called",
    "rmsd_cli/completion/words.py": "the options of these commands, and of the clients",
    "rmsd_cli/manual/pages.py": "the same, for man pages",
    "rmsd_client/slurm/starter.py": "the module of a command of Slurm",
    "rmsd_client/pbs/starter.py": "the module of a command of PBS",
    "rmsd_lab/__init__.py": "what it hands out",
    "rmsd_lab_api/tables.py": "libraries that may be missing",
    "rmsd_lab_cli/studies/dask_pool.py": "a library that may be missing",
    "rmsd_daemon/setup/third_party.py": "the parts of recipes that a site has",
}
"""The files that import modules by names in texts, or execute texts, and what these are."""
_IMPORTING = {"importlib.import_module", "import_module", "__import__", "exec", "eval"}


def name_of(package: str, path: Path) -> str:
    """Return the name of a module of a package; a package's is that of its folder."""
    relative = path.relative_to(ROOT / FOLDERS[package]).with_suffix("")
    return ".".join(relative.parts).removesuffix(".__init__")


def resolved(package: str, path: Path, node: ast.ImportFrom) -> str:
    """Return the full name of what a statement imports from."""
    here = name_of(package, path)
    if node.level:
        assert node.level == 1, f"{here} imports relatively from above"
        assert here.startswith(f"{ALONE}."), f"{here}: imports are absolute"
        return ".".join(filter(None, (ALONE, node.module)))
    if path.name == "__main__.py" and node.module:  # Python runs its folder with it on the path
        beside = path.parent / node.module.partition(".")[0]
        if beside.is_dir():
            return f"{here.removesuffix('.__main__')}.{node.module}"
    return node.module or ""


def imports(package: str, path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield what a module imports: under `if TYPE_CHECKING` and in functions, too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield resolved(package, path, node)


def test_the_tables_of_packages_have_all_of_them() -> None:
    """A package that is missing in `FOLDERS` would escape every test of the sources."""
    found = {
        path.parent.name: path.parents[1].name
        for folder in set(FOLDERS.values())
        for path in (ROOT / folder).glob("*/__init__.py")
    }
    assert found == FOLDERS
    assert MAY_IMPORT.keys() == FOLDERS.keys()


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_package_imports_only_what_it_may(package: str) -> None:
    for path, tree in sources(package):
        allowed = MAY_IMPORT[package]
        if path == ROOT / FOLDERS[package] / package / "__init__.py" and package in HANDS_OUT:
            allowed = {HANDS_OUT[package]}
        for name in imports(package, path, tree):
            top = name.partition(".")[0]
            if top in sys.stdlib_module_names or top == "__future__":
                continue
            known = (
                name in allowed or top in allowed or any(name.startswith(f"{a}.") for a in allowed)
            )
            assert known, f"{path.relative_to(ROOT)} imports {name}"


def room_of(package: str, name: str) -> str | None:
    """Return the room in which something is; None if it is the package itself, or a folder that
    has rooms."""
    parts = name.removeprefix(f"{package}.").split(".")
    inner = ".".join(parts[:2])
    if inner in ROOMS[package]:
        return inner
    if name == package or any(room.startswith(f"{parts[0]}.") for room in ROOMS[package]):
        assert len(parts) == 1, f"{name} is in no room"
        return None
    return parts[0]


@pytest.mark.parametrize("package", ROOMS)
def test_a_room_imports_none_above_it(package: str) -> None:
    floors = {room: floor for floor, room in enumerate(ROOMS[package])}
    root = ROOT / FOLDERS[package] / package
    for path, tree in sources(package):
        if path == root / "__init__.py":
            continue
        names = {*imports(package, path, tree), *imported_names(path, tree)}
        rooms = {name: room_of(package, name) for name in names if name.startswith(f"{package}.")}
        here = room_of(package, name_of(package, path))
        if here is None:
            assert not names, f"{path.relative_to(ROOT)}: a folder of rooms imports nothing"
            continue
        for name, there in rooms.items():
            if there is not None:
                assert floors[there] <= floors[here], f"{path.relative_to(ROOT)} imports {name}"


def test_every_room_of_a_package_is_there() -> None:
    for package, rooms in ROOMS.items():
        there = {room_of(package, name_of(package, path)) for path, _ in sources(package)}
        assert there - {None} == set(rooms), package


def test_http_stays_at_the_edge() -> None:
    """Files that decide or store raise errors of the domain, and `front.problems` says what the
    errors are in HTTP. Notices are requests of the daemon's own: they need aiohttp's client
    alone."""
    inner = {"setup", "domain", "store", "callers", "loop", "queries", "offline"}
    for path, tree in sources("rmsd_daemon"):
        room = path.relative_to(ROOT / "rmsd" / "rmsd_daemon").parts[0]
        if room in inner:
            names = imports("rmsd_daemon", path, tree)
            assert "aiohttp" not in {name.partition(".")[0] for name in names}, path
        if room == "notices":
            assert "aiohttp.web" not in imported_names(path, tree), path


def test_every_error_of_the_daemon_has_an_answer() -> None:
    said = vars(errors).values()
    kinds = {one for one in said if isinstance(one, type) and issubclass(one, errors.DaemonError)}
    assert set(ANSWERS) == kinds - {errors.DaemonError}


def test_no_files_import_each_other_in_a_circle() -> None:
    """Imports under `if TYPE_CHECKING` and in functions count as well."""
    files = {
        name_of(package, path): (package, path, tree)
        for package in FOLDERS
        for path, tree in sources(package)
    }
    graph = {name: imported_files(*source, files) - {name} for name, source in files.items()}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the files


def imported_files(package: str, path: Path, tree: ast.Module, files: Collection[str]) -> set[str]:
    """Return the modules that a module imports, by name or as members of their package.

    The package itself counts if something that stands in its own file is imported.
    """
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = resolved(package, path, node)
            for alias in node.names:
                member = f"{origin}.{alias.name}"
                found.add(member if member in files else origin)
    return found & set(files)


def test_what_a_shepherd_consists_of_needs_the_standard_library_alone() -> None:
    for path, tree in sources("rmsd_agent"):
        if name_of("rmsd_agent", path).startswith(ALONE):
            for name in imports("rmsd_agent", path, tree):
                top = name.partition(".")[0]
                assert name.startswith(ALONE) or top in sys.stdlib_module_names, f"{path}: {name}"


@pytest.mark.parametrize("package", ["rmsd_core", "rmsd_lab"])
def test_what_is_pure_does_no_io_and_reads_no_clock(package: str) -> None:
    for path, tree in sources(package):
        hands_out = path == ROOT / FOLDERS[package] / package / "__init__.py"
        for name in imports(package, path, tree):
            top = name.partition(".")[0]
            pure = top in PURE or top.startswith("rmsd_") or (hands_out and top == "importlib")
            assert pure, f"{path.name} imports {name}"
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in IMPURE_CALLS, f"{path.name} calls {node.func.id}"
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "random.Random":
                assert node.args, f"{path.name} draws without a seed"
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "random":
                assert node.attr == "Random", f"{path.name} uses the shared random.{node.attr}"
            if isinstance(node, ast.ImportFrom) and node.module == "random":
                assert {one.name for one in node.names} == {"Random"}, f"{path.name}: random"


def test_modules_are_imported_by_name_where_that_is_said() -> None:
    """A module whose name is in a text escapes the other tests of this file."""
    found = {
        str(path.relative_to(ROOT / FOLDERS[package]))
        for package in FOLDERS
        for path, tree in sources(package)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in _IMPORTING
    }
    assert found == BY_NAME.keys()


def test_files_of_tests_and_of_fixtures_are_imported_by_nobody() -> None:
    """What tests share stands in modules that are named after what it is. A fixture that is
    imported comes twice; a helper in a test file is found by nobody."""
    for path, tree in parsed(ROOT / "tests"):
        for module in imported_names(path, tree):
            top, *rest = module.split(".")
            private = any(part.startswith("test_") or part == "conftest" for part in rest)
            assert top != "tests" or not private, f"{path.relative_to(ROOT)} imports {module}"
