"""The life of a job: what comes in, what changes, and what is decided."""
