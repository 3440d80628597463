"""Clients of rmsd: `rsub`, `rstat`, `rdel` and others, and `rmsd_client.api.Client`.

Standard library only, and as little of it as possible: `rsub` must start in milliseconds. That is
why `typing`, `dataclasses` and `argparse` are not imported by the modules that `rsub` needs.
"""
