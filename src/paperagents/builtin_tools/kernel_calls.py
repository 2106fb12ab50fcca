"""Two Linux system calls that Python does not offer: openat2 and renameat2.

Both are asked for by number or symbol and report ``None`` or ``False`` where the system lacks them, so
that callers can take a slower way that works everywhere.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import sys
from functools import cache

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
