"""The life of a job: inputs, changes and decisions."""
