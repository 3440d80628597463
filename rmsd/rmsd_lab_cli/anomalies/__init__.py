"""`rmsd flurries`: what is in a trace that is not its workload."""
