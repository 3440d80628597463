"""Deleting directories; as a program, those that the agent names.

An agent that deleted them itself could be kept waiting for ever, and could not be killed then:
while a process of a user's writes to a file from memory that a file server of that user's is to
provide, the kernel keeps a process that deletes this file waiting.

Only the standard library is imported, so that the program is small.
"""

from __future__ import annotations

import os
import sys


def delete_tree(path: str) -> None:
    """Delete a directory. Nothing is done if it is not there.

    Raises:
        OSError: something in it cannot be deleted.
    """
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    delete_tree(entry.path)
                else:
                    os.unlink(entry.path)
        os.rmdir(path)
    except FileNotFoundError:
        return


def main() -> None:
    """Delete the directories of standard input, a path in hexadecimal digits a line. Answer each
    with a line: empty, or what could not be deleted and why."""
    for line in sys.stdin:
        try:
            delete_tree(os.fsdecode(bytes.fromhex(line)))
            print(flush=True)
        except OSError as error:
            print(ascii(f"{error.filename}: {error.strerror}"), flush=True)


if __name__ == "__main__":
    main()
