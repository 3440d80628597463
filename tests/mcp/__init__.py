"""Tests of `rmsd mcp`."""
