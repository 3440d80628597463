"""The node agent: runs jobs on this machine, or pretends to be nodes that do."""
