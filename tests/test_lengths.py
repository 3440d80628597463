"""Files have one subject, and long functions say why they are long."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain
from statistics import median

import pytest

from tests.sources import FOLDERS, ROOT, parsed, sources

MOST_LINES = 450
MOST_MEDIAN_LINES = 130
MOST_FUNCTION_LINES = 60
LONG = "# long:"
"""A comment that begins so gives the reason for a longer function: in the line before the function,
or before its decorators, or as the first line of its body."""


def test_a_file_has_one_subject() -> None:
    """A file above the limit has more than one subject, or one that has parts with names."""
    of_packages = {
        path: len(path.read_text().splitlines())
        for package in FOLDERS
        for path, _ in sources(package)
    }
    of_tests = {path: len(path.read_text().splitlines()) for path, _ in parsed(ROOT / "tests")}
    lengths = (of_packages | of_tests).items()
    assert {str(path.relative_to(ROOT)) for path, lines in lengths if lines > MOST_LINES} == set()
    assert median(of_packages.values()) < MOST_MEDIAN_LINES


def test_a_long_function_says_why() -> None:
    """A function inside another one counts as a part of it."""
    everything = chain(parsed(ROOT / "tests"), *(sources(package) for package in FOLDERS))
    unexplained = [
        f"{path.relative_to(ROOT)}:{function.lineno} {function.name}"
        for path, tree in everything
        for function in outer_functions(tree)
        if lines_of(function) > MOST_FUNCTION_LINES
        and not says_why(function, path.read_text().splitlines())
    ]
    assert unexplained == []


def outer_functions(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions and methods that are in no other function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        else:
            yield from outer_functions(child)


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return how many lines a function has, without its decorators."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def says_why(function: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> bool:
    """Return whether a comment gives the reason for the length of a function."""
    first = min([function.lineno, *(one.lineno for one in function.decorator_list)])
    body = lines[function.lineno : function.body[0].lineno]
    beside = [lines[first - 2] if first > 1 else "", *body]
    return any(line.strip().startswith(LONG) for line in beside)


@pytest.mark.parametrize(
    ("head", "explained"),
    [
        ("def f():\n", False),
        ("# why\ndef f():\n", False),
        ("# long: a table\ndef f():\n", True),
        ("# long: a table\n@cache\ndef f():\n", True),
        ("def f():\n    # long: a table\n", True),
        ("def f(\n    a,\n    b,\n) -> None:\n    # long: a table\n", True),
        ("# long: a table\n\ndef f():\n", False),
    ],
)
def test_where_a_long_function_may_say_why(head: str, explained: bool) -> None:
    text = head + "    pass\n" * (MOST_FUNCTION_LINES + 1)
    [function] = outer_functions(ast.parse(text))
    assert says_why(function, text.splitlines()) is explained
    assert lines_of(function) > MOST_FUNCTION_LINES
