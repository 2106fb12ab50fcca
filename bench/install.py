"""The two commands of the README in a clean clone, with an empty home: how long a newcomer waits.

    python -I bench/install.py

Nothing is handed on but the path, and what pip and Python need to reach their index. Libraries come from there and not
from a cache: the home is new.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from recording import record  # noqa: E402  its folder is known only now
from table import Row  # noqa: E402  see above

NAME = "install"
ROOT = HERE.parent
HANDED_ON = re.compile(r"PATH|PIP_\w+|SSL_CERT_\w+|\w+_proxy", re.IGNORECASE)


def measure() -> list[Row]:
    """A row for each command."""
    with tempfile.TemporaryDirectory() as folder:
        clone, home = Path(folder) / "clone", Path(folder) / "home"
        home.mkdir()
        subprocess.run(["git", "clone", "--quiet", "--local", "--no-hardlinks", str(ROOT), str(clone)], check=True)
        environment = {**handed_on(os.environ), "HOME": str(home)}
        return [_row(command, clone, environment) for command in readme_commands()]


def readme_commands() -> list[str]:
    """What the README tells newcomers to type first."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return readme.partition("```sh\n")[2].partition("```")[0].strip().split("\n")


def handed_on(environment: Mapping[str, str]) -> dict[str, str]:
    """The few variables that a command gets."""
    return {name: value for name, value in environment.items() if HANDED_ON.fullmatch(name)}


def _row(command: str, clone: Path, environment: Mapping[str, str]) -> Row:
    started = time.perf_counter()
    done = subprocess.run(
        ["sh", "-c", command], cwd=clone, env=environment, capture_output=True, text=True, check=False
    )
    taken = time.perf_counter() - started
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)
    return Row(bench=NAME, measure=f"`{command}`, in a clean clone with an empty home", ours=f"{taken:.1f} s")


if __name__ == "__main__":
    record(NAME, measure)
