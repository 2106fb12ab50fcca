"""Deno processes: what each may touch, as its own permissions and as rules of the kernel around it; kept warm in pools.

A process never serves a second tool.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import sys
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from importlib import invalidate_caches
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Unpack

from paperagents import sandbox
from paperagents.definitions.source import Excerpt
from paperagents.errors import ToolError
from paperagents.messages import text
from paperagents.sandbox import JavaScriptResult, Limits, Sandbox, Wall, landlock
from paperagents.sandbox.block import BlockOptions
from paperagents.sandbox.worker_process import (
    BOOTSTRAP,
    MAX_BUSY_SECONDS,
    START_SECONDS,
    ChannelBrokenError,
    WorkerProcess,
    spawn,
)
from paperagents.values import dataclass

START = BOOTSTRAP + "from paperagents.npm.launcher import main\nmain()\n"
INSTALL = BOOTSTRAP + "from paperagents.npm.launcher import install\ninstall()\n"
OWN_MEMORY_MB = 534
"""What Deno takes for itself; the tool's share comes on top."""
_RUNNER = Path(sandbox.__path__[0]) / "javascript" / "deno_runner.js"
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/nix/store")
_ALWAYS_READ = ("/dev/urandom", "/dev/null", "/etc/localtime", "/usr/share/zoneinfo", "/proc/self")
_NAMES_OF_HOSTS = (
    "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/run/systemd/resolve",
)  # fmt: skip
_CERTIFICATES = (
    "/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/usr/share/ca-certificates", "/usr/local/share/ca-certificates",
)  # fmt: skip
_ENDINGS_WITHOUT_MEMORY = (signal.SIGTRAP, signal.SIGABRT, signal.SIGILL)
_DYING_SECONDS = 2.0
PROCESSES_PER_TOOL = 2
MOST_TOOLS = 6
CALLS_PER_PROCESS = 200
IDLE_SECONDS = 60.0


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

    stops_itself = False

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


def deno_installers() -> list[list[str]]:
    """The commands that bring Deno into this very Python, pip first: a locked version, its hash checked."""
    locked = ["--no-deps", "--require-hashes", "-r", str(Path(__file__).with_name("deno.txt"))]
    commands = [[sys.executable, "-m", "pip", "install", *locked]] if find_spec("pip") is not None else []
    uv = shutil.which("uv")
    return [*commands, *([[uv, "pip", "install", "--python", sys.executable, *locked]] if uv else [])]


def install_deno() -> str:
    """Bring Deno with the first installer there is; what it tells goes to standard error. Gives where Deno is now."""
    import subprocess  # noqa: PLC0415  only installing needs it

    installers = deno_installers()
    if not installers:
        raise ToolError("deno-no-installer", python=sys.executable)
    ended = subprocess.run(installers[0], stdin=subprocess.DEVNULL, stdout=2, check=False)  # noqa: S603  fixed arguments
    if ended.returncode != 0:
        raise ToolError("deno-not-installed", status=ended.returncode)
    invalidate_caches()
    return deno_program()


def start_deno(setup: DenoSetup, ceiling: Limits) -> DenoProcess:
    """Start a process for one tool. Call it from a thread that outlives it."""
    ports = [host.rpartition(":")[2] for host in setup.net]
    has_ports = all(":" in host and port.isdigit() for host, port in zip(setup.net, ports, strict=True))
    order = {
        "command": deno_command(setup, ceiling),
        "environment": deno_environment(setup),
        "folder": setup.folder,
        "paths": landlock_paths(setup),
        # None for any, where a host is granted without one.
        "ports": [int(port) for port in ports] if has_ports else None,
        "parent": os.getpid(),
        "memory": (OWN_MEMORY_MB + ceiling.memory_mb) << 20,
        "seconds": math.ceil(4 * (2 * MAX_BUSY_SECONDS + ceiling.seconds)),
    }
    process = DenoProcess(*spawn([sys.executable, "-I", "-S", "-c", START]))
    # Not as arguments: every user of the machine can see those, and granted variables may be secrets.
    with suppress(ChannelBrokenError, TimeoutError):
        process.send("O", json.dumps(order).encode(), until=time.monotonic() + START_SECONDS)
    return process


def install_command(folders: list[Path], files: list[str], arguments: list[str]) -> list[str]:
    """The command of Deno as it installs packages: it may change these folders, read these files, and run nothing."""
    system = [(path, landlock.READ) for path in (*_ALWAYS_READ, *_NAMES_OF_HOSTS, *_CERTIFICATES, *files)]
    changed = [(str(folder), landlock.READ | landlock.WRITE | landlock.LINK) for folder in folders]
    paths = [*program_paths(), *system, *changed]
    order = {"command": [deno_program(), *arguments], "paths": paths, "parent": os.getpid()}
    return [sys.executable, "-I", "-S", "-c", INSTALL, json.dumps(order)]


def deno_command(setup: DenoSetup, ceiling: Limits) -> list[str]:
    """Deno's own permissions; what is not named is denied."""
    # What is below a listed folder needs no word of its own: here what may not be read is taken out of it instead.
    named = [path for path in setup.read if not path.startswith(tuple(f"{folder}/" for folder in setup.listed))]
    permissions = {
        "--allow-read": join_paths([str(setup.packages), *setup.listed, *named], setup.folder),
        "--allow-env": ",".join(name for name, _ in setup.environment),
        "--allow-write": join_paths(setup.write, setup.folder),
        "--allow-net": ",".join(setup.net),
        "--deny-read": join_paths(setup.unreadable, setup.folder),
        "--deny-write": join_paths(setup.unwritable, setup.folder),
    }
    # A flag without a value would grant everything.
    flags = [f"{flag}={value}" for flag, value in permissions.items() if value]
    return [
        deno_program(), "run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--cached-only", "--no-remote",
        "--node-modules-dir=manual", f"--v8-flags=--max-old-space-size={ceiling.memory_mb}",
        # A variable that is not granted reads as not set, as the many packages expect that look for one.
        "--ignore-env", *flags, str(_RUNNER), str(setup.packages), *setup.declared,
    ]  # fmt: skip


def deno_environment(setup: DenoSetup) -> dict[str, str]:
    """The variables that are granted, and Deno's own."""
    own = {
        "DENO_DIR": str(setup.packages / "deno"),
        "DENO_NO_UPDATE_CHECK": "1",
        "DENO_NO_PACKAGE_JSON": "1",
        "NO_COLOR": "1",
    }
    timezone = setup.timezone or os.environ.get("TZ", "")
    return {**dict(setup.environment), **own, **({"TZ": timezone} if timezone else {})}


def landlock_paths(setup: DenoSetup) -> list[tuple[str, int]]:
    """The permissions for the kernel, which also holds where a link leads out or Deno errs."""
    readable = (*_ALWAYS_READ, str(_RUNNER.parent), str(setup.packages), *(_NAMES_OF_HOSTS if setup.net else ()))
    rights = [(path, landlock.READ) for path in (*readable, *setup.read)]
    rights += [(path, landlock.WRITE) for path in setup.write] + [(path, landlock.LIST) for path in setup.listed]
    return [*program_paths(), *rights]


def program_paths() -> list[tuple[str, int]]:
    """Deno, and the libraries it is linked to."""
    return [(path, landlock.READ | landlock.RUN) for path in (*_LIBRARIES, deno_program())]


def join_paths(paths: Sequence[str], folder: str) -> str:
    """Deno's list of paths, where a comma can only stand in what leads to the folder that they are relative to.

    Any other comma is written twice, which Deno refuses: two paths must never be made of one.
    """
    short = (os.path.relpath(path, folder) if "," in path else path for path in paths)
    return ",".join(path.replace(",", ",,") for path in short)


class DenoPools:
    """Runs tools with npm packages. Safe to use from many threads; close it when done."""

    def __init__(self, *, limits: Limits, idle_seconds: float = IDLE_SECONDS) -> None:
        self.limits = limits
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._pools: OrderedDict[DenoSetup, Sandbox] = OrderedDict()
        self._users: Counter[DenoSetup] = Counter()

    def run(self, setup: DenoSetup, code: Excerpt, **options: Unpack[BlockOptions]) -> JavaScriptResult:
        """Run a function body in a process of this setup; gives its value and console, or raises SandboxError."""
        deno_program()
        with self.borrow(setup) as pool:
            return pool.run(code, **options)

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            pools, self._pools = list(self._pools.values()), OrderedDict()
        for pool in pools:
            pool.close()

    def pids(self) -> tuple[int, ...]:
        """The processes that are alive now."""
        with self._lock:
            return tuple(pid for pool in self._pools.values() for pid in pool.pids())

    @contextmanager
    def borrow(self, setup: DenoSetup) -> Iterator[Sandbox]:
        """The pool of a setup. Those unused for longest are closed where there are too many; none that is in use."""
        with self._lock:
            pool = self._pools.pop(setup, None) or Sandbox(
                limits=self.limits,
                size=PROCESSES_PER_TOOL,
                blocks_per_worker=CALLS_PER_PROCESS,
                idle_seconds=self._idle_seconds,
                start=partial(start_deno, setup, self.limits),
                warmest_first=True,
            )
            self._pools[setup] = pool
            self._users[setup] += 1
            unused = [each for each in self._pools if not self._users[each]]
            dropped = [self._pools.pop(each) for each in unused[: max(len(self._pools) - MOST_TOOLS, 0)]]
        for old in dropped:
            old.close()
        try:
            yield pool
        finally:
            with self._lock:
                self._users[setup] -= 1


def deno_walls() -> tuple[Wall, Wall]:
    """Whether Deno is there and starts, and whether the kernel holds it: where it could, it would not start without."""
    missing = try_deno()
    deno = Wall(name="deno", stands=not missing, reason=missing or text("sandbox.wall.deno"))
    if not missing and not landlock.version():
        missing = text("sandbox.wall-kernel")
    held = Wall(name="deno-landlock", stands=not missing, reason=missing or text("sandbox.wall.deno-landlock"))
    return deno, held


def try_deno() -> str:
    """Why tools with packages cannot run; empty where they can."""
    with TemporaryDirectory(prefix="paper-") as folder:
        packages = Path(folder).resolve()
        write_loader(packages)
        try:
            process = start_deno(DenoSetup(packages=packages, declared=()), Limits())
        except ToolError as error:
            return f"{error.message} {error.hint or ''}".strip()
        except OSError as error:
            return str(error)
        try:
            hello = process.receive(most=4096, until=time.monotonic() + START_SECONDS)
        except (ChannelBrokenError, TimeoutError):
            return text("sandbox-unavailable")
        finally:
            process.kill()
            process.reap()
    return "" if hello.letter == "H" else text("sandbox-unavailable")


def write_loader(folder: Path) -> None:
    """What Deno imports the packages of a folder by."""
    (folder / "load.mjs").write_text("export const load = (name, options) => import(name, options);\n", "utf-8")
