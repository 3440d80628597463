"""What an agent writes down: its own files, and the records of its attempts."""
