"""Run a shepherd: `python -I -S .../rmsd_agent/shepherd CONTROL_SOCKET JOBS_DIR`."""

# Python has put this folder on its path, so that the package is `standalone` here. To the agent and
# to mypy, the package is `rmsd_agent.shepherd.standalone`.
from standalone.main import main  # type: ignore[import-not-found]

main()
