"""The lines of readers that a corpus reaches: `python -m tests.fuzz.reached NAME FOLDER`.

It prints JSON: for each module of the harness, the lines of functions that were reached, how many
there are, and the lines that were not.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tests.fuzz.harnesses import harness


def main() -> int:
    name, folder = sys.argv[1:]
    corpus = (path.read_bytes() for path in sorted(Path(folder).iterdir()))
    print(json.dumps(reached(name, corpus)))
    return 0


def reached(name: str, corpus: Iterable[bytes]) -> dict[str, dict[str, Any]]:
    """Return what of the harness's readers is reached by the inputs, by module."""
    found = harness(name)
    files = {str(inspect.getsourcefile(import_module(one))): one for one in found.readers}
    seen: dict[str, set[int]] = {file: set() for file in files}

    def look(frame: FrameType, _event: str, _: object) -> Any:
        lines = seen.get(frame.f_code.co_filename)
        if lines is None:
            return None
        lines.add(frame.f_lineno)
        return look

    for content in corpus:
        sys.settrace(look)
        try:
            found.check(content)
        finally:
            sys.settrace(None)
    told = {}
    for file, module in files.items():
        lines = set(_lines_of(Path(file)))
        missed = sorted(lines - seen[file])
        told[module] = {"reached": len(lines) - len(missed), "of": len(lines), "missed": missed}
    return told


def _lines_of(path: Path) -> Iterator[int]:
    """Yield the lines of all functions in a file."""
    for code in _inner(compile(path.read_bytes(), str(path), "exec")):
        if code.co_flags & inspect.CO_OPTIMIZED:  # a class body is no function
            yield from (line for _, _, line in code.co_lines() if line is not None)


def _inner(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inner(constant)


if __name__ == "__main__":
    sys.exit(main())
