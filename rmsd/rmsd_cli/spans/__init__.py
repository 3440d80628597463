"""`rmsd spans`: the road of each job as a trace of OpenTelemetry."""
