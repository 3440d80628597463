"""The bounds of texts. Of a submit: what the system takes as words, paths and environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rmsd_daemon.domain.errors import DaemonError, Malformed, TooLarge
from rmsd_wire.api.submission import SubmitSpec
from rmsd_wire.arrays import MAX_INDEX
from rmsd_wire.frames import cut
from rmsd_wire.names import MAX_NODE_NAME
from rmsd_wire.output_pattern import KNOWN, MOST_DIGITS, letters_of, unknown_letter

MAX_NAME = 256
MAX_COMMENT = 4096
MAX_REASON = 1000
"""The most characters of the reason for which a node is drained, or can start no job."""
_MAX_PATH_BYTES = 4095  # Linux: PATH_MAX, without its NUL
_MAX_WORD_BYTES = 128 << 10  # Linux's limit of an argument or a variable, with its NUL
_MAX_WORDS_BYTES = 1 << 20  # Linux: a quarter of the stack's limit, 2 MiB as a rule
_POINTER_BYTES = 8
_LONGEST_ID = len(str(1 << 62))
_LONGEST_INDEX = len(str(MAX_INDEX))
_LONGEST_ATTEMPT = len(str(1 << 31))
WIDEST_BYTES = 4
"""The bytes that a character takes in memory at most."""


def bytes_of(texts: Sequence[str]) -> int:
    """Return an upper bound of the bytes of texts, without the overhead of each. A start asks for
    those of every job, so a look at all of them together comes first."""
    together = "".join(texts)
    if together.isascii():
        return len(together)
    return sum([len(text) * (1 if text.isascii() else WIDEST_BYTES) for text in texts])


def reason_of_agent(text: str) -> str:
    """Return a reason that an agent tells as one line that can be printed, and is not too long."""
    return "".join(filter(str.isprintable, cut(text)))[:MAX_REASON]


def is_number(text: str) -> bool:
    """Return whether the text is digits, and not more of them than a 64-bit number has."""
    return text.isascii() and text.isdigit() and len(text) < 20


def check_texts(spec: SubmitSpec) -> None:
    """Raise DaemonError if a text of a submit is too long or cannot be printed."""
    for field, value, most in (
        ("name", spec.name, MAX_NAME),
        ("comment", spec.comment, MAX_COMMENT),
        ("account", spec.account, MAX_NAME),
        ("qos", spec.qos, MAX_NAME),
        ("reservation", spec.reservation, MAX_NAME),
        ("stdin", spec.stdin, MAX_COMMENT),
        ("user", spec.user or "", MAX_NAME),
        ("constraint", spec.constraint or "", MAX_NAME),
        ("submit_host", spec.submit_host, MAX_NAME),
        ("workdir", spec.workdir, MAX_COMMENT),
        ("notify", spec.notify, MAX_COMMENT),
        ("mail_user", spec.mail_user, MAX_COMMENT),
        ("submit_dir", spec.submit_dir, MAX_COMMENT),
        ("command", spec.command, MAX_COMMENT),
        ("stdout", spec.stdout, MAX_COMMENT),
        ("stderr", spec.stderr, MAX_COMMENT),
    ):
        check_text(field, value, most)
    check_words("args", spec.args, spec.env)


def check_text(field: str, value: str, most: int) -> None:
    """Raise Malformed if a text is longer than `most` characters, or not printable."""
    if len(value) > most:
        raise Malformed(f"'{field}' has {len(value)} characters, more than {most}")
    if value and not value.isprintable():
        raise Malformed(f"'{field}' is {value!r}: it must be printable, on one line")


def check_words(field: str, args: Sequence[str], env: Mapping[str, str]) -> None:
    """Raise DaemonError if no process can be started with these arguments and this environment."""
    size = 0
    for i, arg in enumerate(args):
        if "\0" in arg:
            raise Malformed(f"'{field}[{i}]' has a NUL character")
        size += _size_of_word(f"{field}[{i}]", arg)
    for key, value in env.items():
        if not key or "=" in key or "\0" in key or "\0" in value:
            raise Malformed(f"'env' has {key!r}, which cannot be an environment variable")
        size += _size_of_word(f"env.{key[:MAX_NAME]}", f"{key}={value}")
    if size > _MAX_WORDS_BYTES:
        raise _too_large(f"'{field}' and 'env' have {size} bytes", _MAX_WORDS_BYTES)


def _size_of_word(field: str, word: str) -> int:
    """Return the bytes that a word takes of the space that the system has for all words of a
    process."""
    size = len(word.encode("utf-8", "surrogatepass")) + 1
    if size > _MAX_WORD_BYTES:
        raise _too_large(f"'{field}' has {size} bytes", _MAX_WORD_BYTES)
    return size + _POINTER_BYTES


def _too_large(what: str, most: int) -> DaemonError:
    return TooLarge(f"{what}, more than the limit of {most}")


def check_script(script: str, most_bytes: int) -> None:
    if (size := len(script.encode("utf-8", "surrogatepass"))) > most_bytes:
        raise _too_large(f"'script' has {size} bytes", most_bytes)
    if not script.startswith("#!"):
        raise Malformed("'script' must begin with '#!' and the path of an interpreter")
    if "\0" in script:
        raise Malformed("'script' has a NUL character: it is not a text")


def check_paths(name: str, user: str, workdir: str, patterns: Mapping[str, str]) -> None:
    """Refuse values that become a longer path than possible, whatever their pattern letters stand
    for. `patterns` has the paths of files by field."""
    workdir_bytes = _bytes(workdir)
    if workdir_bytes > _MAX_PATH_BYTES:
        raise Malformed(
            f"'workdir' has {workdir_bytes} bytes; a path has at most {_MAX_PATH_BYTES}"
        )
    longest = {
        "j": _LONGEST_ID,
        "A": _LONGEST_ID,
        "a": _LONGEST_INDEX,
        "x": _bytes(name),
        "u": _bytes(user),
        "N": MAX_NODE_NAME,
        "n": MOST_DIGITS,
        "t": MOST_DIGITS,
        "s": len("batch"),
        "r": _LONGEST_ATTEMPT,
        "%": 1,
    }
    for field, pattern in patterns.items():
        size = _bytes(pattern) + sum(longest[one] - 2 for one in letters_of(pattern))
        if not pattern.startswith("/"):
            size += workdir_bytes + 1
        if pattern and size > _MAX_PATH_BYTES:
            raise Malformed(
                f"'{field}' becomes a path of up to {size} bytes with what its '%' letters stand "
                f"for; a path has at most {_MAX_PATH_BYTES}"
            )


def _bytes(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))


def checked_pattern(field: str, pattern: str) -> str:
    """Return the pattern of a file's name. Raises Malformed if it has an unknown letter."""
    if (letter := unknown_letter(pattern)) is not None:
        raise Malformed(f"'{field}' has '%{letter}', which stands for nothing; {KNOWN}")
    return pattern
