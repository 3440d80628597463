"""The client and the daemon mean the same routes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import rmsd_client
from rmsd_daemon.front.operations import BY_ROUTE

_METHODS = {"GET", "POST", "DELETE"}
_SHOWN = "{}"


def _requests() -> Iterator[tuple[str, str]]:
    """Yield the methods and paths that the functions of the client name; each asks for one route.
    What lists jobs page by page names no method: it is GET."""
    for file in Path(rmsd_client.__path__[0]).rglob("*.py"):
        for function in ast.walk(ast.parse(file.read_text())):
            if not isinstance(function, ast.FunctionDef):
                continue
            texts = list(_texts(function))
            paths = [text for text in texts if text.startswith("/v1/")]
            if paths:
                [method] = {text for text in texts if text in _METHODS} or {"GET"}
                yield from ((method, path) for path in paths)


def _texts(node: ast.AST) -> Iterator[str]:
    """Yield the literal texts below a node. A value in a path is `{}`, and a query is left out: it
    is no part of the path, since no slash is before it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        parts = (one.value if isinstance(one, ast.Constant) else _SHOWN for one in node.values)
        yield re.sub(r"(?<!/)\{\}$", "", "".join(map(str, parts)))
    else:
        for child in ast.iter_child_nodes(node):
            yield from _texts(child)


def test_the_client_asks_for_routes_that_the_daemon_has() -> None:
    known = {(method, re.sub(r"\{\w+\}", _SHOWN, path)) for method, path in BY_ROUTE}
    asked = set(_requests())
    assert len(asked) > 35
    assert asked - known == set()
