"""`rmsd trace`: one module for each of its commands."""
