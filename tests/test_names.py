"""A class name stands for one thing: no two classes of the packages have the same."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from tests.sources import FOLDERS, sources

Sources = Iterable[tuple[Path, ast.Module]]


def _twice(files: Sources) -> dict[str, list[Path]]:
    """Return the names that several classes have, with the files of these classes."""
    places: defaultdict[str, list[Path]] = defaultdict(list)
    for file, tree in files:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(file)
    return {name: found for name, found in places.items() if len(found) > 1}


def test_no_two_classes_have_the_same_name() -> None:
    assert not _twice(chain.from_iterable(map(sources, FOLDERS)))


def test_a_name_that_stands_twice_is_found() -> None:
    texts = {
        "a.py": "class Job: ...\nclass Node: ...\n",
        "b.py": "if True:\n    class Job(int):\n        class Piece: ...\n",
    }
    files = [(Path(name), ast.parse(text)) for name, text in texts.items()]
    assert _twice(files) == {"Job": [Path("a.py"), Path("b.py")]}
