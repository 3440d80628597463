"""`python -m tests.manual_documents`: the man pages in deploy/man, which each wheel installs.

A build cannot make them: it runs in an environment without the project and its libraries. The date
of a page stays as long as its text does.
"""

from __future__ import annotations

import os
import re
import time
from importlib.metadata import version
from pathlib import Path

from rmsd_cli.manual.pages import WIDTH, pages, related

ROOT = Path(__file__).parents[1]
MANUAL = ROOT / "deploy/man"
_DATE = re.compile(r'^\.TH \S+ \d "(\d{4}-\d\d-\d\d)"', re.MULTILINE)


def manual(today: str) -> dict[str, str]:
    """Return the text of each page, by its path in the manual. A page that is as it was keeps its
    date; others are of `today`."""
    os.environ["COLUMNS"] = str(WIDTH)  # argparse fills synopses by it
    every, made = pages(), {}
    for page in every:
        path = f"man{page.section}/{page.file_name}"
        before = _text(path)
        dated = _DATE.search(before)
        dates = [*([dated[1]] if dated else []), today]
        texts = [page.roff(date, version("rmsd"), related(page, every)) for date in dates]
        made[path] = texts[0] if texts[0] == before else texts[-1]
    return made


def _text(path: str) -> str:
    found = MANUAL / path
    return found.read_text(encoding="utf-8") if found.exists() else ""


def present() -> dict[str, str]:
    """Return the text of each page that there is, by its path in the manual."""
    paths = [path.relative_to(MANUAL).as_posix() for path in MANUAL.glob("man*/*")]
    return {path: _text(path) for path in paths}


if __name__ == "__main__":
    texts = manual(time.strftime("%Y-%m-%d", time.gmtime()))
    for gone in present().keys() - texts.keys():
        (MANUAL / gone).unlink()
    for path, text in texts.items():
        (MANUAL / path).parent.mkdir(parents=True, exist_ok=True)
        (MANUAL / path).write_text(text, encoding="utf-8")
