"""Files that are kept with the user, and that several processes may change at the same time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone_with(file: Path) -> Iterator[None]:
    """Inside, nobody else changes the file: what one reads, and then writes, loses nothing of another's."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
