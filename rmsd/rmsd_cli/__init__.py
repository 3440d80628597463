"""The `rmsd` command."""
