"""The files of an agent: its own, and the records of its attempts."""
