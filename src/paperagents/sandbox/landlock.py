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
    answer = syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_ASK_VERSION))
    return max(answer, 0)


def give_up_everything() -> None:
    """Deny whatever this kernel's Landlock can deny. The process must have no_new_privs already."""
    keep_only([], ports=[])


def keep_only(paths: Iterable[tuple[str, int]], *, ports: Iterable[int] | None) -> None:
    """Deny everything but these rights below these paths, and connections to these ports; None: to any."""
    known = version()
    file_rights = (1 << _FILE_RIGHTS_BY_VERSION.get(known, _NEWEST_FILE_RIGHTS)) - 1
    handled = [file_rights]
    if known >= 4:
        handled.append(0 if ports is None else _TCP_BIND_AND_CONNECT)
    if known >= 6:
        handled.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    attributes = b"".join(word.to_bytes(8, sys.byteorder) for word in handled)
    ruleset = syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "landlock_create_ruleset")
    try:
        for path, rights in paths:
            allow_path(ruleset, path, rights & file_rights)
        for port in (ports or ()) if known >= 4 else ():
            add_rule(ruleset, _PORT_RULE, _TCP_CONNECT.to_bytes(8, sys.byteorder) + port.to_bytes(8, sys.byteorder))
        if syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0)) != 0:
            raise OSError(ctypes.get_errno(), "landlock_restrict_self")
    finally:
        os.close(ruleset)


def allow_path(ruleset: int, path: str, rights: int) -> None:
    """Keep these rights below a path; what is not there needs no right."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _RIGHTS_OF_FILES
        add_rule(ruleset, _PATH_RULE, rights.to_bytes(8, sys.byteorder) + descriptor.to_bytes(4, sys.byteorder))
    finally:
        os.close(descriptor)


def add_rule(ruleset: int, kind: int, attributes: bytes) -> None:
    """Add one rule to a set that is not in force yet."""
    if syscall(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(kind), attributes, ctypes.c_uint(0)) != 0:
        raise OSError(ctypes.get_errno(), "landlock_add_rule")


def syscall(number: int, *arguments: object) -> int:
    """The C library has no names for these."""
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return int(library.syscall(ctypes.c_long(number), *arguments))
