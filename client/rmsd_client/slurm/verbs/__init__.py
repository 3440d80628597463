"""The verbs of scontrol that do more than show."""
