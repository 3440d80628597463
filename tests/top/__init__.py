"""Tests of `rmsd top`."""
