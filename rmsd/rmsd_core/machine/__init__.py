"""The machine: nodes, what is free of them now, and what will be."""
