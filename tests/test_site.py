"""The documents as a site: Sphinx finds no broken link, and the tutorial comes first."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.timeout(900)
@pytest.mark.long  # Sphinx reads and writes some thirty pages, several of them long
def test_the_site_is_made_and_the_tutorial_comes_first(tmp_path: Path) -> None:
    site = tmp_path / "site"
    command = [sys.executable, ROOT / "deploy/site/build_site.py", site]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout == f"{site}/index.html\n"
    pages = {path.stem for path in site.glob("*.html")}
    assert pages >= {path.stem for path in (ROOT / "docs").glob("*.md")} - {"README"}
    listed = re.findall(r'toctree-l1"><a [^>]*href="([a-z-]+)\.html"', _text(site))
    assert listed[:2] == ["overview", "tutorial"]
    assert pages - {"index", "genindex", "search"} == set(listed)


def _text(site: Path) -> str:
    return (site / "index.html").read_text()
