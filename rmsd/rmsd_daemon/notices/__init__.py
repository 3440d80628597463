"""Notices at the end of jobs: requests and commands."""
