"""`rmsd replay`: traces through a live daemon."""
