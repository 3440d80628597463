"""`rmsd metrics`."""
