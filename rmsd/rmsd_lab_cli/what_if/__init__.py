"""`rmsd what-if`: a daemon's history and queue under other recipes."""
