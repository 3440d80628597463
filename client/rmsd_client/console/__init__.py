"""The parts of all commands: how they begin and end, and what they print at a terminal."""
