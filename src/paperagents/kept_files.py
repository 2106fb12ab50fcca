"""Small files that the program keeps beside its database, and that several processes may change at the same time."""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from paperagents.errors import PaperError
from paperagents.messages import system_text

_LOCK = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


@contextmanager
def alone_with(file: Path) -> Iterator[None]:
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


def require_no_links(*places: Path) -> None:
    """What came with somebody else's vault must not lead out of it. Raises OSError where one of them is a link."""
    for each in places:
        if each.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(each))
