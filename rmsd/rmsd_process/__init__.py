"""What the long-lived processes, daemon and agent, do alike with the machine that they run on: they
write logs, raise their limit of open files and read its clocks."""
