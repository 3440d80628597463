"""Whole traces, line by line: all 18 fields, header and comments, and what is wrong with them."""
