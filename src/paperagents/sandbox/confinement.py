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
    os.closerange(0, channel)
    highest = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    os.closerange(channel + 1, 65536 if highest == resource.RLIM_INFINITY else min(highest, 1 << 20))
    end_with_parent(parent)
    system = "" if sys.platform == "linux" else "system"
    return [
        attempt("resource-limits", lambda: limit_resources(memory=memory, seconds=seconds)),
        attempt("no-new-privileges", give_up_privileges_and_huge_pages, missing=system),
        attempt("landlock", landlock.give_up_everything, missing=system or ("" if landlock.version() else "kernel")),
        attempt("no-descriptors", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))),
        # Last: it would refuse what the others need.
        attempt(
            "seccomp",
            lambda: seccomp.allow_only_computing(channel),
            missing=system or ("" if seccomp.is_known_machine(os.uname().machine) else "machine"),
        ),
    ]


def end_with_parent(parent: int) -> None:
    """Let the kernel end this process when its parent ends, however the parent ends."""
    if sys.platform == "linux":
        prctl(_PARENT_DEATH_SIGNAL, _SIGKILL)
        prctl(_DUMPABLE, 0)
    if os.getppid() != parent:
        os._exit(0)


def attempt(name: str, build: Callable[[], object], missing: str = "") -> tuple[str, str]:
    """Build a wall, unless what it needs is missing."""
    if missing:
        return name, missing
    try:
        build()
    except (OSError, ValueError) as error:
        return name, f"refused {error}"
    return name, ""


def limit_resources(*, memory: int, seconds: int) -> None:
    """No files, no processes, so much memory and computing time."""
    for what in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC):
        resource.setrlimit(what, (0, 0))
    # An orphan stuck inside one built-in call of the engine still comes to an end.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if sys.platform == "linux":
        descriptor = os.open("/proc/self/statm", os.O_RDONLY)
        try:
            used = int(os.read(descriptor, 200).split()[0]) * resource.getpagesize()
        finally:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))


def give_up_new_privileges() -> None:
    """Whatever this process becomes, it gets no rights that it does not have now."""
    prctl(_NO_NEW_PRIVILEGES, 1)


def give_up_privileges_and_huge_pages() -> None:
    """The engine counts pages to know a block that ran out of memory; huge ones would spoil the count."""
    give_up_new_privileges()
    prctl(_NO_HUGE_PAGES, 1)


def prctl(option: int, value: int) -> None:
    """Change an attribute of this process."""
    library = ctypes.CDLL(None, use_errno=True)
    numbers = (ctypes.c_ulong(number) for number in (option, value, 0, 0, 0))
    if library.prctl(*numbers) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
