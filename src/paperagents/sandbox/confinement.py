"""What a worker may no longer do, given up by itself before it sees any JavaScript.

Each wall is tried on its own: where a system lacks one, the others still stand, and the report says
which do. Runs inside the worker; nothing here may import more of the package than it needs.
"""

from __future__ import annotations

import ctypes
import os
import resource
import sys

from paperagents.sandbox import landlock, seccomp

TYPE_CHECKING = False  # the typing module alone would cost a fifth of the start-up
if TYPE_CHECKING:
    from collections.abc import Callable

Report = list[tuple[str, str]]
"""Pairs of a wall's name and why it does not stand: empty when it does."""

_PARENT_DEATH_SIGNAL, _DUMPABLE, _NO_NEW_PRIVILEGES, _NO_HUGE_PAGES = 1, 4, 38, 41
_SIGKILL = 9


def confine(*, channel: int, parent: int, memory: int, seconds: int) -> Report:
    """Give up everything but computing and the channel; says which walls stand."""
    os.environ.clear()
    os.chdir("/")
    _close_all_but(channel)
    end_with_parent(parent)
    return [
        _attempt("resource-limits", lambda: _limit_resources(memory=memory, seconds=seconds)),
        _attempt("no-new-privileges", _no_new_privileges, needs=_linux),
        _attempt("landlock", landlock.give_up_everything, needs=_landlock),
        _attempt("no-descriptors", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))),
        _attempt("seccomp", lambda: seccomp.allow_only_computing(channel), needs=_seccomp),
    ]


def end_with_parent(parent: int) -> None:
    """Let the kernel end this process when its parent ends, however the parent ends."""
    if sys.platform == "linux":
        _prctl(_PARENT_DEATH_SIGNAL, _SIGKILL)
        _prctl(_DUMPABLE, 0)
    if os.getppid() != parent:
        os._exit(0)


def _attempt(name: str, build: Callable[[], object], needs: Callable[[], str] = str) -> tuple[str, str]:
    if missing := needs():
        return name, missing
    try:
        build()
    except (OSError, ValueError) as error:
        return name, f"refused {error}"
    return name, ""


def _linux() -> str:
    return "" if sys.platform == "linux" else "system"


def _landlock() -> str:
    return _linux() or ("" if landlock.version() else "kernel")


def _seccomp() -> str:
    return _linux() or ("" if seccomp.is_known_machine(os.uname().machine) else "machine")


def _close_all_but(channel: int) -> None:
    os.closerange(0, channel)
    highest = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    os.closerange(channel + 1, 65536 if highest == resource.RLIM_INFINITY else min(highest, 1 << 20))


def _limit_resources(*, memory: int, seconds: int) -> None:
    for what in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC):
        resource.setrlimit(what, (0, 0))
    # An orphan stuck inside one built-in call of the engine still comes to an end.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if sys.platform == "linux":
        used = int(_own_status().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))


def _own_status() -> str:
    descriptor = os.open("/proc/self/statm", os.O_RDONLY)
    try:
        return os.read(descriptor, 200).decode()
    finally:
        os.close(descriptor)


def give_up_new_privileges() -> None:
    """Whatever this process becomes, it gets no rights that it does not have now."""
    _prctl(_NO_NEW_PRIVILEGES, 1)


def _no_new_privileges() -> None:
    give_up_new_privileges()
    # The engine counts pages to know a block that ran out of memory.
    _prctl(_NO_HUGE_PAGES, 1)


def _prctl(option: int, value: int) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    numbers = (ctypes.c_ulong(number) for number in (option, value, 0, 0, 0))
    if library.prctl(*numbers) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
