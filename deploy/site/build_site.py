"""`make docs`: the documents as a site, in build/site. A broken link or anchor is an error.

Sphinx reads a copy of `docs/` and of the pages that lie outside of it, whose links are written anew
for the copy. The order of the site is that of docs/README.md, and the tutorial comes first.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
OUTSIDE = {
    "README.md": "overview.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "deploy/README.md": "deploy.md",
    "deploy/ansible/README.md": "ansible.md",
    "docs/README.md": "index.md",
}
"""The pages that have another name in the site."""
FIRST = ("overview.md", "tutorial.md", "compared.md")
_LINK = re.compile(r"(?<=\]\()([^()\s#]+\.md)(?=[#)])")
_LICENSE = "https://www.apache.org/licenses/LICENSE-2.0"
_SETTINGS = {
    "project": "rmsd",
    "extensions": ["myst_parser"],
    "myst_heading_anchors": 6,
    "exclude_patterns": ["notebooks"],
    "html_theme": "furo",
    "html_title": "rmsd",
    "html_show_sphinx": False,
    "html_copy_source": False,
    "highlight_language": "none",
    "html_static_path": ["static"],
    "html_css_files": ["wide.css"],
}
_WIDE = ".content { width: 64em; max-width: 100%; }  /* many pages have tables */\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", type=Path, nargs="?", default=ROOT / "build/site")
    output: Path = parser.parse_args().output
    sources = output.with_name(f"{output.name}-sources")
    for folder in (output, sources):
        shutil.rmtree(folder, ignore_errors=True)
    _write_sources(sources)
    from sphinx.cmd.build import build_main

    options = ["--quiet", "--fail-on-warning", "--keep-going", "--jobs", "1"]
    code = build_main([*options, "-d", f"{sources}/.doctrees", str(sources), str(output)])
    if code == 0:
        print(output / "index.html")
    sys.exit(code)


def _write_sources(folder: Path) -> None:
    for name in ("pictures", "notebooks"):
        shutil.copytree(ROOT / "docs" / name, folder / name)
    for record in (ROOT / "docs").glob("*.json"):
        shutil.copy(record, folder)
    settings = "\n".join(f"{name} = {value!r}" for name, value in _SETTINGS.items())
    (folder / "static").mkdir()
    (folder / "static/wide.css").write_text(_WIDE)
    (folder / "conf.py").write_text(f"{settings}\n")
    for name in [*OUTSIDE, *(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md"))]:
        text = rewritten(name, (ROOT / name).read_text())
        if name == "docs/README.md":
            text += "\n" + "\n".join(_contents(text))
        (folder / _place(name)).write_text(text)


def _place(name: str) -> str:
    """Return the name of a page of the project in the site."""
    return OUTSIDE.get(name, name.removeprefix("docs/"))


def rewritten(name: str, text: str) -> str:
    """Return the text of a page with links that lead to pages of the site."""

    def link(match: re.Match[str]) -> str:
        if "://" in match[1]:
            return match[1]
        target = os.path.normpath(os.path.join(os.path.dirname(name), match[1]))
        return _place(target)

    text = _LINK.sub(link, text.replace("](LICENSE)", f"]({_LICENSE})"))
    return text.replace("```mermaid", "```text")  # drawing needs a script from elsewhere


def _contents(index: str) -> Iterator[str]:
    """Yield the contents of the site, which are the tables of the index by their headings."""
    yield from _toctree("Start", list(FIRST))
    for section in index.split("\n## ")[1:]:
        caption, _, rest = section.partition("\n")
        pages = re.findall(r"^\| \[[^\]]+\]\(([a-z-]+\.md)\)", rest, re.MULTILINE)
        yield from _toctree(caption, [page for page in pages if page not in FIRST])


def _toctree(caption: str, pages: list[str]) -> Iterator[str]:
    yield from ("```{toctree}", ":hidden:", f":caption: {caption}", "")
    yield from (page.removesuffix(".md") for page in pages)
    yield from ("```", "")


if __name__ == "__main__":
    main()
