"""Reading an open file, and translating what the system refused into our errors."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import NamedTuple

from paperagents.errors import ToolError
from paperagents.messages import system_text
from paperagents.shortages import find_shortage

ABSENT = "absent"
"""The digest of a file that is not there."""
_PAGE = 4096
_LAST_SECOND_OF_9999 = 253402300799

_CODES_BY_ERRNO = {
    errno.ENAMETOOLONG: "path-invalid",
    errno.EILSEQ: "path-invalid",
    errno.EISDIR: "not-a-file",
    errno.ENXIO: "not-a-file",
    errno.ENODEV: "not-a-file",
    errno.ENOTDIR: "not-a-folder",
    errno.ELOOP: "path-outside-vault",
    errno.EXDEV: "path-outside-vault",
    errno.EACCES: "file-not-permitted",
    errno.EPERM: "file-not-permitted",
    errno.EROFS: "file-not-permitted",
    errno.ENOSPC: "disk-full",
    errno.EDQUOT: "disk-full",
}


class OpenedFile(NamedTuple):
    """All bytes of a file, and its status when they were read."""

    content: bytes
    status: os.stat_result


@contextmanager
def closing(descriptor: int) -> Iterator[int]:
    """A descriptor that is closed at the end of the block."""
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def translate_os_errors(path: str) -> Iterator[None]:
    """Raise ToolError for what the system refuses. A missing file stays FileNotFoundError: callers know more."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        code = _CODES_BY_ERRNO.get(error.errno or 0) or find_shortage(error) or "file-failed"
        raise ToolError(code, path=path, reason=system_text(error)) from error


def read_regular_file(descriptor: int, path: str, limit: int) -> OpenedFile:
    """All bytes of an open regular file; anything else, and more than the limit, is refused."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise ToolError("not-a-file", path=path)
    content = os.read(descriptor, min(status.st_size, limit) + 1)
    # Some file systems give less than there is, or do not know the size.
    while len(content) <= limit and (more := os.read(descriptor, max(len(content), _PAGE))):
        content += more
    if len(content) > limit:
        raise ToolError("file-too-large", path=path, size=max(status.st_size, len(content)), limit=limit)
    return OpenedFile(content, status)


def decode_text(content: bytes, path: str) -> str:
    """The text of a file's bytes, or the place of the first that is not UTF-8."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ToolError("not-utf8", path=path, position=error.start) from None


def hash_content(content: bytes) -> str:
    """The digest that binds an approval to a file's content."""
    return hashlib.sha256(content).hexdigest()


def format_time(nanoseconds: int) -> str:
    """A file's time of change in ISO 8601, in UTC; times no calendar has become the nearest it has."""
    seconds = min(max(nanoseconds / 1e9, 0), _LAST_SECOND_OF_9999)
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
