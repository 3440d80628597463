"""An agent that takes this boot of its machine for another one, which no option of an agent does:

`python -m tests.daemon.agent_on_boot BOOT_ID OPTIONS...`
"""

from __future__ import annotations

import sys
from pathlib import Path

from rmsd_agent import main
from rmsd_agent.state.state_dir import AgentStateDir


class StateOnBoot(AgentStateDir):
    """The directory of an agent, on the boot that the command line names."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.boot_id = sys.argv[1]


if __name__ == "__main__":
    setattr(main, "AgentStateDir", StateOnBoot)  # noqa: B010 - the name is main's import
    sys.exit(main.run(sys.argv[2:]))
