"""`rmsd top`: the queue and the output of a job, live, in a terminal."""
