"""rmsd for other programs: `rmsd.testing` is a Slurm for tests."""
