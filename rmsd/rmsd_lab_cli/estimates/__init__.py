"""`rmsd estimates`."""
