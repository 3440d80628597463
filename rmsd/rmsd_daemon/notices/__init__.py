"""Notices at the end of jobs: mails, requests and commands."""
