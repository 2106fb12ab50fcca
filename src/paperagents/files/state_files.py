"""Small files that the program keeps beside its database, and that several processes may change at the same time.

Older and newer versions of the program share them. Whoever reads one ignores keys it does not know; whoever rewrites
one keeps them. An element that is not understood stays in the file as it is and grants nothing. So a later version
that narrows a permission must write it in a form that older ones do not understand.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paperagents.errors import PaperError
from paperagents.messages import system_text

LARGEST_FILE = 64 * 1024 * 1024
_LOCK = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


@contextmanager
def file_lock(file: Path) -> Iterator[None]:
    """Inside, nobody else changes the file: what one reads, and then writes, loses nothing of another's.

    Raises PaperError where it cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file.with_suffix(".lock"), _LOCK, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)
    except OSError as error:
        raise PaperError("cannot-write", path=str(file), reason=system_text(error)) from error


def replace_file(file: Path, content: str) -> None:
    """All at once, for the owner's eyes only, and never through a link that somebody has put there."""
    draft = file.with_name(f"{file.name}.{secrets.token_hex(6)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        draft.replace(file)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def read_object(file: Path) -> dict[str, Any]:
    """The JSON object in a file; empty where there is no file. Raises OSError, or ValueError for any other content."""
    try:
        data = json.loads(_read_content(file))
    except FileNotFoundError:
        return {}
    except RecursionError as error:
        raise ValueError(str(error)) from error
    if not isinstance(data, dict):
        raise ValueError("not an object")  # noqa: TRY004  the content is wrong, not the call
    return data


def _read_content(file: Path) -> bytes:
    """What a file holds. A vault may come from a stranger: no pipe is waited for, and no device read without end."""
    with os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise ValueError("not a file")
        content = opened.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise ValueError("too large")
    return content


def read_object_to_change(file: Path) -> dict[str, Any]:
    """As ``read_object``, but a file with any other content is set aside: the new one does not erase it."""
    try:
        return read_object(file)
    except ValueError:
        set_aside(file)
        return {}


def set_aside(file: Path) -> None:
    """Rename a file that is not understood, so that it can be looked at later."""
    file.rename(file.with_name(f"{file.name}.unreadable-{secrets.token_hex(4)}"))


def require_no_links(*places: Path) -> None:
    """What came with somebody else's vault must not lead out of it. Raises OSError where one of them is a link."""
    for each in places:
        if each.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(each))
