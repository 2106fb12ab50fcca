"""Which walls stand around npm packages on this system, found out by starting Deno."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from paperagents.errors import ToolError
from paperagents.messages import text
from paperagents.sandbox import landlock
from paperagents.sandbox.deno_process import DenoSetup, start_deno
from paperagents.sandbox.limits import Limits
from paperagents.sandbox.npm_packages import write_loader
from paperagents.sandbox.walls import Wall
from paperagents.sandbox.worker_process import START_SECONDS, ChannelBrokenError


def deno_walls() -> tuple[Wall, Wall]:
    """Whether Deno is there and starts, and whether the kernel holds it: where it could, it would not start without."""
    missing = _missing()
    deno = Wall(name="deno", stands=not missing, reason=missing or text("sandbox.wall.deno"))
    if not missing and not landlock.version():
        missing = text("sandbox.wall-kernel")
    held = Wall(name="deno-landlock", stands=not missing, reason=missing or text("sandbox.wall.deno-landlock"))
    return deno, held


def _missing() -> str:
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
            process.bury()
    return "" if hello.letter == "H" else text("sandbox-unavailable")
