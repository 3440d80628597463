"""Types that several threads read are known to msgspec before the first of them reads."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import rmsd_daemon.store.prepared

_STORE = Path(inspect.getfile(rmsd_daemon.store.prepared)).parent
_BUILTIN = {"int", "str", "tuple", "list", "dict", "kind"}
"""`kind` is a tuple of built-in types, in `planner_rows`."""

_TOGETHER = """
import sys, threading
import msgspec
from rmsd_daemon.domain.submission import Details
if "prepare" in sys.argv:
    from rmsd_daemon.store.prepared import prepare
    prepare()
sys.setswitchinterval(1e-6)
gate = threading.Barrier(8)
def read():
    gate.wait()
    msgspec.convert({"name": "x", "workdir": "/", "mail": {"types": ["END"], "to": "x"}}, Details)
threads = [threading.Thread(target=read) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.mark.slow
def test_threads_that_read_the_same_type_first_end_no_process() -> None:
    """The daemon was ended by a signal (SIGSEGV) when two requests read jobs of its history as the
    first ones after its start."""
    for _ in range(10):
        done = subprocess.run([sys.executable, "-c", _TOGETHER, "prepare"], check=False)
        assert done.returncode == 0


def test_all_types_that_the_store_reads_are_prepared() -> None:
    read = {name for path in _STORE.glob("*.py") for name in _read_in(ast.parse(path.read_text()))}
    [prepared] = [
        one.value
        for one in ast.walk(ast.parse(inspect.getsource(rmsd_daemon.store.prepared)))
        if isinstance(one, ast.Assign)
    ]
    assert read - _BUILTIN == {one.id for one in ast.walk(prepared) if isinstance(one, ast.Name)}


def _read_in(tree: ast.AST) -> Iterator[str]:
    """Yield the names in the types that msgspec is given to read."""
    for call in ast.walk(tree):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
            continue
        kinds = [word.value for word in call.keywords if word.arg == "type"]
        if call.func.attr == "convert":
            kinds += call.args[1:2]
        for kind in kinds:
            yield from (name.id for name in ast.walk(kind) if isinstance(name, ast.Name))
