"""Jobs in words and tables, for people."""
