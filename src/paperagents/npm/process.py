"""Deno seen from its parent: what it may touch, as its own permissions and as rules of the kernel around it."""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from paperagents import sandbox
from paperagents.errors import ToolError
from paperagents.sandbox import landlock
from paperagents.sandbox.limits import Limits
from paperagents.sandbox.worker_process import (
    BOOTSTRAP,
    MAX_BUSY_SECONDS,
    START_SECONDS,
    ChannelBrokenError,
    WorkerProcess,
    spawn,
)

START = BOOTSTRAP + "from paperagents.npm.launcher import main\nmain()\n"
INSTALL = BOOTSTRAP + "from paperagents.npm.launcher import install\ninstall()\n"
OWN_MEMORY_MB = 534
"""What Deno takes for itself; the tool's share comes on top."""
_RUNNER = Path(sandbox.__path__[0]) / "javascript" / "deno_runner.js"
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/nix/store")
_ALWAYS_READ = ("/dev/urandom", "/dev/null", "/etc/localtime", "/usr/share/zoneinfo", "/proc/self")
_NAMES_OF_HOSTS = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/run/systemd/resolve",
)
_CERTIFICATES = (
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
    "/usr/share/ca-certificates",
    "/usr/local/share/ca-certificates",
)
_ENDINGS_WITHOUT_MEMORY = (signal.SIGTRAP, signal.SIGABRT, signal.SIGILL)
_DYING_SECONDS = 2.0


@dataclass(frozen=True, kw_only=True, slots=True)
class DenoSetup:
    """One tool's process: its packages, and what it may touch besides. Folders are absolute and real."""

    packages: Path
    declared: tuple[str, ...]
    state: str = ""
    """Names what is installed: other packages are another setup."""
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    """Folders whose names may be seen, while what is in them is granted one by one."""
    unreadable: tuple[str, ...] = ()
    unwritable: tuple[str, ...] = ()
    """Not granted, though it lies below a folder that is."""
    folder: str = "/"
    """What relative paths are relative to."""
    net: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    timezone: str = ""


class DenoProcess(WorkerProcess):
    """A worker that is Deno."""

    counts_computing_time = False

    def ran_out_of_memory(self) -> bool:
        """V8 gives up with a trap when its heap is full, the allocator with an abort."""
        until = time.monotonic() + _DYING_SECONDS
        while time.monotonic() < until and hasattr(os, "waitid"):
            try:
                ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
            except ChildProcessError:
                return False
            if ended is not None:
                return ended.si_code != os.CLD_EXITED and ended.si_status in _ENDINGS_WITHOUT_MEMORY
            time.sleep(0.005)
        return False


@cache
def deno_program() -> str:
    """Where Deno is. Raises ToolError with what to install where it is not."""
    try:
        from deno import find_deno_bin  # type: ignore[import-untyped]  # noqa: PLC0415  an extra, without types
    except ImportError:
        raise ToolError("deno-missing") from None
    try:
        return str(Path(find_deno_bin()).resolve())
    except OSError:
        raise ToolError("deno-missing") from None


def start_deno(setup: DenoSetup, ceiling: Limits) -> DenoProcess:
    """Start a process for one tool. Call it from a thread that outlives it."""
    order = {
        "command": _command(setup, ceiling),
        "environment": _environment(setup),
        "folder": setup.folder,
        "paths": _paths(setup),
        "ports": _ports(setup.net),
        "parent": os.getpid(),
        "memory": (OWN_MEMORY_MB + ceiling.memory_mb) << 20,
        "seconds": math.ceil(4 * (2 * MAX_BUSY_SECONDS + ceiling.seconds)),
    }
    process = DenoProcess(*spawn([sys.executable, "-I", "-S", "-c", START]))
    # Not as arguments: every user of the machine can see those, and granted variables may be secrets.
    with suppress(ChannelBrokenError, TimeoutError):
        process.send("O", json.dumps(order).encode(), until=time.monotonic() + START_SECONDS)
    return process


def installer(folders: list[Path], files: list[str], arguments: list[str]) -> list[str]:
    """The command of Deno as it installs packages: it may change these folders, read these files, and run nothing."""
    system = [(path, landlock.READ) for path in (*_ALWAYS_READ, *_NAMES_OF_HOSTS, *_CERTIFICATES, *files)]
    changed = [(str(folder), landlock.READ | landlock.WRITE | landlock.LINK) for folder in folders]
    order = {"command": [deno_program(), *arguments], "paths": [*_programs(), *system, *changed], "parent": os.getpid()}
    return [sys.executable, "-I", "-S", "-c", INSTALL, json.dumps(order)]


def _command(setup: DenoSetup, ceiling: Limits) -> list[str]:
    """Deno's own permissions; what is not named is denied."""
    # What is below a listed folder needs no word of its own: here what may not be read is taken out of it instead.
    named = [path for path in setup.read if not path.startswith(tuple(f"{folder}/" for folder in setup.listed))]
    reads = [str(setup.packages), *setup.listed, *named]
    # A variable that is not granted reads as not set, as the many packages expect that look for one.
    flags = ["--allow-read=" + _listed(reads, setup), "--ignore-env"]
    if setup.environment:
        flags.append("--allow-env=" + ",".join(name for name, _ in setup.environment))
    if setup.write:
        flags.append("--allow-write=" + _listed(setup.write, setup))
    if setup.net:
        flags.append("--allow-net=" + ",".join(setup.net))
    if setup.unreadable:
        flags.append("--deny-read=" + _listed(setup.unreadable, setup))
    if setup.unwritable:
        flags.append("--deny-write=" + _listed(setup.unwritable, setup))
    return [
        deno_program(), "run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--cached-only", "--no-remote",
        "--node-modules-dir=manual", f"--v8-flags=--max-old-space-size={ceiling.memory_mb}", *flags,
        str(_RUNNER), str(setup.packages), *setup.declared,
    ]  # fmt: skip


def _environment(setup: DenoSetup) -> dict[str, str]:
    own = {
        "DENO_DIR": str(setup.packages / "deno"),
        "DENO_NO_UPDATE_CHECK": "1",
        "DENO_NO_PACKAGE_JSON": "1",
        "NO_COLOR": "1",
    }
    timezone = setup.timezone or os.environ.get("TZ", "")
    return {**dict(setup.environment), **own, **({"TZ": timezone} if timezone else {})}


def _paths(setup: DenoSetup) -> list[tuple[str, int]]:
    """The same for the kernel, which also holds where a link leads out or Deno errs."""
    system = [(path, landlock.READ) for path in _ALWAYS_READ] + _programs()
    own = [(str(_RUNNER.parent), landlock.READ), (str(setup.packages), landlock.READ)]
    names = [(path, landlock.READ) for path in _NAMES_OF_HOSTS] if setup.net else []
    granted = [(path, landlock.READ) for path in setup.read] + [(path, landlock.WRITE) for path in setup.write]
    granted += [(path, landlock.LIST) for path in setup.listed]
    return [*system, *own, *names, *granted]


def _programs() -> list[tuple[str, int]]:
    """Deno, and the libraries it is linked to."""
    return [(path, landlock.READ | landlock.RUN) for path in (*_LIBRARIES, deno_program())]


def _ports(net: tuple[str, ...]) -> list[int] | None:
    """The ports that connections may go to; None for any, where a host is granted without one."""
    ports = [host.rpartition(":")[2] for host in net]
    if any(":" not in host or not port.isdigit() for host, port in zip(net, ports, strict=True)):
        return None
    return [int(port) for port in ports]


def _listed(paths: Sequence[str], setup: DenoSetup) -> str:
    """Deno's list of paths, where a comma can only stand in what leads to the folder that they are relative to.

    Any other comma is written twice, which Deno refuses: two paths must never be made of one.
    """
    short = (os.path.relpath(path, setup.folder) if "," in path else path for path in paths)
    return ",".join(path.replace(",", ",,") for path in short)
