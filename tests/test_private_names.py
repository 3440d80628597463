"""Tests see of the product what is public there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.sources import ROOT, parsed

OF_LIBRARIES = {
    "_replace": "the standard library's namedtuple says that it is public",
    "_make": "the standard library's namedtuple says that it is public",
    "_repr_html_": "IPython shows a value by it",
    "_repr_png_": "IPython shows a value by it",
    "_exit": "os._exit ends a child without the parent's clean-up",
}
"""Names that are private by their look alone."""
TOUCHED = {
    "bench/loop_steps/sitecustomize.py": {"_callback", "_run"},  # asyncio's, to time its steps
    "daemon/test_silence.py": {"_run"},  # asyncio's timers, run by a clock of the test's own
    "world/bugs/liar.py": {"_may_tell"},  # the bugs that the world injects into the product
    "world/bugs/scheduling.py": {"_sort_some"},  # these, too
    "world/bugs/storing.py": {"_may_be"},  # these, too
    "world/cluster.py": {"_compiled_cache"},  # a class of SQLAlchemy
    "world/liar.py": {"_writer"},  # aiohttp's, for a frame that ends in the middle
    "world/scripted.py": {"_state"},  # the core, to see whether a part of a sort is left
    "world/loop.py": {"_cancelled", "_context", "_run", "_thread_name_prefix"},  # asyncio's
}
"""The private names that files of the tests touch, by file, and why."""


def test_tests_touch_no_private_names() -> None:
    """What a test has to see of the product has a public name there: a property that is read only,
    a function, or a constant."""
    touched: dict[str, set[str]] = {}
    for path, tree in parsed(ROOT / "tests"):
        if names := set(private_names(tree)) - OF_LIBRARIES.keys():
            touched[str(path.relative_to(ROOT / "tests"))] = names
    assert touched == TOUCHED


def private_names(tree: ast.Module) -> Iterator[str]:
    """Yield the private names that a module imports, patches, or touches beyond its own `self`."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=value, attr=name):
                if ast.unparse(value) not in ("self", "cls", "super()"):
                    yield from [name] * is_private(name)
            case ast.ImportFrom(names=aliases):
                yield from (alias.name for alias in aliases if is_private(alias.name))
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=arguments):
                if called in ("getattr", "setattr", "delattr"):
                    texts = (one.value for one in arguments if isinstance(one, ast.Constant))
                    names = (text.rpartition(".")[2] for text in texts if isinstance(text, str))
                    yield from filter(is_private, names)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("agent._timers._by_key", ["_by_key", "_timers"]),
        ("from rmsd_core.model_time import _now as now", ["_now"]),
        ("patch.setattr('rmsd_agent.link._WAIT_S', 1)", ["_WAIT_S"]),
        ("patch.setattr(link, '_WAIT_S', 1)", ["_WAIT_S"]),
        ("getattr(agent, '_timers', '')", ["_timers"]),
        ("self._own; cls._own; super()._own; kind.__name__; _own", []),
    ],
)
def test_what_is_a_touch_of_a_private_name(text: str, names: list[str]) -> None:
    assert list(private_names(ast.parse(text))) == names
