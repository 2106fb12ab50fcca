"""No file, no TCP connection, no signal to others: the kernel's Landlock rules with nothing granted.

Runs inside the worker, before any JavaScript.
"""

from __future__ import annotations

import ctypes
import os
import sys

_CREATE_RULESET, _RESTRICT_SELF = 444, 446
_ASK_VERSION = 1
_FILE_RIGHTS_BY_VERSION = {1: 13, 2: 14, 3: 15, 4: 15}
_NEWEST_FILE_RIGHTS = 16
_TCP_BIND_AND_CONNECT = 3
_ABSTRACT_SOCKETS_AND_SIGNALS = 3


def version() -> int:
    """The version of Landlock this kernel has; 0 when it has none."""
    answer = _call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(_ASK_VERSION))
    return max(answer, 0)


def give_up_everything() -> None:
    """Deny whatever this kernel's Landlock can deny. The process must have no_new_privs already."""
    attributes = _rights(version())
    ruleset = _call(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "landlock_create_ruleset")
    try:
        if _call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0)) != 0:
            raise OSError(ctypes.get_errno(), "landlock_restrict_self")
    finally:
        os.close(ruleset)


def _rights(kernel_version: int) -> bytes:
    bits = _FILE_RIGHTS_BY_VERSION.get(kernel_version, _NEWEST_FILE_RIGHTS)
    words = [(1 << bits) - 1]
    if kernel_version >= 4:
        words.append(_TCP_BIND_AND_CONNECT)
    if kernel_version >= 6:
        words.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    return b"".join(word.to_bytes(8, sys.byteorder) for word in words)


def _call(number: int, *arguments: object) -> int:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return int(library.syscall(ctypes.c_long(number), *arguments))
