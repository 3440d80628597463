"""Parts of recipes in a file of one's own."""

from __future__ import annotations

import os
from pathlib import Path

from rmsd_cli.errors import CommandError
from rmsd_daemon.setup.third_party import FILES, files_named, load_file
from rmsd_lab_api.options import PathName


def load_parts(path: PathName) -> list[str]:
    """Make the parts of a file known to recipes, and return them as recipes name them
    (`order=mine`). A file that was edited is loaded again.

    The file is named in `RMSD_PARTS`, too, so that what this process starts knows the parts: the
    workers of a study, the daemon of a replay.

    Raises:
        LabError: the file cannot be used; the message says why.
    """
    file = Path(path).absolute()
    found = load_file(file)
    for one in found:
        if one.problem is not None:
            raise CommandError(f"{file}: {one.problem}")
    if file not in files_named():
        before = os.environ.get(FILES, "")
        os.environ[FILES] = f"{before}{os.pathsep}{file}" if before else str(file)
    return [one.part for one in found]
