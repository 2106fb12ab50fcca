"""What stands between Python and Deno: gives up rights and memory, then becomes Deno.

Started by ``process.py`` with nothing of the package loaded but this module and what it imports.
"""

from __future__ import annotations

import json
import os
import resource
import sys

from paperagents.sandbox import landlock, seccomp
from paperagents.sandbox.confinement import end_with_parent, give_up_new_privileges

CHANNEL = 3
LARGEST_FILE = 1 << 30
MOST_DESCRIPTORS = 512


def main() -> None:
    """Read from the channel what to become, and become it."""
    order = json.loads(_received(int.from_bytes(_received(4), "big"))[1:])
    os.chdir(order["folder"])
    end_with_parent(order["parent"])
    _limit(memory=order["memory"], seconds=order["seconds"])
    _keep_only(order["paths"], order["ports"])
    os.dup2(CHANNEL, 0)
    os.dup2(CHANNEL, 1)
    os.closerange(CHANNEL, 4096)
    # Last: from here on there is nothing but becoming Deno.
    if sys.platform == "linux" and seccomp.is_known_machine(os.uname().machine):
        seccomp.refuse_processes(has_network=order["ports"] != [])
    os.execve(order["command"][0], order["command"], order["environment"])  # noqa: S606  no shell is wanted


def install() -> None:
    """Become Deno as it installs packages: it reaches the network and its own folders, and runs nothing but itself."""
    order = json.loads(sys.argv[1])
    end_with_parent(order["parent"])
    _keep_only(order["paths"], None)
    os.execv(order["command"][0], order["command"])  # noqa: S606  no shell is wanted


def _keep_only(paths: list[tuple[str, int]], ports: list[int] | None) -> None:
    if sys.platform == "linux":
        give_up_new_privileges()
        if landlock.version():
            landlock.keep_only([(path, rights) for path, rights in paths], ports=ports)


def _received(size: int) -> bytes:
    """So many bytes and not one more: what follows is for Deno."""
    received = b""
    while len(received) < size:
        chunk = os.read(CHANNEL, size - len(received))
        if not chunk:
            sys.exit(1)
        received += chunk
    return received


def _limit(*, memory: int, seconds: int) -> None:
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, LARGEST_FILE)
    _lower(resource.RLIMIT_NOFILE, MOST_DESCRIPTORS)
    _lower(resource.RLIMIT_CPU, seconds)
    # V8 reserves addresses by the terabyte; what it really takes is counted as data.
    _lower(resource.RLIMIT_DATA, memory)


def _lower(what: int, most: int) -> None:
    hard = resource.getrlimit(what)[1]
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (allowed, allowed))
