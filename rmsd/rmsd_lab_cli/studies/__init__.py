"""Studies: many runs of a simulation, what comes out of them, and how that is compared."""
