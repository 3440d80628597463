"""Text that fits the terminal: COLUMNS, else its width; there is no bound into a pipe."""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from itertools import groupby

from rmsd_client.console.terminal import table_width


def folded(line: str, indent: str = "  ") -> str:
    """Return the line, broken between words if it is too long, with `indent` before the further
    lines."""
    width = table_width()
    if width is None or len(line) <= width:
        return line
    import textwrap  # seldom needed

    return textwrap.fill(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


class HelpFormatter(RawDescriptionHelpFormatter):
    """A formatter that keeps texts as they are written if they fit. If not, it fills their prose
    anew, and keeps indented lines and items of lists."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = text.splitlines()
        if all(len(line) <= width for line in lines):
            return super()._fill_text(text, width, indent)
        import textwrap

        filled: list[str] = []
        for is_prose, group in groupby(lines, _is_prose):
            if is_prose:
                filled += textwrap.wrap(" ".join(group), width, break_on_hyphens=False)
            else:
                filled += group
        return super()._fill_text("\n".join(filled), width, indent)


def _is_prose(line: str) -> bool:
    return bool(line) and not line.startswith((" ", "- "))
