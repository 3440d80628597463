"""The page on PBS's commands says what the tables say."""

from __future__ import annotations

from tests.pbs_documents import PAGE, page


def test_the_page_is_made_from_the_tables() -> None:
    text = PAGE.read_text()
    assert text == page(text), "say: python -m tests.pbs_documents"
