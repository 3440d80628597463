"""Tests that the short run leaves out say why."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator

from tests.sources import ROOT


def _unexplained(source: str) -> Iterator[int]:
    """Yield the lines with a mark `long` whose reason is nowhere: in a comment on the line or on
    the one above, or in the docstring of the module, behind `Long:`."""
    if "Long: " in (ast.get_docstring(ast.parse(source)) or ""):
        return
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    comments = {one.start[0] for one in tokens if one.type == tokenize.COMMENT}
    alone = {line for line in comments if source.splitlines()[line - 1].lstrip().startswith("#")}
    for mark, dot, name in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if (mark.string, dot.string, name.string) == ("mark", ".", "long"):
            line = name.start[0]
            if line not in comments and line - 1 not in alone:
                yield line


def test_a_mark_long_states_its_reason() -> None:
    unexplained = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for line in _unexplained(path.read_text())
    ]
    assert unexplained == []


def test_marks_without_a_reason_are_found() -> None:
    bare = "import pytest\n\n\n@pytest.mark.long\ndef test_it(): ...\n"
    assert list(_unexplained(bare)) == [4]
    assert list(_unexplained(bare.replace("long", "long  # four runs"))) == []
    assert list(_unexplained(bare.replace("@", "# four runs\n@"))) == []
    assert list(_unexplained(f'"""It.\n\nLong: four runs.\n"""\n{bare}')) == []
