"""Checks of files and directories: that no other account can change what a daemon or an agent goes
by, and that users can pass."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_MOST_LINKS = 40
"""The most symbolic links that the kernel follows on a way."""


class ChangeableError(Exception):
    """Another account can change a file or directory; the message says which, and what to do."""


class NotExecutableError(Exception):
    """A program cannot be run; the message says which, and what to do."""


def check_file(path: Path, found: os.stat_result) -> None:
    """Check that a file, `found` at `path`, and the directories on the way to it can be changed by
    root and us alone. The groups of the file and its directory count only for root, since the
    account of a person often has a group of its own.

    Raises:
        ChangeableError: others can change the file, or put another one in its place.
        OSError: a directory on the way cannot be looked at.
    """
    folder = path.resolve().parent
    others = stat.S_IWOTH | (stat.S_IWGRP if os.geteuid() == 0 else 0)
    _check(path, found, others)
    _check(folder, folder.stat(), others)
    check_way(path)


def check_program(path: Path) -> None:
    """Check that a program can be run, and that it is safe in the sense of `check_file`.

    Raises:
        ChangeableError: others can change the program, or put another one in its place.
        NotExecutableError: the file cannot be run.
        OSError: the file or its directory cannot be looked at.
    """
    check_file(path, path.stat())
    if not os.access(path, os.X_OK):
        raise NotExecutableError(f"{path} is not executable; `chmod +x` it")


def check_way(path: Path) -> None:
    """Check that no other account can put another file or directory in the place of this one, at
    any point of the way there. The members of a directory's group are trusted by its owner.

    Raises:
        ChangeableError: another account can.
        OSError: a directory on the way cannot be looked at.
    """
    for directory in sorted(_directories_to(path), key=lambda one: (len(one.parts), one)):
        _check(directory, directory.stat(), stat.S_IWOTH)


def _directories_to(path: Path) -> set[Path]:
    """Return the directories in which the kernel looks for a name on the way to `path`, those of
    symbolic links that it follows among them. Raises OSError."""
    found: set[Path] = set()
    here, *names = Path(path.root or Path.cwd()), *path.parts[bool(path.root) :]
    names.reverse()
    links = 0
    while names:
        found.update((here, *here.parents))
        if (name := names.pop()) == "..":
            here = here.parent
        elif (at := here / name).is_symlink():
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
            target = at.readlink()
            here = Path(target.root) if target.root else here
            names += reversed(target.parts[bool(target.root) :])
        else:
            here = at
    return found


def closed_to_others(directory: Path) -> Path | None:
    """Return the topmost directory on the way to this one, and through it, that other accounts
    cannot pass; None if they can pass all. Raises OSError if one cannot be looked at."""
    ways = [
        path for path in (directory, *directory.parents) if not path.stat().st_mode & stat.S_IXOTH
    ]
    return ways[-1] if ways else None


def closed_file(file: Path) -> Path | None:
    """Return what keeps other accounts from reading a file: the topmost closed directory on the way
    to it, or the file itself; None if they can read it, or if that cannot be looked at."""
    try:
        if (closed := closed_to_others(file.parent)) is not None:
            return closed
        return None if file.stat().st_mode & stat.S_IROTH else file
    except OSError:
        return None


def _check(path: Path, found: os.stat_result, others: int) -> None:
    """Check that `path` is root's or our own, and not to be written by `others`. The owner of
    the root directory can do everything: outside of a user namespace that is root.

    In a sticky directory, such as /tmp, others can replace nothing of ours.
    """
    if found.st_uid not in (0, os.geteuid(), os.stat("/").st_uid):
        raise ChangeableError(
            f"{path} belongs to another account (uid {found.st_uid}), who could replace what is in "
            "it; use that account, or another path"
        )
    sticky = stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX
    if found.st_mode & others and not sticky:
        raise ChangeableError(f"{path} can be changed by others; `chmod go-w {path}`")
