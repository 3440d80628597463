"""The version that this process runs. An upgrade under a running process does not change it."""

from __future__ import annotations

from importlib.metadata import version

RUNNING_VERSION = version("rmsd")
"""The installed version at the start of the process: daemons and agents import this then."""
