"""The commands of PBS."""
