"""Write the commands of PBS into a folder: qsub, qstat, qdel, qhold and qrls, each a starter of
rmsd's own. With the folder first in PATH, programs that use PBS use rmsd.
"""

from __future__ import annotations

import argparse

from rmsd_cli import slurm_commands
from rmsd_client.pbs import site

EPILOG = f"""\
environment of the commands:
  RMSD_SERVER, RMSD_STATE_DIR, RMSD_TOKEN_FILE, RMSD_CA_FILE  as for all clients
  {site.MODE_VARIABLE}    strict: an option without an effect here is an error; lenient: none is.
              Otherwise an option is an error if another job would run without it.

exit codes:
  0   written
  1   a file cannot be written
  2   wrong usage

example:
  rmsd pbs-commands ~/pbs && PATH=~/pbs:$PATH qsub -l select=1:ncpus=4 job.sh
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    slurm_commands.add_starter_arguments(parser, site.MODE_VARIABLE)


def run(args: argparse.Namespace) -> int:
    return slurm_commands.write_starters(
        args,
        "pbs-commands",
        site.COMMANDS,
        module="rmsd_client.pbs.starter",
        variable=site.MODE_VARIABLE,
    )
