"""Opening files so that no name, link or swap leads out of the vault.

Everything is opened relative to the vault's own descriptor and without following links. Where a link
stands in a path, its real place is worked out first, by names alone, and then opened the same strict way;
an attacker who swaps a folder for a link in between meets the strict opening.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import sys
import unicodedata
from collections import deque
from functools import cache

from paperagents.errors import ToolError

LINK_ERRORS = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)
"""What systems say when a link, or a file, stands where a folder or file was to be opened."""

_MOST_LINKS = 40
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def open_strictly(root: int, segments: tuple[str, ...], flags: int, *, by_kernel: bool | None = None) -> int:
    """Open a path below the root that holds no link. FIFOs and devices never make this wait."""
    flags |= os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    if has_openat2() if by_kernel is None else by_kernel:
        return open_without_links(root, join_path(segments) or ".", flags)
    return open_by_walking(root, segments or (".",), flags)


def resolve_links(root: int, root_path: str, segments: tuple[str, ...]) -> tuple[str, ...]:
    """Where a path with links in it really is, in the vault's own names; refused when it is outside."""
    path, real, links = join_path(segments), list[str](), 0
    waiting = deque(segments)
    while waiting:
        segment = waiting.popleft()
        if segment == "..":
            if not real:
                raise ToolError("path-outside-vault", path=path)
            real.pop()
            continue
        target = read_link(root, [*real, segment])
        if target is None:
            real.append(segment)
            continue
        links += 1
        if links > _MOST_LINKS:
            raise ToolError("path-outside-vault", path=path)
        if target.startswith("/"):
            real.clear()
        waiting.extendleft(reversed(split_link(target, root_path, path)))
    require_allowed(tuple(real))
    return tuple(real)


def open_by_walking(root: int, segments: tuple[str, ...], flags: int) -> int:
    """The same for kernels without openat2: folder by folder, none of them a link."""
    folder = os.dup(root)
    try:
        for segment in segments[:-1]:
            inner = os.open(segment, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(segments[-1], flags | os.O_NOFOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def read_link(root: int, segments: list[str]) -> str | None:
    """What a link points to; None for anything else."""
    try:
        return os.readlink("/".join(segments), dir_fd=root)
    except OSError:
        return None


def split_link(target: str, root_path: str, path: str) -> list[str]:
    """What a link points to, as segments; a full path must start with the vault's own."""
    require_valid_path(target)
    parts = [part for part in target.split("/") if part not in ("", ".")]
    if not target.startswith("/"):
        return parts
    root_parts = [part for part in root_path.split("/") if part]
    if parts[: len(root_parts)] != root_parts:
        raise ToolError("path-outside-vault", path=path)
    return parts[len(root_parts) :]


# --- two Linux system calls that Python does not offer: openat2 and renameat2


_OPENAT2 = 437  # the same number on every architecture but alpha
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_NO_SYMLINKS = 0x04
_RESOLVE_BENEATH = 0x08
_RENAME_NOREPLACE = 1
_TRIES_AGAINST_RENAMES = 100


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


@cache
def has_openat2() -> bool:
    """Whether this kernel has openat2 and lets this process use it."""
    if not sys.platform.startswith("linux") or platform.machine() == "alpha":
        return False
    try:
        os.close(_call_openat2(-100, ".", os.O_RDONLY | os.O_DIRECTORY))
    except OSError:
        return False
    return True


def open_without_links(folder: int, path: str, flags: int) -> int:
    """Open a path below a folder; a symbolic link or ``..`` anywhere in it is an OSError."""
    for _ in range(_TRIES_AGAINST_RENAMES):
        try:
            return _call_openat2(folder, path, flags)
        except BlockingIOError:
            # The kernel saw a rename nearby and cannot vouch for the answer: ask again.
            continue
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)


def rename_without_replacing(folder: int, source: str, target: str) -> None:
    """Rename inside a folder; FileExistsError when the new name is taken, in one step."""
    if not _call_renameat2(folder, source, target):
        os.link(source, target, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        os.unlink(source, dir_fd=folder)


def _call_openat2(folder: int, path: str, flags: int) -> int:
    resolve = _RESOLVE_BENEATH | _RESOLVE_NO_MAGICLINKS | _RESOLVE_NO_SYMLINKS
    how = _OpenHow(flags | os.O_CLOEXEC, 0, resolve)
    name = ctypes.c_char_p(os.fsencode(path))
    size = ctypes.c_size_t(ctypes.sizeof(how))
    descriptor: int = _libc().syscall(ctypes.c_long(_OPENAT2), ctypes.c_int(folder), name, ctypes.byref(how), size)
    if descriptor < 0:
        raise _last_error(path)
    return descriptor


def _call_renameat2(folder: int, source: str, target: str) -> bool:
    """False when neither the C library nor the file system can do it."""
    try:
        call = _libc().renameat2
    except AttributeError:
        return False
    names = os.fsencode(source), os.fsencode(target)
    flags = ctypes.c_uint(_RENAME_NOREPLACE)
    if call(ctypes.c_int(folder), names[0], ctypes.c_int(folder), names[1], flags) == 0:
        return True
    error = _last_error(target)
    if error.errno in (errno.EINVAL, errno.ENOSYS, errno.EPERM):
        return False
    raise error


@cache
def _libc() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library


def _last_error(path: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number), path)


PRIVATE_FOLDER = ".paper"
_LONGEST_PATH = 4000  # bytes; systems stop at 4096 and say so in different ways
_LONGEST_SHOWN = 200
# Invisible to people and ignored by some file systems, so ".pa\u200dper" would open ".paper" there.
_IGNORED_CATEGORIES = ("Cf", "Cc", "Mn")


def split_path(path: str) -> tuple[str, ...]:
    """The segments of a vault path, without those that say nothing (``/``, ``./``)."""
    require_valid_path(path)
    segments = tuple(segment for segment in path.split("/") if segment not in ("", "."))
    if ".." in segments:
        raise ToolError("path-outside-vault", path=path)
    require_allowed(segments)
    return segments


def split_file_path(path: str) -> tuple[str, ...]:
    """The segments of a path that means a file: not the vault itself, not ``notes/``."""
    segments = split_path(path)
    if not segments or path.endswith(("/", "/.")):
        raise ToolError("not-a-file", path=path)
    return segments


def split_writable_path(path: str) -> tuple[str, ...]:
    """The segments of a file that may be written.

    Hidden files and folders belong to other programs: a line in ``.git/hooks``, ``.obsidian/plugins``,
    ``.vscode`` or ``.bashrc`` is code that they run, so a tool never writes there.
    """
    segments = split_file_path(path)
    if any(segment.startswith(".") for segment in segments):
        raise ToolError("path-hidden", path=path)
    if any(unicodedata.category(character) == "Cc" for character in path):
        raise ToolError("path-invalid", path=ascii(path))
    return segments


def join_path(segments: tuple[str, ...]) -> str:
    """The one written form of a vault path in answers: no slash in front, none at the end."""
    return "/".join(segments)


def require_valid_path(path: str) -> None:
    """Refuse what no file can be called."""
    try:
        encoded = path.encode("utf-8")
    except UnicodeEncodeError:
        raise ToolError("path-invalid", path=ascii(path)) from None
    if b"\0" in encoded or len(encoded) > _LONGEST_PATH:
        raise ToolError("path-invalid", path=ascii(path[:_LONGEST_SHOWN]))


def require_allowed(segments: tuple[str, ...]) -> None:
    """Refuse the program's own folder, in this vault or in one inside it, however it is spelt."""
    if any(normalize_name(segment) == PRIVATE_FOLDER for segment in segments):
        raise ToolError("path-forbidden", path=join_path(segments))


def normalize_name(segment: str) -> str:
    """The name that a lenient file system could take this one for: case, width, invisible letters, end dots."""
    if segment.isascii() and segment.isprintable():
        # Nearly all are so, and every call with a path asks.
        return segment.lower().rstrip(". ")
    folded = unicodedata.normalize("NFKC", segment).casefold()
    visible = "".join(letter for letter in folded if unicodedata.category(letter) not in _IGNORED_CATEGORIES)
    return visible.rstrip(". ")
