"""The errors of work on the database."""

from __future__ import annotations


class StoreError(Exception):
    """The database cannot be used; the message says why and what to do."""


class SearchError(Exception):
    """A search through all rows of a table took too long, and was given up."""


class DamagedError(StoreError):
    """Pages or records of the database are damaged."""
