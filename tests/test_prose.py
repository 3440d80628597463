"""The English of the code: docstrings and comments name the thing, and begin with no fragment."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources import FOLDERS, ROOT, parsed

PLACES = [*(ROOT / folder / package for package, folder in FOLDERS.items()), ROOT / "tests"]
FRAGMENT = re.compile(
    r"(What|Whatever|Whether|How|Why|Which|Who|Whoever|Whom|Whose|None:|"
    r"Nobody|Somebody|Everybody|Of|By|As|From|With|Without|So|And|But|Or|Nor|"
    r"It|Its|That|They|Their|Them|Those)(?![\w-])",
    re.IGNORECASE,
)
"""An opening that leaves a sentence without a subject or a verb, or that names nothing."""
NO_VERB = re.compile(
    r"(Where|When|To|In|On|At|For|Over|Until|Nor|This|These|The|A|An|All|Any|Another|None|Raises|"
    r"True|False|There)(?![\w-])|`|\w+(, \w+)*: "
)
"""A further opening of a function's docstring that does not say what the function does, such as a
list of its parameters."""
NO_NOUN = re.compile(r"`?[a-z_]+`?(, `?[a-z_]+`?)*: ")
"""An opening of a class's docstring that does not say what the class is: a list of attributes."""
TEST_FRAGMENT = re.compile(
    r"(And|Or|Nor|Else|Also|Not|Though|However|Whatever|Whoever|"
    r"It|Its|That|They|Their|Them|Those)(?![\w-])"
)
"""An opening of a test's docstring that goes on with its name, or names nothing."""

_Found = Iterator[tuple[int, str]]


def _functions(tree: ast.Module) -> _Found:
    """Yield the line and the docstring of each function whose docstring begins without a verb.

    The name of a test says what is true, and its docstring is a sentence about the case.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node) or ""
            is_test = node.name.startswith("test_")
            openings = (TEST_FRAGMENT,) if is_test else (FRAGMENT, NO_VERB)
            if any(opening.match(text) for opening in openings):
                yield node.lineno, text.splitlines()[0]


def _things(tree: ast.Module) -> _Found:
    """Yield each docstring of a module, class or attribute that begins as a fragment."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef):
            for statement in node.body:
                match statement:
                    case ast.Expr(ast.Constant(str(text))) if FRAGMENT.match(text.lstrip()):
                        yield statement.lineno, text.strip().splitlines()[0]
        if isinstance(node, ast.ClassDef):
            text = ast.get_docstring(node) or ""
            if NO_NOUN.match(text):
                yield node.lineno + 1, text.splitlines()[0]


def _comments(source: str) -> _Found:
    """Yield each comment that begins as a fragment. Lines one below the other are one comment."""
    above = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line, text = token.start[0], token.string.lstrip("#: ")
            alone = not token.line[: token.start[1]].strip()
            if not (alone and above == line - 1) and FRAGMENT.match(text):
                yield line, token.string
            above = line if alone else 0


def _fragments(tree: ast.Module, source: str) -> _Found:
    yield from _things(tree)
    yield from _comments(source)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_docstrings_and_comments_are_no_fragments(place: Path) -> None:
    wrong = [
        f"{file.relative_to(ROOT)}:{line}: {text}"
        for file, tree in parsed(place)
        for line, text in _fragments(tree, file.read_text())
    ]
    rule = "a docstring or a comment names the thing (a noun) or says what happens (a sentence)"
    assert not wrong, "\n".join([f"{rule}; it never begins with a fragment:", *wrong])


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_docstrings_of_functions_are_sentences(place: Path) -> None:
    wrong = [
        f"{file.relative_to(ROOT)}:{line}: {text}"
        for file, tree in parsed(place)
        for line, text in _functions(tree)
    ]
    rule = "a function's docstring begins with a verb that says what the function does (Return ...)"
    assert not wrong, "\n".join([f"{rule}; it never begins with a fragment:", *wrong])


def test_a_function_without_a_verb_is_found() -> None:
    source = 'def f():\n    """{}"""\nclass C:\n    """The jobs that wait."""\n'
    for text in ("Whether it waits.", "The jobs that wait.", "`a` waits.", "a, b: what waits."):
        assert list(_functions(ast.parse(source.format(text)))) == [(1, text)]
    assert list(_functions(ast.parse(source.format("Return whether the job waits.")))) == []
    test = 'def test_f():\n    """{}"""\n'
    assert list(_functions(ast.parse(test.format("The jobs wait.")))) == []
    assert list(_functions(ast.parse(test.format("Also on a node.")))) == [(1, "Also on a node.")]


def test_a_fragment_is_found() -> None:
    def fragments(source: str) -> list[tuple[int, str]]:
        return list(_fragments(ast.parse(source), source))

    found = 'NAMES = {{}}  # {0}\n"""{0}"""\n\n\nclass C:\n    """{0}"""\n\n    # {0}\n'
    assert [line for line, _ in fragments(found.format("By name"))] == [2, 6, 1, 8]
    assert fragments(found.format("The names")) == []
    classes = 'class C:\n    """{0}"""\n    a: int\n    """{0}"""\n'
    for text in ("names: of all jobs.", "`a`, `b`: the names."):
        assert fragments(classes.format(text)) == [(2, text)]
    assert fragments(classes.format("The names. a: of all jobs.")) == []
    assert fragments("# The jobs begin\n# with the first one.\n") == []
