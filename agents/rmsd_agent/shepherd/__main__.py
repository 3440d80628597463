"""Run a shepherd: `python -I -S .../rmsd_agent/shepherd CONTROL_SOCKET JOBS_DIR`."""

# Python has put this folder on its path, so that the package is `standalone` here, and it is
# `rmsd_agent.shepherd.standalone` to the agent and to mypy, which cannot see the folder's own name.
from standalone.main import main  # type: ignore[import-not-found]

main()
