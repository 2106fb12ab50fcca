"""What a process may still reach: the kernel's Landlock rules, with nothing granted, or with a few paths.

Runs inside the process that gives its rights up, before any JavaScript.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys

TYPE_CHECKING = False  # the typing module alone would cost a fifth of the start-up
if TYPE_CHECKING:
    from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_RULE, _PORT_RULE = 1, 2
_FILE_RIGHTS_BY_VERSION = {1: 13, 2: 14, 3: 15, 4: 15}
_NEWEST_FILE_RIGHTS = 16
_TCP_BIND_AND_CONNECT = 3
_TCP_CONNECT = 2
_ABSTRACT_SOCKETS_AND_SIGNALS = 3

RUN = 1 << 0
LIST = 1 << 3
READ = 1 << 2 | LIST
WRITE = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 13 | 1 << 14
"""Write, remove, make folders and files, rename, cut; no links, pipes, sockets or devices."""
LINK = 1 << 12
"""Make symbolic links."""
_RIGHTS_OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14


def version() -> int:
    """The version of Landlock this kernel has; 0 when it has none."""
    answer = _call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_ASK_VERSION))
    return max(answer, 0)


def give_up_everything() -> None:
    """Deny whatever this kernel's Landlock can deny. The process must have no_new_privs already."""
    keep_only([], ports=[])


def keep_only(paths: Iterable[tuple[str, int]], *, ports: Iterable[int] | None) -> None:
    """Deny everything but these rights below these paths, and connections to these ports; None: to any."""
    known = version()
    attributes = _rights(known, network=ports is not None)
    ruleset = _call(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "landlock_create_ruleset")
    try:
        for path, rights in paths:
            _allow_path(ruleset, path, rights & _file_rights(known))
        for port in (ports or ()) if known >= 4 else ():
            _add(ruleset, _PORT_RULE, _TCP_CONNECT.to_bytes(8, sys.byteorder) + port.to_bytes(8, sys.byteorder))
        if _call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0)) != 0:
            raise OSError(ctypes.get_errno(), "landlock_restrict_self")
    finally:
        os.close(ruleset)


def _allow_path(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        # What is not there needs no right.
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _RIGHTS_OF_FILES
        _add(ruleset, _PATH_RULE, rights.to_bytes(8, sys.byteorder) + descriptor.to_bytes(4, sys.byteorder))
    finally:
        os.close(descriptor)


def _add(ruleset: int, kind: int, attributes: bytes) -> None:
    if _call(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(kind), attributes, ctypes.c_uint(0)) != 0:
        raise OSError(ctypes.get_errno(), "landlock_add_rule")


def _file_rights(kernel_version: int) -> int:
    return (1 << _FILE_RIGHTS_BY_VERSION.get(kernel_version, _NEWEST_FILE_RIGHTS)) - 1


def _rights(kernel_version: int, *, network: bool = True) -> bytes:
    words = [_file_rights(kernel_version)]
    if kernel_version >= 4:
        words.append(_TCP_BIND_AND_CONNECT if network else 0)
    if kernel_version >= 6:
        words.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    return b"".join(word.to_bytes(8, sys.byteorder) for word in words)


def _call(number: int, *arguments: object) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return int(library.syscall(ctypes.c_long(number), *arguments))
