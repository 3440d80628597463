"""Jobs: their requests, their attempts, and the phases of their lives."""
